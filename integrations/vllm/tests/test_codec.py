"""The codec, and that its table says what the .proto files say."""

import re
from pathlib import Path

import pytest

from baton_vllm.codec import Malformed, decode, encode
from baton_vllm.messages import MESSAGES

PROTO = Path(__file__).parents[3] / "proto" / "baton" / "v1"
SCALARS = {"uint32", "uint64", "bool", "string", "bytes", "double"}


def declared():
    """name -> field -> (number, type, repeated), of every message in the .proto files."""
    text = "\n".join(path.read_text() for path in PROTO.glob("*.proto"))
    enums = set(re.findall(r"^enum (\w+)", text, re.M))
    messages = {}
    for name, body in re.findall(r"^message (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        fields = {}
        for repeated, kind, field, number in re.findall(
            r"^\s+(repeated )?(\w+) (\w+) = (\d+);", body, re.M
        ):
            kind = "enum" if kind in enums else kind
            fields[field] = (int(number), kind, repeated != "")
        messages[name] = fields
    return messages


@pytest.mark.parametrize("name", sorted(set(MESSAGES) - {"AgentAlive"}))
def test_the_table_is_that_of_the_proto_files(name):
    fields = declared()[name]
    assert MESSAGES[name] == {field: fields[field] for field in MESSAGES[name]}


def test_every_message_of_the_link_is_there():
    kinds = {kind for fields in MESSAGES.values() for _, kind, _ in fields.values()}
    assert kinds - SCALARS - {"enum"} <= set(MESSAGES)


def test_what_is_written_is_read():
    tail = {"page": 7, "bytes": 9000, "checksum": 0xFFFFFFFF, "state": {"prompt_tokens": 130}}
    message = {"load_end": {"request_id": "ä", "status": 1, "message": "", "tail": tail}}
    read = decode("AgentMessage", encode("AgentMessage", message))
    assert read["load_end"]["request_id"] == "ä"
    assert read["load_end"]["tail"]["checksum"] == 0xFFFFFFFF
    assert read["load_end"]["tail"]["state"] == {
        "prompt_tokens": 130,
        "output_token_ids": [],
        "seed": 0,
    }


def test_lists_of_numbers_are_read_packed_or_not():
    packed = encode("ReserveReply", {"pages": [1, 0xFFFFFFFF, 300]})
    assert decode("ReserveReply", packed)["pages"] == [1, 0xFFFFFFFF, 300]
    assert decode("ReserveReply", b"\x10\x01\x10\x02")["pages"] == [1, 2]


def test_what_is_left_out_has_its_default_and_what_is_unknown_is_passed_over():
    unknown = b"\xf8\x06\x01" + b"\xfa\x06\x02ab" + b"\xfd\x06\x00\x00\x00\x00"
    read = decode("LoadEnd", unknown)
    assert read == {"request_id": "", "status": 0, "message": ""}


@pytest.mark.parametrize(
    "data", [b"\x0a", b"\x0a\x05ab", b"\x0b\x00", b"\x08\x01", b"\x80" * 12, b"\x0d\x00"]
)
def test_what_is_no_message_is_refused(data):
    with pytest.raises(Malformed):
        decode("LoadEnd", data)


def test_a_field_that_is_none_is_a_fault_here():
    with pytest.raises(KeyError):
        encode("LoadEnd", {"requestId": "x"})
