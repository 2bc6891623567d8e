"""Everything that keeps user data from being read, each with its line; doubts are doubts."""

from __future__ import annotations

import base64
import gzip

import pytest

from nodeworthy.boot.userdata import PartKind
from tests.boot.userdatas import BOOTHOOK, CLOUD_CONFIG, MIME, NODE_CONFIG, SHELL, in_base64, mime

from .unpacked import faults, unpacked

ENCODING = "\nContent-Transfer-Encoding: "
PACKED = gzip.compress(SHELL.encode(), mtime=0)
NAMED = 'text/x-shellscript\nContent-Disposition: attachment; filename="a.sh"'
INNER = mime(("application/node.eks.aws", NODE_CONFIG), boundary="inner").split("\n\n", 1)[1]

LATE = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b

Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
{}
--b--
"""

# name: (user data, its faults)
CASES: dict[str, tuple[str | bytes, list[str]]] = {
    "nothing": ("", ["EMPTY 0"]),
    "blank lines": (" \n\n", ["EMPTY 0"]),
    "blank line before the header": ("\n" + MIME, ["BLANK_BEFORE_HEADER 1"]),
    "comment before the header": ("# a node\n" + MIME, ["BLANK_BEFORE_HEADER 1"]),
    "blank line in the header": (MIME.replace("\n", "\n\n", 1), ["BLANK_BEFORE_HEADER 1"]),
    "indented header": ("".join(f"  {line}\n" for line in MIME.splitlines()), ["NOT_AT_START 1"]),
    "no MIME-Version": (MIME.replace("MIME-Version: 1.0\n", ""), ["NO_MIME_VERSION 1"]),
    "no boundary": (MIME.replace('; boundary="==BOUNDARY=="', ""), ["NO_BOUNDARY 2"]),
    "another boundary": (MIME.replace('boundary="==BOUNDARY=="', 'boundary="b"'), ["NO_BOUNDARY 2"]),
    "a multipart of nothing": (
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\nhello\n",
        ["NO_BOUNDARY 2"],
    ),
    "unclosed": (MIME.replace("--==BOUNDARY==--\n", ""), ["UNCLOSED_BOUNDARY 2"]),
    "headers behind an empty line": (LATE.format("mkdir -p /scratch"), ["WRONG_TYPE 6"]),
    "headers behind an empty line, of a script that does nothing": (
        LATE.format("# mkdir -p /scratch"),
        ["WRONG_TYPE? 6"],
    ),
    "no headers, but words that look like one": (
        mime(("text/x-shellscript", SHELL), ("text/plain", "Content-Type: is what the next line is about\n")),
        ["NOBODY_READS_IT? 24"],
    ),
    # Go's reader begins one more part there, of which nothing comes.
    "ended by what begins a part": (MIME.replace("--==BOUNDARY==--\n", "--==BOUNDARY==\n"), []),
    "ended by half of a part": (MIME.replace("--==BOUNDARY==--\n", "--==BOUNDARY==\n\n"), ["UNCLOSED_BOUNDARY 2"]),
    "closed in the middle": (
        MIME.replace("--==BOUNDARY==\n", "--==BOUNDARY==--\n").replace("--==BOUNDARY==--", "--==BOUNDARY==", 1),
        ["NOBODY_READS_IT 26"],
    ),
    "no blank line behind the headers": (
        mime(("text/x-shellscript\n#!/bin/sh\necho x", "")),
        [],
    ),
    "unclosed, and cloud-init alone reads it": (mime(("text/x-shellscript", SHELL)).rsplit("--", 2)[0], []),
    "opened once more and left empty": (mime(("text/x-shellscript", SHELL)).rsplit("--", 1)[0], []),
    "an empty part of no kind": (mime(("text/x-shellscript", SHELL), ("text/plain", "")), []),
    "an empty script": (mime(("text/x-shellscript", SHELL), ("text/x-shellscript", "")), ["EMPTY? 24"]),
    "a part that a template fills in": (mime(("text/x-shellscript", "${after_the_join}\n")), []),
    "and nodeadm has something to read": (
        mime(("text/x-shellscript\n#!/bin/sh\necho x", ""), ("application/node.eks.aws", NODE_CONFIG)),
        ["NO_BLANK_BEHIND_HEADER 6"],
    ),
    "not base64": (mime((f"text/x-shellscript{ENCODING}base64", SHELL)), ["BAD_ENCODING 6"]),
    "undeclared base64": (mime(("text/x-shellscript", in_base64(SHELL))), ["BAD_ENCODING 7"]),
    "unknown encoding": (mime((f"text/x-shellscript{ENCODING}gzip", in_base64(SHELL))), ["BAD_ENCODING 6"]),
    "cut base64 of a part": (mime((f"text/x-shellscript{ENCODING}base64", in_base64(SHELL)[:-3])), ["TRUNCATED 8"]),
    "cut base64": (base64.b64encode(SHELL.encode())[:-3], ["TRUNCATED 1"]),
    "cut gzip": (PACKED[:-30], ["TRUNCATED 1"]),
    "damaged gzip": (PACKED[:40] + b"\xff\xff\xff\xff" + PACKED[44:], ["NOT_READABLE 1"]),
    "cut gzip in base64": (base64.b64encode(PACKED[:-30]), ["TRUNCATED 1"]),
    "a gzip bomb": (gzip.compress(b"\0" * 5_000_000), ["TOO_LARGE 1"]),
    "a bomb of files": (gzip.compress(b"") * 300, ["TOO_LARGE 1"]),
    "a bomb in a part": (
        mime((f"application/gzip{ENCODING}base64", base64.encodebytes(gzip.compress(b"\0" * 5_000_000)).decode())),
        ["TOO_LARGE 8"],
    ),
    "gzip that does not say so": (
        mime((f"text/x-shellscript{ENCODING}base64", base64.encodebytes(PACKED).decode())),
        ["WRONG_TYPE 8"],
    ),
    "too large": (b"#!/bin/sh\n" * 500_000, ["TOO_LARGE 0"]),
    "a NUL": ("#!/bin/sh\necho a\0b\n", ["NUL 2"]),
    "Windows line ends": (SHELL.replace("\n", "\r\n"), ["WINDOWS_LINE_ENDS 1"]),
    "Windows line ends further down": ("#!/bin/sh\necho a\r\necho b\r\n", ["WINDOWS_LINE_ENDS 2"]),
    "Windows line ends in cloud-config": (CLOUD_CONFIG.replace("\n", "\r\n"), []),
    "UTF-16": (SHELL.encode("utf-16"), ["NOT_UTF8 1"]),
    "UTF-16 without a mark": (SHELL.encode("utf-16-le"), ["NOT_UTF8 1"]),
    "a byte of another alphabet": (b"#!/bin/sh\n# caf\xe9\n", ["NOT_UTF8 2"]),
    "a byte order mark": ("\ufeff" + SHELL, ["NOT_AT_START 1"]),
    "a blank line before the shebang": ("\n" + SHELL, ["NOT_AT_START 1"]),
    "a space before the shebang": (" " + SHELL, ["NOT_AT_START 1"]),
    "options behind env": ("#!/usr/bin/env bash -x\nset -e\n", ["OPTIONS_BEHIND_ENV 1"]),
    "options behind env, split": ("#!/usr/bin/env -S bash -x\nset -e\n", []),
    "no shebang": ("set -e\nsystemctl enable kubelet\n", ["NO_SHEBANG 1"]),
    "a first line that a template puts in": ("${before}\nset -e\n/etc/eks/bootstrap.sh ${name}\n", ["NO_SHEBANG? 1"]),
    "a first line behind a directive": ("%{ if on ~}\n#!/bin/bash\nset -e\n%{ endif ~}\nsystemctl start ${unit}\n", []),
    "a NodeConfig of another version": ("apiVersion: node.eks.aws/v1alpha\nkind: NodeConfig\n", ["WRONG_TYPE 1"]),
    "a NodeConfig of nothing": (mime(("application/node.eks.aws", "# nothing\n")), ["WRONG_TYPE 7"]),
    "a NodeConfig as a part of nothing": (
        f"Content-Type: application/node.eks.aws\nMIME-Version: 1.0\n\n{NODE_CONFIG}",
        ["NOBODY_READS_IT? 4"],
    ),
    "no shebang in a part": (
        mime(("text/x-shellscript", "set -e\nsystemctl enable kubelet\n")),
        ["PART_WITHOUT_SHEBANG 7"],
    ),
    "no shebang in plain text": (mime(("text/plain", "set -e\nsystemctl enable kubelet\n")), ["NO_SHEBANG 7"]),
    "a boothook without a shebang": ("#cloud-boothook\nmodprobe nvidia\n", ["PART_WITHOUT_SHEBANG 2"]),
    "a blank line before the boothook": ("\n" + BOOTHOOK, ["NOT_AT_START 2"]),
    "Python": ("#!/usr/bin/env python3\nprint()\n", ["NOT_READ_HERE? 1"]),
    "Perl in a part": (mime(("text/x-shellscript", "#!/usr/bin/perl -w\n")), ["NOT_READ_HERE? 7"]),
    "a list of URLs": ("#include\nhttps://example.com/x\n", ["NOT_READ_HERE? 1"]),
    "a part handler": ("#part-handler\nimport os\n", ["NOT_READ_HERE? 1"]),
    "jinja": ("## template: jinja\n#!/bin/sh\necho {{ v1.region }}\n", []),
    "jinja in cloud-config": ("## template: jinja\n#cloud-config\nhostname: {{ v1.region }}\n", ["NOT_READ_HERE? 2"]),
    "jinja that fills nothing in": ("## template: jinja\n#!/bin/sh\necho\n", []),
    "jinja of nothing": ("## template: jinja\nhello\n", ["NOBODY_READS_IT 2"]),
    "prose": ("hello, node\n", ["NOBODY_READS_IT 1"]),
    "cloud-config without its name": ("runcmd:\n  - echo up\n", ["NO_CLOUD_CONFIG_HEADER 1"]),
    "a type that nobody knows": (mime(("application/x-nothing", "hello")), ["NOBODY_READS_IT? 7"]),
    "shell as cloud-config": (mime(("text/cloud-config", SHELL)), ["WRONG_TYPE 7"]),
    "cloud-config as a boothook": (mime(("text/cloud-boothook", CLOUD_CONFIG)), ["WRONG_TYPE 7"]),
    "cloud-config as shell": (mime(("text/x-shellscript", CLOUD_CONFIG)), []),
    "NodeConfig as cloud-config": (mime(("text/cloud-config", NODE_CONFIG)), ["WRONG_TYPE 7"]),
    "NodeConfig as YAML": (mime(("application/yaml", NODE_CONFIG)), ["WRONG_TYPE 7"]),
    "shell as NodeConfig": (mime(("application/node.eks.aws", SHELL)), ["WRONG_TYPE 7"]),
    "NodeConfig too deep": (mime(('multipart/mixed; boundary="inner"', INNER)), ["NOBODY_READS_IT 10"]),
    "an empty part": (mime(("text/x-shellscript", ""), ("text/x-shellscript", SHELL)), ["EMPTY? 7"]),
    "two scripts of one name": (mime((NAMED, SHELL), (NAMED, SHELL)), ["SAME_NAME 8"]),
    "two runcmds": (
        mime(
            ("text/cloud-config", "#cloud-config\nruncmd: [a]\n"), ("text/cloud-config", "#cloud-config\nruncmd: [b]\n")
        ),
        ["REPLACED 8"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_fault(name: str) -> None:
    data, told = CASES[name]
    assert faults(unpacked(data)) == told


def test_jinja_in_terraforms_template_is_filled_in_by_both() -> None:
    text = "## template: jinja\n#cloud-config\nruncmd: [[a, ${name}, --in={{ v1.region }}]]\n"
    assert faults(unpacked(text, template=True)) == ["NOT_READ_HERE? 2"]


@pytest.mark.parametrize("name", CASES)
def test_every_fault_says_what_and_a_fault_that_is_sure_says_how_to_mend_it(name: str) -> None:
    for fault in unpacked(CASES[name][0]).faults:
        assert fault.message
        assert not fault.message.endswith(".")
        assert fault.is_doubt or fault.remedy or fault.kind.name in ("EMPTY", "NOBODY_READS_IT", "TOO_LARGE")


READ_ALL_THE_SAME = [
    "blank line before the header",
    "comment before the header",
    "blank line in the header",
    "indented header",
    "no MIME-Version",
    "no boundary",
    "another boundary",
    "unclosed",
]


@pytest.mark.parametrize("name", READ_ALL_THE_SAME)
def test_what_is_meant_is_read_all_the_same(name: str) -> None:
    """One fault is enough: what the script does is judged as if it were mended."""
    read = [(part.kind, part.text.strip()) for part in unpacked(CASES[name][0]).parts]
    assert read == [(part.kind, part.text.strip()) for part in unpacked(MIME).parts]


@pytest.mark.parametrize(
    "name", ["UTF-16", "a byte order mark", "a blank line before the shebang", "Windows line ends"]
)
def test_a_script_that_does_not_start_is_read_all_the_same(name: str) -> None:
    (part,) = unpacked(CASES[name][0]).parts
    assert (part.kind, part.text, part.interpreter) == (PartKind.SHELL, SHELL, "#!/bin/bash")


def test_what_cloud_init_leaves_in_stays_in() -> None:
    (part,) = unpacked(CASES["Windows line ends further down"][0]).parts
    assert part.text == "#!/bin/sh\necho a\r\necho b\r\n"


def test_what_stands_behind_late_headers_is_read_at_its_own_lines() -> None:
    (part,) = unpacked(LATE.format("mkdir -p /scratch")).parts
    assert (part.kind, part.text.strip()) == (PartKind.SHELL, "#!/bin/bash\nmkdir -p /scratch")
    assert part.origin.at(2).line == 9


@pytest.mark.parametrize("kind", ["text/markdown", "application/x-nothing"])
def test_a_part_that_cloud_init_ignores_does_nothing(kind: str) -> None:
    read = unpacked(mime((kind, "# notes\necho up > /etc/up\n"), ("text/x-shellscript", SHELL)))
    assert [(part.text.strip(), part.name) for part in read.parts] == [(SHELL.strip(), "part-002")]
    assert faults(read) == ["NOBODY_READS_IT 7"]


@pytest.mark.parametrize("name", ["cut gzip", "damaged gzip", "a gzip bomb", "too large", "cut gzip in base64"])
def test_what_can_not_be_read_says_why(name: str) -> None:
    read = unpacked(CASES[name][0])
    assert read.parts == ()
    assert read.unread
