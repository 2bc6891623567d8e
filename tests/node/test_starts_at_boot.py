"""Whether the next boot starts a unit, as systemd answers it; what is masked is mended by what mends it."""

from __future__ import annotations

import pytest

from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.verdict import Verdict
from tests.case_files import whole

from .recordings import but, part
from .test_containerd import of
from .test_rules import judged

SURVIVES, FABRIC = "kubelet-survives-reboot", "fabric-manager-runs"
GOOD = load(whole(f"{SURVIVES}/good-node-nodeadm-starts-it") / "node.json")
SWITCHED = load(whole(f"{FABRIC}/good-node-same-version") / "node.json")
BOOT = "default.target\nbasic.target\nmulti-user.target\ncloud-init.target\nsshd.service\n"


def unit(name: str, enabled: str, active: str = "active", **others: str) -> str:
    load = "masked" if enabled == "masked" else "loaded"
    sub = "running" if active == "active" else "dead"
    said = {"Id": name, "LoadState": load, "ActiveState": active, "SubState": sub, "UnitFileState": enabled, **others}
    return "\n".join(
        f"{key}={value}" for key, value in ({"Result": "success", "WantedBy": "", "RequiredBy": ""} | said).items()
    )


def with_units(*units: str, boot: str = BOOT) -> Recording:
    return but(GOOD, part("starts", "\n\n".join(units)), part("reached at boot", boot))


WANTED = {"WantedBy": "multi-user.target"}


@pytest.mark.parametrize(
    ("kubelet", "nodeadm", "verdict"),
    [
        # A masked unit keeps its wants link, and is started by nobody.
        (unit("kubelet.service", "masked", **WANTED), unit("nodeadm-run.service", "enabled", **WANTED), Verdict.FAIL),
        (unit("kubelet.service", "disabled"), unit("nodeadm-run.service", "masked", **WANTED), Verdict.FAIL),
        (unit("kubelet.service", "enabled", **WANTED), unit("nodeadm-run.service", "masked", **WANTED), Verdict.PASS),
        # A static unit is started by others: by nobody, by a timer, by a unit that was not looked at.
        (unit("kubelet.service", "static", TriggeredBy=""), "", Verdict.FAIL),
        (unit("kubelet.service", "static", TriggeredBy="kubelet.timer"), "", Verdict.UNKNOWN),
        (unit("kubelet.service", "static", TriggeredBy="", RequiredBy="site.service"), "", Verdict.UNKNOWN),
        (unit("kubelet.service", "static"), "", Verdict.UNKNOWN),
        # Enabled for a target that the default one does not reach.
        (unit("kubelet.service", "enabled", WantedBy="gpu-ready.target"), "", Verdict.FAIL),
        (unit("kubelet.service", "enabled", WantedBy="gpu-ready.target multi-user.target"), "", Verdict.PASS),
        (unit("kubelet.service", "enabled", WantedBy="site.service"), "", Verdict.PASS),
        (unit("kubelet.service", "enabled-runtime", **WANTED), "", Verdict.FAIL),
    ],
)
def test_who_starts_kubelet_after_a_reboot(kubelet: str, nodeadm: str, verdict: Verdict) -> None:
    assert of(with_units(kubelet, *filter(None, [nodeadm])), SURVIVES).verdict is verdict


def test_where_systemd_did_not_say_what_a_boot_reaches_a_target_counts_as_reached() -> None:
    elsewhere = unit("kubelet.service", "enabled", WantedBy="gpu-ready.target")
    assert of(but(GOOD, part("starts", elsewhere)), SURVIVES).verdict is Verdict.PASS


@pytest.mark.parametrize("active", ["inactive", "failed"])
def test_a_masked_kubelet_that_does_not_run_is_one_finding_with_what_mends_it(active: str) -> None:
    masked = unit("kubelet.service", "masked", active, **WANTED)
    [found] = of(with_units(masked, unit("nodeadm-run.service", "enabled", **WANTED)), SURVIVES).findings
    assert found.remedy == "systemctl unmask kubelet.service && systemctl enable --now kubelet.service"


def test_a_masked_fabric_manager_is_one_finding_with_what_mends_it() -> None:
    masked = but(SWITCHED, part("fabric", unit("nvidia-fabricmanager.service", "masked", "inactive", **WANTED)))
    [found] = of(masked, FABRIC).findings
    assert (
        found.remedy
        == "systemctl unmask nvidia-fabricmanager.service && systemctl enable --now nvidia-fabricmanager.service"
    )


@pytest.mark.parametrize(
    ("fabric", "elsewhere", "verdict"),
    [
        ("failed", "", Verdict.FAIL),
        ("failed", "/kubepods.slice/kubepods-besteffort.slice/cri-containerd-1.scope", Verdict.SKIP),
        ("active", "", Verdict.PASS),
    ],
)
def test_what_the_fleet_has_as_its_default_does_not_hide_what_the_node_shows(
    fabric: str, elsewhere: str, verdict: Verdict, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("fleet") / "Pulumi.ubuntu.yaml"
    path.write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: gpu}\n    pools:\n"
        "      h100: {gpu: h100, gpusPerNode: 8, distribution: kubeadm}\n"
    )
    shown = part("fabric", unit("nvidia-fabricmanager.service", "enabled", fabric, **WANTED))
    node = but(SWITCHED, shown, part("fabric elsewhere", elsewhere))
    assert judged(node, Declared(read_fleet_file(path, path.name), "h100"))[FABRIC].verdict is verdict
