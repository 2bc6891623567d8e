"""What is unpacked is what the real cloud-init unpacks: the same scripts under the same names, the same merged config."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.boot.cloud_config import Ran, WrittenFile, read_cloud_configs
from nodeworthy.boot.unpack import unpack
from nodeworthy.boot.userdata import Part, PartKind, UserData
from nodeworthy.verdict import Place
from tests.boot import userdatas
from tests.by_day import some

from .daemon import PATIENCE
from .tools import Tools

PROGRAM = Path(__file__).parent / "programs" / "cloud_init.py"
SCRIPTS = (PartKind.SHELL, PartKind.OTHER_LANGUAGE)
# EC2 takes the base64 off before cloud-init sees anything.
NOT_ITS_OWN = {"node-config", "bottlerocket", "template", "jinja", "include"}


def real(tools: Tools, data: bytes) -> dict[str, Any]:
    tools.path("cloud-init")
    told = subprocess.run(["/usr/bin/python3", PROGRAM], input=data, capture_output=True, check=True, timeout=PATIENCE)
    answer: dict[str, Any] = json.loads(told.stdout)
    return answer


def ours(data: bytes) -> UserData:
    return unpack(data, Place("user-data"), template=False)


def texts(userdata: UserData, *kinds: PartKind) -> dict[str, str]:
    return {part.name: _bytes(part) for part in userdata.parts if part.kind in kinds}


def _bytes(part: Part) -> str:
    return part.text.encode().decode("latin-1").rstrip("\n")


def stripped(files: dict[str, str]) -> dict[str, str]:
    return {name: text.rstrip("\n") for name, text in files.items()}


@pytest.mark.parametrize("name", some(sorted(set(userdatas.ALL) - NOT_ITS_OWN), 10))
def test_the_same_scripts(tools: Tools, name: str) -> None:
    data = userdatas.ALL[name]
    read = ours(data)
    if read.wrapped[:1] == ("base64",):
        data = base64.b64decode(data)
    told = real(tools, data)
    assert not told["failed"]
    assert texts(read, *SCRIPTS) == stripped(told["scripts"])
    assert texts(read, PartKind.BOOTHOOK) == stripped(told["boothooks"])


@pytest.mark.parametrize(
    ("merge", "header"),
    [
        ("", ""),
        ("merge_how: 'list(append)+dict(no_replace,recurse_list)+str()'\n", ""),
        ("merge_how: 'list(prepend)+dict(no_replace,recurse_array)'\n", ""),
        ("merge_how: [{name: list, settings: [append]}, {name: dict, settings: [no_replace, recurse_list]}]\n", ""),
        ("merge_type: 'dict(no_replace)+list()'\n", ""),
        ("", "\nMerge-Type: list(append)+dict(no_replace, recurse_list)+str()"),
        ("", "\nX-Merge-Type: dict(replace)+list()"),
    ],
)
def test_the_same_merged_config(tools: Tools, merge: str, header: str) -> None:
    second = f"#cloud-config\n{merge}runcmd: [echo two, [echo, three]]\nwrite_files: [{{path: /b, content: b}}]\nbootcmd: [x]\n"
    first = "#cloud-config\nruncmd: [echo one]\nwrite_files: [{path: /a, content: a}]\n"
    data = userdatas.mime(("text/cloud-config", first), (f"text/cloud-config{header}", second)).encode()
    config = real(tools, data)["config"]
    steps = read_cloud_configs(ours(data).parts).steps
    expected = [f"{item}\n" if isinstance(item, str) else "'echo' 'three'\n" for item in config["runcmd"]]
    assert [step.text for step in steps if isinstance(step, Ran) and step.key == "runcmd"] == ["".join(expected)]
    paths = [step.path.known for step in steps if isinstance(step, WrittenFile)]
    assert paths == [file["path"] for file in config["write_files"]]


LOST = {
    "a blank line before the header": "\n" + userdatas.MIME,
    "a comment before the header": "# user data\n" + userdatas.MIME,
    "a blank line in the header": userdatas.MIME.replace("\nContent-Type", "\n\nContent-Type", 1),
    "an indented header": "".join(f"  {line}\n" for line in userdatas.MIME.splitlines()),
    "no boundary": userdatas.MIME.replace('; boundary="==BOUNDARY=="', ""),
    "another boundary": userdatas.MIME.replace('boundary="==BOUNDARY=="', 'boundary="other"'),
    "no MIME-Version": userdatas.MIME.replace("MIME-Version: 1.0\n", ""),
    "a byte order mark": "\ufeff" + userdatas.SHELL,
    "no shebang": userdatas.SHELL.split("\n", 1)[1],
    "cloud-config without its name": userdatas.CLOUD_CONFIG.split("\n", 1)[1],
}


@pytest.mark.parametrize("name", LOST)
def test_what_is_called_lost_is_lost(tools: Tools, name: str) -> None:
    data = LOST[name].encode()
    told = real(tools, data)
    assert (told["scripts"], told["boothooks"], told["config"]) == ({}, {}, None)
    assert any(not fault.is_doubt for fault in ours(data).faults)


UNSTARTED = {
    "a blank line before the shebang": ("\n" + userdatas.SHELL).encode(),
    "a boothook without a shebang": b"#cloud-boothook\nmodprobe nvidia\n",
    "a blank line before #cloud-boothook": ("\n" + userdatas.BOOTHOOK).encode(),
    "a part without a shebang": userdatas.mime(("text/x-shellscript", "set -e\necho up\n")).encode(),
    "a part in undeclared base64": userdatas.mime(
        ("text/x-shellscript", userdatas.in_base64(userdatas.SHELL))
    ).encode(),
    "a part that is not base64": userdatas.mime(
        ("text/x-shellscript\nContent-Transfer-Encoding: base64", userdatas.SHELL)
    ).encode(),
    "a part of unknown encoding": userdatas.mime(
        ("text/x-shellscript\nContent-Transfer-Encoding: gzip", userdatas.in_base64(userdatas.SHELL))
    ).encode(),
    "a byte that is no UTF-8": b"#!/bin/bash\necho caf\xe9\n",
    "gzip in gzip": gzip.compress(gzip.compress(userdatas.SHELL.encode())),
    "cut gzip": gzip.compress(userdatas.SHELL.encode())[:-20],
    "UTF-16": userdatas.SHELL.encode("utf-16"),
}


@pytest.mark.parametrize("name", UNSTARTED)
def test_what_is_called_unstarted_does_not_start(tools: Tools, name: str) -> None:
    data = UNSTARTED[name]
    told = real(tools, data)
    written = {**told["scripts"], **told["boothooks"]}
    assert not any(text.startswith("#!") for text in written.values())
    assert any(not fault.is_doubt for fault in ours(data).faults)


def test_the_later_of_two_scripts_of_one_name_is_the_only_one(tools: Tools) -> None:
    head = 'text/x-shellscript\nContent-Disposition: attachment; filename="user data.txt"'
    data = userdatas.mime((head, "#!/bin/sh\necho one\n"), (head, "#!/bin/sh\necho two\n")).encode()
    scripts = stripped(real(tools, data)["scripts"])
    read = ours(data)
    assert scripts == {"userdata.txt": "#!/bin/sh\necho two"}
    assert [part.name for part in read.parts] == ["userdata.txt", "userdata.txt"]
    assert [fault.kind.name for fault in read.faults] == ["SAME_NAME"]


def test_cloud_init_takes_windows_line_ends_off_where_the_first_line_has_one(tools: Tools) -> None:
    windows = userdatas.SHELL.replace("\n", "\r\n").encode()
    assert real(tools, windows)["scripts"] == {"part-001": userdatas.SHELL}
    assert "which takes them off" in ours(windows).faults[0].message
    mixed = windows.replace(b"\r\n", b"\n", 1)
    assert b"\r" in real(tools, mixed)["scripts"]["part-001"].encode()
    assert "leaves them in" in ours(mixed).faults[0].message
