"""Whether an edit of containerd's config stays, on boots told by hand."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Act, Effect, How, Stage
from nodeworthy.boot.userdata import PartKind
from nodeworthy.engine import Judgement
from nodeworthy.known.containerd import containerd_of, registries
from nodeworthy.rules.containerd_edit_survives import RULE
from tests.boot.rules.boots import hole, joins, judged, script, text, unit, write
from tests.boot.rules2.fleets import in_fleet

AL2023, AL2 = "instanceType: p5.48xlarge", "instanceType: p5.48xlarge, os: al2"
CONFIG = containerd_of("kubeadm").config or ""
K3S = containerd_of("k3s")
MICROK8S = containerd_of("microk8s")
OFF = [*unit(1, "nodeadm-config", Act.DISABLE), *unit(2, "nodeadm-run", Act.DISABLE)]


def edit(line: int, path: str = CONFIG, **what: object) -> Effect:
    return write(line, "version = 2", path=path, **what)


def of(pool: str, *effects: Effect | list[Effect]) -> Judgement:
    return judged(RULE, in_fleet(script(*effects), pool, ""))


def says(judgement: Judgement) -> str:
    assert judgement.verdict == "fail", judgement
    assert len(judgement.findings) == 1, judgement.findings
    return judgement.findings[0].message


class TestNodeadm:
    def test_at_the_next_boot(self) -> None:
        assert "at the next boot" in says(of(AL2023, edit(4)))
        assert "at the next boot" in says(of(AL2023, edit(4, how=How.EDIT)))

    def test_at_every_boot(self) -> None:
        assert of(AL2023, edit(4, stage=Stage.BOOTHOOK)).verdict == "pass"
        assert of(AL2023, edit(4), edit(5, stage=Stage.NEXT_BOOT)).verdict == "pass"

    def test_switched_off(self) -> None:
        assert of(AL2023, OFF, joins(3), edit(4)).verdict == "pass"
        assert "nodeadm init" in says(of(AL2023, OFF, edit(3), joins(4)))
        assert "at the next boot" in says(of(AL2023, OFF[:1], joins(3), edit(4)))
        assert of(AL2023, unit(1, "nodeadm-config", Act.MASK), joins(3), edit(4)).verdict == "pass"

    def test_a_file_that_makes_it_run_again(self) -> None:
        dropped = write(3, "apiVersion: node.eks.aws/v1alpha1", path="/etc/eks/nodeadm.d/labels.yaml")
        assert "once more" in says(of(AL2023, dropped, edit(4, stage=Stage.BOOTHOOK)))

    def test_folders_of_hosts_are_safe(self) -> None:
        hosts = write(3, 'server = "http://a:1"', path=f"{registries().hosts[0]}/a:1/hosts.toml")
        assert of(AL2023, hosts).verdict == "skip"

    def test_a_path_that_is_not_known(self) -> None:
        folder = CONFIG.rpartition("/")[0]
        assert of(AL2023, write(4, "version = 2", path=text(f"{folder}/", hole("FILE")))).verdict == "unknown"
        assert of(AL2023, write(4, "version = 2", path=text(hole("FILE")))).verdict == "skip"


class TestOthers:
    def test_bootstrap(self) -> None:
        assert "its own file" in says(of(AL2, edit(3), joins(4, "bootstrap.sh")))
        assert of(AL2, joins(3, "bootstrap.sh"), edit(4)).verdict == "pass"
        own = joins(4, "bootstrap.sh", command=f"/etc/eks/bootstrap.sh a --containerd-config-file {CONFIG}")
        assert of(AL2, edit(3), own).verdict == "pass"
        kept = containerd_of("eks-al2").written_from or ""
        assert of(AL2, edit(3, kept), joins(4, "bootstrap.sh")).verdict == "skip"

    @pytest.mark.parametrize(("distribution", "own"), [("k3s", K3S.config), ("microk8s", MICROK8S.generated[0])])
    def test_templates(self, distribution: str, own: str) -> None:
        pool = f"gpu: h200, distribution: {distribution}"
        template = MICROK8S.config if distribution == "microk8s" else K3S.templates[0]
        assert "at every start" in says(of(pool, edit(3, own)))
        assert of(pool, edit(3, template or "")).verdict == "pass"

    def test_the_script_itself(self) -> None:
        pool = "gpu: h200, distribution: kubeadm"
        default = write(5, text(hole("(containerd config default)")), path=CONFIG, command="containerd config default")
        assert "the script itself" in says(of(pool, edit(3), default))
        assert of(pool, default, edit(6)).verdict == "pass"
        assert of(pool, edit(3), joins(4, "kubeadm")).verdict == "pass"


def test_without_a_fleet() -> None:
    assert judged(RULE, script(joins(3))).verdict == "skip"
    assert judged(RULE, script(edit(3), kind=PartKind.NODE_CONFIG)).verdict == "fail"
    assert judged(RULE, script(edit(3), joins(4, "bootstrap.sh"))).verdict == "fail"
    assert judged(RULE, script(edit(3))).verdict == "pass"
