"""systemctl and what stands beside it."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Joins, LoadsModule, NotUnderstood, Reboots, Runs, Unit
from tests.boot.commands.calls import ran, told


def acts(line: str) -> list[str]:
    return [f"{each.act.value} {each.unit.shown()}" for each in ran(line).effects if isinstance(each, Unit)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("systemctl enable kubelet", ["enable kubelet.service"]),
        ("systemctl enable kubelet.service", ["enable kubelet.service"]),
        ("systemctl enable --now kubelet", ["enable kubelet.service", "start kubelet.service"]),
        ("systemctl --now enable kubelet", ["enable kubelet.service", "start kubelet.service"]),
        ("systemctl enable kubelet --now --quiet", ["enable kubelet.service", "start kubelet.service"]),
        ("systemctl enable a b.timer", ["enable a.service", "enable b.timer"]),
        ("systemctl enable /etc/systemd/system/x.service", ["enable x.service"]),
        ("systemctl enable app@1.2", ["enable app@1.2.service"]),
        ("systemctl reenable kubelet", ["enable kubelet.service"]),
        ("systemctl preset kubelet", ["enable kubelet.service"]),
        ("systemctl add-wants multi-user.target kubelet", ["enable kubelet.service"]),
        ("systemctl disable --now nodeadm-run", ["disable nodeadm-run.service", "stop nodeadm-run.service"]),
        ("systemctl mask --now x", ["mask x.service", "stop x.service"]),
        ("systemctl unmask x", ["unmask x.service"]),
        ("systemctl start --no-block x", ["start x.service"]),
        ("systemctl restart containerd kubelet", ["restart containerd.service", "restart kubelet.service"]),
        ("systemctl try-restart x", ["restart x.service"]),
        ("systemctl reload-or-restart x", ["restart x.service"]),
        ("systemctl stop x", ["stop x.service"]),
        ("systemctl -q stop x", ["stop x.service"]),
        ("systemctl --user -H host start x", ["start x.service"]),
        ("systemctl isolate rescue.target", ["start rescue.target"]),
        ("systemctl restart kubelet@${N}", ["restart kubelet@${N}"]),
        ("systemctl enable ${NAME}.service", ["enable ${NAME}.service"]),
        ("systemctl enable ${NAME}-agent", ["enable ${NAME}-agent.service"]),
        ("systemctl daemon-reload", []),
        ("systemctl is-active --quiet kubelet", []),
        ("systemctl status kubelet", []),
        ("systemctl set-default multi-user.target", []),
        ("service docker restart", ["restart docker.service"]),
        ("service docker status", []),
        ("service ${NAME} start", ["start ${NAME}"]),
        ("chkconfig kubelet on", ["enable kubelet.service"]),
        ("chkconfig --add kubelet", ["enable kubelet.service"]),
        ("chkconfig --level 345 kubelet off", ["disable kubelet.service"]),
        ("chkconfig --list", []),
        ("update-rc.d kubelet defaults", ["enable kubelet.service"]),
        ("update-rc.d -f kubelet remove", ["disable kubelet.service"]),
        ("initctl start docker", ["start docker.service"]),
        ("rc-update add kubelet default", ["enable kubelet.service"]),
        (
            "snap start --enable kubelet-eks.daemon",
            [
                "enable snap.kubelet-eks.daemon.service",
                "start snap.kubelet-eks.daemon.service",
            ],
        ),
        ("snap stop --disable microk8s", ["disable snap.microk8s.*.service", "stop snap.microk8s.*.service"]),
        ("snap restart kubelet-eks", ["restart snap.kubelet-eks.*.service"]),
    ],
)
def test_acts(line: str, expected: list[str]) -> None:
    assert acts(line) == expected


def test_the_services_of_a_snap_could_be_its_daemon() -> None:
    (effect,) = ran("snap start kubelet-eks").effects
    assert isinstance(effect, Unit)
    assert effect.unit.could_be("snap.kubelet-eks.daemon.service")
    assert not effect.unit.could_be("snap.other.daemon.service")


def test_a_unit_in_a_hole_may_have_its_suffix_there() -> None:
    (effect,) = ran("systemctl enable ${UNIT}").effects
    assert isinstance(effect, Unit)
    assert effect.unit.could_be("kubelet.service")


@pytest.mark.parametrize(
    ("line", "loads"),
    [
        ("systemctl start nvidia-persistenced", True),
        ("systemctl enable --now nvidia-fabricmanager", True),
        ("systemctl restart nvidia-dcgm", True),
        ("service nvidia-persistenced start", True),
        ("systemctl enable nvidia-persistenced", False),
        ("systemctl stop nvidia-persistenced", False),
        ("systemctl start kubelet", False),
    ],
)
def test_units_that_load_the_module(line: str, *, loads: bool) -> None:
    assert any(isinstance(each, LoadsModule) for each in ran(line).effects) == loads


def test_the_unit_comes_before_its_module() -> None:
    assert [each.partition(" ")[0] for each in told(ran("systemctl enable --now nvidia-persistenced"))] == [
        "Unit",
        "Unit",
        "LoadsModule",
    ]


@pytest.mark.parametrize(
    "line", ["systemctl start ${UNIT}", "systemctl restart nvidia-${WHAT}", "systemctl ${VERB} kubelet"]
)
def test_a_start_of_what_is_not_known_may_load_the_module(line: str) -> None:
    (gap,) = [each for each in ran(line).effects if isinstance(each, NotUnderstood)]
    assert "nvidia" in gap.text


@pytest.mark.parametrize(
    "line", ["systemctl enable ${UNIT}", "systemctl restart containerd-${N}", "systemctl stop ${UNIT}"]
)
def test_what_starts_nothing_of_nvidias_leaves_no_gap(line: str) -> None:
    assert not [each for each in ran(line).effects if isinstance(each, NotUnderstood)]


@pytest.mark.parametrize(
    ("line", "reboots"),
    [
        ("reboot", True),
        ("reboot -f", True),
        ("reboot --poweroff", False),
        ("shutdown -r now", True),
        ("shutdown -r +1 'new driver'", True),
        ("shutdown -h now", False),
        ("shutdown -c", False),
        ("systemctl reboot", True),
        ("systemctl reboot -f", True),
        ("systemctl poweroff", False),
        ("init 6", True),
        ("init 0", False),
        ("telinit 6", True),
        ("kexec -e", True),
        ("kexec -l /boot/vmlinuz", False),
        ("cloud-init clean --logs --reboot", True),
        ("cloud-init status --wait", False),
    ],
)
def test_reboots(line: str, *, reboots: bool) -> None:
    (effect,) = ran(line).effects
    assert isinstance(effect, Reboots if reboots else Runs)


@pytest.mark.parametrize(
    ("line", "config", "endpoint"),
    [
        ("systemctl enable --now rke2-agent", "server: https://10.0.0.1:9345\n", "https://10.0.0.1:9345"),
        ("systemctl start rke2-agent", "token: x\nserver: 'https://rke2:9345'\n", "https://rke2:9345"),
        ("systemctl start rke2-agent", None, None),
        ("systemctl start rke2-server", "server: https://first:9345\n", "https://first:9345"),
    ],
)
def test_a_start_of_rke2_joins(line: str, config: str | None, endpoint: str | None) -> None:
    files = {} if config is None else {"/etc/rancher/rke2/config.yaml": config}
    (joins,) = [each for each in ran(line, files=files).effects if isinstance(each, Joins)]
    assert joins.how == "rke2"
    assert (joins.endpoint.shown() if joins.endpoint else None) == endpoint


def test_a_server_that_is_told_no_other_begins_a_cluster() -> None:
    assert not [each for each in ran("systemctl start rke2-server").effects if isinstance(each, Joins)]
