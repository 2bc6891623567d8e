"""Who reads each part, when, and in which order; what was unwrapped, and what EC2 counts."""

from __future__ import annotations

import base64
import gzip

import pytest

from nodeworthy.boot.effects import Stage
from nodeworthy.boot.userdata import PartKind, turn_of
from tests.boot import userdatas
from tests.boot.userdatas import SHELL, mime

from .unpacked import faults, unpacked


@pytest.mark.parametrize("name", sorted(userdatas.ALL))
def test_what_people_write_has_no_fault(name: str) -> None:
    assert [fault for fault in unpacked(userdatas.ALL[name]).faults if not fault.is_doubt] == []


def test_parts_come_in_the_order_in_which_they_act() -> None:
    read = unpacked(
        userdatas.mime(
            ("text/x-shellscript", SHELL),
            ("text/cloud-boothook", "#!/bin/sh\n:"),
            ("application/node.eks.aws", userdatas.NODE_CONFIG),
            ("text/cloud-config", userdatas.CLOUD_CONFIG),
        )
    )
    assert [(part.stage, part.kind, part.name) for part in read.parts] == [
        (Stage.NODEADM_CONFIG, PartKind.NODE_CONFIG, "part-003"),
        (Stage.BOOTHOOK, PartKind.BOOTHOOK, "part-002"),
        (Stage.BOOTCMD, PartKind.CLOUD_CONFIG, "part-004"),
        (Stage.SCRIPTS, PartKind.SHELL, "part-001"),
    ]


def test_scripts_run_by_folder_and_file_name() -> None:
    def part(name: str, kind: str = "text/x-shellscript") -> tuple[str, str]:
        return f'{kind}\nContent-Disposition: attachment; filename="{name}"', f"#!/bin/sh\necho {name}\n"

    read = unpacked(
        mime(
            part("zz.sh"),
            part("10 first.sh"),
            part("b/c.sh", "text/x-shellscript-per-boot"),
            part("once", "text/x-shellscript-per-once"),
        )
    )
    assert [(part.folder, part.name) for part in read.parts] == [
        ("per-once", "once"),
        ("per-boot", "b_c.sh"),
        ("scripts", "10first.sh"),
        ("scripts", "zz.sh"),
    ]
    assert read.parts[2].turn < turn_of("runcmd") < read.parts[3].turn


@pytest.mark.parametrize(
    ("data", "wrapped", "size"),
    [
        (SHELL.encode(), (), len(SHELL)),
        (base64.b64encode(SHELL.encode()), ("base64",), len(SHELL)),
        (gzip.compress(SHELL.encode(), mtime=0), ("gzip",), len(gzip.compress(SHELL.encode(), mtime=0))),
        (
            base64.b64encode(gzip.compress(SHELL.encode(), mtime=0)),
            ("base64", "gzip"),
            len(gzip.compress(SHELL.encode(), mtime=0)),
        ),
        (userdatas.TEMPLATE.encode(), (), None),
    ],
)
def test_size_is_what_ec2_counts(data: bytes, wrapped: tuple[str, ...], size: int | None) -> None:
    read = unpacked(data)
    assert (read.wrapped, read.size) == (wrapped, size)


@pytest.mark.parametrize(
    ("layers", "told"),
    [
        ("b", []),
        ("g", []),
        ("bg", []),
        ("bb", ["PACKED_TWICE? 1"]),
        ("bbg", ["PACKED_TWICE? 1"]),
        ("gg", ["PACKED_TWICE 1"]),
        ("gb", ["PACKED_TWICE 1"]),
        ("bgb", ["PACKED_TWICE 1"]),
        ("bbbbb", ["PACKED_TWICE? 1", "PACKED_TWICE 1"]),
        ("bgbgbg", ["TOO_LARGE 1"]),
    ],
)
def test_layers_that_nobody_takes_off_are_a_fault(layers: str, told: list[str]) -> None:
    data = SHELL.encode()
    for layer in reversed(layers):
        data = base64.b64encode(data) if layer == "b" else gzip.compress(data, mtime=0)
    read = unpacked(data)
    assert faults(read) == told
    assert [part.text for part in read.parts] == ([SHELL] if len(layers) < 6 else [])
    assert bool(read.unread) == (len(layers) == 6)


def test_a_template_is_seen_by_its_name_or_by_what_stands_in_it() -> None:
    assert unpacked(userdatas.TEMPLATE).is_template
    assert unpacked("#!/bin/sh\necho ${NAME}\n", name="user-data.sh.tftpl").is_template
    assert not unpacked("#!/bin/sh\necho ${NAME}\n").is_template
    assert not unpacked(userdatas.TEMPLATE, template=False).is_template
