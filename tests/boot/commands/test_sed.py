"""sed makes of known lines what sed makes of them; where it can't be said, nothing is claimed."""

from __future__ import annotations

import shlex
import subprocess
import time
from pathlib import Path

import pytest

from nodeworthy.boot.effects import Writes
from tests.boot.commands.calls import PLACE, only_write, printed, ran, told

CONFIG = """version = 2
# config_path = ""
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "pause:3.8"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = ""
    SystemdCgroup = false
GRUB_CMDLINE_LINUX="quiet splash"
%wheel ALL=(ALL) NOPASSWD: ALL
10.0.0.1 host-1 # a comment
"""

SCRIPTS = [
    "s/SystemdCgroup = false/SystemdCgroup = true/",
    's|config_path = ""|config_path = "/srv/hosts.d"|',
    's|config_path = .*|config_path = "/srv/hosts.d"|g',
    's/^GRUB_CMDLINE_LINUX="\\(.*\\)"/GRUB_CMDLINE_LINUX="\\1 nvidia.NVreg_RestrictProfilingToAdminUsers=0"/',
    "/SystemdCgroup/d",
    "/^#/d",
    "/^[[:space:]]*#/d",
    "/^$/d",
    "$d",
    "1d",
    "2,4d",
    "2,$d",
    "/registry/,/Systemd/s/= /=/",
    "/registry/,$d",
    "$a options nvidia NVreg_RestrictProfilingToAdminUsers=0",
    "$ a\\options nvidia",
    "1i # by hand",
    "1i\\\n# two\\\n# lines",
    "/version/a\\  imports = []",
    "/version/c version = 3",
    "3,5c gone",
    "/host-1/!d",
    "s/a/A/2;s/b/B/g",
    "s/[0-9][0-9]*/<&>/",
    "s/a\\.b\\|host/x/",
    "/cri/{s/plugins/plugin/;s/io/oi/}",
    "/cri/{\n/registry/d\n}",
    "s/\\t/ /g",
    "s/x*/-/g",
    "s/QUIET/loud/I",
    "/nothing/,/else/d",
    "3q",
    "s,/,\\,,g",
    "s/\\//|/g",
    "s/  */ /g ; s/^ //",
    "p",
    "s/(ALL)/[all]/",
    "s/ALL$/NONE/",
]
EXTENDED = [
    's/^(GRUB_CMDLINE_LINUX=")(.*)"/\\1\\2 x"/',
    "s/(false|true)/maybe/",
    "s/[0-9]+/N/g",
    "s/a{2}|s{2}/x/",
    "/^(#|%)/d",
    "s/\\(ALL\\)/x/",
    "s/^ +//",
    "s/colou?r|quiet/x/",
]


def real(*arguments: str) -> str:
    return subprocess.run(["sed", *arguments], input=CONFIG, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_makes_what_sed_makes(script: str) -> None:
    assert printed(ran(f"sed {shlex.quote(script)}", stdin=CONFIG)) == real(script)


@pytest.mark.parametrize("script", EXTENDED)
@pytest.mark.parametrize("option", ["-E", "-r"])
def test_extended_expressions(script: str, option: str) -> None:
    assert printed(ran(f"sed {option} {shlex.quote(script)}", stdin=CONFIG)) == real(option, script)


@pytest.mark.parametrize("script", ["/cri/p", "s/cri/CRI/p", "$p", "2,3p", "/#/!p"])
def test_silently(script: str) -> None:
    assert printed(ran(f"sed -n {shlex.quote(script)}", stdin=CONFIG)) == real("-n", script)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-i", "s/a/b/"],
        ["-i.bak", "s/a/b/"],
        ["-i", "-e", "s/a/b/", "-e", "$a end"],
        ["-i", "-E", "s/(a)/<\\1>/"],
        ["-Ei", "s/(a)/<\\1>/"],
        ["--in-place", "--expression=s/a/b/"],
        ["-n", "-i", "/a/p"],
        ["-i", "-e", "1a\\", "-e", "text"],
    ],
)
def test_in_place(arguments: list[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(CONFIG)
    subprocess.run(["sed", *arguments, str(file)], check=True)
    write = only_write(ran(f"sed {shlex.join(arguments)} /etc/f", files={"/etc/f": CONFIG}))
    assert write.whole is not None
    assert write.whole.text.shown() == file.read_text()


@pytest.mark.parametrize(
    ("option", "backup"),
    [
        ("-i.bak", "/etc/f.bak"),
        ("--in-place=~", "/etc/f~"),
        ("-Ei.orig", "/etc/f.orig"),
        ("-iold_*", "/etc/old_f"),
        ("-i/var/*.old", "/var/f.old"),
    ],
)
def test_a_backup_is_what_the_file_was_before(option: str, backup: str) -> None:
    kept, edited = ran(f"sed '{option}' s/a/b/ /etc/f", files={"/etc/f": "a\n"}).effects
    assert isinstance(kept, Writes)
    assert (kept.path.known, kept.content and kept.content.known) == (backup, "a\n")
    assert isinstance(edited, Writes)
    assert edited.path.known == "/etc/f"


def test_a_file_that_the_script_did_not_make() -> None:
    assert told(ran("sed -i -e s/a/b/ -e 's/c/d/' /etc/one two")) == [
        "Writes path=/etc/one how=edits expressions=s/a/b/,s/c/d/",
        "Writes path=/two how=edits expressions=s/a/b/,s/c/d/",
    ]


@pytest.mark.parametrize(
    ("script", "before", "after"),
    [
        ("s/__NAME__/${CLUSTER}/", "name: __NAME__\n", "name: ${CLUSTER}\n"),
        ("s|a|b|", "host ${HOST} a\n", "host ${HOST} b\n"),
        ("s/^key: .*/key: new/", "key: ${OLD}\nother\n", "key: new\nother\n"),
        ("/^#/d", "# ${X}\na ${X}\n", "a ${X}\n"),
        ("s/$/ end/", "a ${X}\n", "a ${X} end\n"),
        ("$a ${LINE}", "a\n", "a\n${LINE}\n"),
        ("$a end", "${MANY}\na\n", "${MANY}\na\nend\n"),
    ],
)
def test_holes_are_kept(script: str, before: str, after: str) -> None:
    assert printed(ran(f"sed '{script}'", stdin=before)) == after


@pytest.mark.parametrize(
    ("script", "before"),
    [
        ("s/${WHAT}/x/", "a\n"),
        ("${SCRIPT}", "a\n"),
        ("s/name: [a-z]*/name: x/", "name: ${X}\n"),
        ("/^[a-z]b$/d", "${X}b\n"),
        ("2d", "${MANY}\nb\nc\n"),
        ("s/a/b/", "${MANY}\nb\nc\n"),
        ("s/a/\\U&/", "a\n"),
        ("s/\\(a\\)\\1/x/", "aa\n"),
        ("s/\\(a*\\)*b/x/", "aaaa\n"),
        ("N;s/\\n/ /", "a\nb\n"),
        ("y/abc/xyz/", "a\n"),
        ("s/a/b/w /tmp/x", "a\n"),
        ("r /etc/hosts", "a\n"),
        ("s//x/", "a\n"),
        ("s/a/b", "a\n"),
        ("0~2d", "a\n"),
        ("s/|a//", "a\n"),
    ],
)
def test_what_is_too_hard_is_not_known(script: str, before: str) -> None:
    option = "-E" if "|" in script else "-u"
    done = ran(f"sed {option} '{script}'", stdin=before)
    assert done.output is not None
    assert done.output.known is None


def test_a_changed_line_stands_where_it_was_changed() -> None:
    write = only_write(ran("sed -i s/a/b/ /etc/f", files={"/etc/f": "a\nc\n"}))
    assert write.whole is not None
    assert [line.place for line in write.whole.lines] == [PLACE, PLACE]


# What takes this long has no end; how fast it is, bench/ says.
HANGS = 60


@pytest.mark.parametrize("script", ["s/.*.*.*.*.*.*x/y/", "s/a*a*a*a*a*a*b/y/", "s/[a-z]*[a-z]*[a-z]*[a-z]*1/y/g"])
def test_no_expression_hangs(script: str) -> None:
    begins = time.process_time()
    ran(f"sed '{script}'", stdin="a" * 5000 + "\n")
    assert time.process_time() - begins < HANGS


def test_several_inputs_are_one() -> None:
    assert printed(ran("sed 1d /a /b", files={"/a": "1\n2\n", "/b": "3\n"})) == "2\n3\n"
    assert printed(ran("sed 1d /a /unread", files={"/a": "1\n2\n"})) == "$(sed 1d /a /unread)\n"
