"""What a reader could give is asked for only where it would change a verdict: of a group that says itself what its nodes
are, no fleet is asked for."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.run import run

NVIDIA = "resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
TOOLKIT = """\
#!/bin/bash
set -euo pipefail
dnf install -y nvidia-container-toolkit
nvidia-ctk runtime configure --runtime=containerd
"""


def previewed(folder: Path, image: str, script: str) -> str:
    """What the CLI prints of a stack with one group."""
    inputs = {
        "imageId": image,
        "instanceType": "g5.12xlarge",
        "userData": base64.b64encode(script.encode()).decode(),
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
    }
    urn = "urn:pulumi:dev::ml::aws:ec2/launchTemplate:LaunchTemplate::gpu"
    state = {"urn": urn, "custom": True, "type": "aws:ec2/launchTemplate:LaunchTemplate", "inputs": inputs}
    steps = {"steps": [{"op": "create", "urn": urn, "newState": state}]}
    (folder / "preview.json").write_text(json.dumps(steps))
    return "preview.json"


@pytest.mark.parametrize(("image", "asked"), [(NVIDIA, False), ("ami-0123456789abcdef0", True)])
def test_a_fleet_is_asked_for_where_nothing_says_what_nodes_are(tmp_path: Path, image: str, asked: bool) -> None:
    ran = run("check", previewed(tmp_path, image, "#!/bin/bash\nset -e\nmodprobe nvidia\n"), cwd=tmp_path)
    assert ("there is no fleet to judge by: give --fleet FILE" in ran.out) is asked
    assert ("driver-fits" in ran.out.rpartition("not judged by")[2]) is asked


def test_what_only_a_fleet_promises_is_no_gap(tmp_path: Path) -> None:
    (tmp_path / "user-data.sh").write_text(TOOLKIT)
    skipped = run("check", "user-data.sh", "--show-skipped", cwd=tmp_path).out
    assert "registry-trusted: no fleet promises these nodes anything (registries, storage)" in skipped
    asked = run("check", "user-data.sh", cwd=tmp_path).out.rpartition("not judged by")[2]
    assert "driver-fits" in asked
    assert "registry-trusted" not in asked
    assert "shared-storage-mounted" not in asked


@pytest.mark.parametrize(("image", "found"), [(NVIDIA, 1), (NVIDIA.replace("nvidia", "standard"), 0)])
def test_a_toolkit_beside_that_of_the_stacks_image(tmp_path: Path, image: str, found: int) -> None:
    options = ("--rule", "one-toolkit", "--format", "json")
    ran = run("check", previewed(tmp_path, image, TOOLKIT), *options, cwd=tmp_path)
    assert [each["related"][-1]["says"] for each in ran.report["findings"]] == [
        f"a driver is in this image: {image}"
    ] * found
