"""What the Kubernetes client only logs while it goes on without: a command of the kubeconfig gave no credentials."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST = 300


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(" ".join(record.getMessage().split())[:_LONGEST])


@contextmanager
def complaints() -> Iterator[list[str]]:
    """All that is logged meanwhile; it is shown nowhere else."""
    kept, root = _Kept(), logging.getLogger()
    others = list(root.handlers)
    root.handlers[:] = [kept]
    try:
        yield kept.said
    finally:
        root.handlers[:] = others
