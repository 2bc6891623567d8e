"""What `pod-can-use-gpus` says that the API server refuses is refused by a real one, and what it passes is taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.case_files import whole
from tests.run import run

from .control_plane import ControlPlane

# Not good-source-fields-that-are: somebody fills it in before a server sees it.
CASES = sorted(
    f"pod-can-use-gpus/{name}"
    for name in (
        "bad-source-api-gone",
        "bad-source-no-strings",
        "bad-source-no-such-field",
        "bad-source-server-refuses",
        "good-source-a-gpu-for-each-process",
        "good-source-server-takes-it",
    )
)
SAYS = "the API server refuses this"
# Of others than Kubernetes: a server that has not their definitions knows nothing of them.
OURS = ("apps/v1", "batch/v1", "v1")


def documents(folder: Path) -> Iterator[tuple[str, range, dict[str, Any]]]:
    """Each with its file and its lines."""
    for path in sorted(folder.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        for node, sent in zip(yaml.compose_all(text), yaml.safe_load_all(text), strict=True):
            assert node is not None
            yield path.name, range(node.start_mark.line + 1, node.end_mark.line + 1), sent


def answer(plane: ControlPlane, sent: dict[str, Any]) -> tuple[int, str]:
    version = sent["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    url = f"{root}/namespaces/default/{sent['kind'].lower()}s?dryRun=All&fieldValidation=Strict"
    said = plane.client.request("POST", url, sent)
    return said.status, said.message


@pytest.mark.parametrize("case", CASES)
def test_it_is_as_we_say(case: str, control_plane: ControlPlane) -> None:
    folder = whole(case)
    found = run("check", ".", "--rule", "pod-can-use-gpus", "--format", "json", cwd=folder).report["findings"]
    ours = [each["where"] for each in found if each["message"].startswith(SAYS)]
    wrong = {}
    for path, lines, sent in documents(folder):
        if sent["apiVersion"] not in OURS and not case.endswith("-api-gone"):
            continue
        is_told = any(each["path"] == path and each["line"] in lines for each in ours)
        status, message = answer(control_plane, sent)
        if (status not in (200, 201)) is not is_told:
            wrong[f"{path}:{lines.start} {sent['kind']}"] = (is_told, status, message)
    assert wrong == {}
