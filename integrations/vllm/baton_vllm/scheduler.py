"""The scheduler's side. Requests, blocks and steps are vLLM's; nothing of vLLM is imported."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from baton_vllm.codec import Message
from baton_vllm.desk import Desk, Sizes
from baton_vllm.keeper import Keeper
from baton_vllm.link import AgentLink, Session
from baton_vllm.lookup import Lookup, is_running
from baton_vllm.sequences import Sequence, is_eligible, order_of
from baton_vllm.step import Report, Step

# Of the newest step in the rate of loads.
_RATE_WEIGHT = 0.2
_OUTCOMES = {"FINISHED_ABORTED": "aborted", "FINISHED_ERROR": "failed"}


@dataclass(frozen=True)
class Scheduled:
    """A request in one step: tokens computed before it and by it, and blocks that it got for it."""

    request_id: str
    computed: int
    tokens: int
    new_blocks: list[int]


class SchedulerSide:
    """Called by the scheduler's thread only."""

    def __init__(self, link: AgentLink, sizes: Sizes):
        self._link = link
        self._desk = Desk(link, sizes)
        self._lookup = Lookup(self._desk)
        self._keeper = Keeper(self._desk)
        # All that vLLM has, and of those that are eligible what is remembered.
        self._requests: dict[str, Any] = {}
        self._sequences: dict[str, Sequence] = {}
        self._step = Step()
        self._epoch = 0
        self._last_session: Session | None = None
        # Bytes per second from arena to KV blocks; 0 while unknown.
        self._load_rate = 0.0

    def arrived(self, request: Any) -> None:
        """vLLM has a new request."""
        self._requests[request.request_id] = request

    def match(self, request: Any, computed: int) -> int | None:
        """Tokens beyond the `computed` ones that can be loaded; None: ask again, they are on their way."""
        if not is_eligible(request):
            return 0
        sequence = self._sequence(request)
        sequence.reused, sequence.loaded, sequence.transferred = computed, 0, 0
        session = self._link.session
        if session is None or request.skip_reading_prefix_cache:
            self._lookup.drop(sequence)
            return 0
        sequence.renew(session)
        is_idle = not any(is_running(other) for other in self._requests.values())
        return self._lookup.match(sequence, session, computed, is_idle)

    def allocated(self, request: Any, blocks: Iterable[int], external: int) -> None:
        """The request has these blocks now; `external` tokens are to be loaded, 0 also when others load."""
        if not is_eligible(request):
            return
        sequence = self._sequence(request)
        sequence.blocks = list(blocks)
        self._step.loads.extend(self._lookup.load(sequence, external))

    def build(self, scheduled: Iterable[Scheduled]) -> Step:
        """What the workers are to copy with this step."""
        step, self._step = self._step, Step()
        linked, may_ask = self._link.linked, self._link.session is not None
        for item in scheduled:
            sequence = self._sequences.get(item.request_id)
            if sequence is None:
                continue
            sequence.blocks.extend(item.new_blocks)
            if linked is not None:
                sequence.renew(linked)
                # With asynchronous scheduling the newest tokens are not known yet: a later step keeps them.
                known = len(sequence.request.all_token_ids)
                done = min(item.computed + item.tokens, known)
                step.saves += self._keeper.keep(sequence, linked, done, may_ask)
        self._last_session = linked or self._last_session
        step.epoch = self._epoch
        step.arena = self._last_session.arena if self._last_session else None
        return step

    def took(self, report: Report | None, has_failed: bool) -> None:
        """The workers' report of a step. After a failed load nothing is kept until all workers know of it."""
        if has_failed:
            self._epoch += 1
        if report is None:
            return
        self._measure(report)
        self._lookup.loaded(report.loaded, has_failed=False)
        self._lookup.loaded(report.failed, has_failed=True)
        self._keeper.saved(report.saved, report.dropped)

    def finished(self, request: Any) -> Message | None:
        """The request is over. What the answer says of it where it belongs to a plan."""
        self._requests.pop(request.request_id, None)
        sequence = self._sequences.pop(request.request_id, None)
        if sequence is None:
            return None
        self._lookup.drop(sequence)
        tokens, order = sequence.account(), sequence.order
        closing = {
            "plan_id": order.plan_id,
            "leg": order.leg,
            "outcome": _OUTCOMES.get(request.status.name, "finished"),
            "output_tokens": max(0, request.num_tokens - request.num_prompt_tokens),
            **tokens,
        }
        self._keeper.end(sequence, closing)
        return {"baton": {"accounting": tokens}} if order.plan_id else None

    def load(self, used_blocks: int) -> Message:
        """How busy the engine is, as agents are told."""
        requests = list(self._requests.values())
        running = sum(is_running(request) for request in requests)
        pending = sum(max(0, r.num_prompt_tokens - r.num_computed_tokens) for r in requests)
        return {
            "running_sequences": running,
            "waiting_sequences": len(requests) - running,
            "pending_prefill_tokens": pending,
            "kv_used_blocks": used_blocks,
            "dram_bytes_per_sec": self._load_rate,
        }

    def _measure(self, report: Report) -> None:
        if not report.loaded or report.load_seconds <= 0:
            return
        rate = self._lookup.bytes_of(report.loaded) / report.load_seconds
        self._load_rate += (rate - self._load_rate) * (_RATE_WEIGHT if self._load_rate else 1)

    def _sequence(self, request: Any) -> Sequence:
        known = self._sequences.get(request.request_id)
        if known is None:
            known = self._sequences[request.request_id] = Sequence(request, order_of(request))
        return known
