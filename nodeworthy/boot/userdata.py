"""User data unpacked: its parts, who reads each of them and when, and what is wrong with the packing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nodeworthy.boot.effects import Stage
from nodeworthy.boot.origin import Origin
from nodeworthy.verdict import Place

# What EC2 takes, before base64.
LIMIT = 16 * 1024


class PartKind(StrEnum):
    SHELL = "shell script"
    BOOTHOOK = "boothook"
    CLOUD_CONFIG = "cloud-config"
    NODE_CONFIG = "NodeConfig"
    BOTTLEROCKET = "Bottlerocket TOML"
    OTHER_LANGUAGE = "script in another language"
    INCLUDE = "list of URLs"
    OTHER = "something else"


@dataclass(frozen=True)
class Part:
    kind: PartKind
    text: str
    origin: Origin
    stage: Stage
    # Of a script: the file name by which cloud-init orders it.
    name: str = ""
    # Its first line, where that names who runs it.
    interpreter: str = ""

    @property
    def place(self) -> Place:
        return self.origin.at(1, 1)


class FaultKind(StrEnum):
    """What can be wrong with the packing itself."""

    BLANK_BEFORE_HEADER = "blank line before the MIME header"
    NOT_AT_START = "it does not start at byte 0"
    UNCLOSED_BOUNDARY = "unclosed boundary"
    NO_BOUNDARY = "no boundary"
    BAD_ENCODING = "wrong transfer encoding"
    TRUNCATED = "truncated"
    TOO_LARGE = "too large to unpack"
    WINDOWS_LINE_ENDS = "Windows line ends"
    NUL = "NUL byte"
    NO_SHEBANG = "no first line that says who runs it"
    NOT_READABLE = "it can't be read"
    NOBODY_READS_IT = "nobody reads it"


@dataclass(frozen=True)
class Fault:
    kind: FaultKind
    place: Place
    message: str
    remedy: str = ""
    # Where more than one place tells it: (place, what it says).
    related: tuple[tuple[Place, str], ...] = ()
    # What could not be decided, rather than what is wrong.
    is_doubt: bool = False


@dataclass(frozen=True)
class UserData:
    place: Place
    parts: tuple[Part, ...]
    faults: tuple[Fault, ...] = ()
    # In bytes as EC2 counts them: packed as it is, before base64. None where a template makes that unknowable.
    size: int | None = None
    # What was unwrapped on the way: ("base64", "gzip").
    wrapped: tuple[str, ...] = ()
    is_template: bool = False
