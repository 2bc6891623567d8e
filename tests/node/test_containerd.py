"""What a containerd says of itself on a node: by its daemon, its log, its unit and its files, as they print it."""

from __future__ import annotations

import posixpath
from dataclasses import replace

import pytest

from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.collect.node.script import Part
from nodeworthy.engine import Judgement
from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.verdict import Verdict
from tests.case_files import whole

from .recordings import but, part, without
from .test_rules import judged

# An AL2023 node with containerd 2.1.4, pid 2874, and its kubelet, pid 3011.
NODE = whole("containerd-config-read/good-node-nothing-ignored") / "node.json"
RULE = "containerd-config-read"
KUBELET = ("process 3011 kubelet", "cgroup 3011", "namespaces 3011")
ROOT, DROP_IN, SOCKET = defaults().config, defaults().drop_in, defaults().socket
# An image of Amazon's imports this one.
[IMPORTED] = containerd_of("eks-al2").drop_ins
TWO_WAYS = "invalid cri image config: `mirrors` cannot be set when `config_path` is provided"
NO_DEFAULT = (
    "invalid plugin config: no corresponding runtime configured in `containerd.runtimes` for `containerd` "
    '`default_runtime_name = "nvidia"'
)
RUNTIME = (
    "[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.{name}]\nruntime_type = 'io.containerd.runc.v2'\n"
)
# `ctr plugins ls -d id==cri type==io.containerd.cri.v1` of containerd 2.2.
PLUGINS = """\
Type:          io.containerd.cri.v1
ID:            images
Requires:
               io.containerd.lease.v1
{error}
Type:          io.containerd.cri.v1
ID:            runtime
Platforms:     linux/amd64
Exports:
               CRIVersion      v1

Type:          io.containerd.grpc.v1
ID:            cri
Requires:
               io.containerd.cri.v1
{last}"""
ERROR = "Error:\n               Code:        Unknown\n               Message:     {says}\n"
WELL = part("plugins 2874", PLUGINS.format(error="", last=""))


def plugins(says: str) -> Part:
    behind = f"unable to load CRI image service plugin dependency: {says}"
    return part("plugins 2874", PLUGINS.format(error=ERROR.format(says=says), last=ERROR.format(says=behind)))


def unit(active: str, sub: str, result: str, name: str = "containerd.service", enabled: str = "disabled") -> str:
    return "\n".join(
        (
            f"Result={result}",
            "NRestarts=7",
            f"Id={name}",
            "RequiredBy=",
            "WantedBy=",
            "LoadState=loaded",
            f"ActiveState={active}",
            f"SubState={sub}",
            f"UnitFileState={enabled}",
        )
    )


def of(recording: Recording, name: str = RULE) -> Judgement:
    return judged(recording)[name]


def red(recording: Recording) -> set[str]:
    return {name for name, each in judged(recording).items() if each.verdict is Verdict.FAIL}


def with_kubelet_ended(recording: Recording) -> Recording:
    starts = recording.by_name["starts"].stdout.replace(
        "LoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=disabled",
        "LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nUnitFileState=disabled",
        1,
    )
    return without(but(recording, part("starts", starts)), *KUBELET)


def idle(active: str = "activating", sub: str = "auto-restart", result: str = "exit-code", **parts: Part) -> Recording:
    """containerd's unit does not run one, and says so; kubelet ends for want of it."""
    ended = with_kubelet_ended(load(NODE))
    ended = without(ended, *(each.name for each in ended.parts if each.name.endswith("2874") or " 2874 " in each.name))
    said = (
        part("listening"),
        part("units", unit(active, sub, result)),
        part("idle containerd", "/usr/bin/containerd"),
        part("version containerd", "containerd github.com/containerd/containerd/v2 2.1.4 75cb2b71"),
        parts.get("dump") or part("dump containerd", "version = 3\n"),
        parts.get("journal") or part("journal containerd"),
    )
    return but(ended, *said)


@pytest.mark.parametrize("says", [TWO_WAYS, NO_DEFAULT])
def test_a_daemon_without_its_cri_is_told_once_and_kubelet_is_its_victim(says: str) -> None:
    """kubelet, which runs since before, or ends at every start, says nothing of why."""
    for recording in (load(NODE), with_kubelet_ended(load(NODE))):
        broken = but(recording, plugins(says))
        [found] = of(broken).findings
        assert (found.verdict, found.is_, found.victims) == (Verdict.FAIL, says, ("kubelet.service",))
        assert red(broken) == {RULE}


def test_a_daemon_with_its_cri_passes() -> None:
    assert of(but(load(NODE), WELL)).verdict is Verdict.PASS


def test_one_that_has_no_such_plugin_serves_no_kubelet() -> None:
    """disabled_plugins names it, and the file was mended since, without a restart."""
    assert of(but(load(NODE), part("plugins 2874", ""))).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        ("", Verdict.UNKNOWN),
        (
            'time="2026-11-23T05:31:38Z" level=warning msg="failed to load plugin" '
            'error="invalid plugin config: \\"x\\"" id=io.containerd.cri.v1.runtime type=io.containerd.cri.v1',
            Verdict.FAIL,
        ),
        (
            'time="2026-11-23T05:31:38Z" level=warning msg="failed to load plugin io.containerd.grpc.v1.cri" '
            'error="invalid plugin config: x"',
            Verdict.FAIL,
        ),
        (
            'time="2026-11-23T05:31:38Z" level=warning msg="failed to load plugin" error="y" '
            "id=io.containerd.snapshotter.v1.devmapper type=io.containerd.snapshotter.v1\n"
            'time="2026-11-23T05:31:38Z" level=info msg="starting cri plugin" config="{}"',
            Verdict.PASS,
        ),
    ],
)
def test_where_the_daemon_does_not_answer_its_log_says_it(log: str, verdict: Verdict) -> None:
    refused = part("plugins 2874", code=1, stderr="ctr: permission denied")
    assert of(but(load(NODE), refused, part("journal 2874", log))).verdict is verdict


@pytest.mark.parametrize(
    ("stderr", "says"),
    [
        (
            'time="2026-11-23T05:31:54Z" level=error msg="Failure unmarshaling TOML" column=37 '
            f'error="toml: expected character ]" file={ROOT} row=2\n'
            "containerd: failed to unmarshal TOML at row 2 column 37: toml: expected character ]",
            f"{ROOT}:2:37: toml: expected character ]",
        ),
        (
            f"containerd: failed to load TOML from {ROOT}: expected containerd config version equal "
            "to or less than `3`, got `9`",
            f"failed to load TOML from {ROOT}: expected containerd config version equal to or less than `3`, got `9`",
        ),
        (
            "containerd: failed to unmarshal TOML: toml: table grpc already exists",
            "failed to unmarshal TOML: toml: table grpc already exists",
        ),
    ],
)
def test_one_that_can_not_read_its_files_is_the_cause_and_kubelet_the_victim(stderr: str, says: str) -> None:
    dump = part("dump containerd", code=1, stderr=stderr)
    for recording in (idle(dump=dump), idle("failed", "failed", dump=dump)):
        [found] = of(recording).findings
        assert (found.verdict, found.is_, found.victims) == (Verdict.FAIL, says, ("kubelet.service",))
        assert red(recording) == {RULE}


def test_one_that_ends_for_something_else_says_its_last_word() -> None:
    said = f"containerd: failed to listen on {SOCKET}: address already in use"
    [found] = of(idle(journal=part("journal containerd", said))).findings
    assert found.verdict is Verdict.FAIL
    assert [each.says for each in found.related] == [f"its journal: {said.removeprefix('containerd: ')}"]


def test_while_the_boot_goes_on_it_may_still_come() -> None:
    assert of(but(idle("inactive", "dead", "success"), part("boot"))).verdict is Verdict.UNKNOWN


def test_without_a_kubelet_nobody_asks_for_it() -> None:
    """A machine with Docker, whose package of containerd runs and has its CRI switched off."""
    gone = unit("inactive", "dead", "success", "kubelet.service").replace("LoadState=loaded", "LoadState=not-found")
    alone = but(without(load(NODE), *KUBELET), part("starts", gone), part("plugins 2874", ""))
    assert of(alone).verdict is Verdict.SKIP


def test_files_that_broke_after_the_start_end_the_next_one() -> None:
    broken = part("dump 2874", code=1, stderr="containerd: failed to unmarshal TOML: toml: table grpc already exists")
    [found] = of(but(load(NODE), WELL, broken)).findings
    assert found.verdict is Verdict.FAIL
    refused = part("dump 2874", code=1, stderr=f"containerd: open {ROOT}: permission denied")
    assert of(but(load(NODE), WELL, refused)).verdict is Verdict.UNKNOWN


def config(path: str, text: str) -> Part:
    return part(f"config 2874 {path}", text)


IMPORTS = f'version = 3\nimports = ["{IMPORTED}/*.toml"]\n'


def no_toolkit(recording: Recording) -> Recording:
    """Its dump has runc alone."""
    dump = (
        recording.by_name["dump 2874"].stdout.replace("runtimes.nvidia", "runtimes.other").replace("'nvidia'", "'runc'")
    )
    return but(recording, WELL, part("dump 2874", dump))


@pytest.mark.parametrize(
    ("root", "drop_in"),
    [
        ("version = 3\n", DROP_IN),
        (IMPORTS, DROP_IN),
        (IMPORTS, f"{IMPORTED}/99-nvidia.conf"),
        (IMPORTS, f"{IMPORTED}/99-nvidia"),
    ],
)
def test_a_drop_in_that_nothing_imports_is_the_cause_and_the_toolkit_reached_it(root: str, drop_in: str) -> None:
    lost = but(
        no_toolkit(load(NODE)), config(ROOT, root), config(drop_in, "version = 3\n" + RUNTIME.format(name="nvidia"))
    )
    assert red(lost) == {RULE}
    assert of(lost, "toolkit-reaches-containerd").verdict is Verdict.SKIP


def test_without_a_file_of_its_own_containerd_reads_no_drop_in() -> None:
    alone = [each for each in no_toolkit(load(NODE)).parts if not each.name.startswith("config 2874 ")]
    lost = but(
        replace(load(NODE), parts=tuple(alone)), config(DROP_IN, "version = 3\n" + RUNTIME.format(name="nvidia"))
    )
    [found] = of(lost).findings
    assert found.message == f"nothing imports {DROP_IN}: {ROOT} is not there"


@pytest.mark.parametrize("drop_in", [f"{DROP_IN}.bak", f"{DROP_IN}.rpmsave", f"{posixpath.dirname(DROP_IN)}/README.md"])
def test_what_somebody_has_put_aside_is_no_drop_in(drop_in: str) -> None:
    aside = but(load(NODE), WELL, config(ROOT, "version = 3\n"), config(drop_in, RUNTIME.format(name="kata")))
    assert of(aside).verdict is Verdict.PASS


def test_a_drop_in_that_says_what_is_there_all_the_same_loses_nothing() -> None:
    said = but(
        load(NODE),
        WELL,
        config(ROOT, "version = 3\n"),
        config(DROP_IN, "version = 3\n" + RUNTIME.format(name="nvidia")),
    )
    assert of(said).verdict is Verdict.PASS


def test_a_drop_in_that_is_imported_is_read() -> None:
    read = config(f"{IMPORTED}/10-x.toml", "version = 3\n" + RUNTIME.format(name="kata"))
    assert of(but(load(NODE), WELL, config(ROOT, IMPORTS), read)).verdict is Verdict.PASS


def test_names_that_this_release_passes_over_in_silence() -> None:
    """containerd 1.7 does not even warn of those of 2.x."""
    older = part("version 2874", "containerd containerd.io 1.7.27 05044ec0a9a75232cad458027ca83437aae3f4da")
    lost = but(no_toolkit(load(NODE)), older, config(ROOT, "version = 2\n" + RUNTIME.format(name="nvidia")))
    [found] = of(lost).findings
    assert "containerd 1.7.27 ignores" in found.message
    assert found.where.subject == f"{ROOT}:2"


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [("runs", Verdict.PASS), ("missing", Verdict.FAIL), ("other", Verdict.FAIL), ("hidden", Verdict.UNKNOWN)],
)
def test_a_runtime_is_as_good_as_its_program(seen: str, verdict: Verdict) -> None:
    programs = part("programs 2874", f"{seen} /usr/local/nvidia/toolkit/nvidia-container-runtime")
    named = no_program(but(load(NODE), WELL, programs))
    assert of(named).verdict is verdict
    assert of(named, "toolkit-reaches-containerd").verdict is (
        Verdict.SKIP if verdict is Verdict.FAIL else Verdict.PASS
    )


def no_program(recording: Recording) -> Recording:
    """Whatever the dump calls it."""
    dump = recording.by_name["dump 2874"].stdout
    assert "BinaryName = '/usr/" in dump
    lines = [
        line.partition("=")[0] + "= '/usr/local/nvidia/toolkit/nvidia-container-runtime'"
        if "BinaryName = '/usr/" in line
        else line
        for line in dump.split("\n")
    ]
    return but(recording, part("dump 2874", "\n".join(lines)))


EDITED = part("ages 2874", f"process 1204\nfile 12 {ROOT}")
STARTED = part(
    "journal 2874",
    'time="2026-11-23T05:33:18Z" level=info msg="starting cri plugin" config="{\\"containerd\\":{\\"runtimes\\":'
    '{\\"nvidia\\":{},\\"runc\\":{}}}}"',
)
STARTED_1 = part(
    "journal 2874",
    'time="2026-11-23T05:33:15Z" level=info msg="Start cri plugin Snapshotter:overlayfs DefaultRuntimeName:nvidia '
    "UntrustedWorkloadRuntime:{Type: Path: Options:map[]} Runtimes:map[nvidia:{Type:io.containerd.runc.v2 Path: "
    'Options:map[BinaryName:/usr/bin/x] Root:} runc:{Type:io.containerd.runc.v2 Path:}]"',
)


def test_after_a_late_edit_the_files_are_not_what_is_loaded() -> None:
    edited = but(load(NODE), WELL, EDITED)
    for name in (RULE, "runtime-class-agrees", "toolkit-reaches-containerd"):
        assert of(edited, name).verdict is Verdict.UNKNOWN, name


@pytest.mark.parametrize("started", [STARTED, STARTED_1])
def test_its_log_says_what_is_loaded(started: Part) -> None:
    """The runtime is gone from the files since, and still loaded."""
    edited = no_toolkit(but(load(NODE), EDITED, started))
    assert of(edited, "toolkit-reaches-containerd").verdict is Verdict.PASS
    assert of(edited).verdict is Verdict.UNKNOWN
