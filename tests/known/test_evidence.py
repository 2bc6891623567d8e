"""What programs print is recognised however it was quoted, cut or broken, and nothing else is."""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodeworthy.known.evidence import Evidence, all_evidence, in_stream, in_text, nearest
from nodeworthy.known.evidence.entries import Pattern, spread, words_of
from nodeworthy.known.evidence.search import _likely, _patterns
from nodeworthy.rules import catalogue
from tests.by_day import some
from tests.fuzz.patterns import attacks

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
        # The driver container says so on each node, whatever compiler it has.
        "kernel requires gcc version: 'gcc-11.5.0', current gcc version is 'gcc-11.5.0-5.el9_5.x86_64'",
        # So does the validator on each node whose driver is the operator's own.
        "No pre-installed driver detected on the host: failed to find an executable 'nvidia-smi' on the host",
        "Not collecting NvSwitch metrics; no switches to monitor",
    ],
)
def test_nothing_else(line: str) -> None:
    assert in_text(line) == []


def test_a_family_is_told_only_where_its_line_says_nothing_better() -> None:
    known = "nvidia-container-cli: initialization error: change root failed: no such file or directory"
    other = "nvidia-container-cli: initialization error: something new"
    assert ids(known) == {"hook-root-missing"}
    assert ids(other) == {"hook-could-not"}
    assert ids(f"{known}\n{other}") == {"hook-root-missing", "hook-could-not"}


def test_a_symptom_is_not_told_where_its_line_has_the_cause() -> None:
    symptom = "Warning  FailedCreatePodSandBox  3m  kubelet  Failed to create pod sandbox: rpc error: code = Unknown"
    whole = f'{symptom} desc = failed to get sandbox runtime: no runtime for "nvidia" is configured'
    assert ids(whole) == {"no-runtime-configured"}
    assert ids(symptom) == {"sandbox-failed"}
    assert [(each.evidence.id, each.line) for each in in_text(f"{whole}\n{symptom}")] == [
        ("no-runtime-configured", 1),
        ("sandbox-failed", 2),
    ]


@pytest.mark.parametrize("name", ["nvidia-uvm", "nvidia_uvm"])
def test_a_module_however_its_name_is_written(name: str) -> None:
    assert ids(f"modprobe: FATAL: Module {name} not found in directory /lib/modules/6.1.0") == {"module-not-built"}


def test_memory_of_a_gpu_is_no_gpu() -> None:
    assert [each.evidence.id for each in in_text("2 Insufficient nvidia.com/gpumem")] == ["insufficient-gpumem"]


# Holes that say how their words begin.
_BOUNDED = ("<gpupackage>", "<cudalibrary>", "<driverlibrary>", "<medialibrary>", "<tagofnone>")
_HOLES = {
    "number": "4711",
    "count": "12",
    "nodeservice": "kubelet",
    "gpupackage": "nvidia-driver-550",
    "cudalibrary": "libcudart.so.12",
    "driverlibrary": "libcuda.so.1",
    "medialibrary": "libnvcuvid.so.1",
    "tagofnone": "570.124.06-scos4.17",
}


def ids(text: str) -> set[str]:
    return {each.evidence.id for each in in_text(text)}


def test_each_cause_is_there_once() -> None:
    names = [each.id for each in all_evidence()]
    assert len(names) == len(set(names))
    assert len(names) >= 300


def test_every_entry_is_whole() -> None:
    rules = {None, *(each.id for each in catalogue())}
    for each in all_evidence():
        said = (each.says, each.cause, each.remedy, each.prove, each.source, each.near)
        assert all(said), each.id
        assert each.rule in rules, each.id
        assert bool(each.table) == any("<number>" in text for text in each.texts), each.id


def test_every_text_can_be_looked_for() -> None:
    for text in (text for each in all_evidence() for text in each.texts):
        assert words_of(text), text
        # Two of them on one line, with a hole at an end, would be looked for from everywhere to everywhere.
        assert not text.startswith("<") or text.startswith(_BOUNDED), text
        assert not text.endswith("<words>"), text
        assert text.count("<words>") <= 2, text


# Hundreds of entries, of which each takes less than the start of a test.


def test_its_line_is_recognised_and_no_other_entry_is() -> None:
    told = {each.id: ids(each.line) for each in all_evidence()}
    assert told == {each.id: {each.id, *each.beside} for each in all_evidence()}


def test_its_near_miss_is_not() -> None:
    assert [each.id for each in all_evidence() if each.id in ids(each.near)] == []


def test_each_of_its_texts_is() -> None:
    for each, text in ((entry, text) for entry in all_evidence() for text in entry.texts):
        words = re.sub(r"<(\w+)>", lambda hole: _HOLES.get(hole[1], "cali0123"), text)
        assert each.id in ids(f"prefix {words}\tsuffix"), (each.id, text)


@pytest.mark.parametrize("evidence", some([*all_evidence()], 40, lambda each: each.id))
def test_however_it_comes(evidence: Evidence) -> None:
    line = evidence.line
    half = len(line) // 2
    forms = {
        "wrapped": re.sub(r"(?<=\S) (?=\S)", "\n    ", line, count=3),
        "loud": line.upper(),
        "journal": f"May 01 12:00:00 gpu-1 kubelet[4711]: {line}",
        "json": json.dumps({"level": "error", "msg": f"first\n{line}"}),
        "coloured": f"\x1b[31m{line}\x1b[0m",
        "between": f"{'noise ' * 40}\n" * 100 + f"{line[:half]}{line[half:]}\n" + "more noise\n" * 100,
    }
    assert [form for form, text in forms.items() if evidence.id not in ids(text)] == []


def test_words_that_the_facts_know_by_themselves() -> None:
    from nodeworthy.facts.cluster import admission_refusal, sandbox_failure

    text = {each.id: each.text for each in all_evidence()}
    assert text["devices-unavailable"].startswith(admission_refusal._SAID)
    assert text["unexpected-admission"] == admission_refusal._REASON
    assert text["no-runtime-configured"] == f"{sandbox_failure._BEFORE}<handler>{sandbox_failure._AFTER}"


def test_check_reads_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n")
    told = "import sys; from nodeworthy.cli import main; main(['check', '.', '--no-cache']); "
    told += "from nodeworthy.known.evidence import entries; print(entries.all_evidence.cache_info().currsize)"
    ran = subprocess.run([sys.executable, "-c", told], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "0"


def test_the_cause_comes_before_what_it_causes() -> None:
    log = "\n".join(
        (
            "Warning  UnexpectedAdmissionError  1s  kubelet  no",
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
            "RuntimeError: CUDA error: no CUDA-capable device is detected",
            "Could not load dynamic library 'libcuda.so.1'",
            "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
            "NVRM: Xid (PCI:0000:3b:00): 31, pid=1, MMU fault",
            "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has gone",
        )
    )
    found = [each.evidence.id + (f"-{each.number}" if each.number else "") for each in in_text(log)]
    assert found == [
        "xid-79",
        "secure-boot-refuses",
        "libcuda-missing",
        "xid-31",
        "smi-no-driver",
        "unexpected-admission",
        "no-cuda-device",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "+ grep -q 'Driver/library version mismatch' /tmp/log",
        "++ echo 'NVRM: Xid (PCI:0000:3b:00): 79, pid=1'",
        "root@gpu-1:~# dmesg | grep 'fallen off the bus and is not responding to commands'",
        "$ journalctl -k | grep -i 'NVRM: Xid (PCI:0000:3b:00): 79'",
    ],
)
def test_what_a_command_asks_for_nobody_has_said(line: str) -> None:
    assert in_text(line) == []


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ('Warning  Failed  3m (x279 over 63m)  kubelet  no runtime for "nvidia" is configured', 279),
        ('rsyslogd: message repeated 5 times: [ no runtime for "nvidia" is configured]', 5),
        (
            "NVRM: installed in this system is not supported by open nvidia.ko because it does not include the required GPU",
            1,
        ),
    ],
)
def test_repetition_is_counted(line: str, times: int) -> None:
    assert [each.times for each in in_text(line)] == [times]


def test_each_xid_is_told_by_its_number() -> None:
    log = b"NVRM: Xid (PCI:0000:3b:00): 94, x\n" * 3 + b"XidCriticalError: Xid=63 on Device=GPU-1\n"
    log += b"'nvidia.com/gpu' device marked unhealthy: GPU-1\n"  # says less than the line with its Xid
    log += b"nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n"
    assert [(each.evidence.id, each.number, each.times) for each in in_stream([log])] == [
        ("xid", 94, 3),
        ("sxid", 20034, 1),
        ("plugin-marks-unhealthy", 63, 1),
    ]


# Of a line that long, a search that is worse than linear is not done in a second.
HOSTILE = 200_000


@pytest.mark.parametrize(
    "line",
    [
        "a" * HOSTILE,
        "\x1b[" * HOSTILE,
        "NVRM: Xid (" * (HOSTILE // 10),
        "NVRM: Xid (a): " * (HOSTILE // 10),
        "unresolvable CDI devices nvidia.com/ " * (HOSTILE // 30),
        "lookup a on b " * (HOSTILE // 10),
        "NCCL WARN connect to " * (HOSTILE // 20),
        "| grep " * (HOSTILE // 5),
        " ".join(each.line for each in all_evidence()) * 2,
        " ".join(text for each in all_evidence() for text in each.texts),
    ],
    ids=lambda line: line[:12],
)
def test_hostile_lines_take_no_long_time(line: str) -> None:
    _compile_all()
    began = time.process_time()
    in_text(line)
    assert time.process_time() - began < 3


@cache
def _compile_all() -> None:
    """Thousands of expressions take a second by themselves, once for all lines."""
    in_text(" ".join(text for each in all_evidence() for text in each.texts))


PARTS = 4


@pytest.mark.long
@pytest.mark.parametrize("part", some(range(PARTS), 1))
def test_none_of_its_expressions_takes_long(part: int) -> None:
    every = [(one, text) for one in all_evidence() for text in one.texts]
    for each in map(Pattern, *zip(*every[part::PARTS], strict=True)):
        shown = each.expression.pattern.decode("latin-1")
        search = re.compile(shown).search
        for attack in itertools.islice(attacks(shown, 0, 800), 25):
            began = time.process_time()
            search(attack)
            assert time.process_time() - began < 1, (each.text, attack[:80])


def test_a_whole_description_of_a_pod() -> None:
    """Lines, not words: what is noise in it says nothing."""
    found = in_text(DESCRIBED)
    assert [(each.evidence.id, each.times, each.line) for each in found] == [
        ("cdi-unresolvable", 14, 13),
        ("back-off", 57, 14),
    ]


DESCRIBED = """\
Name:             trainer-0
Namespace:        research
Node:             gpu-1/10.0.0.4
Containers:
  main:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Limits:
      nvidia.com/gpu:  1
    Environment:      <none>
Events:
  Type     Reason     Age                   From     Message
  Warning  Failed     9m (x14 over 12m)     kubelet  Error: failed to create containerd container: CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=GPU-11
  Warning  BackOff    2m1s (x57 over 12m)   kubelet  Back-off restarting failed container main in pod trainer-0
"""


def test_what_comes_nearest() -> None:
    told = nearest(b"ok\nkubelet: Unable to attach and mount the volumes of this pod\nok\n")
    assert told[0][0].id == "volume-not-mounted"
    assert len(nearest(b" ".join(text.encode() for each in all_evidence() for text in each.texts))) == 3
    assert nearest(b"") == nearest(b"all is well\n" * 100) == []


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


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, len(LOG)), max_size=12))
def test_the_size_of_the_pieces_does_not_matter(cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), len(LOG)]
    pieces = [LOG[start:end] for start, end in itertools.pairwise(ends)]
    assert in_stream(pieces) == in_stream([LOG])


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    in_stream([data])


@pytest.mark.parametrize(
    ("between", "least"),
    [
        pytest.param("\n---\n", 900, marks=pytest.mark.long, id="each wrapped"),
        pytest.param(" | ", 200, marks=pytest.mark.long, id="all on one line"),
        pytest.param(f" {'-' * 900} \n", 900, id="long lines"),
    ],
)
def test_how_it_is_looked_for_does_not_matter(monkeypatch: pytest.MonkeyPatch, between: str, least: int) -> None:
    """Line by line, or all of a piece: lines of all entries, every third of them wrapped, with empty lines between; and
    many of them on one line."""
    told = [each.line for each in all_evidence()]
    if "\n" in between:
        told[::3] = [re.sub(r"(?<=\S) (?=\S)", "\n\n  ", line) for line in told[::3]]
    log = between.join(told).encode()
    monkeypatch.setattr("nodeworthy.known.evidence.search._FEW", 0)
    by_lines = in_stream([log])
    monkeypatch.setattr("nodeworthy.known.evidence.search._FEW", 10**9)
    assert in_stream([log]) == by_lines
    assert len(by_lines) > least


def test_what_is_likely_is_all_that_has_its_words() -> None:
    """By each entry's rarest word, and by going through all of them."""
    for each in random.Random(20261129).sample(all_evidence(), 60):
        there = set(spread(f"{each.line} {each.texts[0]}".encode()).split())
        assert _likely(there) == [one for one in _patterns() if one.words <= there]


def test_a_log_without_lines_takes_no_memory() -> None:
    import tracemalloc

    tracemalloc.start()
    in_stream(b"\x00" * (1 << 20) for _ in range(40))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30_000_000
