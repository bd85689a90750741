import os
import zlib

import pytest

from baton_vllm.checksum import combined, crc32


@pytest.mark.parametrize("size", [1, 7, 64, 4096, 131_072])
@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_sums_of_parts_give_that_of_the_whole(size, parts):
    pieces = [os.urandom(size) for _ in range(parts)]
    whole = zlib.crc32(b"".join(pieces))
    assert combined([crc32(piece) for piece in pieces], size) == whole


def test_it_is_the_sum_that_agents_verify():
    assert crc32(b"123456789") == 0xCBF43926
