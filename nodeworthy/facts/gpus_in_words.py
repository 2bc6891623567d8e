"""So many GPUs, as a sentence says it."""

from __future__ import annotations


def gpus_in_words(count: object) -> str:
    """A count that is not known is told as what it is: `? GPUs`."""
    return "1 GPU" if str(count) == "1" else f"{count} GPUs"
