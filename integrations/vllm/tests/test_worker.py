"""Copies on tensors of the shape that vLLM has: [block, head, token, content]."""

import zlib

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing to copy")

from baton_vllm.step import Arena, Load, Save, Step  # noqa: E402
from baton_vllm.worker import WorkerSide  # noqa: E402

BLOCKS, LAYERS, PER_SEGMENT = 8, 3, 2
SHAPE = (BLOCKS, 2, 4, 6)


class Quiet:
    def info(self, *args): ...

    def warning(self, *args): ...

    def error(self, *args): ...


def caches(seed=None, dtype=torch.float32):
    """Ten and more layers must be in the order of their numbers, whatever the order of their names."""
    names = ["model.layers.10.attn", "model.layers.2.attn", "model.layers.1.attn"]
    generator = torch.Generator().manual_seed(seed or 0)
    make = torch.zeros(SHAPE) if seed is None else None
    return {
        name: (torch.randn(SHAPE, generator=generator) if make is None else make.clone()).to(dtype)
        for name in names
    }


def worker(kv, rank=0, ranks=1):
    side = WorkerSide(rank, ranks, Quiet())
    side.register(kv)
    return side


@pytest.fixture
def arena(tmp_path):
    path = tmp_path / "arena"
    page = 2 * PER_SEGMENT * LAYERS * 2 * 4 * 6 * 4
    path.write_bytes(bytes(page * 4))
    return Arena(str(path), page * 4, page)


def saved(side, arena, page, blocks, ticket=1, epoch=0):
    side.save(Step(epoch=epoch, arena=arena, saves=[Save(ticket, arena.path, page, blocks)]))
    return side.take_report()


def load_of(arena, page, size, checksum, blocks, skip=0):
    return Load(5, arena.path, page, size, checksum, skip, blocks)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float8_e4m3fn])
def test_what_is_saved_is_loaded(arena, dtype):
    source, target = caches(1, dtype), caches(None, dtype)
    size = worker(source).block_bytes * 2
    sums = saved(worker(source), arena, 2, [5, 1]).saved[1]
    side = worker(target)
    side.load(Step(arena=arena, loads=[load_of(arena, 2, size, sums[0], [0, 7])]))
    assert side.take_report().loaded == {5}
    assert side.take_report() is None
    for name, layer in source.items():
        raw, got = layer.view(torch.uint8), target[name].view(torch.uint8)
        assert torch.equal(raw[5], got[0]) and torch.equal(raw[1], got[7])
        assert not got[1:7].any()


def test_pages_have_layers_by_number_and_whole_blocks(arena):
    kv = caches(3)
    saved(worker(kv), arena, 0, [4, 6])
    data = torch.frombuffer(bytearray(open(arena.path, "rb").read()), dtype=torch.float32)
    page = data[: LAYERS * 2 * 48].view(LAYERS, 2, *SHAPE[1:])
    assert torch.equal(page[0], kv["model.layers.1.attn"][[4, 6]])
    assert torch.equal(page[2], kv["model.layers.10.attn"][[4, 6]])


def test_memory_that_is_permuted_is_copied_by_its_logical_order(arena):
    kv = {name: t.permute(0, 2, 1, 3).contiguous().permute(0, 2, 1, 3) for name, t in caches(4).items()}
    assert not next(iter(kv.values())).is_contiguous()
    size = worker(kv).block_bytes * 2
    sums = saved(worker(kv), arena, 1, [2, 3]).saved[1]
    plain = caches()
    side = worker(plain)
    side.load(Step(arena=arena, loads=[load_of(arena, 1, size, sums[0], [2, 3])]))
    assert all(torch.equal(plain[name][2:4], t[2:4]) for name, t in kv.items())


def test_blocks_that_the_engine_has_are_left_alone(arena):
    source, target = caches(1), caches()
    size = worker(source).block_bytes * 2
    sums = saved(worker(source), arena, 0, [0, 1]).saved[1]
    side = worker(target)
    side.load(Step(arena=arena, loads=[load_of(arena, 0, size, sums[0], [3], skip=1)]))
    for name, layer in source.items():
        assert torch.equal(target[name][3], layer[1])
        assert not target[name][[0, 1, 2]].any()


def test_a_tail_has_fewer_blocks(arena):
    source, target = caches(1), caches()
    size = worker(source).block_bytes
    sums = saved(worker(source), arena, 3, [6]).saved[1]
    side = worker(target)
    side.load(Step(arena=arena, loads=[load_of(arena, 3, size, sums[0], [0])]))
    assert all(torch.equal(target[name][0], layer[6]) for name, layer in source.items())


def test_of_a_page_no_more_is_loaded_than_is_asked_for(arena):
    source, target = caches(1), caches()
    size = worker(source).block_bytes * 2
    sums = saved(worker(source), arena, 0, [0, 1]).saved[1]
    side = worker(target)
    side.load(Step(arena=arena, loads=[load_of(arena, 0, size, sums[0], [3])]))
    for name, layer in source.items():
        assert torch.equal(target[name][3], layer[0])
        assert not target[name][[0, 1, 2, 4]].any()


@pytest.mark.parametrize("blocks, page, size", [([1, 2, 3], 0, 2), ([1], 0, 0), ([1, 2], 9, 2)])
def test_a_page_that_does_not_fit_fails_and_nothing_is_thrown(arena, blocks, page, size):
    side = worker(caches())
    side.load(Step(arena=arena, loads=[load_of(arena, page, size * side.block_bytes, 1, blocks)]))
    assert side.take_report().failed == {5}


def test_two_ranks_share_a_page_and_one_sums_it(arena):
    from baton_vllm.checksum import combined

    kv = [caches(1), caches(2)]
    sides = [worker(kv[rank], rank, 2) for rank in (0, 1)]
    part = sides[0].block_bytes * 2
    reports = [saved(side, arena, 1, [3, 4]) for side in sides]
    sums = reports[0].merge(reports[1]).saved[1]
    checksum = combined([sums[0], sums[1]], part)
    page = open(arena.path, "rb").read()[arena.page_bytes :][: 2 * part]
    assert checksum == zlib.crc32(page)

    targets = [caches(), caches()]
    readers = [worker(targets[rank], rank, 2) for rank in (0, 1)]
    load = load_of(arena, 1, 2 * part, checksum, [0, 1])
    for reader in readers:
        reader.load(Step(arena=arena, loads=[load]))
    for rank in (0, 1):
        assert all(torch.equal(targets[rank][name][:2], t[3:5]) for name, t in kv[rank].items())

    # Damage in the other one's part is seen, too, and one that says so is enough.
    with open(arena.path, "r+b") as file:
        file.seek(arena.page_bytes + part + 5)
        file.write(b"x")
    reports = []
    for reader in readers:
        reader.take_report()
        reader.load(Step(arena=arena, loads=[load]))
        reports.append(reader.take_report())
    merged = reports[1].merge(reports[0])
    assert (merged.loaded, merged.failed) == (set(), {5})
    assert readers[0].take_bad_blocks() == {0, 1}


def test_after_a_failed_load_nothing_is_kept_until_the_epoch_is_newer(arena):
    kv = caches(1)
    side = worker(kv)
    bad = load_of(arena, 0, side.block_bytes * 2, 1, [0, 1])
    step = Step(epoch=4, arena=arena, loads=[bad], saves=[Save(9, arena.path, 1, [2, 3])])
    side.load(step)
    side.save(step)
    report = side.take_report()
    assert (report.failed, report.dropped, report.saved) == ({5}, {9}, {})
    assert side.take_bad_blocks() == {0, 1} and side.take_bad_blocks() == set()
    # In flight when it happened.
    assert saved(side, arena, 1, [2, 3], epoch=4).dropped == {1}
    assert 1 in saved(side, arena, 1, [2, 3], epoch=5).saved
    assert not any(layer[[0, 1]].equal(torch.zeros_like(layer[[0, 1]])) for layer in kv.values())


def test_an_arena_that_is_gone_fails_loads_and_drops_saves(arena, tmp_path):
    side = worker(caches(1))
    other = Arena(str(tmp_path / "none"), arena.size_bytes, arena.page_bytes)
    side.load(Step(arena=other, loads=[load_of(other, 0, 10, 1, [0])]))
    assert side.take_report().failed == {5}
    # Epochs are the scheduler's: it has heard of the failure.
    assert saved(side, other, 0, [0, 1], epoch=1).dropped == {1}
    # A page of the arena before this one.
    side.load(Step(epoch=2, arena=arena, loads=[load_of(other, 0, 10, 1, [0])]))
    assert side.take_report().failed == {5}
    side.load(Step(epoch=3, arena=None, loads=[load_of(arena, 0, 10, 1, [0])]))
    assert side.take_report().failed == {5}


def test_layers_that_differ_are_refused():
    kv = caches()
    kv["model.layers.2.attn"] = torch.zeros(8, 2, 4, 8)
    with pytest.raises(ValueError, match="only equal layers can be held"):
        worker(kv)
