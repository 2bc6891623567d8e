"""The one script that reads a node: how it is sent, and how its answer is taken apart."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from nodeworthy.known.containerd import defaults, every_registries_file, every_socket, every_unit
from nodeworthy.known.kubelet import every_kubelet_unit, families
from nodeworthy.known.node_signs import traces
from nodeworthy.limits import MOST_PARTS
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_FILES = ("reading.sh", "state.sh", "filters.sh")


@dataclass(frozen=True)
class Part:
    """One thing that was read: with its exit code, and how long it took."""

    name: str
    code: int
    seconds: float
    stdout: str
    stderr: str

    @property
    def why(self) -> str:
        """Why there is nothing to read, in the program's own last words."""
        if self.code == 124:
            return f"it took longer than {self.seconds:g} s"
        said = [line for line in self.stderr.splitlines() if line.strip()]
        return said[-1].strip() if said else f"exit code {self.code}"


@cache
def text() -> str:
    """All of the script, and its last word."""
    own = (files(__package__).joinpath(name).read_text(encoding="utf-8") for name in _FILES)
    return "".join((*own, 'part "done" true\n'))


def new_nonce() -> str:
    return f"@@{secrets.token_hex(8)}"


def command(nonce: str) -> str:
    """A command for any shell of a user; it becomes root where sudo asks nothing."""
    starting = [f"start={unit}" for unit in (*every_kubelet_unit(), *filter(None, (f.image for f in families())))]
    told = [f"default={defaults().config}", *(f"registries={file}" for file in every_registries_file())]
    told += [f"trace={each.path}" for each in traces()]
    words = shlex.join(["nodeworthy", nonce, *told, *starting, *every_socket(), *every_unit()])
    body = (
        f"S={shlex.quote(text())}; "
        'if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then '
        f'exec sudo -n /bin/sh -c "$S" {words}; fi; '
        f'exec /bin/sh -c "$S" {words}'
    )
    return f"/bin/sh -c {shlex.quote(body)}"


class Unbelievable(Exception):
    """An answer of more parts than the script asks for."""


def parts(nonce: str, stdout: str, stderr: str) -> tuple[Part, ...]:
    """The parts of an answer that were read to their end. Raises Unbelievable."""
    told = {name: said for name, _, _, said in _frames(nonce, stderr)}
    return tuple(
        Part(name, code, round(seconds, 2), said, told.get(name, ""))
        for name, code, seconds, said in _frames(nonce, stdout)
    )


def last_begun(nonce: str, stdout: str) -> str | None:
    """What was being read when the answer broke off."""
    begun = [found["name"] for start, end in _marked(nonce, stdout) if (found := _BEGIN.match(stdout, start, end))]
    return begun[-1] if begun else None


_SECONDS = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
_BEGIN = pattern(rf"@@\w+ begin (?P<since>{_SECONDS}) (?P<name>.+)\Z")
_END = pattern(rf"@@\w+ end (?P<until>{_SECONDS}) (?P<code>[0-9]{{1,3}})\Z")


def _frames(nonce: str, stream: str) -> Iterator[tuple[str, int, float, str]]:
    """What stands between a beginning and the next end. What begins anew never ended."""
    begun: re.Match[str] | None = None
    ended = 0
    for start, end in _marked(nonce, stream):
        begun = _BEGIN.match(stream, start, end) or begun
        ends = _END.match(stream, start, end)
        if begun is None or ends is None:
            continue
        # Behind the line that begins it, and without the line's end that the script puts before its own.
        said = stream[begun.end() + 1 : start - 1].removesuffix("\n")
        yield begun["name"], int(ends["code"]), float(ends["until"]) - float(begun["since"]), said
        begun, ended = None, ended + 1
        if ended > MOST_PARTS:
            raise Unbelievable(f"it answers in more than {MOST_PARTS:,} parts, and is not believed")


def _marked(nonce: str, stream: str) -> Iterator[tuple[int, int]]:
    """Where the lines begin and end that only the script writes."""
    start = stream.find(nonce)
    while start >= 0:
        end = stream.find("\n", start)
        end = len(stream) if end < 0 else end
        if start == 0 or stream[start - 1] == "\n":
            yield start, end
        start = stream.find(nonce, end)
