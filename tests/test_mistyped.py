"""What people type wrong, and the sentence that they get: exit code 2, and in it what would have been right."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.run import run

_FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {{{cluster}}}
    {above}
    pools:
      racks: {{{pool}}}
"""
_POOL = "gpu: h200, gpusPerNode: 8, distribution: k3s, provision: false"

TYPED = (
    # No command, or that of another tool.
    ("scan .", "`nodeworthy check .`"),
    ("lint .", "`nodeworthy check .`"),
    ("fix .", "`nodeworthy check --fix .`"),
    ("chekc values.yaml", "`nodeworthy check values.yaml`"),
    ("values.yaml", "`nodeworthy check values.yaml`"),
    ("ssh://gpu-01", "`nodeworthy node ssh://gpu-01`"),
    ("containerd-paths", "`nodeworthy explain containerd-paths`"),
    ("rule", "`nodeworthy rules`"),
    ("version", "`nodeworthy --version`"),
    ("-v", "`nodeworthy --version`"),
    ("init", "`nodeworthy fleet infer .`"),
    ("plan", "`nodeworthy preview`"),
    ("doctor", "`nodeworthy diagnose`"),
    ("timeline boot.sh", "`nodeworthy boot user-data.sh`"),
    # Words that a command does not take.
    ("rules list", "`nodeworthy rules`"),
    ("rules containerd-paths", "`nodeworthy explain containerd-paths`"),
    ("fleet show", "`nodeworthy fleet`"),
    ("fleet manifests", "`nodeworthy fleet infer manifests`"),
    ("preview dev", "`nodeworthy preview --stack dev`"),
    ("diagnose mydump", "`nodeworthy diagnose --from mydump`"),
    ("completion powershell", "`nodeworthy completion bash`"),
    ("completion", "nodeworthy completion bash"),
    ("boot", "`nodeworthy boot user-data.sh`"),
    ("boot main.tf", "give the file that its user_data names"),
    ("check", "`nodeworthy check .`"),
    ("check --fix", "`nodeworthy check .`"),
    ("check value.yaml", "did you mean values.yaml?"),
    ("check charts/*.yaml", "name the folder, charts"),
    ("boot boot.hs", "did you mean boot.sh?"),
    # Options of another tool, or almost.
    ("diagnose -n kube-system", "`--namespace kube-system`"),
    ("diagnose -A", "every namespace is looked into as it is"),
    ("diagnose --from-dir mydump", "`--from mydump`"),
    ("check . -o json", "`--format json`"),
    ("check . --output json", "`--format json`"),
    ("check . --format yaml", "`--format json`"),
    ("check . --format jnuit", "`--format junit`"),
    ("check . --format brief", "`nodeworthy diagnose`"),
    ("check . --ignore containerd-paths", "`--skip-rule containerd-paths`"),
    ("check . --rule containerd_paths", "did you mean containerd-paths?"),
    ("check . --severity error", "--strict"),
    ("check . --color", "--no-color"),
    ("baseline --update", "`nodeworthy baseline`"),
    ("check . --also json", "FORMAT=FILE"),
    ("explain kubelet.log", "there is no such file"),
    ("explain containerd-path", "did you mean containerd-paths"),
    ("explain manifests", "`nodeworthy check manifests`"),
    # Hosts.
    ("node gpu-01", "ssh://gpu-01."),
    ("node ssh:gpu-01", "ssh://gpu-01."),
    ("node gpu-01,gpu-02", "ssh://gpu-01 ssh://gpu-02."),
    ("node ubuntu@", "ssh://ubuntu@HOST"),
    ("node", "ssh://[user@]host"),
    ("node ssh://gpu-01 --wait 10min", "write it as 10m"),
    ("node ssh://gpu-01 --wait ten", "write it as 30s or 2m"),
    ("node gpu-01:22", "ssh://gpu-01:22."),
    ("node 10.0.0.4", "ssh://10.0.0.4."),
    ("node ssh://gpu-01 --user root", "`nodeworthy node ssh://USER@HOST`"),
    ("node ssh://gpu-01 -u root", "`nodeworthy node ssh://USER@HOST`"),
    ("node ssh://gpu-01 --key id_ed25519", "`--ssh-identity-file FILE`"),
    ("node ssh://gpu-01 -i id_ed25519", "`--ssh-identity-file FILE`"),
    ("node --host gpu-01", "`nodeworthy node ssh://HOST`"),
    ("node ssh://gpu-01 --timeout 30s", "`--deadline 30s`"),
    # The words of other tools.
    ("logs", "`nodeworthy explain kubelet.log`"),
    ("config", "`nodeworthy fleet`"),
    ("nccl", "`nodeworthy accept`"),
    ("drift", "`nodeworthy audit`"),
    ("upgrade", "`nodeworthy rollout --dry-run`"),
    ("slurm", "`nodeworthy check jobs/`"),
    ("serve", "`nodeworthy lsp`"),
    ("chaos", "`nodeworthy lab faults`"),
    ("lab start", "`nodeworthy lab up`"),
    ("lab run", "`nodeworthy lab faults`"),
    ("fleet init", "`nodeworthy fleet infer .`"),
    ("fleet json-schema", "`nodeworthy fleet schema`"),
    ("rollout t4", "`nodeworthy rollout --pool t4`"),
    ("diagnose node/gpu-01", "`nodeworthy diagnose --node gpu-01`"),
    ("diagnose --kubeconfig prod.conf", "`KUBECONFIG=FILE nodeworthy diagnose`"),
    ("diagnose --kube-context prod", "`--context prod`"),
    ("diagnose --pod train-0", "`--namespace NAME`"),
    ("diagnose --json", "`--format json`"),
    ("diagnose --from", "`--from FOLDER`"),
    ("audit --account 123456789012", "--profile NAME"),
    ("audit -p t4", "`--pool t4`"),
    ("accept --slurm", "`nodeworthy accept --on slurm`"),
    ("accept --on", "`--on kubernetes`, or slurm"),
    ("preview -s dev", "`--stack dev`"),
    ("preview --stack", "`--stack dev`, as in Pulumi.dev.yaml"),
    # Options that a command has no need of.
    ("check -f values.yaml", "`nodeworthy check PATH`"),
    ("check --recursive .", "`nodeworthy check .`"),
    ("check . --exit-zero", "`nodeworthy baseline .`"),
    ("check . --soft-fail", "`nodeworthy baseline .`"),
    ("check . --fail-on warning", "with --strict"),
    ("check . --baseline", "`--baseline .nodeworthy-baseline.json`"),
    ("check . --rule", "`--rule containerd-paths`"),
    ("check . --quiet=yes", "`--quiet` stands alone"),
    ("explain --file kubelet.log", "`nodeworthy explain FILE`"),
    ("boot --script boot.sh", "`nodeworthy boot FILE`"),
    ("boot values.yaml", "`nodeworthy check values.yaml`"),
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifests").mkdir()
    Path("values.yaml").write_text("driver: {enabled: false}\n")
    Path("boot.sh").write_text("#!/bin/bash\nmodprobe nvidia\n")
    Path("main.tf").write_text('resource "aws_instance" "gpu" {\n  user_data = file("boot.sh")\n}\n')


@pytest.mark.parametrize(("typed", "right"), TYPED)
def test_one_sentence_says_what_would_be_right(typed: str, right: str) -> None:
    ran = run(*typed.split())
    said = ran.err.strip().splitlines()
    assert ran.code == 2
    assert right in said[-1]
    assert len(said) == 1, said


def test_there_are_enough_of_them() -> None:
    assert len(TYPED) + len(DECLARED) >= 115


# What is wrong in a fleet: the cluster, what stands above the pools, the pool; and what is told.
DECLARED = (
    ("name: one", "", f"{_POOL}".replace("k3s", "eks"), "did you mean eks-al2023 or eks-al2 or eks-ubuntu?"),
    ("name: one", "", _POOL.replace("k3s", "K3S"), "did you mean k3s?"),
    ("name: one", "", _POOL.replace("k3s", "openshift"), "did you mean crio?"),
    ("name: one", "", _POOL.replace("k3s", "k8ssnap"), "did you mean k8s-snap?"),
    ("name: one", "", _POOL.replace("k3s", "kubernetes"), "did you mean kubeadm?"),
    ("name: one, version: 1.33", "", _POOL, 'quote it, "1.33"'),
    ("name: one, version: v1.33.2", "", _POOL, '"1.33"'),
    ("name: one", "", f"{_POOL}, containerd: 2.2", 'quote it, "2.2"'),
    ("name: one", "", _POOL.replace("gpusPerNode", "gpus"), "did you mean gpusPerNode?"),
    ("name: one", "", f"{_POOL}, os: ubuntu", "did you mean ubuntu-22.04 or ubuntu-24.04?"),
    ("name: one", "", f"{_POOL}, os: Ubuntu 22.04", "did you mean ubuntu-22.04?"),
    ("name: one", "", "instanceType: p5.48xlarge, os: amazonlinux2023", "did you mean al2023?"),
    ("name: one", "", f"{_POOL}, driver: gpu-operator", "did you mean operator?"),
    ("name: one", "", _POOL.replace("false", '"no"'), "false, without quotes"),
    ("name: one", "", "instanceType: p5.48xlarge, capacity: spot", "capacity: {kind: on-demand}"),
    ("name: one", "", "instanceType: p5.48xlarge, replicas: 2", "did you mean nodes?"),
    ("name: one", "operator: {version: 26.3.0}", _POOL, "did you mean chart?"),
    ("name: one, podCidr: 10.0.0.0", "", _POOL, "10.0.0.0/16"),
)


@pytest.mark.parametrize(("cluster", "above", "pool", "right"), DECLARED)
def test_a_fleet_is_refused_with_what_would_be_right(cluster: str, above: str, pool: str, right: str) -> None:
    Path("Pulumi.dev.yaml").write_text(_FLEET.format(cluster=cluster, above=above, pool=pool))
    ran = run("fleet", "--fleet", "Pulumi.dev.yaml")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert right in ran.err
    assert "Pulumi.dev.yaml:" in ran.err


def test_a_cluster_that_is_a_name_alone() -> None:
    Path("Pulumi.dev.yaml").write_text("config:\n  nodeworthy:fleet:\n    cluster: one\n    pools: {a: {gpu: h200}}\n")
    ran = run("fleet", "--fleet", "Pulumi.dev.yaml")
    assert ran.code == 2
    assert "cluster: {name: one}" in ran.err


def test_a_fleet_that_forgot_config() -> None:
    Path("Pulumi.dev.yaml").write_text("nodeworthy:fleet:\n  cluster: {name: one}\n  pools: {a: {gpu: h200}}\n")
    assert "write `config:` above it" in run("fleet", "--fleet", "Pulumi.dev.yaml").err


def test_a_comment_that_is_a_line_off_is_told_where_it_belongs() -> None:
    Path("values.yaml").write_text(
        "toolkit:\n"
        "  # nodeworthy: ignore toolkit-env-wellformed they mount it themselves\n"
        "  env:\n"
        "    - {name: CONTAINERD_SOCKET, value: relative.sock}\n"
    )
    said = run("check", "values.yaml", "--strict").out
    assert "toolkit-env-wellformed finds nothing here, but in line 4" in said


@pytest.mark.parametrize("command", ["check", "diagnose", "explain"])
def test_help_of_a_command_in_either_order(command: str) -> None:
    assert run("help", command).out.strip() == run(command, "--help").out.strip()


def test_an_empty_log_is_said_to_be_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("empty.log").write_text("\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    for asked in ([], ["-"], ["empty.log"]):
        ran = run("explain", *asked)
        assert ran.code == 3
        assert ran.err.endswith("empty: pipe a log in, kubectl logs POD | nodeworthy explain\n")
        assert len(ran.err.splitlines()) == 1
