"""Pages that were granted for segments of one sequence: filled by the workers, then told to the agent."""

from dataclasses import dataclass, field

from baton_vllm.checksum import combined
from baton_vllm.codec import Message
from baton_vllm.link import AgentLink, Session


@dataclass
class Keeping:
    """The pages of one ReserveRequest. They are the engine's until each is committed, or all are given back."""

    id: str
    session: Session
    plan_id: str
    prompt_tokens: int
    keys: dict[int, bytes]
    # Segment -> page that is still to be filled.
    granted: dict[int, int]
    # Page for the unfinished last segment of a handover's prompt; None when it ends with a whole one.
    tail_page: int | None = None
    is_handover: bool = False
    # Ticket -> segment, -1 for the tail.
    copying: dict[int, int] = field(default_factory=dict)
    _tail: Message | None = None
    _is_told: bool = False
    _closing: Message | None = None

    TAIL = -1

    @property
    def is_done(self) -> bool:
        """All that was granted is filled."""
        has_tail = self.tail_page is None or self._tail is not None
        return not self.granted and not self.copying and has_tail

    @property
    def needs_tail(self) -> bool:
        """The tail's page is there, and nothing in it or on its way to it."""
        return self.tail_page is not None and self._tail is None and not self.is_copying(self.TAIL)

    def begin(self, ticket: int, segment: int) -> int:
        """The page that the copy of this ticket is to fill."""
        self.copying[ticket] = segment
        if segment == self.TAIL:
            assert self.tail_page is not None
            return self.tail_page
        return self.granted[segment]

    def is_copying(self, segment: int) -> bool:
        return segment in self.copying.values()

    def saved(self, link: AgentLink, ticket: int, sums: dict[int, int], size: int) -> None:
        """All ranks have filled the page: `sums` has the CRC-32 of each one's part, `size` the bytes of one."""
        segment = self.copying.pop(ticket)
        checksum = combined([sums[rank] for rank in sorted(sums)], size)
        payload = {"bytes": size * len(sums), "checksum": checksum}
        if segment == self.TAIL:
            self._tail = {"page": self.tail_page, **payload}
        else:
            page = self.granted.pop(segment)
            commit = {"key": self.keys[segment], "page": page, **payload}
            self._send(link, "commit", commit)
        self.settle(link)

    def dropped(self, link: AgentLink, ticket: int) -> None:
        """The page was not filled: it may be later."""
        self.copying.pop(ticket)
        self.settle(link)

    def end(self, link: AgentLink, closing: Message | None = None) -> None:
        """No copy begins after it; `closing` goes to the agent when none is under way."""
        self._closing = closing or {}
        self.settle(link)

    def settle(self, link: AgentLink) -> None:
        """Tells the agent what is complete by now."""
        if self.is_handover and self.is_done and not self._is_told:
            self._is_told = True
            state = {"prompt_tokens": self.prompt_tokens}
            self._send(link, "handover_ready", {"tail": {**(self._tail or {}), "state": state}})
        if self._closing is None or self.copying:
            return
        ended = {"request_id": self.id, "outcome": "finished", **self._closing}
        link.send({"ended": ended}, self.session.number)

    def _send(self, link: AgentLink, kind: str, message: Message) -> None:
        ids = {"request_id": self.id, "plan_id": self.plan_id}
        link.send({kind: {**ids, **message}}, self.session.number)
