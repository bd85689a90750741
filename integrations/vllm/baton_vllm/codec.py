"""Messages of the engine's link (proto/baton/v1/link.proto) as dicts, to protobuf's wire format and back.

Only what the link has is here: no dependency on a release of protobuf that has to suit vLLM's. A dict has the
names of the .proto; a field that is left out has its default. Unknown fields are passed over.
"""

import struct
from typing import Any

from baton_vllm.messages import MESSAGES

Message = dict[str, Any]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_VARINTS = ("uint32", "uint64", "bool", "enum")
_DEFAULTS = {"uint32": 0, "uint64": 0, "enum": 0, "bool": False, "string": "", "bytes": b"", "double": 0.0}


class Malformed(ValueError):
    """The bytes are no message."""


def encode(name: str, message: Message) -> bytes:
    """Of the message type `name`. Raises KeyError for a field that it does not have."""
    fields, out = MESSAGES[name], bytearray()
    for key, value in message.items():
        number, kind, repeated = fields[key]
        if repeated and kind in _VARINTS:
            packed = b"".join(_varint(int(item)) for item in value)
            if packed:
                out += _tag(number, _BYTES) + _varint(len(packed)) + packed
        else:
            for item in value if repeated else (value,):
                out += _field(number, kind, item)
    return bytes(out)


def decode(name: str, data: bytes) -> Message:
    """Every field of the message type `name`, with its default where it was left out; messages only if there."""
    fields = MESSAGES[name]
    by_number = {number: (key, kind, repeated) for key, (number, kind, repeated) in fields.items()}
    message: Message = {
        key: [] if repeated else _DEFAULTS[kind]
        for key, (_, kind, repeated) in fields.items()
        if repeated or kind in _DEFAULTS
    }
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        value, at = _read_value(data, at, tag & 7)
        known = by_number.get(tag >> 3)
        if known is None:
            continue
        key, kind, repeated = known
        if not repeated:
            message[key] = _typed(kind, value)
        elif kind in _VARINTS and isinstance(value, bytes):
            message[key].extend(_unpacked(value))
        else:
            message[key].append(_typed(kind, value))
    return message


def _field(number: int, kind: str, value: Any) -> bytes:
    if kind in _VARINTS:
        return _tag(number, _VARINT) + _varint(int(value))
    if kind == "double":
        return _tag(number, _FIXED64) + struct.pack("<d", value)
    if kind == "string":
        data = value.encode()
    else:
        data = bytes(value) if kind == "bytes" else encode(kind, value)
    return _tag(number, _BYTES) + _varint(len(data)) + data


def _typed(kind: str, value: int | bytes) -> Any:
    is_bytes = isinstance(value, bytes)
    if is_bytes == (kind in _VARINTS):
        raise Malformed(f"a field of type {kind} has another wire type")
    if kind == "bool":
        return bool(value)
    if kind in _VARINTS or kind == "bytes":
        return value
    if kind == "double":
        return struct.unpack("<d", value)[0]
    return value.decode() if kind == "string" else decode(kind, value)


def _tag(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _varint(value: int) -> bytes:
    if value < 0:
        raise ValueError(f"no field of the link is negative, {value} is")
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Malformed("a number without an end")


def _read_value(data: bytes, at: int, wire: int) -> tuple[int | bytes, int]:
    if wire == _VARINT:
        return _read_varint(data, at)
    if wire == _BYTES:
        length, at = _read_varint(data, at)
    elif wire in (_FIXED64, _FIXED32):
        length = 8 if wire == _FIXED64 else 4
    else:
        raise Malformed(f"wire type {wire} is not known")
    if at + length > len(data):
        raise Malformed("a field is longer than its message")
    return data[at : at + length], at + length


def _unpacked(data: bytes) -> list[int]:
    values, at = [], 0
    while at < len(data):
        value, at = _read_varint(data, at)
        values.append(value)
    return values
