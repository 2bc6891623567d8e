"""What programs print is recognised however it was quoted, cut or broken, and nothing else is."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodeworthy.known.evidence import all_evidence, in_stream, in_text

# As the incidents' documents have them.
EXACT = {
    "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: "
    'no runtime for "nvidia" '
    "is configured": "no-runtime-configured",
    "Error signaling containerd, attempt 5/6: unable to dial: dial unix "
    "/runtime/sock-dir/containerd.sock: connect: no such "
    "file or directory": "toolkit-cannot-dial",
    "[UFW BLOCK] IN=lxc4f39491e6165 OUT=eno1 MAC=e2:8a:9c:5b:11:0e SRC=10.1.0.185 DST=1.1.1.1 "
    "LEN=66 TOS=0x00 PREC=0x00 "
    "TTL=63 ID=1 DF PROTO=UDP SPT=59834 DPT=53 LEN=46 MARK=0xa1700f00": "ufw-blocks-pods",
    "connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection "
    "object at 0x7f>: Failed to "
    "establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/pip/": "name-resolution",
    "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: "
    "4, Available: 0, which is "
    "unexpected": "devices-unavailable",
    "unsupported capabilities found in 'compute,profile,utility' (allowed 'compute,utility')": (
        "unsupported-capabilities"
    ),
    "0/5 nodes are available: 5 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available": "insufficient-gpu",
    "0/2 nodes are available: 2 Insufficient nvidia.com/gpumem.": "insufficient-gpumem",
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB": "cuda-out-of-memory",
    "http: server gave HTTP response to HTTPS client": "http-answer-to-https",
    'level=warning msg="Ignoring unknown key in TOML for plugin" error="strict mode: fields in the document"': (
        "containerd-ignores-keys"
    ),
    "12345 mig  train  user PD 0:00 1 (QOSMaxCpuPerJobLimit)": "slurm-cpu-limit",
    "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', GPU has fallen off the bus.": "xid",
    "RmProfilingAdminOnly: 1": "profiling-restricted",
}
NO_RUNTIME = [
    'no runtime for "nvidia" is configured',
    r"no runtime for \"nvidia\" is configured",
    r"no runtime for \\\"nvidia-cdi\\\" is configured",
    "no runtime for nvidia is configured",
    "no runtime for 'Nvidia' is configured",
    "no runtime for “nvidia” is configured",
    r"no runtime for \u0022nvidia\u0022 is configured",
    "no runtime for &quot;nvidia&quot; is configured",
    'E0928 pod_workers.go] no runtime for "kata-qemu-nvidia-gpu" is configured',
    '... no runtime for "nvidia" is conf\nigured',
    '... no runtime for\n   "nvidia" is configured',
]


@pytest.mark.parametrize(("line", "identifier"), EXACT.items(), ids=EXACT.values())
def test_the_incidents_own_words(line: str, identifier: str) -> None:
    assert in_text(line)[0].evidence.id == identifier


@pytest.mark.parametrize("line", NO_RUNTIME)
def test_however_it_is_quoted(line: str) -> None:
    assert [each.evidence.id for each in in_text(line)] == ["no-runtime-configured"]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "a runtime for nvidia is configured",
        "Sufficient nvidia.com/gpu",
        "[UFW BLOCK] IN=eth0 OUT= MAC=02:42 SRC=203.0.113.9 DST=10.0.0.4 PROTO=TCP DPT=22",
        "RmProfilingAdminOnly: 0",
        "[Errno -2] Name or service not known",
    ],
)
def test_nothing_else(line: str) -> None:
    assert in_text(line) == []


def test_memory_of_a_gpu_is_no_gpu() -> None:
    assert [each.evidence.id for each in in_text("2 Insufficient nvidia.com/gpumem")] == ["insufficient-gpumem"]


@pytest.mark.parametrize("evidence", all_evidence(), ids=lambda each: each.id)
def test_every_entry_recognises_its_own_words_and_is_whole(evidence: object) -> None:
    from nodeworthy.known.evidence import Evidence

    assert isinstance(evidence, Evidence)
    words = re.sub(r"<\w+>", "cali0123", evidence.text)
    assert evidence.id in {each.evidence.id for each in in_text(f"prefix {words}\tsuffix")}
    assert all((evidence.says, evidence.cause, evidence.remedy, evidence.source))
    assert evidence.rule is None or re.fullmatch(r"[a-z-]+", evidence.rule)


def test_how_often_and_the_first_line() -> None:
    log = (
        b"ok\n" * 41
        + b'x no runtime for "nvidia" is configured y\n'
        + b"ok\n" * 9
        + b"no runtime for nvidia is configured " * 2
    )
    (found,) = in_stream([log])
    assert (found.times, found.line) == (3, 42)
    assert found.words == 'x no runtime for "nvidia" is configured y'


LOG = (
    b"\x00\xff\n"
    + b'a no runtime for "nvidia" is configured\n' * 3
    + b"Insufficient nvidia.com/gpu\r\n"
    + b"UnexpectedAdmissionError"
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, len(LOG)), max_size=12))
def test_the_size_of_the_pieces_does_not_matter(cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), len(LOG)]
    pieces = [LOG[start:end] for start, end in itertools.pairwise(ends)]
    assert in_stream(pieces) == in_stream([LOG])


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    in_stream([data])


def test_a_log_without_lines_takes_no_memory() -> None:
    import tracemalloc

    tracemalloc.start()
    in_stream(b"\x00" * (1 << 20) for _ in range(40))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30_000_000
