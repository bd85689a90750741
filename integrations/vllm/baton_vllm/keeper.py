"""What the agent is to keep of a request: whole segments as they are computed, and the tail of a handover."""

from collections.abc import Mapping

from baton_vllm.codec import Message
from baton_vllm.desk import Desk
from baton_vllm.keeping import Keeping
from baton_vllm.link import HELD_ALREADY, Session
from baton_vllm.sequences import Sequence
from baton_vllm.step import Save


class Keeper:
    """Pages of the whole prompt are asked for with its first step, those of generated tokens as they come."""

    def __init__(self, desk: Desk):
        self._desk = desk

    def keep(
        self, sequence: Sequence, session: Session, done: int, may_ask: bool
    ) -> list[Save]:
        """The copies to be made after a step with which `done` tokens of the sequence are computed.

        Pages that were granted are filled also while the agent may not be asked for more.
        """
        request, size = sequence.request, self._desk.sizes.segment_tokens
        until = max(request.num_prompt_tokens, done) // size
        lacks = until > sequence.kept_until or sequence.lost or sequence.owes_handover
        if lacks and may_ask:
            self._reserve(sequence, session, until)
        saves = []
        for keeping in sequence.keepings:
            for segment in keeping.granted:
                if (segment + 1) * size <= done and not keeping.is_copying(segment):
                    saves += self._save(sequence, keeping, segment)
            if keeping.needs_tail and done >= keeping.prompt_tokens:
                saves += self._save(sequence, keeping, Keeping.TAIL)
        return saves

    def saved(self, sums: Mapping[int, Mapping[int, int]], dropped: set[int]) -> None:
        """The workers have filled pages, `sums` by ticket and rank, or not, as what they had was not sure."""
        for ticket in {*sums, *dropped}:
            keeping, sequence, part_bytes = self._desk.saves.pop(ticket)
            parts = sums.get(ticket, {})
            if ticket in dropped or len(parts) < self._desk.sizes.ranks:
                keeping.dropped(self._desk.link, ticket)
            else:
                keeping.saved(self._desk.link, ticket, parts, part_bytes)
            if keeping.is_done and not keeping.is_handover and keeping in sequence.keepings:
                sequence.keepings.remove(keeping)
                keeping.end(self._desk.link)

    def end(self, sequence: Sequence, closing: Message) -> None:
        """The request is over; `closing` goes to the agent when nothing is written for it any more."""
        link = self._desk.link
        last = next((keeping for keeping in sequence.keepings if keeping.is_handover), None)
        for keeping in sequence.keepings:
            keeping.end(link, closing if keeping is last else None)
        session = link.linked
        if last is None and session is not None:
            ended = {"request_id": self._desk.new_id(sequence), **closing}
            link.send({"ended": ended}, session.number)

    def _reserve(self, sequence: Sequence, session: Session, until: int) -> None:
        request, size = sequence.request, self._desk.sizes.segment_tokens
        is_handover = sequence.owes_handover
        fresh = set(range(sequence.kept_until, until)) - sequence.held
        # A handover leases also what the agent has: the other engine's agent is going to ask for it.
        segments = sorted(range(until) if is_handover else fresh | sequence.lost)
        has_tail = is_handover and request.num_prompt_tokens % size != 0
        if not segments and not is_handover:
            sequence.kept_until = max(sequence.kept_until, until)
            return
        keys = sequence.keys(session, size, until)
        ids = {
            "request_id": self._desk.new_id(sequence),
            "plan_id": sequence.order.plan_id if is_handover else "",
        }
        wanted = b"".join(keys[segment] for segment in segments)
        reply = self._desk.link.reserve(session, {**ids, "keys": wanted, "tail": has_tail})
        if reply is None:
            # Asked again when the agent answers again; what it grants too late goes back.
            self._desk.link.send({"ended": {"request_id": ids["request_id"]}}, session.number)
            return
        sequence.kept_until = max(sequence.kept_until, until)
        sequence.lost.clear()
        sequence.handover_asked |= is_handover
        pages = zip(segments, reply["pages"], strict=False)
        keeping = Keeping(
            id=ids["request_id"],
            session=session,
            plan_id=ids["plan_id"],
            prompt_tokens=request.num_prompt_tokens,
            keys={segment: keys[segment] for segment in segments},
            granted={segment: page for segment, page in pages if page != HELD_ALREADY},
            tail_page=reply["tail_page"] if has_tail and not reply["refused"] else None,
            is_handover=is_handover and not reply["refused"],
        )
        if keeping.is_done and not keeping.is_handover:
            keeping.end(self._desk.link)
        else:
            sequence.keepings.append(keeping)
            keeping.settle(self._desk.link)

    def _save(self, sequence: Sequence, keeping: Keeping, segment: int) -> list[Save]:
        sizes, prompt = self._desk.sizes, keeping.prompt_tokens
        start = segment * sizes.blocks_per_segment
        stop = start + sizes.blocks_per_segment
        if segment == Keeping.TAIL:
            start = prompt // sizes.segment_tokens * sizes.blocks_per_segment
            stop = -(-prompt // sizes.block_tokens)
        blocks = sequence.blocks[start:stop]
        if len(blocks) < stop - start:
            return []
        ticket = next(self._desk.tickets)
        page = keeping.begin(ticket, segment)
        self._desk.saves[ticket] = (keeping, sequence, len(blocks) * sizes.part_bytes)
        return [Save(ticket, keeping.session.arena.path, page, blocks)]
