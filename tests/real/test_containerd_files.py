"""What we say of containerd's files is what real containerds make of them: `config dump`, and whether the CRI loads."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from tests.by_day import some
from tests.run import run

from .containerd import Containerd
from .daemon import PATIENCE
from .tools import Tools, minor_version

RELEASES = ("1.6", "2.2", "2.3")
MARK = "/nodeworthy/mark"
OLD, RUNTIME, IMAGES = "io.containerd.grpc.v1.cri", "io.containerd.cri.v1.runtime", "io.containerd.cri.v1.images"
ETC = "/etc/containerd"
FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {{name: onprem}}
    pools:
      onprem: {{gpu: h100, gpusPerNode: 8, nodes: 4, distribution: kubeadm, containerd: "{release}", provision: false}}
"""


def _registry(name: str) -> str:
    return f'[plugins."{name}".registry]\n  config_path = "{MARK}"\n'


def _nvidia(name: str) -> str:
    table = f'[plugins."{name}".containerd.runtimes.nvidia'
    return f'{table}]\n  runtime_type = "io.containerd.runc.v2"\n{table}.options]\n  BinaryName = "{MARK}"\n'


@dataclass(frozen=True)
class Form:
    """A root file, and perhaps a drop-in."""

    root: str
    drop_in: str = ""


IMPORTS = f'imports = ["{ETC}/conf.d/*.toml"]\n'
FORMS = {
    "version-2-old-registry": Form(f"version = 2\n{_registry(OLD)}"),
    "version-2-old-runtime": Form(f"version = 2\n{_nvidia(OLD)}"),
    "version-2-new-registry": Form(f"version = 2\n{_registry(IMAGES)}"),
    "version-2-new-runtime": Form(f"version = 2\n{_nvidia(RUNTIME)}"),
    "version-3-old-registry": Form(f"version = 3\n{_registry(OLD)}"),
    "version-3-old-runtime": Form(f"version = 3\n{_nvidia(OLD)}"),
    "version-3-new-registry": Form(f"version = 3\n{_registry(IMAGES)}"),
    "version-3-new-runtime": Form(f"version = 3\n{_nvidia(RUNTIME)}"),
    "version-3-stream-server": Form(f'version = 3\n[plugins."{OLD}"]\n  stream_server_address = "{MARK}"\n'),
    "version-4-old-registry": Form(f"version = 4\n{_registry(OLD)}"),
    "version-4-new-registry": Form(f"version = 4\n{_registry(IMAGES)}"),
    "no-version-old-registry": Form(_registry(OLD)),
    "no-version-new-registry": Form(_registry(IMAGES)),
    "version-as-a-text": Form(f'version = "2"\n{_registry(OLD)}'),
    "not-toml": Form(f'version = 2\n[plugins."{OLD}".registry]\n  config_path = {MARK}\n'),
    "drop-in-imported-old": Form(f"version = 2\n{IMPORTS}", f"version = 2\n{_nvidia(OLD)}"),
    "drop-in-imported-new": Form(f"version = 3\n{IMPORTS}", f"version = 3\n{_nvidia(RUNTIME)}"),
    "drop-in-nobody-imports": Form("version = 2\nimports = []\n", f"version = 2\n{_nvidia(OLD)}"),
    "drop-in-older-than-its-root": Form(f"version = 3\n{IMPORTS}", f"version = 2\n{_nvidia(OLD)}"),
    "drop-in-older-than-the-runtimes-of-its-root": Form(
        f'version = 3\n{IMPORTS}[plugins."{RUNTIME}".containerd.runtimes.runc]\n  runtime_type = "io.containerd.runc.v2"\n',
        f"version = 2\n{_nvidia(OLD)}",
    ),
    "drop-in-older-names-the-default": Form(
        f"version = 3\n{IMPORTS}{_registry(IMAGES).replace(MARK, f'{ETC}/certs.d')}",
        f'version = 2\n[plugins."{OLD}".containerd]\n  default_runtime_name = "nvidia"\n{_nvidia(OLD)}',
    ),
    "drop-in-older-beside-a-default": Form(
        f'version = 3\n{IMPORTS}[plugins."{RUNTIME}".containerd]\n  default_runtime_name = "runc"\n',
        f'version = 2\n[plugins."{OLD}".containerd]\n  default_runtime_name = "{MARK}"\n',
    ),
    "drop-in-in-place-of-the-root": Form(
        f"version = 2\n{IMPORTS}{_registry(OLD)}",
        f'version = 2\n[plugins."{OLD}".containerd.runtimes.nvidia]\n  runtime_type = "io.containerd.runc.v2"\n',
    ),
}


def _containerd(tools: Tools, release: str) -> Path:
    if release == "1.6":
        program = tools.path("containerd")
        return (
            program if minor_version(str(program)) == "1.6" else tools.do_without("containerd-1.6", "another release")
        )
    return tools.path(f"containerd-{release}")


def _lay_down(form: Form, into: Path) -> Path:
    """As it is kept in a change; its own paths are those of the node."""
    folder = into / ETC.removeprefix("/")
    (folder / "conf.d").mkdir(parents=True)
    (folder / "config.toml").write_text(form.root)
    if form.drop_in:
        (folder / "conf.d" / "99-nvidia.toml").write_text(form.drop_in)
    return folder


def _fails(rule: str, release: str, folder: Path) -> bool:
    """What does not even parse is said by another rule."""
    (folder / "Pulumi.onprem.yaml").write_text(FLEET.format(release=release))
    ran = run("check", ".", "--format", "json", "--rule", rule, "--no-cache", cwd=folder)
    unparsed = {each["rule"] for each in ran.findings} == {"input-readable"}
    assert ran.code == 3 if unparsed else ran.code in (0, 1), (ran.report, ran.err)
    return ran.code != 0


# What a config of version 3 with new names is to containerd 1.x, the forms without a drop-in say.
_OLDER = (
    "drop-in-older-than-the-runtimes-of-its-root",
    "drop-in-older-names-the-default",
    "drop-in-older-beside-a-default",
)
NOT_ASKED = {(form, "1.6") for form in _OLDER}


@pytest.mark.parametrize(
    ("form", "release"),
    some([(form, each) for form in FORMS for each in RELEASES if (form, each) not in NOT_ASKED], 16, "-".join),
)
def test_what_is_read(tools: Tools, tmp_path: Path, release: str, form: str) -> None:
    program = _containerd(tools, release)
    on_node = _lay_down(FORMS[form], tmp_path / "node")
    for file in on_node.rglob("*.toml"):
        file.write_text(file.read_text().replace(ETC, str(on_node)))
    command = [str(program), "--config", str(on_node / "config.toml"), "config", "dump"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    is_read = told.returncode == 0 and MARK in told.stdout
    _lay_down(FORMS[form], tmp_path / "change")
    assert _fails("containerd-config-read", release, tmp_path / "change") is not is_read, told.stdout + told.stderr


def _section(release: str) -> tuple[int, str, str]:
    return (2, OLD, OLD) if release == "1.6" else (3, RUNTIME, IMAGES)


BODIES = {
    "default-without-its-runtime": (
        "toolkit-reaches-containerd",
        '[plugins."RUNTIME".containerd]\n  default_runtime_name = "nvidia"\n',
    ),
    "default-with-its-runtime": (
        "toolkit-reaches-containerd",
        '[plugins."RUNTIME".containerd]\n  default_runtime_name = "nvidia"\n'
        '[plugins."RUNTIME".containerd.runtimes.nvidia]\n  runtime_type = "io.containerd.runc.v2"\n',
    ),
    "mirrors-beside-config-path": (
        "containerd-config-read",
        f'[plugins."IMAGES".registry]\n  config_path = "{ETC}/certs.d"\n'
        '[plugins."IMAGES".registry.mirrors."docker.io"]\n  endpoint = ["https://mirror.gcr.io"]\n',
    ),
    "tls-beside-config-path": (
        "containerd-config-read",
        f'[plugins."IMAGES".registry]\n  config_path = "{ETC}/certs.d"\n'
        '[plugins."IMAGES".registry.configs."cache:5000".tls]\n  insecure_skip_verify = true\n',
    ),
    "login-beside-config-path": (
        "containerd-config-read",
        f'[plugins."IMAGES".registry]\n  config_path = "{ETC}/certs.d"\n'
        '[plugins."IMAGES".registry.configs."cache:5000".auth]\n  username = "puller"\n',
    ),
    "empty-tables": (
        "containerd-config-read",
        '[plugins."IMAGES".registry]\n  config_path = ""\n[plugins."IMAGES".registry.mirrors]\n'
        '[plugins."IMAGES".registry.configs]\n',
    ),
    "mirrors-alone": (
        "containerd-config-read",
        '[plugins."IMAGES".registry.mirrors."docker.io"]\n  endpoint = ["https://mirror.gcr.io"]\n',
    ),
}


@pytest.mark.parametrize(("name", "release"), some([*product(BODIES, RELEASES)], 12, "-".join))
def test_whether_the_cri_loads(tools: Tools, tmp_path: Path, release: str, name: str) -> None:
    rule, body = BODIES[name]
    version, runtime, images = _section(release)
    body = body.replace("RUNTIME", runtime).replace("IMAGES", images)
    _containerd(tools, release)
    with Containerd(tools, "containerd" if release == "1.6" else f"containerd-{release}") as containerd:
        containerd.stop()
        containerd.config.write_text(f"{containerd.config.read_text()}\n{body}")
        containerd.start()
        refused = [
            line for line in containerd.log.splitlines() if "failed to load plugin" in line and "invalid" in line
        ]
        ignored = "Ignoring unknown key" in containerd.log
    _lay_down(Form(f"version = {version}\n{body}"), tmp_path)
    assert _fails(rule, release, tmp_path) is bool(refused or ignored), refused


def _comes(happened: Callable[[], bool], seconds: float = 2) -> bool:
    """The CRI says so of its own accord, a moment after containerd has booted."""
    deadline = time.monotonic() + seconds
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.05)
    return happened()


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("disabled", ["io.containerd.internal.v1.opt", OLD, RUNTIME, IMAGES])
def test_whether_the_cri_is_disabled(tools: Tools, tmp_path: Path, release: str, disabled: str) -> None:
    line = f'disabled_plugins = ["{disabled}"]\n'
    _containerd(tools, release)
    with Containerd(tools, "containerd" if release == "1.6" else f"containerd-{release}") as containerd:
        containerd.stop()
        containerd.config.write_text(line + containerd.config.read_text())
        before = len(containerd.log)
        containerd.start()
        containerd.daemon.wait_until(lambda: "containerd successfully booted" in containerd.log[before:])
        serves = _comes(lambda: "Start subscribing containerd event" in containerd.log[before:])
    version, _, _ = _section(release)
    _lay_down(Form(f"version = {version}\n{line}"), tmp_path)
    assert _fails("containerd-config-read", release, tmp_path) is not serves


@pytest.mark.parametrize("release", RELEASES)
def test_its_own_default(tools: Tools, tmp_path: Path, release: str) -> None:
    command = [str(_containerd(tools, release)), "config", "default"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    _lay_down(Form(printed), tmp_path)
    assert not _fails("containerd-config-read", release, tmp_path)
