"""A connection to an API server, as kubectl would make it: KUBECONFIG, ~/.kube/config, or a pod's own account."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import urlencode

import yaml

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.documents.yaml_nodes import Loader
from nodeworthy.errors import CouldNotLook, InputError, MissingExtra
from nodeworthy.limits import holds_long_number, without_long_numbers
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# How long a server may take to be reached, and between two pieces of an answer.
CONNECT_SECONDS = 4.0
READ_SECONDS = 9.0
# Admission webhooks may take their time.
WRITE_SECONDS = 35.0
# Before a server that has too much to do is asked again, where it does not say how long.
PAUSES = (1.0, 2.0, 4.0)
LONGEST_PAUSE = 10.0
JSON = "application/json"
_SPEAKS_TLS = b"HTTP request to an HTTPS server"
# What the HTTP library puts before the reason.
_ABOUT_ITSELF = pattern(r"^\w*Connection\(.*?\): ")


@dataclass(frozen=True)
class Answer:
    status: int
    # The object that the server sent; where it sent none, what it sent instead stands under `message`.
    body: Mapping[str, Any]

    @property
    def why(self) -> str:
        """What the server says of it, where it refuses something."""
        return text_at(self.body, "message") or f"the server answered {self.status}"


@dataclass(frozen=True)
class _Sent:
    """What came back."""

    status: int
    data: bytes
    # In seconds, as the server asks for it.
    retry_after: int | None

    @property
    def may_be_asked_again(self) -> bool:
        return self.status in (429, 502, 503, 504) or (self.status == 500 and self.retry_after is not None)


class Connection:
    """Asks an API server for JSON, and leaves it as it is."""

    def __init__(self, context: str | None) -> None:
        try:
            from kubernetes.client import ApiClient, Configuration
        except ImportError:
            raise MissingExtra("looking at a cluster", "cluster") from None
        configuration = Configuration()
        self._headers = _configure(configuration, context)
        self._configuration: Any = configuration
        self.server = str(configuration.host).rstrip("/")
        self._http: Any = ApiClient(configuration).rest_client.pool_manager

    def _credentials(self) -> dict[str, str]:
        """Asked for anew each time: what a plugin or a token file gave may have to be refreshed."""
        settings = self._configuration.auth_settings().values()
        return {str(each["key"]): str(each["value"]) for each in settings if each["in"] == "header" and each["value"]}

    def get(self, path: str, query: dict[str, str]) -> Answer:
        """One GET, again where the server has too much to do. Raises CouldNotLook where no answer came, or where the
        server does not know who asks."""
        for pause in PAUSES:
            sent = self._sent("GET", path, query, seconds=READ_SECONDS)
            if not sent.may_be_asked_again:
                return self._answer(sent)
            sleep(min(sent.retry_after or pause, LONGEST_PAUSE))
        return self._answer(self._sent("GET", path, query, seconds=READ_SECONDS))

    def text(self, path: str, query: dict[str, str], most: int) -> tuple[int, bytes]:
        """One GET of what is no object, and no more bytes of it than that."""
        sent = self._sent("GET", path, query, seconds=READ_SECONDS, most=most)
        return sent.status, sent.data

    def write(
        self, method: str, path: str, query: dict[str, str], body: Mapping[str, Any], *, kind: str = JSON
    ) -> Answer:
        """Sent once: of what may have been done nobody knows whether it is to be done again."""
        data = json.dumps(body).encode()
        return self._answer(self._sent(method, path, query, seconds=WRITE_SECONDS, body=data, kind=kind))

    def _answer(self, sent: _Sent) -> Answer:
        if sent.status == 400 and _SPEAKS_TLS in sent.data:
            raise CouldNotLook(f"{self.server} speaks HTTPS: the kubeconfig's `server` must begin with https://")
        return Answer(sent.status, _parsed(sent.data, self.server if sent.status == 200 else None))

    def _sent(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        *,
        seconds: float,
        body: bytes | None = None,
        kind: str = "",
        most: int | None = None,
    ) -> _Sent:
        from urllib3 import Timeout
        from urllib3.exceptions import HTTPError

        sent = {"Content-Type": kind} if kind else {}
        try:
            # Not through the client's own calls: they make an object of every answer, which takes far longer.
            response = self._http.request(
                method,
                f"{self.server}{path}?{urlencode(query)}",
                body=body,
                headers={"Accept": JSON, **sent, **self._headers, **self._credentials()},
                timeout=Timeout(connect=CONNECT_SECONDS, read=seconds),
                retries=False,  # one that does not answer is asked once
                preload_content=most is None,
            )
            status = int(response.status)
            data = bytes(response.data if most is None else response.read(most))
            if most is not None:
                response.close()
        except (HTTPError, OSError) as problem:
            raise CouldNotLook(f"{self.server} can't be reached: {_plainly(problem, seconds)}") from None
        if status == 401:
            raise CouldNotLook(f"{self.server} does not accept these credentials: they may have expired")
        after = str(response.headers.get("Retry-After") or "")
        return _Sent(status, data, int(after) if after.isdecimal() and len(after) < 6 else None)


def _configure(configuration: Any, context: str | None) -> Mapping[str, str]:
    """Which headers every request needs besides."""
    import kubernetes.config

    config: Any = kubernetes.config
    chosen = choose(context)
    try:
        if chosen is None:
            config.load_incluster_config(client_configuration=configuration)
            return {}
        with complaints() as said:
            config.load_kube_config(chosen.files, chosen.context, client_configuration=configuration)
        if said and not (configuration.api_key or configuration.cert_file or configuration.username):
            # The client would go on as nobody, and every kind would be refused.
            raise CouldNotLook(f"the kubeconfig's command for credentials gave none: {said[-1]}")
        return chosen.headers
    except config.ConfigException as problem:
        if chosen is None:
            raise CouldNotLook("no cluster to look at: no kubeconfig was found (KUBECONFIG, ~/.kube/config)") from None
        raise InputError(f"the kubeconfig can't be used: {_first_line(problem)}") from None
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as problem:
        # The client looks into a kubeconfig without asking whether it is one.
        raise InputError(f"the kubeconfig is malformed: {type(problem).__name__}: {_first_line(problem)}") from None


def _parsed(data: bytes, must_be_json_from: str | None) -> dict[str, Any]:
    try:
        found = json.loads(without_long_numbers(data.decode("utf-8", "replace")) if holds_long_number(data) else data)
    except ValueError:
        if must_be_json_from is not None:
            raise CouldNotLook(f"{must_be_json_from} is no Kubernetes API server: it answers no JSON") from None
        return {"message": data[:200].decode("utf-8", "replace")}
    return found if isinstance(found, dict) else {"message": str(found)[:200]}


def _plainly(problem: BaseException, seconds: float) -> str:
    """The innermost reason, without the wrappings of the HTTP library."""
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError, ReadTimeoutError

    if isinstance(problem, ReadTimeoutError):
        return f"no answer within {seconds:.0f} s"
    if isinstance(problem, ConnectTimeoutError) and not isinstance(problem, NewConnectionError):
        return f"no answer within {CONNECT_SECONDS:.0f} s"
    reason = getattr(problem, "reason", None)
    if isinstance(reason, BaseException):
        return _plainly(reason, seconds)
    said = _ABOUT_ITSELF.sub("", _first_line(problem))
    return said.rpartition("Failed to establish a new connection: ")[2]


def _first_line(problem: BaseException) -> str:
    return next(iter(str(problem).splitlines()), type(problem).__name__)


# What the Kubernetes client only logs while it goes on without: a command of the kubeconfig gave no credentials.


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


# The kubeconfig that kubectl would take: which one, whether it is one, and as whom it says to act.
#
# The Python client reads it again for itself; here it is asked what that client does not say plainly (a context
# that does not exist), or does not know (`as:`, without which one would look with somebody else's rights).


@dataclass(frozen=True)
class Chosen:
    """A context that exists."""

    context: str
    # The files that were read, as KUBECONFIG names them.
    files: str
    headers: Mapping[str, str] = field(default_factory=dict)


def choose(context: str | None) -> Chosen | None:
    """The context that is meant; None where there is no kubeconfig, or one that holds nothing."""
    paths = _paths()
    files = [_read_kubeconfig(path) for path in paths]
    named = {text_at(each, "name"): each for file in reversed(files) for each in mappings_at(file, "contexts")}
    current = next(filter(None, (text_at(file, "current-context") for file in files)), "")
    wanted = context if context is not None else current
    if not named and not wanted:
        return None
    there_are = f"there are {', '.join(sorted(named))}" if named else "the kubeconfig has none"
    if not wanted:
        raise InputError(f"the kubeconfig has no current context, choose one with --context: {there_are}")
    if wanted not in named:
        raise InputError(f"there is no context {wanted!r}: {there_are}")
    together = os.pathsep.join(map(str, paths))
    return Chosen(wanted, together, _impersonation(files, text_at(named[wanted], "context", "user")))


def _paths() -> list[Path]:
    written = os.environ.get("KUBECONFIG") or "~/.kube/config"
    paths = (Path(each).expanduser() for each in written.split(os.pathsep) if each)
    return [path for path in paths if path.exists()]


def _read_kubeconfig(path: Path) -> Mapping[str, Any]:
    try:
        found = yaml.load(path.read_bytes(), Loader=Loader)  # noqa: S506 - the safe one
    except OSError as problem:
        raise InputError(f"the kubeconfig {path} can't be read: {problem.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as problem:
        first = next(iter(str(problem).splitlines()), "")
        raise InputError(f"the kubeconfig {path} is malformed: {first}") from None
    if found is None:
        return {}
    lists = ("clusters", "contexts", "users")
    if not isinstance(found, dict) or not all(isinstance(found.get(each) or [], list) for each in lists):
        raise InputError(f"the kubeconfig {path} is malformed: it has no lists of clusters, users and contexts")
    return found


def _impersonation(files: list[Mapping[str, Any]], user: str) -> dict[str, str]:
    for each in (each for file in files for each in mappings_at(file, "users")):
        if text_at(each, "name") == user:
            given = mapping_at(each, "user")
            if given.get("as-groups") or given.get("as-user-extra"):
                raise InputError(f"the kubeconfig's user {user!r} acts as a group, which nodeworthy can't do")
            headers = {"Impersonate-User": text_at(given, "as"), "Impersonate-Uid": text_at(given, "as-uid")}
            return {name: value for name, value in headers.items() if value}
    return {}
