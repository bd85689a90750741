"""The worker's side: copies between the engine's paged KV blocks and pages of the agent's arena.

A page holds the parts of all ranks one after the other. A part is [layer, block, ...] of whole blocks as they
lie in the engine's cache, without a cut inside a block: on a CPU keys and values of a block may be packed for
the instruction set. The tail of a prompt is a page with fewer blocks.
"""

import math
import mmap
import time

import torch

from baton_vllm.checksum import crc32
from baton_vllm.log import Log
from baton_vllm.step import Arena, Load, Report, Save, Step


class WorkerSide:
    """One rank's. Not thread-safe; vLLM calls it between and after forward passes only."""

    def __init__(self, rank: int, ranks: int, log: Log):
        self._rank, self._ranks, self._log = rank, ranks, log
        self._layers: list[torch.Tensor] = []
        self._arena: Arena | None = None
        self._bytes = torch.empty(0, dtype=torch.uint8)
        self._report = Report()
        self._bad_blocks: set[int] = set()
        self._bad_epoch = -1

    def register(self, kv_caches: dict[str, torch.Tensor]) -> None:
        """`kv_caches`: layer name -> [block, ...], all alike."""
        layers = [kv_caches[name] for name in sorted(kv_caches, key=_layer_order)]
        first = layers[0]
        for name, layer in kv_caches.items():
            if layer.shape != first.shape or layer.dtype != first.dtype:
                raise ValueError(
                    f"baton: the KV cache of {name} is {tuple(layer.shape)} of {layer.dtype}, that of "
                    f"other layers {tuple(first.shape)} of {first.dtype}; only equal layers can be held"
                )
        self.block_bytes = math.prod(first.shape[1:]) * first.itemsize * len(layers)
        if all(_is_piece(layer) for layer in layers):
            # Rows of words are copied in a third of the time that small numbers in many dimensions take.
            layers = [layer.flatten(1).view(torch.int64) for layer in layers]
        elif first.itemsize == 1:
            # Types that cannot be indexed on every device (fp8) are moved as bytes.
            layers = [layer.view(torch.uint8) for layer in layers]
        self._layers = layers
        self._block_shape = tuple(layers[0].shape[1:])

    def load(self, step: Step) -> None:
        """Fills blocks from pages. Those of a page that cannot be used are reported as not loaded."""
        if not step.loads:
            return
        started = time.perf_counter()
        self._map(step.arena)
        for load in step.loads:
            if self._load(load):
                self._report.loaded.add(load.ticket)
            else:
                self._report.failed.add(load.ticket)
                self._bad_blocks.update(load.blocks)
                self._bad_epoch = step.epoch
        self._report.load_seconds += time.perf_counter() - started

    def save(self, step: Step) -> None:
        """Fills pages from blocks, unless what was computed may be garbage."""
        if not step.saves:
            return
        self._map(step.arena)
        is_sound = step.epoch > self._bad_epoch
        for save in step.saves:
            if is_sound and self._has(save.arena, save.page):
                self._report.saved[save.ticket] = {self._rank: self._save(save)}
            else:
                self._report.dropped.add(save.ticket)

    def take_report(self) -> Report | None:
        """What was done since it was last asked for; None when nothing was."""
        report, self._report = self._report, Report()
        done = report.loaded or report.failed or report.saved or report.dropped
        return report if done else None

    def take_bad_blocks(self) -> set[int]:
        """Blocks that were to be filled and were not."""
        bad, self._bad_blocks = self._bad_blocks, set()
        return bad

    def _load(self, load: Load) -> bool:
        if not self._has(load.arena, load.page):
            self._log.warning("baton: the arena of page %d is gone", load.page)
            return False
        end, unit = load.skip + len(load.blocks), self.block_bytes * self._ranks
        whole = self._page(load.page, load.bytes)
        if end * unit > load.bytes or load.bytes % unit != 0 or len(whole) != load.bytes:
            self._log.warning(
                "baton: page %d with %d bytes is none of this engine's", load.page, load.bytes
            )
            return False
        # One rank sums the whole page for all of them: a block that one has not is nobody's.
        if self._rank == 0 and crc32(whole.numpy()) != load.checksum:
            self._log.warning("baton: page %d is damaged and its blocks are computed again", load.page)
            return False
        part = self._part(whole)
        ids = torch.tensor(load.blocks, device=self._layers[0].device)
        part = part.to(self._layers[0].device)
        for layer, source in zip(self._layers, part, strict=True):
            layer.index_copy_(0, ids, source[load.skip : end])
        return True

    def _save(self, save: Save) -> int:
        size = self.block_bytes * self._ranks * len(save.blocks)
        part = self._part(self._page(save.page, size))
        device = self._layers[0].device
        ids = torch.tensor(save.blocks, device=device)
        if device.type == "cpu":
            for layer, target in zip(self._layers, part, strict=True):
                torch.index_select(layer, 0, ids, out=target)
        else:
            part.copy_(torch.stack([layer.index_select(0, ids) for layer in self._layers]))
        return crc32(part.view(-1).view(torch.uint8).numpy())

    def _page(self, page: int, size: int) -> torch.Tensor:
        assert self._arena is not None
        start = page * self._arena.page_bytes
        return self._bytes[start : start + size]

    def _part(self, whole: torch.Tensor) -> torch.Tensor:
        """This rank's part of a page's bytes, as [layer, block, ...]."""
        size = len(whole) // self._ranks
        mine = whole[self._rank * size : (self._rank + 1) * size]
        return mine.view(self._layers[0].dtype).view(len(self._layers), -1, *self._block_shape)

    def _has(self, path: str, page: int) -> bool:
        arena = self._arena
        if arena is None or arena.path != path:
            return False
        return (page + 1) * arena.page_bytes <= arena.size_bytes

    def _map(self, arena: Arena | None) -> None:
        """An arena that is not there any more is none: its agent is gone, the next step will know."""
        if arena == self._arena:
            return
        self._arena, self._bytes = None, torch.empty(0, dtype=torch.uint8)
        if arena is None:
            return
        try:
            with open(arena.path, "r+b") as file:
                memory = mmap.mmap(file.fileno(), arena.size_bytes)
        except (OSError, ValueError) as error:
            self._log.warning("baton: the arena %s cannot be mapped: %s", arena.path, error)
            return
        self._arena = arena
        self._bytes = torch.frombuffer(memory, dtype=torch.uint8)


def _is_piece(layer: torch.Tensor) -> bool:
    """A block of it is one piece of memory that whole words divide."""
    spans = (layer[0].numel(), layer.stride(0), layer.storage_offset())
    return layer[0].is_contiguous() and all(span * layer.itemsize % 8 == 0 for span in spans)


def _layer_order(name: str) -> tuple[list[int], str]:
    """By the numbers in it: layer 10 comes after layer 2."""
    return [int(part) for part in name.split(".") if part.isdigit()], name
