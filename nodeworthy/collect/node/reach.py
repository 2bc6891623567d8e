"""Which cluster and which account hosts are reached through."""

from __future__ import annotations

import sys
from collections.abc import Callable

from nodeworthy.records import dataclass

# It has a shell and nsenter, and is small.
IMAGE = "docker.io/library/busybox:1.37"
POD_SECONDS = 180


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - what changes a cluster is told whoever asks for it


@dataclass(frozen=True)
class Reach:
    """What `node://` and `ssm://` take from the command line; None is what kubectl and AWS take by themselves."""

    context: str | None = None
    namespace: str | None = None
    image: str = IMAGE
    # A pod that nobody removed ends by itself then.
    pod_seconds: int = POD_SECONDS
    region: str | None = None
    profile: str | None = None
    endpoint_url: str | None = None
    tell: Callable[[str], None] = tell
