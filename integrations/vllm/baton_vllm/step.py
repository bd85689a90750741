"""What scheduler and workers tell each other, once a step in each direction. Plain data: it is pickled."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Arena:
    """Shared memory of the agent; page i is its bytes from i * page_bytes on."""

    path: str
    size_bytes: int
    page_bytes: int


@dataclass(frozen=True)
class Load:
    """Arena page -> KV blocks. `skip` counts leading blocks of the page that the engine has already."""

    ticket: int
    arena: str
    page: int
    bytes: int
    checksum: int
    skip: int
    blocks: list[int]


@dataclass(frozen=True)
class Save:
    """KV blocks -> arena page."""

    ticket: int
    arena: str
    page: int
    blocks: list[int]


@dataclass
class Step:
    """Scheduler to workers. A step whose epoch is not beyond that of a failed load may compute on garbage."""

    epoch: int = 0
    arena: Arena | None = None
    loads: list[Load] = field(default_factory=list)
    saves: list[Save] = field(default_factory=list)


@dataclass
class Report:
    """Workers to scheduler, by ticket. Of several ranks one report is made, see `merge`."""

    loaded: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    # CRC-32 of each rank's part.
    saved: dict[int, dict[int, int]] = field(default_factory=dict)
    # Not kept: what was computed may be garbage, or there is no arena.
    dropped: set[int] = field(default_factory=set)
    # Of the copies into KV blocks.
    load_seconds: float = 0.0

    def merge(self, other: "Report") -> "Report":
        """Both together: what one rank could not do was not done; the slowest rank's time counts."""
        for ticket, sums in other.saved.items():
            self.saved.setdefault(ticket, {}).update(sums)
        self.dropped |= other.dropped
        self.failed |= other.failed
        self.loaded = (self.loaded | other.loaded) - self.failed
        self.load_seconds = max(self.load_seconds, other.load_seconds)
        return self
