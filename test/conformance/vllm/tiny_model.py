"""Writes a small random Llama with a byte-level tokenizer and a chat template: usage: tiny_model.py FOLDER.

Equal for every run. What it says means nothing, and differs for every prompt, which is what comparing answers needs. Head
size 64, since vLLM's attention for CPUs wants a multiple of 32.
"""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

folder = Path(sys.argv[1])
HIDDEN, INNER, LAYERS, HEADS, KV_HEADS, HEAD = 256, 512, 2, 4, 2, 64
VOCABULARY = 512
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]

letters = sorted(pre_tokenizers.ByteLevel.alphabet())
tokenizer = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
tokenizer.add_special_tokens(SPECIAL)
tokenizer.save(str(folder / "tokenizer.json"))
end = tokenizer.token_to_id("<|im_end|>")

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
written = {
    "tokenizer_config.json": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "chat_template": TEMPLATE,
        "model_max_length": 4096,
        "clean_up_tokenization_spaces": False,
    },
    "config.json": {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD,
        "vocab_size": VOCABULARY,
        "max_position_embeddings": 4096,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
        "torch_dtype": "float32",
        "bos_token_id": None,
        "eos_token_id": end,
    },
    "generation_config.json": {"eos_token_id": end},
}
for name, content in written.items():
    (folder / name).write_text(json.dumps(content, indent=1))

random = np.random.default_rng(42)


def weights(*shape):
    return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)


tensors = {
    "model.embed_tokens.weight": weights(VOCABULARY, HIDDEN),
    "model.norm.weight": np.ones(HIDDEN, np.float32),
    "lm_head.weight": weights(VOCABULARY, HIDDEN),
}
for layer in range(LAYERS):
    own = {
        "self_attn.q_proj": (HEADS * HEAD, HIDDEN),
        "self_attn.k_proj": (KV_HEADS * HEAD, HIDDEN),
        "self_attn.v_proj": (KV_HEADS * HEAD, HIDDEN),
        "self_attn.o_proj": (HIDDEN, HEADS * HEAD),
        "mlp.gate_proj": (INNER, HIDDEN),
        "mlp.up_proj": (INNER, HIDDEN),
        "mlp.down_proj": (HIDDEN, INNER),
    }
    for name, shape in own.items():
        tensors[f"model.layers.{layer}.{name}.weight"] = weights(*shape)
    for name in ("input_layernorm", "post_attention_layernorm"):
        tensors[f"model.layers.{layer}.{name}.weight"] = np.ones(HIDDEN, np.float32)
save_file(tensors, str(folder / "model.safetensors"), metadata={"format": "pt"})
