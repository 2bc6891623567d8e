"""Which files are boot scripts: by what stands in them, and for those that were found in a folder only what looks like it."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import pytest

from nodeworthy.collect.source.boot_scripts import is_boot_script, is_meant_as_one, may_be_commands
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.parsing import documents_in
from nodeworthy.collect.source.script_contents import as_shell_script
from tests.run import run, run_json
from tests.source.texts import STOCK, values

FOUND = {
    "a shell script that makes a node": ("user-data.sh", b"#!/bin/bash\nset -e\nsystemctl enable kubelet\n"),
    "env bash": ("x", b"#!/usr/bin/env bash\ndnf install -y nvidia-driver\n"),
    "Ubuntu's own choice of a driver": ("driver.sh", b"#!/bin/bash\nsudo ubuntu-drivers install\nsudo reboot\n"),
    "a template": ("user-data.tftpl", b"#!/bin/bash\n/etc/eks/bootstrap.sh ${cluster_name}\n"),
    "a template without a first line": ("user-data.tpl", b"/etc/eks/bootstrap.sh ${cluster_name}\n"),
    "user data by its name": ("gpu-user-data.sh", b"#!/bin/bash\nexport HF_HOME=/data\n"),
    "cloud-config": ("init.yaml", b"#cloud-config\npackages: [docker]\n"),
    "a boothook": ("hook", b"#cloud-boothook\n#!/bin/sh\ntrue\n"),
    "a list of URLs": ("x", b"#include\nhttps://example.com/node.sh\n"),
    "MIME": ("x", b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B--\n'),
    "MIME, the other way round": ("x", b'Content-Type: multipart/mixed; boundary="B"\nMIME-Version: 1.0\n\n--B--\n'),
    "MIME behind a blank line": ("x", b'\nContent-Type: multipart/mixed; boundary="B"\n\n--B--\n'),
    "NodeConfig": ("n.yaml", b"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"),
    "NodeConfig in JSON": ("n.json", b'{\n  "kind": "NodeConfig",\n  "apiVersion": "node.eks.aws/v1alpha1"\n}\n'),
    "NodeConfig in a template": ("n.tftpl", b"%{ if on ~}\n---\napiVersion: node.eks.aws/v1alpha1\n%{ endif ~}\n"),
    "Bottlerocket": ("b.toml", b'[settings.kubernetes]\ncluster-name = "a"\n'),
    "Bottlerocket, dotted": ("b.toml", b'settings.kubernetes.cluster-name = "a"\n'),
    "base64": ("x.b64", base64.b64encode(b"#!/bin/bash\nsystemctl enable kubelet\necho enough of it\n")),
    "gzip": ("x.gz", gzip.compress(b"#!/bin/bash\nsystemctl enable kubelet\n")),
}
PASSED_OVER = {
    "somebody's own script": ("build.sh", b"#!/bin/bash\nset -e\nmake all\n"),
    "a helper that looks at a node": (
        "debug.sh",
        b"#!/bin/bash\nnvidia-smi -q\njournalctl -u kubelet -n 100\nsystemctl status kubelet containerd\nmount | grep nfs\n",
    ),
    "a job for Slurm": ("train.sh", b"#!/bin/bash\n#SBATCH --gres=gpu:1\nnvidia-driver\n"),
    "Python": ("x.py", b"#!/usr/bin/python3\nprint('kubelet')\n"),
    "a values file": ("values.yaml", b"toolkit:\n  env: []\n"),
    "a picture": ("x.png", b"\x89PNG\r\n\x1a\n\x00\x00"),
    "some base64": ("x.b64", base64.b64encode(b"nothing that we know of, and long enough to be something")),
    "a program in base64": (
        "made.py.b64",
        base64.b64encode(b"#!/usr/bin/env python3\nimport json\nprint('kubelet')\n"),
    ),
    "settings of another program": (
        ".mise.toml",
        b'[settings]\njobs = 4\n[tasks.kubernetes]\nrun = "kubectl get nodes"\n',
    ),
    "an archive": ("x.gz", gzip.compress(b"a log\n" * 20)),
    "a page about NodeConfigs": (
        "README.md",
        b"# Nodes\n```yaml\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n```\n",
    ),
    "a page that is called after it": (
        "user_data.md",
        b"# Nodes\nA part of `node.eks.aws/v1alpha1`, or bootstrap.sh\n",
    ),
    "a drawing of it": ("user_data.svg", b"<svg><text>node.eks.aws/v1alpha1</text></svg>\n"),
    "an object that holds one": (
        "class.yaml",
        b"kind: EC2NodeClass\nspec:\n  userData: |\n    apiVersion: node.eks.aws/v1alpha1\n    kind: NodeConfig\n",
    ),
    "a program that writes one": ("main.tf", b'user_data = "apiVersion: node.eks.aws/v1alpha1 kind: NodeConfig"\n'),
    "C": ("saxpy.cu", b'#include <cuda.h>\n#include "nvidia-driver.h"\n'),
    "an image's steps": ("Dockerfile.tmpl", b"ARG V\nFROM ubuntu:${V}\nRUN apt-get install -y nvidia-driver-550\n"),
    "an e-mail of several parts": (
        "x.eml",
        b'From: ops@example.com\nSubject: kubelet\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B--\n',
    ),
    "a packed page": ("kubelet.1.gz", gzip.compress(b".TH kubelet 1\nset -e\nsystemctl enable kubelet\n")),
    "a packed script": ("x.sh.gz", gzip.compress(b"#!/bin/sh\nset -e\nmake all\n")),
    "an e-mail": ("x.eml", b"Subject: kubelet\nContent-Type: text/plain\n\nhello\n"),
    "nothing": ("x", b""),
    "a program that hands it over": ("userdata.tf", b'locals {\n  u = templatefile("nodeadm.tpl", {})\n}\n'),
    "a tool that is called after it": ("update-cloud-init.py", b"#!/usr/bin/env python3\nprint()\n"),
    "a manifest that holds some": (
        "userdata.yaml",
        b"apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nspec:\n  userData: |\n    #cloud-boothook\n    nodeadm\n",
    ),
    "what Windows reads": ("userdata.tpl", b"<powershell>\n& nodeadm\n</powershell>\n"),
}


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_is_passed_over(name: str) -> None:
    file, data = PASSED_OVER[name]
    assert not is_boot_script(data, file)


NAMED = {
    "what its name says": ("user-data.sh", b"#!/bin/bash\nmake all\n"),
    "what its name says, in another language": ("user-data.py", b"#!/usr/bin/python3\nprint()\n"),
    "a first boot": ("gpu-bootstrap.sh", b"#!/bin/bash\necho hello\n"),
    "Terraform's template": ("node.sh.tftpl", b"#!/bin/bash\necho ${cluster}\n"),
    "its shorter ending": ("node.tpl", b"#!/bin/bash\necho ${cluster}\n"),
    "a firewall": ("open.sh", b"#!/bin/bash\nufw allow 10250/tcp\n"),
    "Docker's installation": ("setup.sh", b"#!/bin/bash\napt-get update && apt-get install -y docker.io\n"),
    "Docker's settings": ("setup.sh", b"#!/bin/sh\ncat <<EOF > /etc/docker/daemon.json\n{}\nEOF\n"),
    "a unit": ("x", b"#!/bin/bash\nif true; then sudo systemctl enable --now chrony; fi\n"),
    "a mount": ("mounts.sh", b"echo 'fs-1:/ /shared efs _netdev 0 0' >> /etc/fstab\n"),
}
NO_NODE_OF_THEIRS = {
    "a container's entrypoint": ("entrypoint.sh", b'#!/bin/bash\nset -e\nnvidia-smi\nexec "$@"\n'),
    "one that installs": ("start.sh", b'#!/bin/sh\napt-get install -y nfs-common\nnvidia-smi\nexec gosu app "$@"\n'),
    "one that serves": ("serve.sh", b"#!/bin/bash\nnvidia-smi || exit 1\nexec python3 -m vllm.serve\n"),
    "a container that is run by hand": ("run.sh", b"#!/bin/bash\ndocker run --rm --gpus all nvcr.io/x nvidia-smi\n"),
    "a look at the GPUs": ("gpus.sh", b"nvidia-smi -q\njournalctl -u kubelet -n 100\n"),
    "a build": ("build.sh", b"#!/bin/bash\napt-get install -y make gcc\nmake all\n"),
    "a reboot": ("reboot-nodes.sh", b"#!/bin/bash\nssh gpu-1 reboot\n"),
    "a job for Slurm": ("train.sh", b"#!/bin/bash\n#SBATCH --gres=gpu:1\n"),
    "a chart's helpers": ("_helpers.tpl", b'{{- define "a.name" -}}a{{- end }}\n'),
    "user data of several kinds, by their names": (
        "_userdata.tpl",
        b'{{- define "rke2" -}}\n#cloud-config\nruncmd:\n  - |\n    cat > x <<EOF\n    a\n    EOF\n{{- end -}}\n'
        b'{{- define "eks" -}}\n#!/bin/bash\ncat > /etc/node.yaml <<EOF\napiVersion: node.eks.aws/v1alpha1\nEOF\n{{- end -}}\n',
    ),
    "Python": ("x.py", b"#!/usr/bin/python3\nprint()\n"),
}


@pytest.mark.parametrize("name", [*NAMED, *FOUND])
def test_what_is_one(name: str) -> None:
    file, data = {**NAMED, **FOUND}[name]
    assert is_boot_script(data, file)


@pytest.mark.parametrize("name", NO_NODE_OF_THEIRS)
def test_what_is_none(name: str) -> None:
    file, data = NO_NODE_OF_THEIRS[name]
    assert not is_boot_script(data, file)


def test_a_tool_for_user_data_is_not_meant_as_some() -> None:
    assert [is_meant_as_one(name) for name in ("validate-cloudinit.sh", "upload-cloud-init.sh")] == [False, False]
    assert [is_meant_as_one(name) for name in ("cloud-init.sh", "worker-cloudinit.sh", "gpu_user_data.tpl")] == [
        True
    ] * 3


def test_a_script_that_makes_no_node_is_no_input_of_check(tmp_path: Path) -> None:
    script = tmp_path / "entrypoint.sh"
    script.write_text('#!/bin/bash\nnvidia-smi\nexec "$@"\n')
    named = run("check", "entrypoint.sh", cwd=tmp_path)
    assert named.code == 2
    assert named.err.startswith("nodeworthy check: entrypoint.sh: this script makes no node: ")
    assert len(named.err.splitlines()) == 1
    assert "profiling-before-driver" not in run("check", ".", cwd=tmp_path).out
    assert run("check", "--changed", "entrypoint.sh", cwd=tmp_path).code == 0
    script.write_text('#!/bin/bash\nnvidia-smi\necho see ERR_NVGPUCTRPERM > /etc/motd\nexec "$@"\n')
    script.rename(tmp_path / "user-data.sh")
    assert run("check", "user-data.sh", "--rule", "profiling-before-driver", cwd=tmp_path).code == 1


SPEAKS_OF_NODES = {
    "deploy.sh": "helm upgrade --install gpu-operator nvidia/gpu-operator\nkubectl wait pod -l app=nvidia-driver-daemonset",
    "restart.sh": "for node in a b; do ssh $node 'systemctl start kubelet'; done",
    "image.sh": "docker build -t nvidia-driver-image .",
    "lib.sh": "driver() { echo nvidia-driver; }",
    "apply.sh": "kubectl apply -f - <<EOF\ndata: {run.sh: systemctl enable kubelet}\nEOF",
}


def test_scripts_that_only_speak_of_nodes_are_passed_over_in_a_folder(tmp_path: Path) -> None:
    for name, body in SPEAKS_OF_NODES.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{body}\n")
    (tmp_path / "_helpers.tpl").write_text('{{- define "driver" -}}nvidia-driver{{- end -}}\n')
    (tmp_path / "node.sh").write_text("#!/bin/bash\nset -e\nsystemctl enable --now kubelet\n")
    report = run_json("check", ".", cwd=tmp_path).report
    # What one does to another machine is looked at, and which operator another installs; neither makes a node.
    assert (report["evaluated"]["files"], report["evaluated"]["unrecognised"]) == (3, len(SPEAKS_OF_NODES) - 1)


def test_a_helper_is_no_pools_user_data(tmp_path: Path) -> None:
    fleet = "config:\n  nodeworthy:fleet:\n    cluster: {name: a}\n    pools: {cpu: {instanceType: c7i.large}}\n"
    (tmp_path / "Pulumi.dev.yaml").write_text(fleet)
    (tmp_path / "keep.sh").write_text("#!/bin/bash\nset -e\nsystemctl enable --now kubelet\n")
    assert run("check", ".", "--rule", "joins-its-cluster", cwd=tmp_path).code == 3
    assert run("check", "keep.sh", "--rule", "joins-its-cluster", cwd=tmp_path).code == 3
    (tmp_path / "keep.sh").rename(tmp_path / "user-data.sh")
    assert run("check", ".", "--rule", "joins-its-cluster", cwd=tmp_path).code == 1


def test_a_script_that_does_more_than_is_followed_is_no_script_without_faults(tmp_path: Path) -> None:
    loops = "".join(f"for v{each} in 0 1 2 3 4 5 6 7 8 9; do " for each in range(5))
    often = f"{loops}echo $v1$v2$v3 >> /tmp/x$v4; {'done; ' * 5}"
    script = f"#!/bin/bash\nset -e\n{often}\nsystemctl enable --now kubelet\n"
    (tmp_path / "user-data.sh").write_text(script)
    ran = run("check", "user-data.sh", "--format", "json", cwd=tmp_path)
    (told,) = [each for each in ran.report["findings"] if each["rule"] == "looked-at"]
    assert (told["verdict"], told["where"]["line"]) == ("unknown", 3)
    assert told["message"] == "the script does more than is followed: what it does from here on is not known"


def test_what_holds_user_data_below_a_key_is_none() -> None:
    spec = b"role: nodes\namiSelectorTerms: [{alias: al2023@latest}]\nuserData: |\n  MIME-Version: 1.0\n"
    text = (
        spec + b'  Content-Type: multipart/mixed; boundary="//"\n\n  --//\n  Content-Type: application/node.eks.aws\n'
    )
    assert not is_boot_script(text, "al2023_ec2nodeclass.tpl")


_HELM = b"#x\nrun: |\n  helm install gpu-operator nvidia/gpu-operator\nsteps:\n- run: helm upgrade -i a nvidia/gpu-operator\n"


@pytest.mark.parametrize(
    "name",
    ["Makefile", "makefile", "GNUmakefile", "a.mk", "justfile", "Justfile", ".justfile", "a.just", "ci.yml", "c.yaml"],
)
def test_of_whose_commands_a_script_is_made_is_asked_for_commands(name: str, tmp_path: Path) -> None:
    assert as_shell_script(Source(tmp_path / name, name, named=False), _HELM)
    assert may_be_commands(_HELM, name)


@pytest.mark.parametrize("name", ["index.html", "a.min.js", "README.md", "a.json", "Makefiles", "yaml", "a.svg", "x"])
def test_what_shows_commands_has_none(name: str, tmp_path: Path) -> None:
    assert not as_shell_script(Source(tmp_path / name, name, named=False), _HELM)
    assert not may_be_commands(_HELM, name)


@pytest.mark.parametrize(
    "begins", ["<!DOCTYPE html>\n<pre>", '<?xml version="1.0"?><svg>', "\n<html>", "<SVG width='1'>"]
)
def test_a_page_is_no_document_whatever_it_shows(begins: str, tmp_path: Path) -> None:
    page = f"{begins}\n{values(STOCK.socket)}"
    source = Source(tmp_path / "page", "page", named=False)
    assert documents_in(source, page.encode()) == ([], "")
    assert documents_in(source, page.removeprefix(begins).encode())[0]
