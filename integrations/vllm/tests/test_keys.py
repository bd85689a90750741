"""The keys are those of libs/kv, by vectors that its own test reads as well."""

import json
from pathlib import Path

import pytest

from baton_vllm.keys import KeyChain, adapter_identity, root_key

VECTORS = json.loads(
    (Path(__file__).parents[3] / "test" / "fixtures" / "segment-keys.json").read_text()
)


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_keys_are_those_of_the_gateway(vector):
    root = root_key(vector["tokenization"], vector.get("adapter"), vector.get("salt"))
    assert root.hex() == vector["root"]
    if "adapterOf" in vector:
        assert adapter_identity(**vector["adapterOf"]) == vector["adapter"]
    ids = [i * vector["tokenIds"]["step"] for i in range(vector["tokenIds"]["count"])]
    count = len(ids) // vector["segmentTokens"]
    media = [(item["offset"], item["id"]) for item in vector.get("media", [])]
    chain = KeyChain(root, vector["segmentTokens"], media)
    assert [key.hex() for key in chain.upto(ids, count)] == vector["keys"]


def test_a_chain_grows_with_its_tokens():
    ids = list(range(200))
    whole = KeyChain(root_key("t"), 64).upto(ids, 3)
    grown = KeyChain(root_key("t"), 64)
    assert grown.upto(ids[:64], 1) == whole[:1]
    assert grown.upto(ids, 3) == whole
    assert grown.upto(ids, 2) == whole[:2]
