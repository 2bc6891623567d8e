"""Files of a node are known by what stands in them, whatever they are called, and nothing else is taken for one."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from nodeworthy.collect.source.file_marks import node_file
from nodeworthy.facts.node.paths import NodeFileKind, spot_of
from nodeworthy.known.containerd import containerd_of, defaults
from tests.run import run, run_json

CONFIG = defaults().config
DROP_IN = defaults().drop_in
CERTS = f"{CONFIG.rpartition('/')[0]}/certs.d"
HOSTS = CERTS.replace("certs.d", "hosts.d")
K0S = str(containerd_of("k0s").config)
OLD = f'[plugins."io.containerd.grpc.v1.cri".registry]\n  config_path = "{CERTS}"\n'

KNOWN = {
    f"version = 2\n{OLD}": NodeFileKind.CONFIG,
    f"\ufeffversion = 2\r\n{OLD}": NodeFileKind.CONFIG,
    f"version = 2\n{OLD}x = [\n": NodeFileKind.CONFIG,
    'version = 3\nimports = ["/etc/containerd/conf.d/*.toml"]\n': NodeFileKind.CONFIG,
    '[plugins.cri.containerd]\nsnapshotter = "overlayfs"\n': NodeFileKind.CONFIG,
    f'{{{{ template "base" . }}}}\n\n{OLD}': NodeFileKind.CONFIG,
    f"{{% if containerd_version %}}\nversion = 2\n{{% endif %}}\n{OLD}": NodeFileKind.CONFIG,
    'server = "https://ghcr.io"\n': NodeFileKind.HOSTS,
    '# a mirror\n[host."http://cache:5000"]\n': NodeFileKind.HOSTS,
    '[host."http://cache:5000"]\ncapabilities = ["pull"\n': NodeFileKind.HOSTS,
    '[hosts."http://cache:5000"]\ncapabilities = ["pull"]\n': NodeFileKind.HOSTS,
    '{"insecure-registries": ["cache:5000"]}': NodeFileKind.DOCKER,
    '{\n  "exec-opts": ["native.cgroupdriver=systemd"],\n}\n': NodeFileKind.DOCKER,
    '---\nmirrors:\n  docker.io:\n    endpoint: ["http://cache:5000"]\n': NodeFileKind.REGISTRIES,
    'mirrors:\n  "*":\n': NodeFileKind.REGISTRIES,
    "mirrors:\n  ghcr.io: [http://cache:5000]\n": NodeFileKind.REGISTRIES,
    "mirrors:\n  ghcr.io:\n    endpoints: [http://cache:5000]\n": NodeFileKind.REGISTRIES,
    "configs:\n  nvcr.io:\n    auth: {username: u, password: p}\n": NodeFileKind.REGISTRIES,
    "options nvidia NVreg_RestrictProfilingToAdminUsers=0\n": NodeFileKind.MODPROBE,
    "option nvidia NVreg_RestrictProfilingToAdminUsers=0\n": NodeFileKind.MODPROBE,
    "# none\nblacklist nouveau\noptions nouveau modeset=0\n": NodeFileKind.MODPROBE,
}
OTHERS = [
    f"#!/bin/bash\ncat > {CONFIG} <<EOF\n{OLD}EOF\n",
    f"VERSION=2\ncat > {CONFIG} <<EOF\nversion = 2\n{OLD}EOF\nsystemctl restart containerd\n",
    f"# How to\n\nWrite this:\n\n```toml\nversion = 2\n{OLD}```\n",
    f'CONFIG = """\n{OLD}"""\n',
    f"locals {{\n  config = <<EOF\n{OLD}EOF\n}}\n",
    "kind: Cluster\ncontainerdConfigPatches:\n- |-\n  " + OLD.replace("\n", "\n  "),
    f"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  containerd:\n    config: |\n      {OLD}",
    'server = "http://example.com"\nport = 3\n',
    '[project]\nname = "x"\nimports = ["a"]\nversion = 1\n',
    'version = 1\nimports = ["a"]\n',
    "mirrors: [a, b]\n",
    "mirrors:\n  spack-public: https://mirror.spack.io\n",
    "configs:\n  grafana:\n    auth: {x: y}\n",
    "options nvidia is what you need\nblacklist nouveau as well\n",
    '{"$schema": "https://example.com/schema", "log-driver": "x"}',
    "\x00NVreg_\xff",
    "",
]


@pytest.mark.parametrize("text", KNOWN)
@pytest.mark.parametrize("name", ["config.toml", "-", "files/whatever", "a.conf.j2"])
def test_they_are_known_by_their_content(text: str, name: str) -> None:
    found = node_file(text.encode(), name)
    assert found is not None
    assert found.kind is KNOWN[text]


@pytest.mark.parametrize("text", OTHERS)
def test_nothing_else_is_one(text: str) -> None:
    assert node_file(text.encode("latin-1"), "whatever.txt") is None


@pytest.mark.parametrize(
    ("kind", "shown", "path", "root"),
    [
        (NodeFileKind.CONFIG, f"files{CONFIG}", CONFIG, "/files"),
        (NodeFileKind.CONFIG, f"{DROP_IN[1:]}.j2", DROP_IN, ""),
        (NodeFileKind.CONFIG, "containerd/config.toml", CONFIG, "containerd"),
        (NodeFileKind.CONFIG, "containerd/conf.d/a.toml", "/etc/containerd/conf.d/a.toml", "containerd"),
        (NodeFileKind.CONFIG, "gpu.toml", CONFIG, "gpu.toml"),
        (NodeFileKind.CONFIG, f"x{K0S}", K0S, "/x"),
        (NodeFileKind.HOSTS, "containerd/certs.d/a:5/hosts.toml", f"{CERTS}/a:5/hosts.toml", "containerd"),
        (NodeFileKind.HOSTS, f"{HOSTS[1:]}/a/hosts.toml", f"{HOSTS}/a/hosts.toml", ""),
        (NodeFileKind.HOSTS, "ghcr.io/hosts.toml", f"{CERTS}/ghcr.io/hosts.toml", "ghcr.io/hosts.toml"),
        (NodeFileKind.HOSTS, "-", f"{CERTS}/HOST/hosts.toml", "-"),
        (NodeFileKind.DOCKER, "a/daemon.json", "/etc/docker/daemon.json", "a/daemon.json"),
        (NodeFileKind.MODPROBE, "x/modprobe.d/nvidia", "/etc/modprobe.d/nvidia", "x"),
        (NodeFileKind.MODPROBE, "templates/nvidia.conf.j2", "/etc/modprobe.d/nvidia.conf", "templates/nvidia.conf.j2"),
    ],
)
def test_where_they_lie(kind: NodeFileKind, shown: str, path: str, root: str) -> None:
    spot = spot_of(kind, shown)
    assert (spot.path, spot.root) == (path, root)


def test_from_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"options nvidia NVreg_RestrictProfilingToAdminUser=0\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    ran = run_json("check", "-", cwd=tmp_path)
    assert [each["rule"] for each in ran.findings] == ["profiling-before-driver"]
    assert ran.findings[0]["where"]["path"] == "-"


def test_a_comment_suppresses(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        f"version = 4\n# nodeworthy: ignore containerd-config-read it is for a containerd of our own\n{OLD}"
    )
    ran = run_json("check", ".", cwd=tmp_path)
    assert ran.code == 0
    assert [each["suppressed"] for each in ran.findings] == [True]


def test_odd_types_crash_nothing(tmp_path: Path) -> None:
    for number, body in enumerate(
        [
            '[plugins."io.containerd.grpc.v1.cri"]\nregistry = 1\ncontainerd = "x"\n',
            '[plugins."io.containerd.grpc.v1.cri".registry]\nmirrors = ["x"]\nconfigs = 3\nconfig_path = 3\n',
            '[plugins."io.containerd.grpc.v1.cri".containerd]\ndefault_runtime_name = "nvidia"\nruntimes = ["x"]\n',
            '[[plugins."io.containerd.grpc.v1.cri"]]\nregistry = 1\n',
        ]
    ):
        (tmp_path / f"{number}.toml").write_text(f"version = 3\nimports = [3]\n{body}")
    (tmp_path / "hosts.toml").write_text('server = "x"\nhost = ["x"]\ncapabilities = 3\n')
    (tmp_path / "daemon.json").write_text('{"insecure-registries": {"a": 1}, "log-driver": 3}')
    (tmp_path / "registries.yaml").write_text('mirrors:\n  a: {endpoint: "x"}\n  3: {endpoint: [3]}\nconfigs: []\n')
    ran = run_json("check", ".", cwd=tmp_path)
    assert not [each for each in ran.findings if each["verdict"] == "error"]


# Each with the line at which it can't be read.
BROKEN = {
    "config.toml": (f'version = 2\n{OLD}  sandbox_image = "pause:3.9\n', 4),
    "conf.d/99-nvidia.toml": (f"version = 2\n{OLD}x = [\n", 4),
    "certs.d/cache:5000/hosts.toml": ('server = "http://cache:5000"\n[host."http://cache:5000"\n', 2),
    "daemon.json": ('{\n  "exec-opts": ["native.cgroupdriver=systemd"]\n  "live-restore": true\n}\n', 3),
    "registries.yaml": ('mirrors:\n  docker.io:\n    endpoint: ["http://cache:5000"\nconfigs: {}\n', 4),
}


@pytest.mark.parametrize("name", BROKEN)
def test_one_that_was_named_and_does_not_parse_is_a_mistake(tmp_path: Path, name: str) -> None:
    text, line = BROKEN[name]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    ran = run("check", name, cwd=tmp_path)
    assert ran.code == 2
    [sentence] = ran.err.splitlines()
    assert sentence.startswith(f"nodeworthy check: {name}:{line}:")


def test_one_in_a_folder_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    for name, (text, _) in BROKEN.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/daemon.json").write_text('{"exec-opts": []}\n')
    ran = run_json("check", ".", cwd=tmp_path)
    told = {each["where"]["path"]: (each["rule"], each["verdict"], each["where"]["line"]) for each in ran.findings}
    assert told == {name: ("input-readable", "error", line) for name, (_, line) in BROKEN.items()}
    assert (ran.code, ran.report["evaluated"]["files"]) == (3, 1)


def test_what_can_be_read_of_a_template_is_judged_branch_by_branch(tmp_path: Path) -> None:
    (tmp_path / "config.toml.j2").write_text(f"version = 2\n{{% if nvidia %}}\n{OLD}{{{{ more }}}}\n{{% endif %}}\n")
    ran = run_json("check", "config.toml.j2", "--rule", "containerd-config-read", cwd=tmp_path)
    assert (ran.code, ran.findings) == (0, [])


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (['version = "2', 'a = "b"'], 1),
        (["version = 2", "[plugins.'io.containerd.grpc.v1.cri]", "a = 'b'"], 2),
        (['a = """', "it's", '"""', 'version = "2  # why?'], 4),
    ],
)
def test_a_quote_that_is_never_closed_is_told_where_it_opens(tmp_path: Path, lines: list[str], line: int) -> None:
    (tmp_path / "config.toml").write_text("\n".join([*lines, '[plugins."io.containerd.grpc.v1.cri"]', ""]))
    ran = run("check", "config.toml", cwd=tmp_path)
    assert ran.code == 2
    assert f"config.toml:{line}:1: containerd's config is not TOML: a quote that opens in this line is never" in ran.err
    assert ran.err.rstrip().endswith("containerd does not start with it: there is no runtime, and no node")
