"""Asks Prometheus what GPUs did. What can't be had is said, and ends nothing."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import IO, Any
from urllib.parse import urlencode, urlsplit

from nodeworthy.collect.cluster.recording import Recording
from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.facts.cluster.idle_holders import LABELS, GpuUsage, is_answer
from nodeworthy.known.gpu_activity import metrics, minutes
from nodeworthy.known.secrets import HIDDEN

TOKEN = "NODEWORTHY_PROMETHEUS_TOKEN"
# Between two pieces of an answer, and for all of it.
READ_SECONDS = 9.0
SECONDS = 20.0
MOST_BYTES = 64 << 20
_PIECE = 1 << 16
_HERE = ("localhost", "127.0.0.1", "::1")


def check(url: str) -> None:
    """Raises InputError where it is no address that could be asked."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InputError("--prometheus: this is no URL") from None
    if parts.scheme not in ("http", "https") or not host or port == 0 or not url.isascii() or not url.isprintable():
        raise InputError("--prometheus wants a URL, as http://prometheus:9090")
    if parts.username is not None or parts.password is not None:
        raise InputError(f"--prometheus: no password belongs in a URL; a token is read from {TOKEN}")
    if parts.query or parts.fragment or " " in url:
        raise InputError("--prometheus wants the URL of its root, without a query")
    if os.environ.get(TOKEN) and parts.scheme == "http" and host not in _HERE:
        raise InputError(
            f"--prometheus: {TOKEN} is not sent without TLS; give an https:// URL, or a port forwarded here"
        )


def read(url: str, usage: GpuUsage, recording: Recording | None) -> None:
    found: list[dict[str, Any]] = []
    try:
        for name in metrics():
            found += _series(url.rstrip("/"), name)
    except CouldNotLook as problem:
        usage.unseen = _without_token(str(problem))
    answer = {"status": "success", "data": {"resultType": "matrix", "result": found}}
    usage.add(answer)
    if not usage.unseen and not usage:
        usage.unseen = f"Prometheus at {url} has no {' and no '.join(metrics())} of a pod"
    if recording:
        recording.prometheus(answer, usage.unseen)


def _without_token(text: str) -> str:
    """A server may repeat what it was sent."""
    token = os.environ.get(TOKEN, "").strip()
    return text.replace(token, HIDDEN) if token else text


def _series(url: str, metric: str) -> list[dict[str, Any]]:
    """The series with its name, which a function would take away, and the labels alone that tell whose GPU it is."""
    step = f"{minutes('step')}m"
    # By the server's clock, and not by ours.
    query = f"max_over_time({metric}[{step}])[{minutes('window')}m:{step}]"
    answer = _parsed(_fetch(url, query), url)
    if not is_answer(answer):
        said = text_at(answer, "error")[:200] or "its answer is none of Prometheus' API"
        raise CouldNotLook(f"Prometheus at {url}: {said}")
    return [
        {"metric": {**_labels(mapping_at(each, "metric")), "__name__": metric}, "values": each.get("values")}
        for each in mappings_at(answer, "data", "result")
    ]


def _labels(metric: Mapping[str, Any]) -> dict[str, Any]:
    return {name: metric[name] for name in LABELS if name in metric}


def _fetch(url: str, query: str) -> bytes:
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            """Refuses to follow: another server would be sent our token."""

    asked = f"{url}/api/v1/query?{urlencode({'query': query})}"
    request = Request(asked, headers=_headers())  # noqa: S310 - http or https, as was checked
    until = time.monotonic() + SECONDS
    try:
        with build_opener(Stay).open(request, timeout=READ_SECONDS) as response:
            return _whole(response, until, url)
    except HTTPError as problem:
        raise CouldNotLook(f"Prometheus at {url} {_refusal(problem)}") from None
    except (URLError, HTTPException, OSError) as problem:
        why = getattr(problem, "reason", None) or problem
        said = f"no answer within {READ_SECONDS:.0f} s" if isinstance(why, TimeoutError) else str(why)
        raise CouldNotLook(f"Prometheus at {url} can't be reached: {said[:200]}") from None


def _headers() -> dict[str, str]:
    token = os.environ.get(TOKEN, "").strip()
    if not token.isprintable() or not token.isascii():
        raise CouldNotLook(f"{TOKEN} holds what can't be a token")
    return {"Accept": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}


def _whole(response: IO[bytes], until: float, url: str) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := response.read(_PIECE):
        size += len(piece)
        pieces.append(piece)
        if size > MOST_BYTES:
            raise CouldNotLook(f"Prometheus at {url} answers more than {MOST_BYTES >> 20} MiB")
        if time.monotonic() > until:
            raise CouldNotLook(f"Prometheus at {url}: its answer did not come within {SECONDS:.0f} s")
    return b"".join(pieces)


def _refusal(problem: Any) -> str:
    if problem.code in (401, 403):
        return f"answers {problem.code}: it does not accept the token in {TOKEN}, or wants one"
    if 300 <= problem.code < 400:
        return f"answers {problem.code} and sends elsewhere: give the URL at which it is"
    try:
        said = text_at(json.loads(problem.read(_PIECE)), "error")[:200]
    except (ValueError, RecursionError, OSError):
        said = ""
    return f"answers {problem.code}{f': {said}' if said else ''}"


def _parsed(data: bytes, url: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise CouldNotLook(f"Prometheus at {url}: its answer is no JSON") from None
    return found if isinstance(found, dict) else {}
