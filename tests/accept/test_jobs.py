"""What a run would make is courteous by what it is: it passes the same check as everybody's jobs, without a suppression."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from nodeworthy.collect.workload.jobs import (
    RunTerms,
    group_tests,
    groups,
    limits,
    node_job,
    node_tests,
    objects,
    priority_class,
    program_files,
)
from nodeworthy.collect.workload.live.piece import Piece
from nodeworthy.collect.workload.room import Room, room_for
from nodeworthy.collect.workload.slurm import SlurmTerms, scripts
from nodeworthy.collect.workload.targets import not_begun, shape_of
from nodeworthy.commands.accept.planned import Planned
from nodeworthy.facts.accept.measure import Shape, Slices
from nodeworthy.known.acceptance import HELD, TESTS, Level, NotRun, level_tests
from nodeworthy.known.verification import OPT_OUTS
from tests.run import Ran, run, run_json

NODES = tuple(Shape(f"gpu-{each}", "NVIDIA-H100-80GB-HBM3", 8, "p5.48xlarge") for each in (1, 2, 3))
DRY = ("accept", "--on", "slurm", "--gpus", "8", "--scratch", "/shared", "n1", "n2", "--dry-run")
LEVELS = pytest.mark.parametrize("level", list(Level))


def terms(level: Level) -> RunTerms:
    return RunTerms(
        "1f2e3d4c", "5f0c9a7e41d28b63", "registry.example.com/t:2.9", level, level_tests(level), "nodeworthy"
    )


def made(level: Level = Level.FULL) -> list[dict[str, Any]]:
    return list(objects(pieces(NODES, terms(level)), terms(level)))


def pieces(shapes: tuple[Shape, ...], of: RunTerms) -> list[Piece]:
    return Planned(of, shapes, (), (), "").pieces()


def only_job(of: RunTerms) -> dict[str, Any]:
    """Of one node."""
    (found,) = [each for each in objects(pieces(NODES[:1], of), of) if each["kind"] == "Job"]
    return found


def jobs(level: Level = Level.FULL) -> list[dict[str, Any]]:
    return [each for each in made(level) if each["kind"] == "Job"]


def checked(folder: Path) -> Ran:
    return run_json("check", ".", "--show-passed", "--strict", cwd=folder)


@LEVELS
def test_the_jobs_pass_our_own_check(level: Level, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(yaml.safe_dump_all([priority_class(), *made(level)]), encoding="utf-8")
    ran = checked(tmp_path)
    assert [each for each in ran.findings if each["verdict"] not in ("pass", "skip")] == []
    passed = {each["rule"] for each in ran.findings if each["verdict"] == "pass"}
    assert {"verification-yields", "gpu-quantity", "pod-can-use-gpus"} <= passed


@LEVELS
def test_the_batch_scripts_pass_our_own_check(level: Level, tmp_path: Path) -> None:
    slurm = SlurmTerms(
        "1f2e", "5f0c9a7e41d28b63", level, level_tests(level), "h100:8", "/v/bin/python", "/shared", ("a", "b")
    )
    for name, text in scripts(slurm).items():
        (tmp_path / f"{name}.sbatch").write_text(text, encoding="utf-8")
    ran = checked(tmp_path)
    assert [each for each in ran.findings if each["verdict"] not in ("pass", "skip")] == []
    assert "slurm-rendezvous" in {each["rule"] for each in ran.findings if each["verdict"] == "pass"} or level != "full"


@LEVELS
def test_no_node_is_held_longer_than_its_level_says(level: Level) -> None:
    tests = level_tests(level)
    held = {**limits(tests, HELD[level], node_tests(tests)), **limits(tests, HELD[level], group_tests(tests))}
    assert 0.9 * HELD[level] <= sum(held.values()) <= HELD[level]
    assert set(tests) - held.keys() <= {"allocation"}


def test_every_job_ends_yields_and_goes() -> None:
    for each in jobs():
        spec, pod = each["spec"], each["spec"]["template"]["spec"]
        assert spec["backoffLimit"] == 0
        assert spec["activeDeadlineSeconds"] <= HELD[Level.FULL] + 20
        assert spec["ttlSecondsAfterFinished"] == 600
        assert spec["podReplacementPolicy"] == "Failed"
        assert spec["podFailurePolicy"]["rules"][0]["action"] == "FailJob"
        assert pod["priorityClassName"] == priority_class()["metadata"]["name"]
        assert pod["terminationGracePeriodSeconds"] == 5
    assert (priority_class()["value"], priority_class()["preemptionPolicy"]) == (-1000, "Never")


def test_the_scheduler_is_asked_and_never_passed_by() -> None:
    """By one term a node, each of which keeps off whoever opted out."""
    for each in jobs():
        pod = each["spec"]["template"]["spec"]
        assert "nodeName" not in pod
        affinity = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        for term in affinity["nodeSelectorTerms"]:
            assert len(term["matchFields"][0]["values"]) == 1
            assert {one["key"] for one in term["matchExpressions"]} == OPT_OUTS.keys()


def test_no_pod_is_privileged_or_sees_the_node() -> None:
    for each in jobs():
        pod = each["spec"]["template"]["spec"]
        security = pod["containers"][0]["securityContext"]
        assert (security["allowPrivilegeEscalation"], security["readOnlyRootFilesystem"]) == (False, True)
        assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
        assert pod["automountServiceAccountToken"] is False
        assert not [one for one in pod["volumes"] if "hostPath" in one]


def test_a_group_is_on_as_many_nodes_and_finds_itself() -> None:
    service, group = made()[-2:]
    assert (service["kind"], service["spec"]["publishNotReadyAddresses"]) == ("Service", True)
    assert service["spec"]["selector"] == {"job-name": group["metadata"]["name"]}
    assert (group["spec"]["completions"], group["spec"]["parallelism"]) == (3, 3)
    env = {each["name"]: each.get("value") for each in group["spec"]["template"]["spec"]["containers"][0]["env"]}
    assert env["MASTER_ADDR"] == f"{group['metadata']['name']}-0.{service['metadata']['name']}"


def test_the_programs_fit_and_stand_alone() -> None:
    files = program_files()
    assert sum(map(len, files.values())) < 1 << 19  # a ConfigMap takes 1 MiB
    assert {"launch.py", "say.py"} <= files.keys()
    for name, text in files.items():
        assert "nodeworthy." not in text
        assert "import nodeworthy" not in text, name
        assert len(text.splitlines()) <= 300, name


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "nothing says what is judged"),
        (("--on", "slurm"), "no node is named"),
        (("--on", "slurm", "n1"), "--python PATH"),
        (("--on", "slurm", "n1", "--python", "/p", "--scratch", "/none"), "there is no terminal"),
        (("--on", "slurm", "n1", "--python", "/p", "--scratch", "/none", "--yes"), "can't be written from here"),
        (("--on", "kubernetes", "gpu-1"), "--image IMAGE"),
        (("--on", "kubernetes", "gpu-1", "--image", "x"), "there is no terminal"),
        (("--on", "kubernetes", "gpu-1", "--image", "x", "--yes", "--window", "night"), "is no window"),
        (("--on", "kubernetes", "gpu-1", "--image", "x", "--yes", "--max-nodes", "0"), "is no number"),
        (("--on", "kubernetes", "gpu-1", "--image", "x", "--yes", "--job-deadline", "5s"), "less than 30s"),
        (("--on", "kubernetes", "--dry-run", "--taint", "gpu-1"), "--taint does not go with it"),
        (("--on", "slurm", "--dry-run"), "--gpus TYPE:N"),
        (("--on", "slurm", "--dry-run", "--gpus", "eight"), "--gpus TYPE:N"),
        (("--on", "slurm", "--dry-run", "--gpus", "8"), "--python PATH"),
        (("--on", "slurm", "--dry-run", "--image", "x"), "--image is for --on kubernetes"),
        (("--on", "kubernetes", "--dry-run", "--qos", "x"), "--qos is for --on slurm"),
        (("--on", "kubernetes", "--dry-run", "gpu-1"), "--image IMAGE"),
        (("--on", "kubernetes", "--dry-run", "--image", "x"), "no node is named"),
        (("--from", "nowhere"), "there is no such folder"),
        (("--from", ".", "--on", "slurm"), "--from judges what was recorded"),
        (("--from", "."), "has no run.json"),
        (("--from", ".", "--test", "gpu-sanety"), "did you mean gpu-sanity?"),
        (("--from", ".", "--rule", "gpus-alikes"), "gpus-alike"),
    ],
)
def test_what_was_typed_wrong_is_said(
    arguments: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where neither a kubeconfig is there nor a Slurm."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("KUBECONFIG", "/nowhere/kubeconfig")
    ran = run("accept", *arguments, cwd=tmp_path)
    assert (ran.code, says in ran.err) == (2, True), ran.err


def test_tests_and_levels_are_the_ones_that_there_are() -> None:
    assert level_tests(Level.FULL) == TESTS
    assert set(level_tests(Level.QUICK)) < set(TESTS)


def test_the_one_that_is_there_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kubeconfig, or sbatch; with both nobody guesses."""
    (tmp_path / "sbatch").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "sbatch").chmod(0o755)
    (tmp_path / "kubeconfig").write_text("{}", encoding="utf-8")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    assert "--image IMAGE" in run("accept", "gpu-1", cwd=tmp_path).err
    monkeypatch.setenv("PATH", str(tmp_path))
    both = run("accept", "gpu-1", cwd=tmp_path)
    assert (both.code, "both are there: a kubeconfig" in both.err) == (2, True)
    monkeypatch.setenv("KUBECONFIG", "/nowhere/kubeconfig")
    assert "--python PATH" in run("accept", "gpu-1", cwd=tmp_path).err


def test_large_groups_are_split_by_their_racks() -> None:
    """None of one node, none larger than all pairs can be measured of, neighbours together."""
    shapes = [Shape(f"n{each:02}", "H100", 8, "p5.48xlarge", f"rack-{each % 2}") for each in range(33)]
    found = groups(shapes, terms(Level.FULL))
    assert sorted(map(len, found.values())) == [11, 11, 11]
    assert len({each.node for some in found.values() for each in some}) == 33
    assert {each.rack for each in next(iter(found.values()))} == {"rack-0"}
    assert groups(shapes[:1], terms(Level.FULL)) == {}


def test_a_small_node_is_asked_for_what_it_can_give() -> None:
    """A g4dn.xlarge has four CPUs and one GPU, and its own daemons use some of them."""
    g4dn = {"cpu": "3920m", "memory": "15022140Ki", "nvidia.com/gpu": "1"}
    node = {"metadata": {"name": "t4"}, "status": {"allocatable": g4dn}}
    small, large = shape_of(node), Shape("p5", None, 8, cpus=191.4, memory_gib=1990.0)
    assert room_for(1, [small]) == Room(1, 2, 9)
    assert room_for(8, [large]) == Room(8, 32, 128)
    assert room_for(1, [large, small]) == Room(1, 2, 9)
    assert room_for(8, [Shape("unknown")]) == Room(8, 32, 128)
    assert room_for(4, [Shape("few", None, 8, cpus=8.0)]).threads == 1
    (container,) = node_job("j", small, ("ddp",), terms(Level.FULL))["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["requests"] == {"cpu": "2", "memory": "9Gi", "nvidia.com/gpu": 1}


def node_of(product: str, **offered: str) -> dict[str, Any]:
    labels = {"nvidia.com/gpu.product": product}
    return {"metadata": {"name": "mig", "labels": labels}, "status": {"allocatable": {"cpu": "192", **offered}}}


H100 = "NVIDIA-H100-80GB-HBM3"
SMALL, LARGE = "nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"


def test_what_mig_has_cut_is_told_by_profile_in_either_strategy() -> None:
    single = shape_of(node_of(f"{H100}-MIG-1g.10gb", **{"nvidia.com/gpu": "56"}))
    assert (single.gpu, single.count, single.slices) == (H100, None, (Slices("1g.10gb", 56, "nvidia.com/gpu"),))
    offered = {SMALL: "7", LARGE: "2", "nvidia.com/mig-1g.20gb": "0", "nvidia.com/mig-2g.20gb.shared": "12"}
    mixed = shape_of(node_of(H100, **{"nvidia.com/gpu": "2"}, **offered))
    assert (mixed.count, mixed.slices) == (2, (Slices("1g.10gb", 7, SMALL), Slices("3g.40gb", 2, LARGE)))
    assert shape_of(node_of(H100, **{"nvidia.com/gpu": "8"})).slices == ()


def test_one_slice_of_each_profile_is_tried_and_the_node_itself_once() -> None:
    full = terms(Level.FULL)
    slices = (Slices("1g.10gb", 4, SMALL), Slices("3g.40gb", 1, LARGE))
    cut, both = Shape("cut", H100, None, slices=slices), Shape("both", H100, 6, slices=slices[:1])
    first, second, whole, beside = pieces((cut, both), full)
    of_slices = {"gpu-sanity", "inference", "gpu-as-asked"}
    assert set(first.tests) == {*of_slices, "disk-and-network", "data-loading"}
    assert set(second.tests) == set(beside.tests) == of_slices
    assert set(whole.tests) == set(node_tests(full.tests))
    asked = [
        each["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
        for each in objects([first, second, whole, beside], full)
        if each["kind"] == "Job"
    ]
    gpus = [{name: count for name, count in each.items() if name.startswith("nvidia.com")} for each in asked]
    assert gpus == [{SMALL: 1}, {LARGE: 1}, {"nvidia.com/gpu": 6}, {SMALL: 1}]


def test_what_takes_several_gpus_is_not_run_on_slices_and_says_so() -> None:
    cut = Shape("cut", H100, None, slices=(Slices("1g.10gb", 4, SMALL),))
    left = {each.test: each for each in not_begun((cut, *NODES[:1]), TESTS, Level.FULL)}
    assert left["ddp"].nodes == ("cut",)
    assert left["ddp"].reason is NotRun.NO_HARDWARE
    assert "slices by MIG" in left["ddp"].why
    assert left["multi-node"].why == "needs 2 nodes, 1 is there"
    assert left.keys() == {"ddp", "fsdp", "moe", "checkpoint-restart", "multi-node"}


def test_jobs_of_slices_pass_our_own_check(tmp_path: Path) -> None:
    full = terms(Level.FULL)
    cut = (Shape("cut", H100, None, cpus=191.0, memory_gib=1990.0, slices=(Slices("1g.10gb", 56, SMALL),)),)
    made = [priority_class(), *objects(pieces(cut, full), full)]
    (tmp_path / "run.yaml").write_text(yaml.safe_dump_all(made), encoding="utf-8")
    ran = checked(tmp_path)
    assert [each for each in ran.findings if each["verdict"] not in ("pass", "skip")] == []
    assert "verification-yields" in {each["rule"] for each in ran.findings if each["verdict"] == "pass"}


def test_halves_at_once_find_room_beside_each_other() -> None:
    few = Shape("few", None, 8, cpus=16.0, memory_gib=64.0)
    halves, whole = room_for(4, [few]), room_for(8, [few])
    assert (2 * halves.cpus, 2 * halves.memory_gib) <= (whole.cpus, whole.memory_gib)


def test_a_burn_lasts_as_long_as_was_asked() -> None:
    asked = replace(terms(Level.BURN), burn_seconds=600)
    job = only_job(asked)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert {"name": "NODEWORTHY_BURN", "value": "1"} in container["env"]
    assert job["spec"]["activeDeadlineSeconds"] <= 600 + 20
    assert "NODEWORTHY_BURN" not in str(jobs(Level.FULL))
    slurm = SlurmTerms(
        "1f2e", "5f0c", Level.BURN, level_tests(Level.BURN), "h100:8", "/v/python", "/s", burn_seconds=600
    )
    text = scripts(slurm)["node-any"]
    assert "export NODEWORTHY_BURN=1" in text
    assert "--time=11\n" in text


@pytest.mark.parametrize(
    ("level", "time", "says"),
    [("burn", "30s", "from 300s to 4h"), ("burn", "5h", "from 300s to 4h"), ("quick", "10m", "is of --level burn")],
)
def test_a_burn_of_no_sense(level: str, time: str, says: str) -> None:
    given = ("--level", level, "--burn-time", time, "--image", "x", "--on", "kubernetes", "n1", "--dry-run")
    ran = run("accept", *given)
    assert (ran.code, says in ran.err) == (2, True), ran.err


def test_what_only_a_watcher_runs_is_told_by_a_dry_run_of_slurm() -> None:
    given = ("--on", "slurm", "--gpus", "h100:8", "--python", "/v/python", "--scratch", "/s", "n1", "--dry-run")
    alone, among = (run("accept", *given, *tests) for tests in (("--test", "allocation"), ()))
    assert (alone.code, alone.out, among.code) == (3, "", 0)
    for each in (alone, among):
        assert each.err.startswith("not run: allocation: its jobs are made one after the other"), each.err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--download-url", "ftp://mirror.example.com/1GiB"), "no address of http"),
        (("--download-url", "file:///etc/passwd"), "no address of http"),
        (("--download-url", "http://[::1"), "no address of http"),
        (("--download-url", "https://me:hunter2@mirror.example.com/1GiB"), "where all can read it"),
        (("--download-url", "https://mirror.example.com/1GiB?X-Amz-Signature=9f2c"), "where all can read it"),
        (("--container", "docker://me:hunter2@registry.example.com#torch"), "no password"),
        (("--container=-v", "--download-url", "https://m.example.com/1"), "no image as Pyxis takes it"),
        (("--container", "a b"), "no image as Pyxis takes it"),
        (("--download-url", "https://m.example.com/1", "--test", "ddp"), "disk-and-network, which is not run here"),
        (("--download-url", "https://m.example.com/1", "--without-torch"), "disk-and-network, which is not run here"),
        (("--model", "/shared/llama", "--level", "burn"), "inference, which is not run here"),
        (("--model", "/shared/llama", "--skip-test", "inference"), "inference, which is not run here"),
        (("--model", "llama"), "from the root on"),
        (("--model", "/shared/a,b:c"), "without colons and commas"),
        (("--model", "/nowhere/llama"), "no model is there"),
        (("--accounting-patience", "soon"), "soon"),
    ],
)
def test_what_would_stand_in_every_script_is_looked_at_first(given: tuple[str, ...], words: str) -> None:
    ran = run(*DRY, "--python", "/venv/bin/python", *given)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert "hunter2" not in ran.err


def test_a_download_is_asked_of_each_node_and_shell_hears_nothing_of_it() -> None:
    url = "https://mirror.example.com/$(touch${IFS}owned)/1GiB"
    slurm = run(*DRY, "--python", "/venv/bin/python", "--download-url", url)
    assert slurm.out.count(f"export NODEWORTHY_DOWNLOAD='{url}'\n") == 3, slurm.err
    job = only_job(replace(terms(Level.QUICK), download=url))
    said = {each["name"]: each.get("value") for each in job["spec"]["template"]["spec"]["containers"][0]["env"]}
    assert said["NODEWORTHY_DOWNLOAD"] == url


def test_an_image_is_run_by_pyxis_with_the_folder_of_the_job_and_no_home() -> None:
    image = "nvcr.io#nvidia/pytorch:25.10-py3"
    ran = run(*DRY, "--container", image)
    (line,) = [each for each in ran.out.splitlines() if each.startswith("srun --nodes=2 ")]
    assert f"--container-image='{image}'" in line
    assert '--container-mounts="$NODEWORTHY_SCRATCH:$NODEWORTHY_SCRATCH" --no-container-mount-home' in line
    assert "exec python3 " in line


def test_a_model_is_read_where_it_lies_and_nothing_is_fetched_for_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    ran = run(*DRY, "--container", "nvcr.io#nvidia/vllm:25.10-py3", "--model", f"{tmp_path}/")
    said = [each.partition("=") for each in ran.out.splitlines() if each.startswith("export ")]
    environment = {name.removeprefix("export "): value for name, _, value in said}
    assert environment["NODEWORTHY_MODEL"] == str(tmp_path)
    assert environment["HF_HUB_OFFLINE"] == '"1"'
    assert environment["VLLM_CACHE_ROOT"].startswith('"/shared/nodeworthy-')
    assert ran.out.count(f'--container-mounts="$NODEWORTHY_SCRATCH:$NODEWORTHY_SCRATCH",{tmp_path}:{tmp_path}:ro ') == 3


def test_of_a_model_in_an_image_nobody_asks_here() -> None:
    job = only_job(replace(terms(Level.QUICK), model="/models/llama"))
    said = {each["name"]: each.get("value") for each in job["spec"]["template"]["spec"]["containers"][0]["env"]}
    assert (said["NODEWORTHY_MODEL"], said["HF_HUB_OFFLINE"]) == ("/models/llama", "1")
    assert said["HF_HOME"] == "/scratch/hf"


def test_a_slice_of_a_gpu_is_asked_for_with_no_more_than_sites_allow(tmp_path: Path) -> None:
    given = ("accept", "--on", "slurm", "--python", "/p", "--scratch", "/s", "n4", "--dry-run", "--level", "quick")
    many = run(*given, "--gpus", "1g.10gb:4")
    assert (many.code, "--gpus 1g.10gb:1" in many.err) == (2, True)
    one = run(*given, "--gpus", "1g.10gb:1", "--output", str(tmp_path / "slice.sbatch"))
    assert one.code == 0, one.err
    ran = checked(tmp_path)
    assert [each for each in ran.findings if each["verdict"] not in ("pass", "skip")] == []
    assert "slurm-mig-request" in {each["rule"] for each in ran.findings if each["verdict"] == "pass"}
