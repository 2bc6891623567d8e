"""`ssm://i-…`: an instance through AWS Systems Manager's Run Command, with the rights that boto3 finds."""

from __future__ import annotations

import base64
import gzip
import math
import re
import shlex
import time
import zlib
from typing import Any

from testinfra.backend import base

from nodeworthy.collect.node.connections import NotAnswering, WithDeadline
from nodeworthy.collect.node.deadline import RUNNING, TooLate
from nodeworthy.collect.node.reach import client, need_boto3, problems
from nodeworthy.records import dataclass

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
        except BrokenAnswer as problem:
            raise NotAnswering(str(problem)) from None
        except problems() as problem:
            raise NotAnswering(str(problem)) from None
        return self.result(head.code, command.encode("utf-8"), stdout, stderr)

    def _whole(self, command: str, ends: float) -> tuple[Head, bytes, bytes]:
        head, first = read_head(self._sent(wrap_command(command), ends))
        try:
            check(head)
            pages = [first, *(self._sent(head.page(number), ends) for number in range(1, head.pages))]
        except BaseException:
            self._start(head.removal())
            raise
        return head, *unpack_pages(head, pages)

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


# A command whose whole answer comes in pages: SSM hands over 24,000 characters of one, and cuts the rest off.
#
# The command is sent packed, so that nothing in it is taken for a parameter of SSM's; its answer is packed on the node,
# kept there for the time of the reading, and removed with its last page.


PAGE = 20_000
MOST_PAGES = 60
# Of what a command prints, on either stream.
MOST_BYTES = 32 * 1024 * 1024
# As `ulimit -f` counts.
_BLOCK = 512
_HEAD = re.compile(
    r"nodeworthy (?P<folder>/(?:run|tmp)/nodeworthy\.\w+) (?P<code>\d+) (?P<out>\d+) (?P<err>\d+) (?P<packed>\d+)\n"
)


class BrokenAnswer(Exception):
    """What came is not the whole answer: why."""


@dataclass(frozen=True)
class Head:
    """What the first page says of the whole."""

    folder: str
    code: int
    out: int
    err: int
    packed: int

    @property
    def pages(self) -> int:
        return max(1, -(-self.packed // PAGE))

    def page(self, number: int) -> str:
        """The command that prints this page; the first is 0."""
        printed = f"tail -c +{number * PAGE + 1} {shlex.quote(self.folder)}/packed | head -c {PAGE}"
        return f"{printed}; {self.removal()}" if number == self.pages - 1 else printed

    def removal(self) -> str:
        return f"rm -rf {shlex.quote(self.folder)}"


def wrap_command(command: str) -> str:
    packed = base64.b64encode(gzip.compress(command.encode(), mtime=0)).decode()
    return f"""\
umask 077
d=$(mktemp -d /run/nodeworthy.XXXXXXXX 2>/dev/null || mktemp -d /tmp/nodeworthy.XXXXXXXX) || exit 1
printf %s {packed} | base64 -d | gzip -d >"$d/command" || exit 1
(ulimit -f {MOST_BYTES // _BLOCK}; exec sh "$d/command") </dev/null >"$d/out" 2>"$d/err"
code=$?
cat "$d/out" "$d/err" | gzip -c | base64 | tr -d '\\n' >"$d/packed"
size() {{ wc -c <"$d/$1" | tr -d ' '; }}
echo "nodeworthy $d $code $(size out) $(size err) $(size packed)"
head -c {PAGE} "$d/packed"
[ "$(size packed)" -gt {PAGE} ] || rm -rf "$d"
"""


def read_head(first: str) -> tuple[Head, str]:
    """What the first answer says of the whole, and its page."""
    found = _HEAD.match(first)
    if found is None:
        raise BrokenAnswer("its answer does not begin as it should: base64, gzip or room for a file may be missing")
    sizes = (int(found[name]) for name in ("code", "out", "err", "packed"))
    told = Head(found["folder"], *sizes)
    return told, first[found.end() :]


def check(told: Head) -> None:
    """Raises BrokenAnswer where it can't be had whole."""
    if max(told.out, told.err) >= MOST_BYTES:
        raise BrokenAnswer(f"it prints more than {MOST_BYTES // 2**20} MiB, and is not believed")
    if told.pages > MOST_PAGES:
        raise BrokenAnswer(f"its answer has {told.packed} characters, packed: too many to be handed over through SSM")


def unpack_pages(told: Head, pages: list[str]) -> tuple[bytes, bytes]:
    """Both streams. Raises BrokenAnswer where anything is missing."""
    try:
        zipped = base64.b64decode("".join(pages), validate=True)
        unzipping = zlib.decompressobj(wbits=31)
        whole = unzipping.decompress(zipped, told.out + told.err + 1)
    except (ValueError, zlib.error):
        raise BrokenAnswer("a page of its answer is damaged") from None
    if not unzipping.eof or len(whole) != told.out + told.err:
        raise BrokenAnswer("a page of its answer is missing")
    return whole[: told.out], whole[told.out :]
