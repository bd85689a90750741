"""What of a request the agent has, or is about to have, and its way into the engine's blocks."""

import time
from collections.abc import Iterable
from typing import Any

from baton_vllm.codec import Message
from baton_vllm.desk import Desk
from baton_vllm.link import ANSWER_SEC, Session
from baton_vllm.loading import HANDOVER_SEC, PREFIX_SEC, Loading
from baton_vllm.sequences import Sequence
from baton_vllm.step import Load

# While nothing else runs, an arriving transfer is waited for instead of being asked for again and again.
_IDLE_WAIT_SEC = 0.005


class Lookup:
    """One attempt at a time for each sequence; the agent leases its pages until it ends."""

    def __init__(self, desk: Desk):
        self._desk = desk

    def match(
        self, sequence: Sequence, session: Session, computed: int, is_idle: bool
    ) -> int | None:
        """Tokens beyond the `computed` ones that can be loaded; None while a transfer is waited for.

        Asked again, e.g. as there is no room in the engine, it answers from what it has leased already.
        """
        loading = self._present(sequence, session, computed)
        if loading is None:
            return 0
        if not self._has_ended(loading, is_idle):
            if loading.has_order:
                return None
            self._desk.link.slow("did not say in time what it has")
            self.drop(sequence)
            return 0
        if loading.has_order:
            sequence.order_done = True
        # At least one token is vLLM's to compute.
        loading.end_tokens = min(loading.known_tokens(), sequence.request.num_tokens - 1)
        if loading.end_tokens > computed:
            return loading.end_tokens - computed
        self.drop(sequence)
        return 0

    def load(self, sequence: Sequence, external: int) -> list[Load]:
        """The copies for what was matched, `external` tokens of it; none when it is 0: others load."""
        loading = sequence.loading
        if loading is None or external == 0:
            self.drop(sequence)
            return []
        sequence.loading = None
        desk, size = self._desk, self._desk.sizes.segment_tokens
        until = loading.first + len(loading.pending.pages)
        keys = sequence.keys(loading.session, size, until)
        sequence.held.update(range(loading.first, until))
        begin = loading.end_tokens - external
        block_tokens = desk.sizes.block_tokens
        loads = loading.loads(begin, sequence.blocks, block_tokens, keys, desk.tickets)
        for load in loads:
            desk.loads[load.ticket] = (loading, sequence)
        sequence.reused, sequence.loaded = begin, external
        sequence.transferred = min(external, loading.transferred_tokens)
        loading.end(desk.link, self._closing(sequence, loading))
        return loads

    def drop(self, sequence: Sequence) -> None:
        """What was found is not wanted any more."""
        loading, sequence.loading = sequence.loading, None
        if loading is not None:
            loading.end(self._desk.link, self._closing(sequence, loading))

    def loaded(self, tickets: Iterable[int], has_failed: bool) -> None:
        """The workers have made these copies, or could not."""
        link, size = self._desk.link, self._desk.sizes.segment_tokens
        for ticket in tickets:
            loading, sequence = self._desk.loads.pop(ticket)
            page, key, segment = loading.given[ticket]
            if has_failed:
                sequence.failed_from(segment * size)
            if has_failed and key:
                damaged = {"request_id": loading.id, "key": key, "page": page.page}
                link.send({"damaged": damaged}, loading.session.number)
                sequence.held.discard(segment)
                if segment < sequence.kept_until:
                    sequence.lost.add(segment)
            loading.copied(link, ticket)

    def bytes_of(self, tickets: Iterable[int]) -> int:
        """Of the pages that are copied under these tickets."""
        return sum(self._desk.loads[ticket][0].given[ticket][0].bytes for ticket in tickets)

    def _present(self, sequence: Sequence, session: Session, computed: int) -> Loading | None:
        """The attempt under way where it still fits, else a new one; None where there is nothing to ask."""
        known, size = sequence.loading, self._desk.sizes.segment_tokens
        if known is not None:
            if known.session.number == session.number and known.first * size <= computed:
                return known
            self.drop(sequence)
        request, order = sequence.request, sequence.order
        first, until = computed // size, request.num_tokens // size
        is_handover = order.is_decode and not sequence.order_done
        expected = 0 if sequence.order_done else min(order.prefix_tokens // size, until) - first
        if until <= first and not is_handover:
            return None
        has_order = is_handover or expected > 0
        seconds = HANDOVER_SEC if is_handover else PREFIX_SEC
        question: Message = {
            "request_id": self._desk.new_id(sequence),
            "plan_id": order.plan_id if has_order else "",
            "keys": b"".join(sequence.keys(session, size, until)[first:]),
            "first_segment": first,
            "handover": is_handover,
            "timeout_ms": int(seconds * 1000),
            "expected_segments": max(0, expected),
            "traceparent": order.traceparent,
        }
        sequence.loading = Loading(
            id=question["request_id"],
            session=session,
            first=first,
            wanted=max(0, until - first),
            pending=self._desk.link.begin_load(session, question),
            deadline=time.monotonic() + seconds,
            has_order=has_order,
            prompt_tokens=request.num_prompt_tokens,
            segment_tokens=size,
        )
        return sequence.loading

    def _has_ended(self, loading: Loading, is_idle: bool) -> bool:
        link = self._desk.link
        if not loading.has_order:
            return link.wait(loading.pending, ANSWER_SEC)
        if link.wait(loading.pending, _IDLE_WAIT_SEC if is_idle else 0):
            return True
        if time.monotonic() < loading.deadline:
            return False
        # What has come until now is of use; the rest is computed.
        link.forget_load(loading.id)
        return True

    @staticmethod
    def _closing(sequence: Sequence, loading: Loading) -> Message:
        """With the load of a plan its transfers are over: nothing need be held for it any more."""
        return {"plan_id": sequence.order.plan_id} if loading.has_order else {}


def is_running(request: Any) -> bool:
    """By vLLM's word; waiting ones and those that others load for are not."""
    return request.status.name == "RUNNING"
