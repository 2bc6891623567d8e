"""Whether what a job runs has to do with Hugging Face's tokenizers, and by what sign."""

from __future__ import annotations

from functools import lru_cache

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.ranks import script_text
from nodeworthy.patterns import pattern

VARIABLE = "TOKENIZERS_PARALLELISM"
_LIBRARIES = r"(?:transformers|tokenizers|trl|vllm)"
_IMPORTS = pattern(rf"^\s*(?:import|from)\s+({_LIBRARIES})\b")
# Without a fork nobody warns.
_FORKS = pattern(r"DataLoader|num_workers|num_proc|Trainer|multiprocessing|concurrent|joblib|vllm|\.map\(|fork")
# In words for people, and where they are installed; no part of a path or of another name.
_SPOKEN = pattern(rf"(?<![\w./@-])({_LIBRARIES})(?![\w/-]|\.\w)")
_INSTALLS = pattern(r"\b(?:pip3?|conda|mamba|uv)\b.*\binstall\b")


def sign(job: SlurmJob, launch: Launch) -> str | None:
    """None where there is none, or where the program sets the variable itself."""
    module = launch.module.partition(".")[0]
    if launch.program == "vllm" or module in ("transformers", "tokenizers", "trl", "vllm"):
        return f"it runs {module or launch.program}"
    text = script_text(job, launch)
    if text is not None:
        return _in_script(text, launch)
    if launch.script is None or launch.script.known is None:
        return None
    spoken = _spoken_of(job.text)
    return f"the job itself speaks of {spoken}" if spoken is not None else None


def _in_script(text: str, launch: Launch) -> str | None:
    if VARIABLE in text or "okeniz" not in text or not _FORKS.search(text):
        return None
    found = next(filter(None, map(_IMPORTS.match, text.splitlines())), None)
    name = launch.script.shown().rsplit("/", 1)[-1] if launch.script is not None else "it"
    return f"{name} imports {found[1]}" if found is not None else None


@lru_cache(maxsize=8)
def _spoken_of(text: str) -> str | None:
    """Asked for each of a job's launches."""
    return next(filter(None, map(_spoken, text.splitlines())), None)


def _spoken(line: str) -> str | None:
    """Of a comment, or of what installs it."""
    if line.startswith(("#SBATCH", "#!")):
        return None
    text = line.partition("#")[2] if "#" in line and not _INSTALLS.search(line) else line
    if text is line and not _INSTALLS.search(line):
        return None
    found = _SPOKEN.search(text)
    return found[1] if found is not None else None
