"""The steps of a cloud-config: in their order, with the place of every line, merged as cloud-init merges."""

from __future__ import annotations

import base64
import gzip

import pytest

from nodeworthy.boot.cloud_config import (
    CloudConfig,
    CloudStep,
    Mount,
    NotRead,
    PackageInstall,
    Ran,
    Reboot,
    Repository,
    WrittenFile,
    read_cloud_config,
)
from nodeworthy.boot.effects import Writes
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.origin import Straight
from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.text import Hole
from nodeworthy.boot.unpack import unpack
from nodeworthy.verdict import Place
from tests.boot import userdatas


def read(text: str, *, template: bool = False) -> CloudConfig:
    return read_cloud_config(text, Straight(Place("cloud.yaml")), template=template)


def only(text: str, *, template: bool = False) -> CloudStep:
    config = read(text, template=template)
    assert config.faults == ()
    (step,) = config.steps
    return step


def ran(text: str, *, template: bool = False) -> tuple[str, list[int | None]]:
    step = only(text, template=template)
    assert isinstance(step, Ran)
    rows = step.text.split("\n")[:-1]
    return step.text, [step.origin.at(number).line for number, row in enumerate(rows, 1) if row]


def file(text: str, *, template: bool = False) -> WrittenFile:
    step = only(text, template=template)
    assert isinstance(step, WrittenFile)
    return step


def test_steps_come_in_the_order_in_which_they_happen() -> None:
    steps = read(userdatas.CLOUD_CONFIG).steps
    assert [(step.stage.name, type(step).__name__, step.place.line) for step in steps] == [
        ("BOOTCMD", "Ran", 7),
        ("WRITE_FILES", "WrittenFile", 10),
        ("WRITE_FILES", "WrittenFile", 14),
        ("WRITE_FILES", "WrittenFile", 18),
        ("WRITE_FILES", "Mount", 22),
        ("PACKAGES", "PackageInstall", 4),
        ("PACKAGES", "PackageInstall", 5),
        ("SCRIPTS", "Ran", 24),
        ("NODEADM_RUN", "Reboot", 32),
    ]


@pytest.mark.parametrize(
    ("text", "script", "lines"),
    [
        ("runcmd:\n  - echo a\n  - echo b\n", "echo a\necho b\n", [2, 3]),
        ("runcmd:\n  - [echo, it's, 3, on]\n", "'echo' 'it'\\''s' '3' 'on'\n", [2]),
        ("runcmd:\n  - |\n    a\n    b\n  - c\n", "a\nb\n\nc\n", [3, 4, 5]),
        ("runcmd:\n  - |-\n    a\n\n    b\n", "a\n\nb\n", [3, 5]),
        ("runcmd:\n  - >\n    a\n    b\n\n    c\n", "a b\nc\n\n", [3, 6]),
        ("runcmd:\n  - >-\n    one two\n    three\n  - four\n", "one two three\nfour\n", [3, 5]),
        ('runcmd:\n  - "a\\nb"\n', "a\nb\n", [2, 2]),
        ("runcmd: ['echo a', null, echo b]\n", "echo a\necho b\n", [1, 1]),
        ("bootcmd:\n  - &x echo a\n  - *x\n", "echo a\necho a\n", [2, 2]),
    ],
)
def test_commands_are_one_script(text: str, script: str, lines: list[int]) -> None:
    assert ran(f"{text}") == (script, lines)


def test_a_command_keeps_its_column() -> None:
    step = only("runcmd:\n  - |\n      if x; then\n        y\n      fi\n  - 'quoted'\n  - plain\n")
    assert isinstance(step, Ran)
    assert [step.origin.at(number).column for number in (1, 2, 5, 6)] == [7, 7, 6, 5]


@pytest.mark.parametrize(
    "item", ["echo foo: bar", "{a: b}", "5", "true"], ids=["a colon", "a mapping", "a number", "a boolean"]
)
def test_an_item_that_is_no_command_stops_them_all(item: str) -> None:
    config = read(f"runcmd:\n  - echo up\n  - {item}\n")
    assert [(fault.kind.name, fault.place.line) for fault in config.faults] == [("NOT_READABLE", 3)]


@pytest.mark.parametrize("text", ["runcmd: echo up\n", "write_files: {path: /a}\n", "packages: jq\n", "[]\n", "a: [\n"])
def test_what_is_no_list_is_a_fault(text: str) -> None:
    config = read(text)
    assert [fault.kind.name for fault in config.faults] == ["NOT_READABLE"]
    assert config.steps == ()


def test_the_lines_of_a_file_have_their_places() -> None:
    written = file("write_files:\n- path: /etc/a\n  permissions: '755'\n  content: |\n    one\n\n    three\n")
    assert (written.path.known, written.permissions, written.place.line) == ("/etc/a", "0755", 2)
    assert written.content is not None
    assert [(line.text.known, line.place.line, line.place.column) for line in written.content.lines] == [
        ("one", 5, 5),
        ("", 6, 5),
        ("three", 7, 5),
    ]


ENCODED = base64.b64encode(b"one\ntwo\n").decode()
PACKED = base64.b64encode(gzip.compress(b"one\ntwo\n", mtime=0)).decode()


@pytest.mark.parametrize(
    ("fields", "encoding"),
    [
        (f"encoding: b64\n  content: {ENCODED}", ("base64",)),
        (f"encoding: base64\n  content: |\n    {ENCODED[:4]}\n    {ENCODED[4:]}", ("base64",)),
        (f"content: !!binary {ENCODED}", ("base64",)),
        (f"encoding: gz+b64\n  content: {PACKED}", ("base64", "gzip")),
        ('content: "one\\ntwo\\n"', ()),
        ("encoding: text/plain\n  content: |\n    one\n    two", ()),
    ],
)
def test_a_file_is_decoded(fields: str, encoding: tuple[str, ...]) -> None:
    written = file(f"write_files:\n- path: /a\n  {fields}\n")
    assert written.content is not None
    assert written.content.known == "one\ntwo\n"
    assert written.encoding == encoding


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ("encoding: b64\n  content: hello, node", "BAD_ENCODING"),
        (f"encoding: gz+b64\n  content: {PACKED[:-12]}", "TRUNCATED"),
        ("content: {a: b}", "NOT_READABLE"),
    ],
)
def test_a_file_that_can_not_be_decoded_is_a_fault(fields: str, kind: str) -> None:
    config = read(f"write_files:\n- path: /a\n  {fields}\n- path: /b\n")
    assert [fault.kind.name for fault in config.faults] == [kind]
    assert next(step.content for step in config.steps if isinstance(step, WrittenFile)) is None


def test_what_is_appended_goes_on_where_the_file_ends() -> None:
    entries = [("first", "false"), (" second", "true"), ("\\nthird\\n", "true"), ("fourth", "true")]
    text = "".join(f'- {{path: /a, content: "{content}", append: {append}}}\n' for content, append in entries)
    read_in = unpack(f"#cloud-config\nwrite_files:\n{text}".encode(), Place("cloud.yaml"))
    *_, last = timeline_of(read_in).of(Writes)
    assert last.whole is not None
    assert [line.text.known for line in last.whole.lines] == ["first second", "third", "fourth"]


@pytest.mark.parametrize("key", ["runcmd", "bootcmd"])
@pytest.mark.parametrize("item", ["false", "12", "a: b"])
def test_an_item_that_is_no_command_keeps_all_of_them_from_running(key: str, item: str) -> None:
    config = read(f"{key}:\n- echo one\n- {item}\n- echo two\n")
    assert config.steps == ()
    assert [fault.kind.name for fault in config.faults] == ["NOT_READABLE"]


@pytest.mark.parametrize(
    ("written", "mode"),
    [("'0755'", "0755"), ("0644", "0644"), ("'600'", "0600"), ("644", "1204"), ("'0o640'", "0o640")],
)
def test_permissions_are_what_cloud_init_makes_of_them(written: str, mode: str) -> None:
    assert file(f"write_files: [{{path: /a, permissions: {written}}}]\n").permissions == mode


def test_a_file_may_wait_for_the_packages() -> None:
    config = read("write_files: [{path: /a, defer: true}]\npackages: [x]\n")
    assert [type(step) for step in config.steps] == [PackageInstall, WrittenFile]


def test_a_mount_has_cloud_inits_own_options() -> None:
    steps = read("mounts: [[sdb, /a], [sdc, /b, xfs, noatime], [swap, null]]\n").steps
    told = [(step.where.known, step.kind.known, step.options.known) for step in steps if isinstance(step, Mount)]
    assert told == [
        ("/a", "auto", "defaults,nofail,x-systemd.requires=cloud-init.service,_netdev"),
        ("/b", "xfs", "noatime"),
    ]


def test_packages_and_repositories() -> None:
    config = read(
        "package_upgrade: true\npackages: [a, [b, 1], {snap: [c]}]\ndrivers: {nvidia: {license-accepted: true}}\n"
        "apt: {sources: {x: {source: deb http://x ./}}}\nyum_repos: {y: {baseurl: http://y}}\nsnap: {commands: [[install, d]]}\n"
    )
    packages = [
        (step.manager, [each.known for each in step.packages])
        for step in config.steps
        if isinstance(step, PackageInstall)
    ]
    assert packages == [("ubuntu-drivers", ["nvidia-driver"]), ("", []), ("", ["a"]), ("", ["b=1"]), ("snap", ["c"])]
    assert [(step.kind, step.source.known) for step in config.steps if isinstance(step, Repository)] == [
        ("apt", "deb http://x ./"),
        ("yum", "http://y"),
    ]
    assert [step.text for step in config.steps if isinstance(step, Ran)] == ["'snap' 'install' 'd'\n"]


def test_what_is_not_read_is_said() -> None:
    config = read("ansible: {install_method: pip}\nusers: [default]\npower_state: {mode: reboot}\n")
    assert [type(step) for step in config.steps] == [NotRead, Reboot]


def test_what_a_template_fills_in_is_a_hole() -> None:
    text = (
        "#cloud-config\n%{ if gpu ~}\nwrite_files:\n- path: /etc/${name}.conf\n  content: |\n    user = ${user}\n"
        "    home = $${HOME}\n  permissions: ${mode}\n%{ endif ~}\n"
    )
    written = file(text, template=True)
    assert written.path.pieces == ("/etc/", Hole("${name}", "Terraform fills it in"), ".conf")
    assert written.content is not None
    assert written.content.text.shown() == "user = ${user}\nhome = ${HOME}\n"
    assert [line.place.line for line in written.content.lines] == [6, 7]


def test_a_command_of_a_template_stays_as_it_was_written() -> None:
    text = "runcmd:\n- |\n  %{ if gpu }\n  join ${name} $${HOME}\n  %{ endif }\n- [echo, '${x}']\n- ${one}\n"
    script, lines = ran(text, template=True)
    assert script == "%{ if gpu }\njoin ${name} $${HOME}\n%{ endif }\n\n'echo' '${x}'\n${one}\n"
    assert lines == [3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    "text",
    [
        "#cloud-config\n${yamlencode(config)}\n",
        "#cloud-config\n${extra}\nruncmd:\n- echo up\n",
        "#cloud-config\nruncmd:\n- echo up\n  ${indent(2, more)}\nx: y\n${last}\n",
    ],
)
def test_what_a_template_puts_in_as_a_whole_is_a_doubt(text: str) -> None:
    config = read(text, template=True)
    assert all(fault.is_doubt for fault in config.faults)
    assert config.faults
    assert isinstance(config.steps[0], NotRead)


def test_of_double_braces_nobody_says_that_cloud_init_fills_them_in() -> None:
    fillings = Fillings(jinja=True)
    assert fillings.text(fillings.hide("api.{{ zone }}")).holes == (Hole("{{ zone }}", "a template fills it in"),)
