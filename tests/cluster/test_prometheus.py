"""`diagnose --prometheus` beside a real HTTP server that answers as Prometheus does, or as none should."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from nodeworthy.collect.cluster import prometheus
from nodeworthy.errors import InputError
from nodeworthy.facts.cluster.idle_holders import GpuUsage
from tests.real.api import Api
from tests.real.certificates import Authority
from tests.run import run

QUERY = re.compile(r"max_over_time\((?P<metric>DCGM_\w+)\[5m\]\)\[60m:5m\]")
TOKEN = "s3cr3t-bearer-0123456789"


class Prometheus:
    """Of two GPUs of a pod: one does nothing, the other what it is told."""

    def __init__(self, other: str = "0") -> None:
        self.other = other
        self.asked: list[Mapping[str, str]] = []

    def __call__(self, method: str, path: str, headers: Mapping[str, str], sent: Any) -> tuple[int, Any]:
        self.asked.append(headers)
        parts = urlsplit(path)
        query = QUERY.fullmatch(parse_qs(parts.query)["query"][0])
        assert (method, parts.path) == ("GET", "/api/v1/query")
        assert query
        if query["metric"] != "DCGM_FI_DEV_GPU_UTIL":
            return 200, answer()
        return 200, answer(series(0, "0"), series(1, self.other))


def series(gpu: int, value: str) -> dict[str, Any]:
    labels = {"Hostname": "n", "gpu": str(gpu), "namespace": "ml", "pod": "train", "secretish": "x" * 30}
    return {"metric": labels, "values": [[1760463300.0 + 300 * step, value] for step in range(12)]}


def answer(*result: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "matrix", "result": list(result)}}


def asked(url: str) -> GpuUsage:
    found = GpuUsage()
    prometheus.check(url)
    prometheus.read(url, found, None)
    return found


def test_a_pod_whose_gpus_do_nothing_is_idle() -> None:
    with Api(Prometheus()) as api:
        assert asked(api.url).of(("ml", "train"), 2) == (False, 3300.0)


def test_a_pod_of_which_one_gpu_works_works() -> None:
    with Api(Prometheus("71")) as api:
        assert asked(f"{api.url}/").of(("ml", "train"), 2)[0] is True


def test_the_token_is_sent_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(prometheus.TOKEN, TOKEN)
    server = Prometheus()
    with Api(server) as api:
        assert asked(api.url)
    assert {each["Authorization"] for each in server.asked} == {f"Bearer {TOKEN}"}
    with Api(lambda *_: (401, {"status": "error", "error": f"{TOKEN} is no token"})) as api:
        found = asked(api.url)
    assert "answers 401: it does not accept the token in NODEWORTHY_PROMETHEUS_TOKEN" in found.unseen
    assert TOKEN not in found.unseen
    with Api(lambda *_: (400, {"status": "error", "error": f"what is {TOKEN}?"})) as api:
        assert "what is (secret)?" in asked(api.url).unseen


@pytest.mark.parametrize(
    ("status", "data", "told"),
    [
        (403, {}, "answers 403"),
        (400, {"status": "error", "error": "parse error: unexpected <op>"}, "answers 400: parse error"),
        (503, "overloaded", "answers 503"),
        (302, {}, "sends elsewhere"),
        (200, "a page", "none of Prometheus' API"),
        (200, {"status": "error", "error": "query timed out"}, "query timed out"),
        (200, {"status": "success", "data": {"resultType": "scalar", "result": [0, "1"]}}, "none of Prometheus' API"),
        (200, answer(), "has no DCGM_FI_DEV_GPU_UTIL and no DCGM_FI_PROF_GR_ENGINE_ACTIVE of a pod"),
        (200, answer("x", None, {"metric": [], "values": {}}, {"metric": {"pod": "p"}, "values": "0"}), "has no DCGM"),
    ],
)
def test_what_is_no_answer_is_said(status: int, data: Any, told: str) -> None:
    with Api(lambda *_: (status, data)) as api:
        found = asked(api.url)
    assert told in found.unseen
    assert not found


@contextmanager
def raw(data: bytes) -> Iterator[str]:
    """A server that sends these bytes to whoever comes, and then is silent."""
    held: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            held.append(client)
            client.recv(1 << 16)
            client.sendall(data)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    for each in held:
        each.close()


def test_a_huge_answer_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prometheus, "MOST_BYTES", 1 << 20)
    with raw(b"HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n" + b"[" * 2_000_000) as url:
        assert "answers more than 1 MiB" in asked(url).unseen


def test_brackets_without_end_are_no_answer() -> None:
    body = b"[" * 200_000
    with raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body) as url:
        assert "no JSON" in asked(url).unseen


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"])
def test_who_says_nothing_costs_the_deadline(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prometheus, "READ_SECONDS", 0.2)
    with raw(sent) as url:
        assert "no answer within" in asked(url).unseen


def test_who_dribbles_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prometheus, "SECONDS", -1.0)
    with Api(Prometheus()) as api:
        assert "did not come within" in asked(api.url).unseen


@pytest.mark.parametrize(
    "url", ["prometheus:9090", "file:///etc/passwd", "http://", "https://a:b@host", "http://h/?q=1", "http://h:x", "h"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InputError) as refused:
        prometheus.check(url)
    assert "b@" not in str(refused.value)


def test_a_token_does_not_travel_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(prometheus.TOKEN, TOKEN)
    with pytest.raises(InputError, match="TLS"):
        prometheus.check("http://prometheus.monitoring:9090")
    prometheus.check("https://prometheus.monitoring:9090")


def test_a_certificate_of_nobody_is_refused(tmp_path: Path) -> None:
    Authority.create().issue_for_localhost(tmp_path / "crt", tmp_path / "key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "crt", tmp_path / "key")
    with Api(Prometheus(), context) as api:
        assert "certificate verify failed" in asked(api.url).unseen


def test_from_a_recording_nobody_is_asked() -> None:
    ran = run("diagnose", "--from", ".", "--prometheus", "http://127.0.0.1:9")
    assert (ran.code, ran.out) == (2, "")
    assert "--prometheus is for a cluster" in ran.err
