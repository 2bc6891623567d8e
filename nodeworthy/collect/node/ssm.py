"""`ssm://i-…`: an instance through AWS Systems Manager's Run Command, with the rights that boto3 finds."""

from __future__ import annotations

import math
import time
from typing import Any

from testinfra.backend import base

from nodeworthy.collect.node import paged
from nodeworthy.collect.node.connections import NotAnswering, WithDeadline
from nodeworthy.collect.node.deadline import RUNNING, TooLate
from nodeworthy.collect.node.reach import client, need_boto3, problems

DOCUMENT = "AWS-RunShellScript"
# How long SSM tries to hand a command to its agent; it takes no less.
DELIVERY_SECONDS = 30
POLL_SECONDS = 0.3
GOING_ON = ("Pending", "InProgress", "Delayed", "Cancelling")
# The command has ended, by whatever code; the answer tells which.
ENDED = ("Success", "Failed")


class Ssm(WithDeadline):
    NAME = "ssm"

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(name, *args, **kwargs)
        need_boto3("ssm://")
        self._reach = self.connections.reach

    def run(self, command: str, *args: str, **_: Any) -> base.CommandResult:
        command = self.get_command(command, *args)
        ends = time.monotonic() + self.connections.seconds
        try:
            head, stdout, stderr = self._whole(command, ends)
        except paged.BrokenAnswer as problem:
            raise NotAnswering(str(problem)) from None
        except problems() as problem:
            raise NotAnswering(str(problem)) from None
        return self.result(head.code, command.encode("utf-8"), stdout, stderr)

    def _whole(self, command: str, ends: float) -> tuple[paged.Head, bytes, bytes]:
        head, first = paged.head(self._sent(paged.wrap_command(command), ends))
        try:
            paged.check(head)
            pages = [first, *(self._sent(head.page(number), ends) for number in range(1, head.pages))]
        except BaseException:
            self._start(head.removal())
            raise
        return head, *paged.unpack_pages(head, pages)

    def _sent(self, line: str, ends: float) -> str:
        """What it prints. Raises NotAnswering, or TooLate when the deadline has passed."""
        identifier = self._start(line)
        while True:
            time.sleep(POLL_SECONDS)
            answer = self._answer(identifier)
            if answer.get("Status") in ENDED:
                return str(answer.get("StandardOutputContent") or "")
            if answer and answer["Status"] not in GOING_ON:
                raise NotAnswering(f"SSM says: {answer.get('StatusDetails') or answer['Status']}")
            if time.monotonic() > ends or RUNNING.stopping:
                self._client().cancel_command(CommandId=identifier, InstanceIds=[self.hostname])
                raise TooLate(self.connections.seconds, b"")

    def _start(self, line: str) -> str:
        started = self._client().send_command(
            InstanceIds=[self.hostname],
            DocumentName=DOCUMENT,
            Comment="nodeworthy node",
            TimeoutSeconds=DELIVERY_SECONDS,
            Parameters={"commands": [line], "executionTimeout": [str(math.ceil(self.connections.seconds))]},
        )
        return str(started["Command"]["CommandId"])

    def _answer(self, identifier: str) -> dict[str, Any]:
        """Empty where SSM has not heard of its own command yet."""
        client = self._client()
        try:
            told: dict[str, Any] = client.get_command_invocation(CommandId=identifier, InstanceId=self.hostname)
        except client.exceptions.InvocationDoesNotExist:
            return {}
        return told

    def _client(self) -> Any:
        return client(self._reach, "ssm")
