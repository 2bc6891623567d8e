"""Whether shared storage is there and keeps no boot waiting, on boots told by hand."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Act, Effect, Failure, How, Mounts, Stage
from nodeworthy.boot.text import Text
from nodeworthy.engine import Judgement
from nodeworthy.facts.boot.storage_mounts import unit_named_for
from nodeworthy.rules.shared_storage_mounted import RULE
from tests.boot.rules.boots import common, gap, given, hole, joins, judged, runs, script, text, unit, write
from tests.boot.rules2.fleets import in_fleet

STORAGE = "storage: {kind: efs, mount: /shared}"
POOL = "instanceType: p5.48xlarge"
UNIT = "/etc/systemd/system/shared.mount"


def entry(line: str | Text, number: int = 4, **what: object) -> Effect:
    return write(number, line, path="/etc/fstab", how=How.APPEND, **what)


def mounts(number: int, kind: str, where: str = "/shared", **what: object) -> Mounts:
    told = {"what": "fs-1:/", "where": where, "kind": kind, "options": "defaults"}
    return Mounts(**{key: Text.of(value) for key, value in told.items()}, **common(number, dict(what)))  # type: ignore[arg-type]


def of(*effects: Effect | list[Effect]) -> Judgement:
    return judged(RULE, in_fleet(script(*effects), POOL, STORAGE))


def alone(*effects: Effect | list[Effect]) -> Judgement:
    return judged(RULE, script(*effects))


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("10.0.0.4:/x /shared nfs4 nfsvers=4.1,nofail 0 0", "pass"),
        ("10.0.0.4:/x /shared nfs4 nfsvers=4.1,_netdev 0 0", "fail"),
        ("10.0.0.4:/x /shared nfs defaults 0 0", "fail"),
        ("fs-1:/ /shared efs _netdev,nofail,tls 0 0", "pass"),
        ("fs-1:/ /shared efs nofail,tls 0 0", "fail"),
        ("fs-1:/ /shared efs tls 0 0", "fail"),
        ("fs-1@tcp:/x /shared lustre nofail,noatime 0 0", "fail"),
        ("s3fs#b /shared fuse.s3fs _netdev,nofail 0 0", "pass"),
        ("s3fs#b /shared fuse allow_other 0 0", "fail"),
        ("/dev/sdb1 /data fuse allow_other 0 0", "skip"),
        ("host:/tag /data virtiofs defaults 0 0", "skip"),
        ("10.0.0.4:/x /shared nfs4 x-systemd.automount 0 0", "pass"),
        ("/dev/nvme1n1 /shared xfs defaults 0 0", "skip"),
    ],
)
def test_entries(line: str, verdict: str) -> None:
    assert alone(entry(line)).verdict == verdict


def test_a_hole_in_the_options() -> None:
    assert alone(entry(text("fs-1:/ /shared efs ", hole("OPTIONS"), " 0 0"))).verdict == "unknown"
    assert alone(entry(text("fs-1:/ /shared efs nofail,_netdev,", hole("MORE"), " 0 0"))).verdict == "pass"


def test_what_is_said() -> None:
    (finding,) = alone(entry("fs-1:/ /shared efs tls 0 0")).findings
    assert finding.message == "the fstab entry of /shared (efs) has no nofail and no _netdev"
    assert finding.should == "tls,nofail,_netdev"


class TestUnits:
    FINE = ("[Mount]", "What=fs-1:/", "Where=/shared", "Type=nfs4", "[Install]", "WantedBy=multi-user.target")

    def test_a_right_one(self) -> None:
        enabled = unit(6, "shared.mount", Act.ENABLE)
        assert of(write(4, *self.FINE, path=UNIT), enabled).verdict == "pass"
        assert of(write(4, *self.FINE, path=UNIT)).verdict == "fail"

    @pytest.mark.parametrize(
        ("old", "new"),
        [("WantedBy", "RequiredBy"), ("/shared", "/mnt/shared"), ("nfs4", "efs")],
    )
    def test_wrong_ones(self, old: str, new: str) -> None:
        lines = [line.replace(old, new) for line in self.FINE]
        assert alone(write(4, *lines, path=UNIT)).verdict == "fail"

    def test_names(self) -> None:
        assert unit_named_for("/mnt/fast-data/") == "mnt-fast\\x2ddata.mount"


class TestNow:
    def test_it_ends_the_script(self) -> None:
        assert alone(mounts(4, "nfs4"), joins(9, "bootstrap.sh")).verdict == "fail"
        assert alone(mounts(4, "nfs4", failure=Failure.REPORTED), joins(9, "bootstrap.sh")).verdict == "pass"
        assert alone(joins(3, "bootstrap.sh"), mounts(4, "nfs4")).verdict == "pass"
        told = joins(1, tells=True, stage=Stage.NODEADM_CONFIG)
        assert alone(told, mounts(4, "nfs4")).verdict == "pass"


class TestOfTheFleet:
    RIGHT = "fs-1:/ /shared efs _netdev,nofail,tls 0 0"

    def test_it_is_there(self) -> None:
        assert of(entry(self.RIGHT)).verdict == "pass"
        assert of(entry(self.RIGHT.replace("/shared", "/shared/"))).verdict == "pass"
        assert of(joins(3)).verdict == "fail"
        assert of(entry(self.RIGHT.replace("/shared", "/data"))).verdict == "fail"

    def test_it_is_there_after_a_reboot(self) -> None:
        now = mounts(4, "efs", failure=Failure.REPORTED)
        assert of(now).verdict == "fail"
        assert of(mounts(4, "efs", failure=Failure.REPORTED, stage=Stage.BOOTHOOK)).verdict == "pass"
        assert of(entry("fs-1:/ /shared efs noauto,nofail,_netdev 0 0")).verdict == "fail"

    def test_it_is_there_on_every_way(self) -> None:
        assert of(entry(self.RIGHT, conditions=given("$EFS_ID")), joins(9)).verdict == "fail"
        asked = given("! grep -q /shared /etc/fstab", files=["/etc/fstab"])
        assert of(entry(self.RIGHT, conditions=asked), joins(9)).verdict == "pass"

    def test_other_ways(self) -> None:
        put_in = Text.of(f"$ a {self.RIGHT}")
        assert of(write(4, path="/etc/fstab", how=How.EDIT, content=None, expressions=(put_in,))).verdict == "pass"
        assert of(write(4, "/shared -fstype=nfs4 fs-1:/", path="/etc/auto.direct")).verdict == "pass"
        mounted = write(4, *TestUnits.FINE, path=UNIT)
        assert of(mounted, unit(6, "shared.automount", Act.ENABLE)).verdict == "pass"

    def test_a_program_that_nobody_has_read(self) -> None:
        assert of(runs(4, "/opt/mount-storage.sh", "/shared")).verdict == "unknown"

    def test_twice(self) -> None:
        assert of(entry(self.RIGHT), entry(self.RIGHT, 8)).verdict == "fail"

    def test_not_known(self) -> None:
        assert of(gap(4, "cat >> /etc/fstab <<")).verdict == "unknown"
        where = entry(text("fs-1:/ ", hole("MOUNT"), " efs _netdev,nofail 0 0"))
        assert of(where).verdict == "unknown"


@pytest.mark.parametrize(
    ("step", "verdict"),
    [
        (write(8, "/dev/xvda1 / xfs defaults 0 0", path="/etc/fstab"), "fail"),
        (write(8, "/dev/xvda1 / xfs defaults 0 0", path="/etc/fstab", conditions=given("[ -n $X ]")), "unknown"),
        (write(8, "fs-2:/ /shared efs _netdev,nofail 0 0", path="/etc/fstab"), "pass"),
        (write(8, path="/etc/fstab", content=None, whole=None), "unknown"),
        (write(8, path="/etc/fstab", how=How.DELETE), "fail"),
        (write(8, "tmpfs /tmp tmpfs defaults 0 0", path="/etc/fstab", how=How.APPEND), "pass"),
        (write(8, path="/etc/fstab", how=How.EDIT, expressions=(text("/shared/d"),)), "fail"),
        (write(8, path="/etc/fstab", how=How.EDIT, expressions=(text("s,^fs-,#&,"),)), "fail"),
        (write(8, path="/etc/fstab", how=How.EDIT, expressions=(text("/swap/d"),)), "pass"),
        (write(8, path="/etc/fstab", how=How.EDIT, expressions=(text("$d"),)), "pass"),
    ],
)
def test_a_line_that_is_taken_out_again_mounts_nothing(step: Effect, verdict: str) -> None:
    assert of(entry("fs-1:/ /shared efs _netdev,nofail,tls 0 0"), step, joins(9)).verdict == verdict


@pytest.mark.parametrize("stage", [Stage.SCRIPTS, Stage.NODEADM_RUN])
def test_a_mount_that_is_tried_for_ever_keeps_the_node_from_joining(stage: Stage) -> None:
    line = entry("fs-1:/ /shared efs _netdev,nofail,tls 0 0")
    tried = mounts(8, "", failure=Failure.REPEATED)
    assert of(line, tried, joins(9, stage=stage)).verdict == "fail"
    assert of(line, joins(7, stage=Stage.SCRIPTS), tried).verdict == "pass"
    assert of(line, mounts(8, "", failure=Failure.REPORTED), joins(9, stage=stage)).verdict == "pass"
    local = mounts(8, "xfs", "/data", failure=Failure.REPEATED)
    assert of(line, local, joins(9, stage=stage)).verdict == "pass"
