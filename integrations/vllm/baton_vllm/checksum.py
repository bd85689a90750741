"""CRC-32 of a page, as zlib has it: what agents verify after a transfer.

With tensor parallelism each rank sums its own part of a page; the sum of the whole follows from those of the
parts and their length, without reading the bytes again.
"""

from collections.abc import Sequence
from functools import lru_cache

try:
    from isal.isal_zlib import crc32
except ImportError:
    from zlib import crc32

__all__ = ["combined", "crc32"]

_POLYNOMIAL = 0xEDB88320
_BITS = 32


def combined(sums: Sequence[int], part_bytes: int) -> int:
    """CRC-32 of parts of `part_bytes` one after the other, from the CRC-32 of each."""
    shift = _zeros_operator(part_bytes)
    whole = sums[0]
    for part in sums[1:]:
        whole = _apply(shift, whole) ^ part
    return whole


@lru_cache(maxsize=64)
def _zeros_operator(count: int) -> tuple[int, ...]:
    """What `count` zero bytes do to a CRC, as a matrix over GF(2): column i is the effect on bit i."""
    byte = (_POLYNOMIAL, *(1 << bit for bit in range(_BITS - 1)))
    for _ in range(3):
        byte = _squared(byte)
    result = tuple(1 << bit for bit in range(_BITS))
    while count > 0:
        if count & 1:
            result = tuple(_apply(byte, column) for column in result)
        byte = _squared(byte)
        count >>= 1
    return result


def _squared(matrix: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(_apply(matrix, column) for column in matrix)


def _apply(matrix: tuple[int, ...], vector: int) -> int:
    result = 0
    for column in matrix:
        if vector & 1:
            result ^= column
        vector >>= 1
    return result
