"""What stands in a text for something that nobody knows, and what a reader is told instead of it."""

from __future__ import annotations

from nodeworthy.patterns import pattern

# The folder in which a job begins: nobody knows it, and relative paths are relative to it.
JOB_FOLDER = "/@job"
# Marks of the readers of scripts, YAML and TOML, for what a template fills in.
_HOLES = pattern("[\ue000-\uf8ff]+")

# Behind the subject of a place: the value is a parameter's own, where who deploys gives no other.
_DEFAULT = ", the default of parameter "


def default_of(parameter: str) -> str:
    return f"{_DEFAULT}{parameter}"


def parameter_of(subject: str) -> str:
    """The parameter whose default it is; empty where it is none's."""
    return subject.partition(_DEFAULT)[2]


def without_marks(text: str) -> str:
    """The same text where there is none, which is nearly always."""
    if JOB_FOLDER in text:
        text = text.replace(f"{JOB_FOLDER}/", "").replace(JOB_FOLDER, "$SLURM_SUBMIT_DIR")
    return text if text.isascii() else _HOLES.sub("…", text)
