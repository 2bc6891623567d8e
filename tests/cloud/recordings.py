"""Recordings of accounts for tests: the stock one whole, and others that differ from it in what AWS answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.case_files import CASES

REGION = "us-east-2"
STOCK = CASES / "_base" / "cloud-gpu-dev" / "aws"


def stock(folder: Path) -> Path:
    """All of it is well."""
    return shutil.copytree(STOCK, folder / "aws")


def file_of(recording: Path, service: str, operation: str) -> Path:
    return recording / REGION / f"{service}.{operation}.json"


def change(recording: Path, service: str, operation: str, calls: Sequence[Mapping[str, Any]]) -> None:
    file_of(recording, service, operation).write_text(json.dumps({"calls": calls}), encoding="utf-8")


def edit(recording: Path, service: str, operation: str, change_it: Callable[[dict[str, Any]], object]) -> None:
    """The first page of each call of it says otherwise."""
    path = file_of(recording, service, operation)
    said = json.loads(path.read_text(encoding="utf-8"))
    for each in said["calls"]:
        change_it(each["pages"][0])
    path.write_text(json.dumps(said), encoding="utf-8")


def refuse(recording: Path, service: str, operation: str, code: str = "AccessDenied") -> bool:
    """Whether there was anything to refuse."""
    path = file_of(recording, service, operation)
    if not path.exists():
        return False
    said = json.loads(path.read_text(encoding="utf-8"))
    why = {"code": code, "message": "not authorized to perform it"}
    change(recording, service, operation, [{"arguments": each["arguments"], "refused": why} for each in said["calls"]])
    return True


def managed_by_eks(recording: Path) -> None:
    """The group of the stock account is one of EKS."""
    group = {
        "nodegroupName": "t4",
        "nodegroupArn": "arn:aws:eks:us-east-2:111122223333:nodegroup/gpu-dev/t4/aec9d1f2",
        "clusterName": "gpu-dev",
        "version": "1.34",
        "status": "ACTIVE",
        "capacityType": "ON_DEMAND",
        "scalingConfig": {"minSize": 2, "maxSize": 2, "desiredSize": 2},
        "instanceTypes": ["g4dn.12xlarge"],
        "subnets": ["subnet-0f1e2d3c4b5a69788"],
        "amiType": "AL2023_x86_64_NVIDIA",
        "resources": {"autoScalingGroups": [{"name": "gpu-dev-t4"}]},
        "diskSize": 200,
    }
    named = {"clusterName": "gpu-dev"}
    change(recording, "eks", "ListNodegroups", [{"arguments": named, "pages": [{"nodegroups": ["t4"]}]}])
    asked = {**named, "nodegroupName": "t4"}
    change(recording, "eks", "DescribeNodegroup", [{"arguments": asked, "pages": [{"nodegroup": group}]}])
