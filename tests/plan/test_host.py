"""What the host adds to the SDK: types are looked at in the loop's thread, and traces are told as the SDK tells them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pulumi
import pytest
from pulumi.runtime import resource as registering

from nodeworthy.collect.plan import host_haste
from nodeworthy.collect.plan.host_engine import on_the_loop


class Resource:
    def __init__(self, tell: Callable[[], Any]) -> None:
        self.told = tell()


class CustomResource(Resource):
    def __init__(self, tell: Callable[[], Any]) -> None:
        super().__init__(tell)


class Bucket(CustomResource):
    def __init__(self, tell: Callable[[], Any]) -> None:
        super().__init__(tell)


def test_what_a_thread_asks_is_worked_out_in_the_loops_own() -> None:
    """The SDK loads its modules when they are first used, and not safely in two threads."""

    async def program() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as threads:
            asked = loop.run_in_executor(
                threads, lambda: (on_the_loop(loop, threading.get_ident), threading.get_ident())
            )
            return await asked

    worked_out_in, asked_in = asyncio.run(program())
    assert worked_out_in == threading.get_ident() != asked_in


@pytest.mark.parametrize("closed", [True, False])
def test_without_a_loop_that_runs_nobody_waits_for_it(closed: bool) -> None:
    loop = asyncio.new_event_loop()
    if closed:
        loop.close()
    assert on_the_loop(loop, lambda: "told") == "told"
    loop.close()


def test_a_trace_is_told_as_the_sdk_tells_it() -> None:
    # fmt: off
    theirs, ours = Bucket(registering._get_stack_trace).told, Bucket(host_haste._stack_trace).told
    # fmt: on
    assert list(theirs.frames) == list(ours.frames)
    assert ours.frames[0].pc.uri.endswith("/test_host.py")


def test_outside_of_a_resource_there_is_no_trace() -> None:
    assert not host_haste._stack_trace().frames


InputText = pulumi.Input[str] | None


@pytest.mark.parametrize("name", host_haste._OF_TYPES)
def test_a_type_is_answered_as_the_sdk_answers_it(name: str) -> None:
    answer = getattr(pulumi._types, name)
    hastened = host_haste._once(answer)
    for kind in (str, int | None, InputText, pulumi.Output[Any], list[str], dict[str, int] | None):
        assert hastened(kind) == hastened(kind) == answer(kind)


def test_a_type_without_a_hash_is_asked_about_anew() -> None:
    asked: list[object] = []

    def told(kind: object) -> str:
        asked.append(kind)
        return "told"

    answer = host_haste._once(told)
    assert [answer(["no hash"]), answer(["no hash"])] == ["told", "told"]
    assert len(asked) == 2
