"""One attempt to have a sequence's next segments from the agent: asked, leased, copied, given back."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from baton_vllm.codec import Message
from baton_vllm.link import AgentLink, LoadedPage, PendingLoad, Session
from baton_vllm.step import Load

# A handover waits for its prefill, which may be long; the agent says sooner when nothing will come.
HANDOVER_SEC = 120.0
# Silence after which computing a prefix is the better deal.
PREFIX_SEC = 2.0


@dataclass
class Order:
    """What the request's plan brings to this engine; empty where there is no plan."""

    plan_id: str = ""
    leg: str = ""
    # Prompt tokens that transfers of the plan bring.
    prefix_tokens: int = 0
    # W3C trace context of the leg; empty where nobody traces.
    traceparent: str = ""

    @property
    def is_decode(self) -> bool:
        """The prompt's KV comes from another engine, its unfinished last segment included."""
        return self.plan_id != "" and self.leg == "decode"

    @property
    def is_prefill(self) -> bool:
        """It goes to another engine."""
        return self.plan_id != "" and self.leg == "prefill"


@dataclass
class Loading:
    """Pages are leased under `id` until `end`, which has to come after the last copy."""

    id: str
    session: Session
    first: int
    wanted: int
    pending: PendingLoad
    deadline: float
    # It waits for a transfer, not only for the agent.
    has_order: bool
    prompt_tokens: int
    segment_tokens: int
    end_tokens: int = 0
    tickets: set[int] = field(default_factory=set)
    # What became of the pages, by ticket: the page, its key, and its place among the segments.
    given: dict[int, tuple[LoadedPage, bytes, int]] = field(default_factory=dict)
    closing: Message | None = None

    def known_tokens(self) -> int:
        """Tokens from the beginning whose KV can be had; only when the load has ended."""
        whole = (self.first + len(self.pending.pages)) * self.segment_tokens
        return self.prompt_tokens if self._tail is not None else whole

    @property
    def transferred_tokens(self) -> int:
        """Of those, what a transfer of this plan has brought."""
        pages = sum(page.transferred for page in self.pending.pages)
        tail = self.prompt_tokens % self.segment_tokens if self._tail else 0
        return pages * self.segment_tokens + tail

    @property
    def _tail(self) -> Message | None:
        tail = self.pending.tail
        fits = len(self.pending.pages) == self.wanted
        if tail is None or not fits or tail.get("state") is None:
            return None
        return tail if tail["state"]["prompt_tokens"] == self.prompt_tokens else None

    def loads(
        self,
        begin: int,
        blocks: list[int],
        block_tokens: int,
        keys: list[bytes],
        tickets: Iterator[int],
    ) -> list[Load]:
        """Copies for the tokens from `begin` on; `keys` are those of the sequence, `blocks` its KV blocks."""
        pages = list(self.pending.pages)
        tail = self._tail
        if tail is not None and tail["bytes"] > 0:
            pages.append(LoadedPage(tail["page"], tail["bytes"], tail["checksum"], True))
        per_segment = self.segment_tokens // block_tokens
        first_block, last_block = begin // block_tokens, -(-self.end_tokens // block_tokens)
        result = []
        for index, page in enumerate(pages):
            start = (self.first + index) * per_segment
            stop = min(start + per_segment, last_block)
            skip = max(0, first_block - start)
            fill = blocks[start + skip : stop]
            if not fill:
                continue
            segment, ticket = self.first + index, next(tickets)
            key = keys[segment] if segment < len(keys) else b""
            self.given[ticket] = (page, key, segment)
            self.tickets.add(ticket)
            arena = self.session.arena.path
            result.append(Load(ticket, arena, page.page, page.bytes, page.checksum, skip, fill))
        return result

    def end(self, link: AgentLink, closing: Message | None = None) -> None:
        """Gives the pages back once nothing is copied any more; `closing` goes with it."""
        self.closing = closing or {}
        self._finish(link)

    def copied(self, link: AgentLink, ticket: int) -> None:
        """A copy is done, well or not."""
        self.tickets.discard(ticket)
        self._finish(link)

    def _finish(self, link: AgentLink) -> None:
        if self.tickets or self.closing is None:
            return
        link.forget_load(self.id)
        ended = {"request_id": self.id, "outcome": "finished", **self.closing}
        link.send({"ended": ended}, self.session.number)
