"""What is called to make a resource of one kind, and what to end it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .aws_calls import Aws

Props = Mapping[str, Any]
Made = tuple[str, dict[str, Any]]  # the id, and the outputs beside the inputs


@dataclass(frozen=True)
class Kind:
    make: Callable[[Aws, str, Props], Made]
    end: Callable[[Aws, str, Props], Any]
    # The outputs that a change brings; where there is none, AWS is not told of changes.
    renew: Callable[[Aws, str, Props], dict[str, Any]] | None = None


def named(name: str, props: Props) -> str:
    """A physical name where the program gives none, as the provider makes one."""
    return props.get("name") or f"{name}-{uuid.uuid4().hex[:7]}"
