"""Whatever user data is, unpacking ends with parts and faults, each with a place, and never with an exception."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from nodeworthy.boot.cloud_config import Ran, WrittenFile
from nodeworthy.boot.userdata import UserData
from tests.boot import userdatas

from .unpacked import unpacked

WHOLE = st.sampled_from(sorted(userdatas.ALL.values()))
PIECES = st.sampled_from(
    [b"\0", b"\r\n", b"\xff", b"\n\n", b"--==BOUNDARY==--", b"${", b"%{ if x }", b"{{", b"\xef\xbb\xbf", b"\x1f\x8b", b"&a *a", b'"', b"|", b": ", b"- "]
)  # fmt: skip
WRAPPERS: dict[str, Callable[[bytes], bytes]] = {
    "b": base64.b64encode,
    "lines": base64.encodebytes,
    "g": lambda data: gzip.compress(data, mtime=0),
}
WRAPS = st.lists(st.sampled_from(sorted(WRAPPERS)), max_size=3)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = draw(WHOLE)
    for _ in range(draw(st.integers(1, 6))):
        at, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        piece = draw(st.one_of(PIECES, st.binary(max_size=8)))
        data = draw(st.sampled_from([data[:at] + piece + data[at:], data[:at] + data[end:], data[:at], data[at:]]))
    for wrap in draw(WRAPS):
        data = WRAPPERS[wrap](data)
    return data


def look_at(read: UserData) -> None:
    """Everything that is worked out only when it is asked for."""
    assert read.parts or read.faults
    for part in read.parts:
        for line in range(1, part.text.count("\n") + 2):
            assert part.origin.at(line, 3).path == "user-data"
    for step in read.cloud_config.steps if read.cloud_config else ():
        assert step.place.path == "user-data"
        if isinstance(step, Ran):
            assert step.origin.at(step.text.count("\n")).path == "user-data"
        if isinstance(step, WrittenFile) and step.content is not None:
            assert step.content.text is not None
    for fault in read.faults:
        assert fault.place.path == "user-data"
        assert "\ue000" not in fault.message


@settings(max_examples=60, deadline=None)
@given(mutated(), st.sampled_from([None, True, False]))
def test_mutated_user_data(data: bytes, template: bool | None) -> None:
    look_at(unpacked(data, template=template))


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    look_at(unpacked(data))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["#cloud-config\n", "apiVersion: node.eks.aws/v1\nkind: NodeConfig\nspec:\n", "[settings]\n", "#cloud-config-archive\n"]), st.text(max_size=200))  # fmt: skip
def test_any_text_in_a_document(head: str, text: str) -> None:
    look_at(unpacked((head + text).encode("utf-8", "replace"), template=True))
