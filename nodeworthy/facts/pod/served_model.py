"""The model that a container's server is told, how much comes of it, and where it is put."""

from __future__ import annotations

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container
from nodeworthy.known.served_images import Server
from nodeworthy.patterns import pattern
from nodeworthy.verdict import value_if_known

# By its name at the hub.
_MODEL = pattern(
    r"(?:--model(?:[-_](?:id|path))?[= ]+|\bvllm serve +)([A-Za-z0-9][\w.-]{0,95}/[\w.-]{1,96})(?=$|[ '\"\\])"
)
# How many thousand millions of parameters it has, of two bytes each where it is not packed.
_PARAMETERS = pattern(r"(?i)[-_](\d{1,4}(?:\.\d{1,3})?)b(?![a-z])")
_PACKED = (
    "awq gptq int4 int8 4bit 8bit bnb fp8 fp4 w4a16 w8a8 gguf quant -q4 _q4 -q5 -q8 exl2 bitnet mlx gpt-oss".split()
)
_LARGE = 7.0
# Where the hub's client keeps what it fetches, and the variables that say otherwise: the nearest counts.
_CACHES = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME")
_DOWNLOADS = pattern(r"--download[-_]dir[= ]+(\S+)")


def command_of(container: Container) -> str:
    return " ".join(" ".join(container.words).split())


def model_of(container: Container) -> str:
    """By its name at the hub; empty where that is not said, or a folder's."""
    found = _MODEL.search(command_of(container))
    if found is not None:
        return found[1]
    said = container.variable("MODEL_ID")
    named = str(value_if_known(said)) if said is not None else ""
    return named if named.count("/") == 1 and not named.startswith(("/", ".", "$")) else ""


def gigabytes(model: str) -> float:
    """What comes of a large model before it answers; 0 of one that is small, or of which that is not known."""
    found = _PARAMETERS.search(model)
    is_known = found is not None and not any(each in model.lower() for each in _PACKED)
    parameters = float(found[1]) if found is not None and is_known else 0.0
    return 2 * parameters if parameters >= _LARGE else 0.0


def models_folder(container: Container, server: Server) -> str:
    """The folder that its server fetches the model into; empty where that is not known."""
    found = _DOWNLOADS.search(command_of(container))
    said = [container.variable(name) for name in _CACHES]
    told = next((each for each in said if each is not None), None)
    if found is not None or told is not None:
        path = found[1] if found is not None else str(value_if_known(told) if told is not None else "")
        return path if path.startswith("/") and "$" not in path else ""
    return "" if container.variable("HOME") is not None else server.keeps


def mount_of(container: Container, path: str) -> Tree | None:
    """The nearest of its mounts that a folder lies in."""
    mounts = [(each.get("mountPath").string.rstrip("/"), each) for each in container.tree.get("volumeMounts").sequence]
    above = [(at, each) for at, each in mounts if path == at or path.startswith(f"{at}/")]
    return max(above, key=lambda found: len(found[0]))[1] if above else None
