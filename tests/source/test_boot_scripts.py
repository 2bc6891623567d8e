"""Which files are boot scripts: by what stands in them, and for those that were found in a folder only what looks like it."""

from __future__ import annotations

import base64
import gzip

import pytest

from nodeworthy.collect.source.boot_scripts import is_boot_script

FOUND = {
    "a shell script that makes a node": ("user-data.sh", b"#!/bin/bash\nset -e\nsystemctl enable kubelet\n"),
    "env bash": ("x", b"#!/usr/bin/env bash\ndnf install -y nvidia-driver\n"),
    "a template": ("user-data.tftpl", b"#!/bin/bash\n/etc/eks/bootstrap.sh ${cluster_name}\n"),
    "a template without a first line": ("user-data.tpl", b"/etc/eks/bootstrap.sh ${cluster_name}\n"),
    "cloud-config": ("init.yaml", b"#cloud-config\npackages: [docker]\n"),
    "a boothook": ("hook", b"#cloud-boothook\n#!/bin/sh\ntrue\n"),
    "MIME": ("x", b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B--\n'),
    "MIME, the other way round": ("x", b'Content-Type: multipart/mixed; boundary="B"\nMIME-Version: 1.0\n\n--B--\n'),
    "MIME behind a blank line": ("x", b'\nContent-Type: multipart/mixed; boundary="B"\n\n--B--\n'),
    "NodeConfig": ("n.yaml", b"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"),
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
    "an archive": ("x.gz", gzip.compress(b"a log\n" * 20)),
    "an e-mail": ("x.eml", b"Subject: kubelet\nContent-Type: text/plain\n\nhello\n"),
    "nothing": ("x", b""),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_found_in_a_folder(name: str) -> None:
    file, data = FOUND[name]
    assert is_boot_script(data, file, named=False)


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_is_passed_over(name: str) -> None:
    file, data = PASSED_OVER[name]
    assert not is_boot_script(data, file, named=False)


def test_who_names_a_script_means_it() -> None:
    assert is_boot_script(b"#!/bin/bash\nmake all\n", "build.sh", named=True)
    assert is_boot_script(b"#!/usr/bin/python3\nprint()\n", "x.py", named=True)
    assert not is_boot_script(b"#!/bin/bash\n#SBATCH --gres=gpu:1\n", "train.sh", named=True)
