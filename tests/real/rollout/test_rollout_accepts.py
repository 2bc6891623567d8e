"""A rollout whose fresh nodes prove themselves by work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from tests.real.cloud_bridge import Bridge
from tests.real.control_plane import ControlPlane
from tests.real.gpu_kubelets import H100, GpuKubelets, environment_of, measured
from tests.real.quick_level import WELL, WRONG, said_in
from tests.real.rollout.stage import Stage, goes, staged
from tests.real.stand_in_kubelet import Object, Went
from tests.run import run


class GpuBridge(Bridge):
    """Nodes with eight GPUs each."""

    def add(self, name: str, *, machine: str, ready: bool) -> None:
        super().add(name, machine=machine, ready=ready)
        assert isinstance(self.kubelets, GpuKubelets)
        self.kubelets.change(name, {"metadata": {"labels": H100}})
        self.kubelets.offer(name, 8)


@pytest.fixture
def gpu_stage(plane: ControlPlane, reachable: None, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """Whose nodes measure what the cases of the quick level say."""
    cases: Sequence[str] = request.param
    work = measured(lambda _: [line for case in cases for line in said_in(case)])

    def works(pod: Object) -> Went | None:
        return work(pod) if "NODEWORTHY_NONCE" in environment_of(pod) else goes(pod)

    with staged(GpuKubelets(plane), GpuBridge, works) as stage:
        yield stage


ACCEPTS = ("--accept", "quick", "--accept-image", "registry.example/t:1", "--allow-unknown")
IN_QUICK = ("--yes", "--yes-may-lose-capacity", "--image", "registry.example/nodeworthy:1", *ACCEPTS)


@pytest.mark.night
@pytest.mark.parametrize("gpu_stage", [WELL], indirect=True)
def test_a_fresh_node_is_accepted_by_work_before_it_gets_any(gpu_stage: Stage) -> None:
    """`accept` for real, as the rollout asks it: its Jobs are scheduled, and print what such nodes measure."""
    gpu_stage.mend()
    ran = run(*gpu_stage.words(*IN_QUICK))
    assert (ran.code, gpu_stage.versions()) == (0, ["2", "2"]), ran.err + ran.out
    assert gpu_stage.bridge.most_away == 1
    assert {each["spec"]["nodeName"] for each in worked(gpu_stage)} == set(gpu_stage.bridge.nodes.values())


@pytest.mark.night
@pytest.mark.parametrize("gpu_stage", [WRONG], indirect=True)
def test_one_wrong_bit_of_a_fresh_node_stops_it(gpu_stage: Stage) -> None:
    gpu_stage.mend()
    ran = run(*gpu_stage.words(*IN_QUICK))
    assert (ran.code, gpu_stage.versions(), gpu_stage.named()) == (1, ["1", "2"], "1"), ran.err + ran.out
    assert "fails gpu-computes-right of accept (quick)" in ran.err
    assert len([each for each in gpu_stage.nodes() if each["spec"].get("taints")]) == 1
    assert gpu_stage.bridge.most_away == 1


def worked(stage: Stage) -> list[Object]:
    return [each for each in stage.bridge.kubelets.taken.values() if "NODEWORTHY_NONCE" in environment_of(each)]
