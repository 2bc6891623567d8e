"""Which cluster and which account hosts are reached through, and the clients of that account."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from nodeworthy.errors import MissingExtra
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


CONNECT_SECONDS = 5
READ_SECONDS = 20
_LOCK = threading.Lock()


def need_boto3(what: str) -> None:
    if importlib.util.find_spec("boto3") is None:
        raise MissingExtra(what, "aws")


def client(reach: Reach, service: str) -> Any:
    """Raises botocore's own BotoCoreError where there is no region, no profile."""
    with _LOCK:
        return _client(service, reach.region, reach.profile, reach.endpoint_url)


@cache
def _client(service: str, region: str | None, profile: str | None, endpoint_url: str | None) -> Any:
    """A client may be used by many threads at once; only its making may not."""
    boto3 = importlib.import_module("boto3")
    config = importlib.import_module("botocore.config").Config(
        connect_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS, retries={"total_max_attempts": 3}
    )
    session = boto3.Session(region_name=region, profile_name=profile)
    return session.client(service, endpoint_url=endpoint_url, config=config)


def problems() -> tuple[type[Exception], ...]:
    """What goes wrong between us and AWS."""
    exceptions = importlib.import_module("botocore.exceptions")
    return exceptions.ClientError, exceptions.BotoCoreError
