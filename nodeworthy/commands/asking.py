"""A question to whoever sits at the terminal."""

from __future__ import annotations

import sys


def ask_yes(question: str) -> bool:
    """Whether the answer is yes; whatever else is typed is a no."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
