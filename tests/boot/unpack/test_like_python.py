"""A MIME message is split as Python's own parser splits it, which is what cloud-init uses; and a NodeConfig's place
in it follows Go's, which nodeadm uses."""

from __future__ import annotations

import email
import re

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from nodeworthy.boot.unpack.framing import Entity, Lines, read_message
from tests.boot import userdatas

LINES = st.sampled_from(
    [
        "",
        "",
        "--a",
        "--a",
        "--a--",
        "--a  ",
        "--b",
        "--b--",
        "--ab",
        " --a",
        "-- a",
        "Content-Type: text/x-shellscript",
        "Content-Type: multipart/mixed; boundary=a",
        'Content-Type: multipart/mixed; boundary="b"',
        "Content-Type: multipart/mixed",
        "content-transfer-encoding: base64",
        " folded: header",
        "#!/bin/sh",
        "echo a: b",
        "key: value",
        "\tindented",
    ]
)
DOCUMENTS = st.lists(LINES, max_size=30).map("\n".join)


def by_python(text: str) -> list[tuple[str, str]]:
    leaves = [part for part in email.message_from_string(text).walk() if part.get_content_maintype() != "multipart"]
    return [(part.get_content_type(), _body(str(part.get_payload()))) for part in leaves]


def by_us(text: str) -> list[tuple[str, str]]:
    lines = Lines(text)
    return [(leaf.content_type, _body(lines.text(leaf.body, leaf.end))) for leaf in read_message(lines).leaves()]


def filled(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [part for part in parts if part != ("text/plain", "")]


def _body(text: str) -> str:
    """The end of the last line is the boundary's, or nobody's."""
    return text.rstrip("\n")


def depth(entity: Entity) -> int:
    return 1 + max((depth(part) for part in entity.parts or ()), default=0)


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS)
@example(userdatas.MIME)
@example(userdatas.MIXED)
@example(userdatas.NESTED)
@example("Content-Type: multipart/mixed; boundary=a\n\n--a--\n--a\n\nx\n")
def test_the_same_parts(text: str) -> None:
    """How many parts of nothing stand between two boundaries makes no difference. Of a multipart that holds nothing at
    all, Python takes what stands behind it for a part; nobody writes that."""
    assume(not re.search(r"^--([ab]) *\n(--\1 *\n)*--\1--", text, re.MULTILINE))
    assert filled(by_us(text)) == filled(by_python(text))


@given(st.lists(st.sampled_from("ab"), max_size=40))
def test_nesting_has_an_end(names: list[str]) -> None:
    text = "".join(f"Content-Type: multipart/mixed; boundary={name}\n\n--{name}\n" for name in names)
    assert depth(read_message(Lines(text))) <= 10
