"""Segment keys: 16 bytes that name a segment together with the whole prefix before it.

    root    = SHA-256("baton-root-v1", tokenization, adapter, salt)[:16]
    key(i)  = SHA-256(key(i - 1), token ids of segment i as u32 LE, media that begin in it)[:16], key(-1) = root

The same as in libs/kv: what an agent holds under a key is what gateway and conductor ask for by it.
"""

import json
import struct
from array import array
from collections.abc import Sequence
from hashlib import sha256

KEY_BYTES = 16

_ROOT_DOMAIN = b"baton-root-v1"
_ABSENT = 0xFFFFFFFF

# Where in the prompt an image, a sound, … begins, and what names its content.
Media = tuple[int, str]


def root_key(tokenization: str, adapter: str | None = None, salt: str | None = None) -> bytes:
    """What the first segment's key is chained to. Each field is its length as u32 LE and its UTF-8."""
    digest = sha256(_ROOT_DOMAIN)
    for field in (tokenization, adapter, salt):
        text = b"" if field is None else field.encode()
        digest.update(struct.pack("<I", _ABSENT if field is None else len(text)))
        digest.update(text)
    return digest.digest()[:KEY_BYTES]


def adapter_identity(name: str, revision: str) -> str:
    """As a root key has an adapter; `revision` is the path that its weights are from, see `adapterIdentity` in libs/kv."""
    return json.dumps([name, revision], ensure_ascii=False, separators=(",", ":"))


class KeyChain:
    """The keys of one sequence, extended as its tokens become known."""

    def __init__(self, root: bytes, segment_tokens: int, media: Sequence[Media] = ()):
        self._last = root
        self._media = sorted(media)
        self._segment_tokens = segment_tokens
        self._keys: list[bytes] = []

    def upto(self, token_ids: Sequence[int], segments: int) -> list[bytes]:
        """Keys of the first `segments` segments; `token_ids` has at least their tokens."""
        for index in range(len(self._keys), segments):
            start = index * self._segment_tokens
            ids = array("I", token_ids[start : start + self._segment_tokens])
            media = self._media_from(start)
            self._last = sha256(self._last + _little_endian(ids) + media).digest()[:KEY_BYTES]
            self._keys.append(self._last)
        return self._keys[:segments]


    def _media_from(self, start: int) -> bytes:
        """Of the segment that starts there: offset in it and length of the id as u32 LE, the id in UTF-8."""
        own = [(at - start, name.encode()) for at, name in self._media if 0 <= at - start < self._segment_tokens]
        return b"".join(struct.pack("<II", at, len(name)) + name for at, name in own)


def _little_endian(ids: array) -> bytes:
    if struct.pack("=I", 1) != struct.pack("<I", 1):
        ids.byteswap()
    return ids.tobytes()
