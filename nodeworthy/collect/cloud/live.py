"""An account of AWS, asked by boto3 with the rights that it finds. Nothing but the calls of the table is asked."""

from __future__ import annotations

import base64
import importlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from nodeworthy.collect.cloud.answers import AwsRefusal, Page
from nodeworthy.collect.cloud.calls import IDENTITY, Call
from nodeworthy.errors import CouldNotLook, InputError, MissingExtra
from nodeworthy.records import dataclass

_CONNECT_SECONDS, _READ_SECONDS, _ATTEMPTS = 5, 60, 4
# With these there is no account to ask.
_NOBODY = frozenset(
    "AuthFailure ExpiredToken ExpiredTokenException InvalidClientTokenId SignatureDoesNotMatch "
    "UnrecognizedClientException".split()
)
_TOLD = 160


@dataclass(frozen=True)
class Reach:
    """What was typed of where to ask; None is what AWS' own settings say."""

    profile: str | None = None
    endpoint_url: str | None = None


class Live:
    """One region of an account."""

    def __init__(self, reach: Reach, region: str | None) -> None:
        self._reach = reach
        self._boto = _Boto()
        self._session = self._boto.session(reach, region)
        if not self._session.region_name:
            raise InputError("no region was said: --region NAME, or AWS_REGION")
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self.seen_at = datetime.now(UTC).replace(microsecond=0)

    @property
    def region(self) -> str:
        return str(self._session.region_name)

    @cached_property
    def account(self) -> str:
        """Raises CouldNotLook where AWS does not know who asks."""
        try:
            return str(self.pages(IDENTITY, {})[0]["Account"])
        except AwsRefusal as refused:
            raise CouldNotLook(f"AWS does not say whose account this is: {refused.code}: {refused.message}") from None

    def pages(self, call: Call, arguments: Mapping[str, Any]) -> Sequence[Page]:
        def asked(client: Any) -> Sequence[Page]:
            return [_plain(page) for page in _pages_of(client, call, {**call.fixed, **arguments})]

        found: Sequence[Page] = self.answer(call.service, call.action, asked)
        return found

    def answer(self, service: str, action: str, ask: Callable[[Any], Any]) -> Any:
        """Raises AwsRefusal, or CouldNotLook where AWS is not reached."""
        client = self._client(service)
        try:
            return ask(client)
        except self._boto.client_error as problem:
            raise _refusal(problem) from None
        except self._boto.unreachable as problem:
            raise CouldNotLook(f"AWS can't be asked {action} in {self.region}: {problem}") from None
        except (self._boto.any_error, self._boto.not_parsed) as problem:
            raise AwsRefusal(type(problem).__name__, str(problem)[:_TOLD]) from None

    def _client(self, service: str) -> Any:
        with self._lock:  # a client may be used by many threads at once; only its making may not
            if service not in self._clients:
                try:
                    self._clients[service] = self._session.client(
                        service, endpoint_url=self._reach.endpoint_url, config=self._boto.config()
                    )
                except self._boto.any_error as problem:
                    raise InputError(f"AWS can't be asked: {problem}") from None
            return self._clients[service]


class _Boto:
    """boto3, where it is installed."""

    def __init__(self) -> None:
        try:
            self._boto3 = importlib.import_module("boto3")
            problems = importlib.import_module("botocore.exceptions")
        except ImportError:
            raise MissingExtra("audit", "aws") from None
        self.not_parsed = importlib.import_module("botocore.parsers").ResponseParserError
        self.any_error, self.client_error = problems.BotoCoreError, problems.ClientError
        self.unreachable = (
            problems.NoCredentialsError,
            problems.PartialCredentialsError,
            problems.CredentialRetrievalError,
            problems.TokenRetrievalError,
            problems.UnauthorizedSSOTokenError,
            problems.EndpointConnectionError,
            problems.ConnectTimeoutError,
            problems.ConnectionClosedError,
        )

    def session(self, reach: Reach, region: str | None) -> Any:
        try:
            return self._boto3.Session(region_name=region, profile_name=reach.profile)
        except self.any_error as problem:
            raise InputError(f"AWS can't be asked: {problem}") from None

    def config(self) -> Any:
        made = importlib.import_module("botocore.config").Config
        retries = {"mode": "adaptive", "total_max_attempts": _ATTEMPTS}
        return made(connect_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS, retries=retries)


def _pages_of(client: Any, call: Call, arguments: Mapping[str, Any]) -> Iterator[Page]:
    name = importlib.import_module("botocore").xform_name(call.operation)
    if not client.can_paginate(name):
        yield getattr(client, name)(**arguments)
        return
    config = {"PageSize": call.page} if call.page else {}
    yield from client.get_paginator(name).paginate(**arguments, PaginationConfig=config)


def _refusal(problem: Any) -> AwsRefusal:
    """Raises CouldNotLook where AWS does not take who asks, whatever is asked."""
    told = problem.response.get("Error", {})
    code, message = str(told.get("Code", "")), " ".join(str(told.get("Message", "")).split())[:_TOLD]
    if code in _NOBODY:
        raise CouldNotLook(f"AWS does not take these credentials: {code}: {message}") from None
    return AwsRefusal(code, message)


def _plain(data: Any) -> Any:
    """The answer as JSON has it, without what only the connection is about."""
    if isinstance(data, dict):
        return {name: _plain(each) for name, each in data.items() if name != "ResponseMetadata"}
    if isinstance(data, list):
        return [_plain(each) for each in data]
    if isinstance(data, datetime):
        return data.astimezone(UTC).isoformat()
    return base64.b64encode(data).decode() if isinstance(data, bytes) else data
