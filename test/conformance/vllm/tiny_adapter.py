"""Writes a small random LoRA adapter for the model of tiny_model.py: usage: tiny_adapter.py FOLDER SEED."""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

folder, seed = Path(sys.argv[1]), int(sys.argv[2])
HIDDEN, LAYERS, RANK = 256, 2, 8
OUTPUTS = {"q_proj": 256, "k_proj": 128, "v_proj": 128, "o_proj": 256}

random = np.random.default_rng(seed)
tensors = {}
for layer in range(LAYERS):
    for name, outputs in OUTPUTS.items():
        for side, shape in (("lora_A", (RANK, HIDDEN)), ("lora_B", (outputs, RANK))):
            values = random.standard_normal(shape) / np.sqrt(shape[-1])
            key = f"base_model.model.model.layers.{layer}.self_attn.{name}.{side}.weight"
            tensors[key] = values.astype(np.float32)

folder.mkdir(parents=True)
save_file(tensors, str(folder / "adapter_model.safetensors"))
config = {
    "peft_type": "LORA",
    "task_type": "CAUSAL_LM",
    "base_model_name_or_path": "tiny",
    "r": RANK,
    "lora_alpha": 2 * RANK,
    "lora_dropout": 0.0,
    "bias": "none",
    "target_modules": list(OUTPUTS),
}
(folder / "adapter_config.json").write_text(json.dumps(config, indent=1))
