"""Images that are pulled and run, and the GPUs that containers are given."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import LoadsModule, PullsImage, Runs
from tests.boot.commands.calls import ran


def pulls(line: str) -> list[tuple[str, str, bool, bool]]:
    return [
        (each.tool, each.image.shown(), each.runs, each.gpu)
        for each in ran(line).effects
        if isinstance(each, PullsImage)
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("docker pull example.com/a:1", ("docker", "example.com/a:1", False, False)),
        ("docker pull -q --platform linux/amd64 a:1", ("docker", "a:1", False, False)),
        ("docker image pull a:1", ("docker", "a:1", False, False)),
        ("docker -H unix:///x.sock pull a", ("docker", "a", False, False)),
        ("docker pull ${REGISTRY}/a:1", ("docker", "${REGISTRY}/a:1", False, False)),
        ("podman pull a", ("podman", "a", False, False)),
        ("nerdctl -n k8s.io pull a", ("nerdctl", "a", False, False)),
        ("nerdctl --namespace=k8s.io run -d a", ("nerdctl", "a", True, False)),
        ("ctr -n k8s.io images pull a", ("ctr", "a", False, False)),
        ("ctr --namespace k8s.io image pull --user ${USER} a", ("ctr", "a", False, False)),
        ("crictl -r unix:///run/c.sock pull a", ("crictl", "a", False, False)),
        ("docker run --rm a nvidia-smi --gpus all", ("docker", "a", True, False)),
        ("docker run -d --name x -p 80:80 -v /a:/b --restart always -e A=1 a:1 cmd", ("docker", "a:1", True, False)),
        ("docker container run -it a", ("docker", "a", True, False)),
        ("docker create a", ("docker", "a", True, False)),
        ("docker run --gpus all a", ("docker", "a", True, True)),
        ("docker run --rm --gpus=all a nvidia-smi", ("docker", "a", True, True)),
        ("docker run --gpus '\"device=0,1\"' a", ("docker", "a", True, True)),
        ("docker run --runtime=nvidia a", ("docker", "a", True, True)),
        ("docker run --runtime nvidia -e NVIDIA_VISIBLE_DEVICES=all a", ("docker", "a", True, True)),
        ("docker run --runtime runc a", ("docker", "a", True, False)),
        ("docker run --device /dev/nvidia0 a", ("docker", "a", True, True)),
        ("docker run --device /dev/fuse a", ("docker", "a", True, False)),
        ("podman run --device nvidia.com/gpu=all a", ("podman", "a", True, True)),
        ("nerdctl run --gpus all a", ("nerdctl", "a", True, True)),
        ("ctr run --rm -t --gpus 0 a name nvidia-smi", ("ctr", "a", True, True)),
        ("ctr run --runc-binary /usr/bin/nvidia-container-runtime a name", ("ctr", "a", True, True)),
    ],
)
def test_images(line: str, expected: tuple[str, str, bool, bool]) -> None:
    assert pulls(line) == [expected]
    assert any(isinstance(each, LoadsModule) for each in ran(line).effects) == expected[3]


@pytest.mark.parametrize("line", ["docker ps", "docker images -q", "ctr version", "crictl info", "kubectl get nodes"])
def test_what_only_asks(line: str) -> None:
    assert ran(line).effects == ()


@pytest.mark.parametrize(
    "line",
    [
        "docker compose up -d",
        "docker login -u a",
        "docker",
        "docker run",
        "crictl run c.json p.json",
        "kubectl apply -f x",
    ],
)
def test_the_rest_runs(line: str) -> None:
    (effect,) = ran(line).effects
    assert isinstance(effect, Runs)
