"""Whether a cache is trusted before the first pull, on boots told by hand."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Act, Effect, How, Installs, PullsImage, Stage
from nodeworthy.boot.text import Hole, Text
from nodeworthy.boot.userdata import PartKind
from nodeworthy.engine import Judgement
from nodeworthy.known.containerd import containerd_of, defaults, registries
from nodeworthy.rules.registry_trusted import RULE
from tests.boot.rules.boots import common, delete, gap, given, hole, joins, judged, reboot, script, text, unit, write
from tests.boot.rules2.fleets import HOST, in_fleet

CONFIG = defaults().config
CERTS = registries().hosts[0]
FILE = f"{CERTS}/{HOST}/hosts.toml"
RIGHT = (f'server = "http://{HOST}"', f'[host."http://{HOST}"]', 'capabilities = ["pull", "resolve"]')
AL2023 = "instanceType: p5.48xlarge"
UBUNTU = "instanceType: p5.48xlarge, os: ubuntu-22.04, containerd: '1.7'"
NEWER = "instanceType: p5.48xlarge, os: ubuntu-22.04, containerd: '2.2'"
NOBODY_KNOWS = "instanceType: p5.48xlarge, os: ubuntu-22.04"
SNAP = "gpu: h200, distribution: k8s-snap"
K3S = "gpu: h200, distribution: k3s"


def hosts(*lines: str, line: int = 5, path: str = FILE, **what: object) -> Effect:
    return write(line, *(lines or RIGHT), path=path, **what)


def installs(line: int, manager: str, *packages: str, **what: object) -> Installs:
    return Installs(manager=manager, packages=tuple(map(Text.of, packages)), **common(line, dict(what)))


def pulls(line: int, tool: str, image: str) -> PullsImage:
    return PullsImage(tool=tool, image=Text.of(image), **common(line, {}))


def of(pool: str, *effects: Effect | list[Effect]) -> Judgement:
    return judged(RULE, in_fleet(script(*effects), pool))


def says(pool: str, *effects: Effect | list[Effect]) -> str:
    judgement = of(pool, *effects)
    assert judgement.verdict == "fail", judgement
    assert len(judgement.findings) == 1, judgement.findings
    return judgement.findings[0].message


class TestTheFileItself:
    def test_a_right_one(self) -> None:
        assert of(AL2023, hosts()).verdict == "pass"

    def test_none(self) -> None:
        assert says(AL2023) == f"nothing tells containerd that {HOST} speaks plain HTTP"

    @pytest.mark.parametrize(
        "lines",
        [
            RIGHT[:1],
            RIGHT[1:],
            (f'server = "https://{HOST}"', *RIGHT[1:]),
            RIGHT[1:2],
            (*RIGHT, "skip_verify = true"),
            (f'[host."http://{HOST}"]', 'capabilities = ["Pull", "Resolve", "push"]'),
            ('[host."http://10.0.4.7:30500"]', 'capabilities = ["pull", "resolve"]'),
        ],
    )
    def test_forms_that_work(self, lines: tuple[str, ...]) -> None:
        assert of(AL2023, hosts(*lines)).verdict == "pass"

    @pytest.mark.parametrize(
        ("lines", "why"),
        [
            ((f'server = "https://{HOST}"', f'[host."https://{HOST}"]', "skip_verify = true"), "over https://"),
            ((f'server = "{HOST}"', f'[host."{HOST}"]'), "without http://"),
            ((f'[host."http://{HOST}"]', 'capabilities = ["push"]'), "does not let"),
            ((f'[host."http://{HOST}"]', 'capabilities = ["pull"]'), "does not let"),
            ((f'[host."http://{HOST}"]', 'capabilities = ["pull", "fetch"]'), "does not know"),
            ((f'[host."http://{HOST}"]', 'capabilities = "pull"'), "does not know"),
            ((f'[hosts."http://{HOST}"]', 'capabilities = ["pull"]'), "[hosts"),
            ((RIGHT[0], f"[host.http://{HOST}]"), "not TOML"),
            (("",), "over https://"),
            (('server = "http://"', '[host."http://"]'), "names no host"),
        ],
    )
    def test_forms_that_do_not(self, lines: tuple[str, ...], why: str) -> None:
        assert why in says(AL2023, hosts(*lines))

    def test_a_fault_has_its_line(self) -> None:
        (finding,) = of(AL2023, hosts(RIGHT[0], f'[host."http://{HOST}"]', "capabilities = [pull]")).findings
        assert finding.where.line == 5
        assert finding.related[0].says == "the fleet says that every node must trust it"

    def test_a_hole_in_it(self) -> None:
        scheme = text('server = "', hole("SCHEME"), f'{HOST}"')
        assert of(AL2023, write(5, scheme, path=FILE)).verdict == "unknown"
        assert of(AL2023, write(5, text(f'server = "http://{HOST}/', hole("PATH"), '"'), path=FILE)).verdict == "pass"
        assert of(AL2023, write(5, text(hole("BODY")), path=FILE)).verdict == "unknown"


class TestWhereItLies:
    @pytest.mark.parametrize("name", ["cache.infra.svc.cluster.local", "cache.infra.svc.cluster.local_5000"])
    def test_almost_the_name(self, name: str) -> None:
        assert "another name" in says(AL2023, hosts(path=f"{CERTS}/{name}/hosts.toml"))

    def test_the_default(self) -> None:
        assert of(AL2023, hosts(path=f"{CERTS}/_default/hosts.toml")).verdict == "pass"

    def test_for_what_it_mirrors_alone(self) -> None:
        mirror = hosts(line=4, path=f"{CERTS}/ghcr.io/hosts.toml")
        [found] = of(AL2023, mirror).findings
        assert found.message.startswith(f"{HOST} is told to containerd for images of ghcr.io alone, and not by its own")
        assert found.where.line == 4
        assert of(AL2023, mirror, hosts()).verdict == "pass"
        by_https = hosts('server = "https://ghcr.io"', f'[host."https://{HOST}"]', path=f"{CERTS}/ghcr.io/hosts.toml")
        assert "over https://" in says(AL2023, by_https, hosts(line=9))

    def test_a_folder_that_this_containerd_does_not_read(self) -> None:
        assert "does not look" in says(SNAP, hosts())
        folder = containerd_of("k8s-snap").registry_hosts[0]
        assert of(SNAP, hosts(path=f"{folder}/{HOST}/hosts.toml")).verdict == "pass"

    def test_a_name_that_is_not_known(self) -> None:
        path = text(f"{CERTS}/", hole("REGISTRY"), "/hosts.toml")
        assert of(AL2023, write(5, *RIGHT, path=path)).verdict == "unknown"

    def test_something_that_was_not_understood(self) -> None:
        assert of(AL2023, gap(4, f"cat > {FILE} <<")).verdict == "unknown"
        assert of(AL2023, gap(4, "case esac")).verdict == "fail"


class TestWhen:
    def test_after_the_join(self) -> None:
        assert "only after the node has joined" in says(AL2023, joins(3), hosts())

    def test_under_a_condition(self) -> None:
        assert "only if $DEBUG" in says(AL2023, hosts(conditions=given("$DEBUG")), joins(9))
        assert of(AL2023, hosts(conditions=given("$GPU")), joins(9, conditions=given("$GPU"))).verdict == "pass"

    def test_asked_of_itself(self) -> None:
        guard = given(f"! -f {FILE}", files=[FILE])
        assert of(AL2023, hosts(conditions=guard), joins(9)).verdict == "pass"

    def test_deleted_again(self) -> None:
        assert "is deleted again" in says(AL2023, hosts(), delete(7, CERTS), joins(9))

    def test_pulled_before(self) -> None:
        assert "before containerd knows" in says(AL2023, pulls(2, "crictl", f"{HOST}/a/b:1"), hosts())
        assert of(AL2023, hosts(), pulls(8, "crictl", f"{HOST}/a/b:1")).verdict == "pass"


class TestConfigPath:
    SET = (
        "version = 2",
        '[plugins."io.containerd.grpc.v1.cri".registry]',
        f'config_path = "{CERTS}"',
    )

    def test_nobody_sets_it(self) -> None:
        assert "containerd does not look into" in says(UBUNTU, hosts())
        assert of(NEWER, hosts()).verdict == "pass"
        assert of(NOBODY_KNOWS, hosts()).verdict == "unknown"

    def test_written_and_restarted(self) -> None:
        config = write(6, *self.SET, path=CONFIG)
        assert "not restarted" in says(UBUNTU, hosts(), config)
        assert of(UBUNTU, hosts(), config, unit(7, "containerd", Act.RESTART)).verdict == "pass"
        assert of(UBUNTU, hosts(), config, reboot(7)).verdict == "pass"

    def test_a_start_of_what_runs(self) -> None:
        steps = [hosts(), write(6, *self.SET, path=CONFIG), *unit(7, "containerd", Act.ENABLE, Act.START)]
        assert of(UBUNTU, installs(1, "dnf", "containerd"), *steps).verdict == "pass"
        assert "does nothing" in says(UBUNTU, installs(1, "apt", "containerd.io"), *steps)

    def test_restarted_too_late(self) -> None:
        config = write(6, *self.SET, path=CONFIG)
        assert "not restarted" in says(UBUNTU, hosts(), config, joins(7), unit(8, "containerd", Act.RESTART))

    @pytest.mark.parametrize(
        ("release", "expression", "verdict"),
        [
            ("1.7", f's|config_path = ""|config_path = "{CERTS}"|', "pass"),
            ("2.1", f's|config_path = ""|config_path = "{CERTS}"|', "fail"),
            ("2.1", f"s|config_path = ''|config_path = '{CERTS}'|", "pass"),
            ("2.1", rf's|config_path = .*|config_path = "{CERTS}"|g', "pass"),
            ("1.7", rf's#\(config_path = \)""#\1"{CERTS}"#', "fail"),
            ("1.7", "s|SystemdCgroup = false|SystemdCgroup = true|", "fail"),
        ],
    )
    def test_edited_into_the_default(self, release: str, expression: str, verdict: str) -> None:
        default = write(3, text(hole("(containerd config default)")), path=CONFIG, command="containerd config default")
        edit = write(6, path=CONFIG, how=How.EDIT, content=None, expressions=(Text.of(expression),))
        pool = UBUNTU.replace("1.7", release)
        assert of(pool, hosts(), default, edit, unit(7, "containerd", Act.RESTART)).verdict == verdict

    def test_a_config_of_ones_own_loses_it(self) -> None:
        own = write(6, "version = 2", path=CONFIG)
        al2 = "instanceType: p5.48xlarge, os: al2, containerd: '1.7'"
        assert of(al2, hosts()).verdict == "pass"
        assert "does not look into" in says(al2, hosts(), own, unit(7, "containerd", Act.RESTART))

    def test_only_under_a_condition(self) -> None:
        config = write(6, *self.SET, path=CONFIG, conditions=given("$OLD"))
        assert "containerd does not look" in says(UBUNTU, hosts(), config, unit(7, "containerd", Act.RESTART))


class TestOthers:
    def test_a_mirror_of_the_config_itself(self) -> None:
        table = f'[plugins."io.containerd.grpc.v1.cri".registry.mirrors."{HOST}"]'
        old = write(3, "version = 2", table, f'endpoint = ["http://{HOST}"]', path=CONFIG)
        assert of(UBUNTU, old, unit(7, "containerd", Act.RESTART)).verdict == "pass"
        every = write(3, "version = 2", table.replace(HOST, "*"), f'endpoint = ["http://{HOST}"]', path=CONFIG)
        assert of(UBUNTU, every, unit(7, "containerd", Act.RESTART)).verdict == "pass"
        mirror = write(3, "version = 2", table.replace(HOST, "ghcr.io"), f'endpoint = ["http://{HOST}"]', path=CONFIG)
        assert of(UBUNTU, mirror, unit(7, "containerd", Act.RESTART)).verdict == "fail"
        secure = write(3, "version = 2", table, f'endpoint = ["https://{HOST}"]', path=CONFIG)
        assert of(UBUNTU, secure, unit(7, "containerd", Act.RESTART)).verdict == "fail"

    def test_k3s(self) -> None:
        path = containerd_of("k3s").registries or ""
        right = ("mirrors:", f'  "{HOST}":', "    endpoint:", f'      - "http://{HOST}"')
        assert of(K3S, write(3, *right, path=path), joins(5, "k3s")).verdict == "pass"
        assert "nothing tells k3s" in says(K3S, joins(5, "k3s"), write(6, *right, path=path))
        https = ("mirrors:", f'  "{HOST}":', "    endpoint:", f'      - "https://{HOST}"')
        assert "no http:// endpoint" in says(K3S, write(3, *https, path=path), joins(5, "k3s"))
        mirror = ("mirrors:", "  ghcr.io:", "    endpoint:", f'      - "http://{HOST}"')
        assert "for images of ghcr.io alone" in says(K3S, write(3, *mirror, path=path), joins(5, "k3s"))
        assert of(K3S, write(3, *mirror, *right[1:], path=path), joins(5, "k3s")).verdict == "pass"
        every = ("mirrors:", '  "*":', "    endpoint:", f'      - "http://{HOST}"')
        assert of(K3S, write(3, *every, path=path), joins(5, "k3s")).verdict == "pass"
        assert "not YAML" in says(K3S, write(3, "mirrors: [", path=path), joins(5, "k3s"))

    def test_docker(self) -> None:
        path = "/etc/docker/daemon.json"
        right = write(3, f'{{"insecure-registries": ["{HOST}"]}}', path=path)
        comes = [installs(1, "dnf", "docker"), *unit(9, "docker", Act.ENABLE, Act.START)]
        assert of(AL2023, hosts(), right, *comes).verdict == "pass"
        assert "Docker is not told" in says(AL2023, hosts(), *comes)
        broken = write(3, f'{{"insecure-registries": ["{HOST}"],}}', path=path)
        assert "not JSON" in says(AL2023, hosts(), broken, *comes)
        other = write(3, f'{{"insecure-registries": ["http://{HOST}"]}}', path=path)
        assert "does not name" in says(AL2023, hosts(), other, *comes)
        option = write(3, f'OPTIONS="--insecure-registry={HOST}"', path="/etc/sysconfig/docker")
        assert of(AL2023, hosts(), option, *comes).verdict == "pass"
        runs = installs(1, "apt", "docker.io")
        assert "nothing restarts it" in says(AL2023, runs, hosts(), right)
        assert of(AL2023, runs, hosts(), right, unit(9, "docker", Act.RESTART)).verdict == "pass"


class TestWithoutAFleet:
    def test_nothing_to_judge(self) -> None:
        assert judged(RULE, script(joins(3))).verdict == "skip"

    def test_what_it_writes_must_work(self) -> None:
        assert judged(RULE, script(hosts(), joins(9))).verdict == "pass"
        assert judged(RULE, script(hosts(*RIGHT[:1], '[host."http://x"]', "capabilities = 3"))).verdict == "fail"
        mirror = hosts('server = "https://registry-1.docker.io"', '[host."https://mirror.example.com"]')
        assert judged(RULE, script(mirror)).verdict == "pass"

    def test_nobody_sets_config_path(self) -> None:
        pinned = installs(1, "apt", "containerd.io=1.7.27-1")
        assert judged(RULE, script(pinned, hosts(), joins(9, "kubeadm"))).verdict == "fail"
        assert judged(RULE, script(hosts(), joins(9, "kubeadm"))).verdict == "unknown"
        nodeadm = script(hosts(), joins(1, "nodeadm", tells=True), kind=PartKind.NODE_CONFIG)
        assert judged(RULE, nodeadm).verdict == "pass"


class TestWhatNodeadmIsTold:
    TABLE = "[plugins.'io.containerd.cri.v1.images'.registry]"

    def told(self, *folder: str | Hole) -> Effect:
        line = text('config_path = "', *folder, '"')
        return write(2, self.TABLE, line, path=CONFIG, how=How.APPEND, stage=Stage.NODEADM_RUN)

    def test_it_names_the_folder(self) -> None:
        assert of(AL2023, hosts(), self.told(":".join(registries().hosts))).verdict == "pass"

    def test_it_names_another_one(self) -> None:
        assert "lies where this containerd does not look" in says(AL2023, hosts(), self.told("/etc/mirrors.d"))

    def test_which_one_is_not_known(self) -> None:
        assert of(AL2023, hosts(), self.told(hole("FOLDER"))).verdict == "unknown"
