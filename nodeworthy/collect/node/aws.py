"""Clients of the account that hosts are reached through."""

from __future__ import annotations

import importlib
import importlib.util
import threading
from functools import cache
from typing import Any

from nodeworthy.collect.node.reach import Reach
from nodeworthy.errors import MissingExtra

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
