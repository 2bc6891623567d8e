"""User data unpacked: its parts, who reads each of them and when, and what is wrong with the packing."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.origin import Origin
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.cloud_steps import CloudConfig
    from nodeworthy.boot.node_config import NodeConfig
    from nodeworthy.boot.timeline import Timeline

# What EC2 takes, before base64; of other clouds known/clouds.toml says it.
LIMIT = 16 * 1024

# In which order cloud-init runs its folders of scripts at the end; `scripts` is the user data's own, runcmd in it.
_FOLDERS = ("per-once", "per-boot", "per-instance", "scripts")


class PartKind(StrEnum):
    SHELL = "shell script"
    BOOTHOOK = "boothook"
    CLOUD_CONFIG = "cloud-config"
    NODE_CONFIG = "NodeConfig"
    BOTTLEROCKET = "Bottlerocket TOML"
    # Read as the script that it comes down to.
    PLAYBOOK = "Ansible tasks"
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
    # As its header says; of a document that is not MIME, empty.
    content_type: str = ""
    # "part 2 (text/x-shellscript)"; empty where there is only one.
    called: str = ""
    # The folder from which cloud-init runs a script.
    folder: str = "scripts"
    # How cloud-init is told to merge this cloud-config with those before it.
    merge: str = ""
    # cloud-init fills it in first; its `{{ … }}` are not known.
    jinja: bool = False
    # Under which conditions of a template it is there at all.
    guard: Guard = ()
    # Without what other files fill into it; empty where that is nothing.
    unfilled: str = ""

    @property
    def place(self) -> Place:
        return self.origin.at(1, 1)

    @property
    def turn(self) -> tuple[int, str]:
        """When it comes among the scripts of its stage; `turn_of("runcmd")` is runcmd's."""
        return turn_of(self.name, self.folder)


def turn_of(name: str, folder: str = "scripts") -> tuple[int, str]:
    return _FOLDERS.index(folder), name


class FaultKind(StrEnum):
    """What can be wrong with the packing itself."""

    BLANK_BEFORE_HEADER = "blank line before the MIME header"
    NOT_AT_START = "it does not start at byte 0"
    NO_MIME_VERSION = "no MIME-Version header"
    NO_BLANK_BEHIND_HEADER = "no blank line behind the headers"
    UNCLOSED_BOUNDARY = "unclosed boundary"
    NO_BOUNDARY = "no boundary"
    BAD_ENCODING = "wrong transfer encoding"
    PACKED_TWICE = "packed once more than anybody unpacks"
    TRUNCATED = "truncated"
    TOO_LARGE = "too large to unpack"
    WINDOWS_LINE_ENDS = "Windows line ends"
    NUL = "NUL byte"
    NOT_UTF8 = "not UTF-8"
    NO_SHEBANG = "no first line that says who runs it"
    PART_WITHOUT_SHEBANG = "a boothook or a part of MIME without a first line that says who runs it"
    OPTIONS_BEHIND_ENV = "env takes the whole line for one program's name"
    WRONG_TYPE = "its content is not what its type says"
    SAME_NAME = "two scripts of one file name"
    REPLACED = "a later part replaces it"
    NOT_READABLE = "it can't be read"
    NOT_READ_HERE = "it is not read here"
    NOBODY_READS_IT = "nobody reads it"
    NO_CLOUD_CONFIG_HEADER = "cloud-config without its first line"
    NOT_FILLED_IN = "nobody fills it in"
    EMPTY = "it is empty"


@dataclass(frozen=True)
class UserDataFault:
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
    # In the order in which they act.
    parts: tuple[Part, ...]
    faults: tuple[UserDataFault, ...] = ()
    # In bytes as EC2 counts them: packed as it is, before base64. None where a template makes that unknowable.
    size: int | None = None
    # What was unwrapped on the way, outermost first: ("base64", "gzip").
    wrapped: tuple[str, ...] = ()
    # Terraform fills it in.
    is_template: bool = False
    # Jinja or Go does, of whomever.
    is_braced: bool = False
    # Why nothing of it could be read at all; empty where something could.
    unread: str = ""
    # It is a template, and a directive of it decides how it begins.
    begins_open: bool = False
    # Its cloud-configs and NodeConfigs, merged as the node merges them; None where it has none.
    cloud_config: CloudConfig | None = field(default=None, repr=False)
    node_config: NodeConfig | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The text of all its parts."""
        return "\n".join(part.text for part in self.parts)

    def has(self, kind: PartKind) -> bool:
        return any(part.kind is kind for part in self.parts)

    @cached_property
    def timeline(self) -> Timeline:
        """What a node does that boots with it; read once, however many judge it."""
        from nodeworthy.boot.read import timeline_of

        return timeline_of(self)
