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
    words = shlex.join(["nodeworthy", nonce, *told, *starting, *every_socket(), *every_unit()])
    body = (
        f"S={shlex.quote(text())}; "
        'if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then '
        f'exec sudo -n /bin/sh -c "$S" {words}; fi; '
        f'exec /bin/sh -c "$S" {words}'
    )
    return f"/bin/sh -c {shlex.quote(body)}"


def parts(nonce: str, stdout: str, stderr: str) -> tuple[Part, ...]:
    """The parts of an answer that were read to their end."""
    told = {name: said for name, _, _, said in _frames(nonce, stderr)}
    return tuple(
        Part(name, code, round(seconds, 2), said, told.get(name, ""))
        for name, code, seconds, said in _frames(nonce, stdout)
    )


def last_begun(nonce: str, stdout: str) -> str | None:
    """What was being read when the answer broke off."""
    begun: list[str] = re.findall(rf"^{re.escape(nonce)} begin \S+ (.+)$", stdout, re.MULTILINE)
    return begun[-1] if begun else None


def _frames(nonce: str, stream: str) -> Iterator[tuple[str, int, float, str]]:
    mark = re.escape(nonce)
    frame = re.compile(
        rf"^{mark} begin (?P<since>[\d.]+) (?P<name>[^\n]+)\n"
        rf"(?P<said>.*?)\n?{mark} end (?P<until>[\d.]+) (?P<code>\d+)$",
        re.DOTALL | re.MULTILINE,
    )
    for found in frame.finditer(stream):
        yield (
            found["name"],
            int(found["code"]),
            float(found["until"]) - float(found["since"]),
            found["said"].removesuffix("\n"),
        )
