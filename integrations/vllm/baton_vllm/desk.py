"""What looking up, keeping and the scheduler's side share."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from baton_vllm.keeping import Keeping
from baton_vllm.link import AgentLink
from baton_vllm.loading import Loading
from baton_vllm.sequences import Sequence


@dataclass(frozen=True)
class Sizes:
    """Of the engine's KV cache."""

    block_tokens: int
    segment_tokens: int
    # One rank's part of one block, all layers.
    part_bytes: int
    ranks: int

    @property
    def blocks_per_segment(self) -> int:
        return self.segment_tokens // self.block_tokens


@dataclass
class Desk:
    """Copies that the workers were told to make and have not reported yet, by ticket."""

    link: AgentLink
    sizes: Sizes
    loads: dict[int, tuple[Loading, Sequence]] = field(default_factory=dict)
    # The number is the bytes that one rank writes.
    saves: dict[int, tuple[Keeping, Sequence, int]] = field(default_factory=dict)
    tickets: Iterator[int] = field(default_factory=lambda: count(1))
    _ids: Iterator[int] = field(default_factory=lambda: count(1))

    def new_id(self, sequence: Sequence) -> str:
        """Under which the agent leases pages; each attempt has its own."""
        return f"{sequence.request.request_id}/{next(self._ids)}"
