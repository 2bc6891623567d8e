"""Every line of every part leads to the line in the user's own file, through MIME and every encoding."""

from __future__ import annotations

import base64
import gzip

import pytest

from nodeworthy.boot.origin import Folded
from nodeworthy.boot.unpack import unpack
from nodeworthy.boot.userdata import Part, PartKind
from nodeworthy.verdict import Place
from tests.boot import userdatas

from .unpacked import unpacked

PLAIN = ["shell", "boothook", "cloud-config", "node-config", "bottlerocket", "template", "mime", "nested", "jinja"]


def lines(part: Part) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(part.text.split("\n"), 1) if line.strip()]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_plain_line_stands_where_it_is_said_to_stand(name: str, ends: str) -> None:
    text = userdatas.ALL[name].decode().replace("\n", ends)
    file = text.split("\n")
    parts = unpacked(text).parts
    assert parts
    for part in parts:
        for number, line in lines(part):
            place = part.origin.at(number, 1)
            assert place.line is not None
            assert file[place.line - 1].rstrip("\r") == line


def test_behind_an_indentation_the_column_moves_too() -> None:
    text = "".join(f"    {line}\n" for line in userdatas.MIME.splitlines())
    script = next(part for part in unpacked(text).parts if part.kind is PartKind.SHELL)
    place = script.origin.at(2, 5)
    assert place.line is not None
    assert text.split("\n")[place.line - 1][(place.column or 0) - 1 :] == "-euo pipefail"


@pytest.mark.parametrize("width", [4, 7, 64, 76, 10_000])
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_line_in_base64_stands_in_the_line_of_base64_that_holds_its_first_byte(width: int, indent: str) -> None:
    encoded = base64.b64encode(userdatas.SHELL.encode()).decode()
    rows = [encoded[at : at + width] for at in range(0, len(encoded), width)]
    text = "".join(f"{indent}{row}\n" for row in rows)
    (part,) = unpacked(text).parts
    assert part.text == userdatas.SHELL
    for number, _ in lines(part):
        place = part.origin.at(number)
        assert place.line is not None
        assert place.column is not None
        before = sum(len(row) for row in rows[: place.line - 1]) + place.column - 1 - len(indent)
        byte = len("\n".join(userdatas.SHELL.split("\n")[: number - 1]).encode()) + (number > 1)
        assert before == byte * 4 // 3
        assert place.subject == f"line {number} of the decoded user data"


def test_a_part_in_base64_says_in_which_part_the_line_is() -> None:
    script = next(part for part in unpacked(userdatas.MIXED).parts if part.name == "part-004")
    place = script.origin.at(6)
    file = userdatas.MIXED.split("\n")
    first = next(
        number for number, line in enumerate(file) if line == userdatas.in_base64(userdatas.SHELL).split("\n")[0]
    )
    assert place.subject == "line 6 of part 4 (text/x-shellscript)"
    assert place.line == first + 1 + (len("".join(userdatas.SHELL.split("\n")[:5]).encode()) + 5) * 4 // 3 // 76
    assert script.called == "part 4 (text/x-shellscript)"


def test_a_quoted_line_stands_where_it_begins() -> None:
    script = next(part for part in unpacked(userdatas.MIXED).parts if part.content_type == "text/plain")
    file = userdatas.MIXED.split("\n")
    assert script.text == "#!/bin/sh\necho a=b goes on\necho \u00e9\n"
    assert [file[(script.origin.at(line).line or 0) - 1] for line in (1, 2, 3)] == [
        "#!/bin/sh",
        "echo a=3Db =",
        "echo =C3=A9",
    ]


def test_of_gzip_only_the_line_inside_can_be_told() -> None:
    (part,) = unpacked(gzip.compress(userdatas.SHELL.encode())).parts
    place = part.origin.at(4)
    assert (place.path, place.line, place.subject) == ("user-data", 1, "line 4 of the unpacked user data")


def test_a_gzip_part_says_which_part_it_is() -> None:
    (part,) = unpacked(userdatas.PACKED["gzip part"]).parts
    place = part.origin.at(4)
    assert (place.line, place.subject) == (9, "line 4 of part 1 (application/gzip)")
    assert part.text == userdatas.SHELL


def test_who_unpacks_may_say_where_the_lines_stand() -> None:
    planned = Place(urn="urn:pulumi:ci::gpu::aws:ec2/launchTemplate:LaunchTemplate::h100")
    read = unpack(userdatas.SHELL.encode(), planned, origin=Folded(planned, "the user data"))
    assert read.parts[0].origin.at(3).subject == "line 3 of the user data"
    assert read.parts[0].origin.at(3).urn == planned.urn
