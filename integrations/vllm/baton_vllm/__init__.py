"""Baton's KV connector for vLLM.

vLLM makes two objects of `BatonConnector`: one in its scheduler's process, one in each worker process.

    scheduler: connector.py -> scheduler.py -> link.py -> the agent's Unix socket
    worker:    connector.py -> worker.py    -> the agent's arena in shared memory

Between the two goes what step.py says, once a step in each direction. The agent owns the pages of the
arena; a page is leased from the agent's answer to the end of the load or save that uses it. Without an
agent, or with one that does not answer, nothing is found and nothing is kept: vLLM computes.

Nothing here but connector.py and layout.py imports vLLM; worker.py imports torch.
"""

from typing import Any

__all__ = ["BatonConnector"]


def __getattr__(name: str) -> Any:
    """`BatonConnector`, imported when it is asked for: the rest of the package needs no vLLM."""
    if name != "BatonConnector":
        raise AttributeError(f"module 'baton_vllm' has no attribute {name!r}")
    from baton_vllm.connector import BatonConnector

    return BatonConnector
