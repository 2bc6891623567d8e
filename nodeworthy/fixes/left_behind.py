"""What a `check --fix` that was broken off has left behind, as far as a look at names tells."""

from __future__ import annotations

import os
import re
from pathlib import Path

_STAGED = re.compile(r"\..+\.nodeworthy-fix-[0-9a-f]{8}")
JOURNAL = re.compile(r"fix-[0-9a-f]{8}\.json")


def staged_name(name: str, token: str) -> str:
    """The name of a mended file until it takes the place of the original."""
    return f".{name}.nodeworthy-fix-{token}"


def is_staged(name: str) -> bool:
    return ".nodeworthy-fix-" in name and _STAGED.fullmatch(name) is not None


def folder() -> Path:
    """Where journals are kept: the user's own. Raises RuntimeError where the user has no home."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = named if named.is_absolute() else Path.home() / ".local" / "state"
    return base / "nodeworthy"


def journals() -> list[Path]:
    """The journals of runs that were broken off, or go on elsewhere."""
    try:
        below = folder()
        return sorted(below / name for name in os.listdir(below) if JOURNAL.fullmatch(name))
    except (OSError, RuntimeError):
        return []
