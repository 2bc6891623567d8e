"""The variables that say where programs keep their caches."""

from __future__ import annotations

# Any of these that points into $HOME is a fault, whoever reads it.
KNOWN = (
    "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_DATASETS_CACHE", "TRANSFORMERS_CACHE", "VLLM_CACHE_ROOT",
    "XDG_CACHE_HOME", "TRITON_CACHE_DIR", "TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR",
    "CUDA_CACHE_PATH", "PIP_CACHE_DIR", "UV_CACHE_DIR", "APPTAINER_CACHEDIR", "SINGULARITY_CACHEDIR", "WANDB_CACHE_DIR",
)  # fmt: skip
