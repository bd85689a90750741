"""What the engine is, from vLLM's configuration: the hello to the agent, and what cannot be served."""

import platform
from typing import Any

import torch
from vllm import __version__ as vllm_version
from vllm.platforms import current_platform
from vllm.v1.kv_cache_interface import FullAttentionSpec, SlidingWindowSpec

from baton_vllm.codec import Message
from baton_vllm.desk import Sizes
from baton_vllm.settings import Settings

# Segments have at least so many tokens; engines with small blocks have several blocks in one.
_LEAST_SEGMENT_TOKENS = 64
# Changes when pages are laid out in another way.
_PAGE_FORMAT = "1"


def require_supported(config: Any, kv_cache_config: Any) -> None:
    """Raises ValueError with what the connector cannot do and how to start vLLM instead."""
    parallel = config.parallel_config
    groups = kv_cache_config.kv_cache_groups
    spec = groups[0].kv_cache_spec if groups else None
    is_plain = isinstance(spec, FullAttentionSpec) and not isinstance(spec, SlidingWindowSpec)
    faults = {
        'needs "kv_load_failure_policy":"recompute" in --kv-transfer-config (and in its own entry '
        "under MultiConnector): otherwise a damaged page fails requests": (
            config.kv_transfer_config.kv_load_failure_policy != "recompute"
        ),
        "holds models of one group of full attention layers; this one has sliding windows, state or "
        "several kinds of layers": len(groups) != 1 or not is_plain,
        "has one agent for each engine: start each data-parallel rank as an engine of its own": (
            parallel.data_parallel_size > 1
        ),
        "does not know pipeline parallelism; use --tensor-parallel-size": (
            parallel.pipeline_parallel_size > 1
        ),
        "does not know context parallelism": (
            getattr(parallel, "decode_context_parallel_size", 1) > 1
            or getattr(parallel, "prefill_context_parallel_size", 1) > 1
        ),
        "needs all ranks on one machine, where the arena is": getattr(parallel, "nnodes", 1) > 1,
    }
    for fault, applies in faults.items():
        if applies:
            raise ValueError(f"baton: the connector {fault}")


def sizes_of(config: Any, kv_cache_config: Any) -> Sizes:
    """Segments are the smallest multiple of the block size that has at least 64 tokens."""
    (group,) = kv_cache_config.kv_cache_groups
    block_tokens = group.kv_cache_spec.block_size
    return Sizes(
        block_tokens=block_tokens,
        segment_tokens=-(-_LEAST_SEGMENT_TOKENS // block_tokens) * block_tokens,
        part_bytes=group.kv_cache_spec.page_size_bytes * len(group.layer_names),
        ranks=config.parallel_config.tensor_parallel_size,
    )


def hello(config: Any, kv_cache_config: Any, settings: Settings) -> Message:
    """EngineHello. The tokenization is the agent's to find out: it asks the engine's API."""
    sizes, model = sizes_of(config, kv_cache_config), config.model_config
    (group,) = kv_cache_config.kv_cache_groups
    page_bytes = sizes.part_bytes * sizes.ranks * sizes.blocks_per_segment
    served = model.served_model_name
    events = config.kv_events_config
    has_events = events is not None and events.enable_kv_cache_events and events.publisher == "zmq"
    revision = f"@{model.revision}" if model.revision else ""
    return {
        "worker": {
            "model": served[0] if isinstance(served, list) else served or model.model,
            "engine": "vllm",
            "engine_url": settings.url,
            "layout": {
                "model_revision": f"{model.model}{revision}",
                "dtype": str(group.kv_cache_spec.dtype).removeprefix("torch."),
                "layers": len(group.layer_names),
                "ranks": sizes.ranks,
                "block_tokens": sizes.block_tokens,
                "connector": "baton",
                "connector_version": _format_of(config, kv_cache_config),
                "bytes_per_token": page_bytes // sizes.segment_tokens,
                "segment_bytes": page_bytes,
            },
            "segment_tokens": sizes.segment_tokens,
            "max_model_tokens": model.max_model_len,
            # The block that vLLM keeps for itself is not to be had.
            "kv_capacity_blocks": max(1, kv_cache_config.num_blocks - 1),
            "max_sequences": config.scheduler_config.max_num_seqs,
            "capabilities": {
                "pull_prefix": True,
                "overlap_handover": True,
                "take_salt": True,
                "take_tokens": True,
                "call_tools": True,
            },
        },
        "events_endpoint": _local(events.endpoint) if has_events else "",
        "replay_endpoint": _local(events.replay_endpoint or "") if has_events else "",
        "page_bytes": page_bytes,
    }


def _local(endpoint: str) -> str:
    """Where a rank that listens everywhere is reached on this machine."""
    for everywhere in ("tcp://*", "tcp://[::]", "tcp://0.0.0.0"):
        if endpoint.startswith(everywhere):
            return "tcp://127.0.0.1" + endpoint.removeprefix(everywhere)
    return endpoint


def _format_of(config: Any, kv_cache_config: Any) -> str:
    """Engines with equal ones lay out the bytes of a block alike, as far as vLLM says."""
    (group,) = kv_cache_config.kv_cache_groups
    spec = group.kv_cache_spec
    parts = [
        _PAGE_FORMAT,
        f"vllm-{vllm_version}",
        current_platform.device_type,
        type(spec).__name__,
        getattr(kv_cache_config, "kv_cache_layout", None) or "default",
        str(config.attention_config.backend or "auto"),
    ]
    if current_platform.is_cpu():
        parts += [platform.machine(), _cpu_packing(spec)]
    return " ".join(parts)


def _cpu_packing(spec: Any) -> str:
    """The instruction set that vLLM packs keys for on this machine."""
    try:
        from vllm.v1.attention.backends.cpu_attn import _get_attn_isa

        return _get_attn_isa(spec.dtype, spec.block_size, getattr(spec, "head_size", None))
    except (ImportError, TypeError):
        # Other releases choose it elsewhere: then machines have to be alike.
        return torch.backends.cpu.get_cpu_capability()
