"""What cloud-init does for a `#cloud-config`: one class per kind of step."""

from __future__ import annotations

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.text import Text
from nodeworthy.boot.userdata import UserDataFault
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True, kw_only=True)
class CloudStep:
    place: Place
    stage: Stage
    # What a template's directives decide about it.
    guard: Guard = ()


@dataclass(frozen=True, kw_only=True)
class WrittenFile(CloudStep):
    """An entry of write_files."""

    path: Text
    # None where it can't be known; `why` says why.
    content: Content | None
    why: str = ""
    append: bool = False
    # Octal digits.
    permissions: str = "0644"
    # How it was encoded: ("base64", "gzip").
    encoding: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ran(CloudStep):
    """A list of commands that cloud-init writes into one script of `sh`, one below the other."""

    # bootcmd, runcmd, snap.commands
    key: str
    text: str
    origin: Origin
    # The file by whose name it is ordered among the scripts.
    name: str = ""
    jinja: bool = False


@dataclass(frozen=True, kw_only=True)
class PackageInstall(CloudStep):
    # Empty for the distribution's own; snap, ubuntu-drivers.
    manager: str = ""
    packages: tuple[Text, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Repository(CloudStep):
    kind: str  # apt, yum
    name: Text
    # A line of sources.list, a base URL.
    source: Text


@dataclass(frozen=True, kw_only=True)
class Mount(CloudStep):
    """An entry of mounts, with cloud-init's own defaults filled in. It goes into fstab and is mounted."""

    what: Text
    where: Text
    kind: Text
    options: Text


@dataclass(frozen=True, kw_only=True)
class Reboot(CloudStep):
    mode: str  # reboot, poweroff, halt
    # Why it may not happen.
    only_if: str = ""


@dataclass(frozen=True, kw_only=True)
class NotRead(CloudStep):
    """A key whose module does what is not known here: Ansible, Puppet, Salt, Chef."""

    key: str


@dataclass(frozen=True)
class CloudConfig:
    # In the order in which they happen.
    steps: tuple[CloudStep, ...] = ()
    faults: tuple[UserDataFault, ...] = ()
