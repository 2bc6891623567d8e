"""Whether containerd reads what a boot writes for it, on boots told by hand."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Act, Effect, How, Stage
from nodeworthy.boot.text import Text
from nodeworthy.boot.userdata import PartKind
from nodeworthy.engine import Judgement
from nodeworthy.known.containerd import defaults, registries
from nodeworthy.rules.containerd_config_read import RULE
from tests.boot.rules.boots import hole, joins, judged, script, text, unit, write
from tests.boot.rules2.fleets import in_fleet

CONFIG, DROP_IN = defaults().config, defaults().drop_in
IMPORTS = f'imports = ["{DROP_IN.rpartition("/")[0]}/*.toml"]'
OLD, NEW = "io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images"
FILE_OF = {
    (version, name): (
        *([f"version = {version}"] if version else []),
        f'[plugins."{name}".registry]',
        'config_path = "/x"',
    )
    for version in (0, 2, 3, 4)
    for name in (OLD, NEW)
}


def pool(version: str | None = None, os: str = "ubuntu-22.04") -> str:
    release = f", containerd: '{version}'" if version else ""
    return f"instanceType: p5.48xlarge, os: {os}{release}"


def of(pool: str, *effects: Effect | list[Effect]) -> Judgement:
    return judged(RULE, in_fleet(script(*effects), pool, ""))


def says(judgement: Judgement) -> str:
    assert judgement.verdict == "fail", judgement
    assert len(judgement.findings) == 1, judgement.findings
    return judgement.findings[0].message


def node_config(*config: str) -> Judgement:
    merged = write(7, *config, path=CONFIG, how=How.APPEND, stage=Stage.NODEADM_RUN)
    made = script(joins(1, tells=True), merged, kind=PartKind.NODE_CONFIG)
    return judged(RULE, in_fleet(made, pool("2.1", "al2023"), ""))


@pytest.mark.parametrize(
    ("version", "name", "release", "verdict"),
    [
        (2, OLD, "1.7", "pass"),
        (2, OLD, "2.1", "pass"),
        (2, OLD, None, "pass"),
        (3, NEW, "2.2", "pass"),
        (3, NEW, None, "pass"),
        (4, NEW, "2.3", "pass"),
        (3, OLD, "2.2", "fail"),
        (3, OLD, "2.3", "pass"),
        (3, OLD, None, "unknown"),
        (2, NEW, "1.7", "fail"),
        (0, OLD, "1.7", "fail"),
        (0, OLD, "2.0", "fail"),
        (0, OLD, "2.3", "pass"),
        (4, OLD, "2.3", "fail"),
        (4, NEW, "2.2", "fail"),
    ],
)
def test_schemas(version: int, name: str, release: str | None, verdict: str) -> None:
    made = write(3, *FILE_OF[version, name], path=CONFIG)
    assert of(pool(release), made).verdict == verdict


def test_the_release_may_not_be_known() -> None:
    (finding,) = of(pool(), write(3, *FILE_OF[3, OLD], path=CONFIG)).findings
    assert finding.message.startswith("containerd 2.0 to 2.2 ignores")


def test_it_does_not_parse() -> None:
    assert "not TOML" in says(of(pool(), write(3, "version = 2", "[plugins.", path=CONFIG)))


class TestRegistries:
    MIRRORS = (f'[plugins."{OLD}".registry.mirrors."docker.io"]', 'endpoint = ["https://mirror.example.com"]')

    def test_beside_config_path(self) -> None:
        both = write(3, *FILE_OF[2, OLD], *self.MIRRORS, path=CONFIG)
        assert "beside config_path" in says(of(pool("1.7"), both))
        tls = (f'[plugins."{OLD}".registry.configs."a:5000".tls]', "insecure_skip_verify = true")
        assert "`configs`" in says(of(pool("1.7"), write(3, *FILE_OF[2, OLD], *tls, path=CONFIG)))

    def test_alone_and_empty(self) -> None:
        assert of(pool("1.7"), write(3, "version = 2", *self.MIRRORS, path=CONFIG)).verdict == "pass"
        empty = (f'[plugins."{OLD}".registry.mirrors]', f'[plugins."{OLD}".registry.auths]')
        assert of(pool("1.7"), write(3, *FILE_OF[2, OLD], *empty, path=CONFIG)).verdict == "pass"

    def test_over_nodeadms_own(self) -> None:
        judgement = node_config("version = 2", *self.MIRRORS)
        assert "nodeadm sets" in says(judgement)
        assert judgement.findings[0].where.line == 7
        emptied = (f'[plugins."{OLD}".registry]', 'config_path = ""')
        assert node_config("version = 2", *emptied, *self.MIRRORS).verdict == "pass"

    def test_a_node_config_without_a_version(self) -> None:
        assert "what nodeadm lays it over" in says(node_config(f'[plugins."{OLD}".containerd]', "snapshotter = 'x'"))


class TestDropIns:
    RUNTIME = (f'[plugins."{OLD}".containerd.runtimes.nvidia]', 'runtime_type = "io.containerd.runc.v2"')

    def test_imported_or_not(self) -> None:
        dropped = write(5, "version = 2", *self.RUNTIME, path=DROP_IN)
        assert "nothing imports" in says(of(pool("2.1"), write(3, "version = 2", path=CONFIG), dropped))
        assert of(pool("2.1"), write(3, "version = 2", IMPORTS, path=CONFIG), dropped).verdict == "pass"
        assert of(pool("2.1"), dropped).verdict == "unknown"

    def test_by_the_image(self) -> None:
        dropped = write(5, "version = 2", *self.RUNTIME, path=DROP_IN)
        assert "eks-al2023 imports no drop-ins" in says(of(pool("2.1", "al2023"), dropped))
        assert "eks-al2 imports only what lies in" in says(of(pool("1.7", "al2"), dropped))

    def test_by_the_default(self) -> None:
        default = write(3, text(hole("(containerd config default)")), path=CONFIG, command="containerd config default")
        dropped = write(5, "version = 3", path=DROP_IN)
        assert of(pool("2.2"), default, dropped).verdict == "pass"
        assert "does not import" in says(of(pool("2.0"), default, dropped))
        edit = write(4, path=CONFIG, how=How.EDIT, content=None, expressions=(Text.of(f"s|imports = .*|{IMPORTS}|"),))
        assert of(pool("2.0"), default, edit, dropped, unit(6, "containerd", Act.RESTART)).verdict == "pass"

    def test_versions_apart(self) -> None:
        # Its runtimes are lost beside runtimes of the root's own, and only there: so did 2.2.9.
        runc = '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]'
        root = write(3, "version = 3", IMPORTS, runc, 'runtime_type = "io.containerd.runc.v2"', path=CONFIG)
        older = write(5, "version = 2", *self.RUNTIME, path=DROP_IN)
        assert "loses the runtimes" in says(of(pool("2.2"), root, older))
        assert of(pool("2.2"), write(3, "version = 3", IMPORTS, path=CONFIG), older).verdict == "pass"
        newer = write(5, "version = 4", path=DROP_IN)
        assert of(pool("2.3"), root, newer).verdict == "unknown"

    def test_the_section_is_replaced(self) -> None:
        root = write(3, *FILE_OF[2, OLD][:1], IMPORTS, *FILE_OF[2, OLD][1:], path=CONFIG)
        dropped = write(5, "version = 2", *self.RUNTIME, path=DROP_IN)
        assert "registry.config_path" in says(of(pool("1.6"), root, dropped))
        assert of(pool("2.2"), root, dropped).verdict == "pass"


def test_nothing_is_written() -> None:
    assert judged(RULE, script(joins(3))).verdict == "skip"
    assert registries().hosts_since
