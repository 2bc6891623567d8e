"""What the SDK works out anew for every value of every resource, worked out once.

A fleet of hundreds of pools is millions of values: what a type is made of, and where a file of the program lies, are
asked for each of them, and are the same each time. What is found here and not there is left as it is: SDKs differ.
"""

from __future__ import annotations

import functools
import pathlib
import sys
import types
import typing
from collections.abc import Callable

import pulumi
from pulumi.runtime import resource as registering
from pulumi.runtime.proto import source_pb2

Asked = Callable[[typing.Any], typing.Any]
# Each is asked about a type, and answers from the type alone.
_OF_TYPES = ("_is_union_type", "unwrap_optional_type", "unwrap_type")
# The classes that a resource is built through: pulumi.Resource, the kind of resource, the resource's own.
_BUILT_THROUGH = 3


def hasten() -> None:
    for name in _OF_TYPES:
        asked = getattr(pulumi._types, name, None)
        if asked is not None:
            setattr(pulumi._types, name, _once(asked))
    if hasattr(source_pb2, "StackTrace") and hasattr(registering, "_get_stack_trace"):
        registering._get_stack_trace = _stack_trace


def _once(asked: Asked) -> Asked:
    kept = functools.cache(asked)

    @functools.wraps(asked)
    def answer(kind: typing.Any) -> typing.Any:
        try:
            return kept(kind)
        except TypeError:  # a type with something in it that has no hash
            return asked(kind)

    return answer


def _stack_trace() -> typing.Any:
    """The stack as the SDK tells it, without the text of every line, which the SDK reads and drops."""
    frame: types.FrameType | None = sys._getframe(1)
    built = 0
    while frame is not None:
        built += frame.f_code.co_name == "__init__"
        if built == _BUILT_THROUGH:
            return source_pb2.StackTrace(frames=list(_frames(frame.f_back)))
        frame = frame.f_back
    return source_pb2.StackTrace()


def _frames(frame: types.FrameType | None) -> typing.Iterator[typing.Any]:
    while frame is not None:
        uri = _uri(frame.f_code.co_filename)
        line = frame.f_lineno
        yield source_pb2.StackFrame(pc=source_pb2.SourcePosition(uri=uri, line=line) if uri and line else None)
        frame = frame.f_back


@functools.cache
def _uri(path: str) -> str | None:
    try:
        return pathlib.Path(path).as_uri()
    except ValueError:  # what was never a file: `<frozen runpy>`
        return None
