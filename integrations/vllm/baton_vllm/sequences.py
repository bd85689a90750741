"""What the scheduler's side remembers of one request."""

from dataclasses import dataclass, field
from typing import Any

from baton_vllm.codec import Message
from baton_vllm.keeping import Keeping
from baton_vllm.keys import KeyChain, Media, adapter_identity, root_key
from baton_vllm.link import Session
from baton_vllm.loading import Loading, Order


@dataclass
class Sequence:
    """`request` is vLLM's; segments are counted from 0."""

    request: Any
    order: Order
    blocks: list[int] = field(default_factory=list)
    loading: Loading | None = None
    # The plan's transfers were waited for.
    order_done: bool = False
    # The agent was asked for the pages of the plan's handover.
    handover_asked: bool = False
    # Segments before this one are held by the agent, or it was asked to keep them.
    kept_until: int = 0
    # Of those after it, the ones that the agent holds.
    held: set[int] = field(default_factory=set)
    # Of those before it, the ones that were damaged.
    lost: set[int] = field(default_factory=set)
    keepings: list[Keeping] = field(default_factory=list)
    # Tokens of the engine's own cache, of the agent, and of those the ones that a transfer of the plan brought.
    reused: int = 0
    loaded: int = 0
    transferred: int = 0
    # Of the agent that the fields above are about.
    _session: int = 0
    _root: bytes = b""
    _chain: KeyChain | None = None

    @property
    def owes_handover(self) -> bool:
        """Another engine waits for this prompt, and its pages were not asked for."""
        return self.order.is_prefill and not self.handover_asked

    def keys(self, session: Session, segment_tokens: int, segments: int) -> list[bytes]:
        """Keys of the first segments, for the agent's way to cut texts."""
        root = root_key(session.tokenization, adapter_of(self.request), self.request.cache_salt)
        if self._chain is None or root != self._root:
            self._root, self._chain = root, KeyChain(root, segment_tokens, media_of(self.request))
        return self._chain.upto(self.request.all_token_ids, segments)

    def renew(self, session: Session) -> None:
        """Another agent, or the same one anew: what the last one was given to keep may be gone."""
        if session.number == self._session:
            return
        self._session, self.kept_until = session.number, 0
        self.held.clear()
        self.lost.clear()
        self.keepings.clear()

    def failed_from(self, tokens: int) -> None:
        """What was loaded from this token on is computed instead."""
        self.loaded = max(0, min(self.loaded, tokens - self.reused))
        self.transferred = min(self.transferred, self.loaded)

    def account(self) -> Message:
        """Prompt tokens by where their KV came from: the three parts add up."""
        prompt = self.request.num_prompt_tokens
        reused = min(self.reused, prompt)
        loaded = min(self.loaded, prompt - reused)
        transferred = min(self.transferred, loaded)
        return {
            "prompt_tokens": prompt,
            "reused_tokens": reused + loaded - transferred,
            "transferred_tokens": transferred,
            "computed_tokens": prompt - reused - loaded,
        }


def is_eligible(request: Any) -> bool:
    """Its KV depends on nothing but token ids, media, adapter and salt, each of them known by name: else vLLM is left alone.

    Weights of an adapter that were loaded in place may be others than before under the same name and path.
    """
    has_embeds = getattr(request, "prompt_embeds", None) is not None
    is_named = all(feature.identifier for feature in request.mm_features or ())
    is_replaced = getattr(request.lora_request, "load_inplace", False)
    return is_named and not (is_replaced or has_embeds)


def adapter_of(request: Any) -> str | None:
    """Its LoRA adapter as root keys have it. The path is what `GET /v1/models` gives as `root`, whence gateways have it."""
    lora = request.lora_request
    return None if lora is None else adapter_identity(lora.lora_name, lora.lora_path)


def media_of(request: Any) -> list[Media]:
    """Its images, sounds, … as segment keys have them; vLLM names them by a hash of their content."""
    return [(item.mm_position.offset, item.identifier) for item in request.mm_features or ()]


def order_of(request: Any) -> Order:
    """From `kv_transfer_params.baton` of the request, as Baton's gateway writes it; else an empty one.

    So with media: the gateway does not see what vLLM makes of them, and its transfers would bring other segments.
    """
    params = None if request.mm_features else (request.kv_transfer_params or {}).get("baton")
    if not isinstance(params, dict) or not isinstance(params.get("plan_id"), str):
        return Order()
    tokens, leg = params.get("prefix_tokens"), params.get("leg")
    traceparent = params.get("traceparent")
    return Order(
        plan_id=params["plan_id"],
        leg=leg if leg in ("prefill", "decode", "aggregated") else "",
        prefix_tokens=tokens if isinstance(tokens, int) and tokens > 0 else 0,
        traceparent=traceparent if isinstance(traceparent, str) else "",
    )
