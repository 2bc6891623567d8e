"""What a boot script does to its machine: one class per kind of effect, each with its place and its conditions."""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


class Stage(IntEnum):
    """The actors of a boot in their order. Cloud-init's modules keep their own order; so do the parts of one stage."""

    NODEADM_CONFIG = 10
    BOOTHOOK = 20
    BOOTCMD = 30
    WRITE_FILES = 40
    # The image's own units act between here and the next: NVIDIA's AL2023 image loads the module after network-online.
    IMAGE = 50
    PACKAGES = 60
    SCRIPTS = 70  # shell parts and runcmd, by the name of their file
    NODEADM_RUN = 80
    NEXT_BOOT = 90

    @property
    def title(self) -> str:
        return _TITLES[self]


_TITLES = {
    Stage.NODEADM_CONFIG: "nodeadm-config, before cloud-init",
    Stage.BOOTHOOK: "boothook, early in every boot",
    Stage.BOOTCMD: "bootcmd, early in every boot",
    Stage.WRITE_FILES: "write_files",
    Stage.IMAGE: "the image's own units",
    Stage.PACKAGES: "packages",
    Stage.SCRIPTS: "scripts, at the end of cloud-init",
    Stage.NODEADM_RUN: "nodeadm-run, after cloud-init",
    Stage.NEXT_BOOT: "the next boot",
}


class Failure(Enum):
    """What happens where a step fails."""

    STOPS = "the script stops"
    REPORTED = "it is reported"
    REPEATED = "it is tried again until it succeeds"  # `until mount /data; do sleep 5; done`, and nothing ends the loop
    SWALLOWED = "it is swallowed"  # on purpose: `|| true`, a pipe without pipefail
    UNNOTICED = "the script goes on"  # no `set -e`, and nobody looks
    PERHAPS = "the script goes on, unless a library that it sources says otherwise"


# Neither these nor their kin are frozen: nobody changes one, and to freeze it takes longer than to find it.
@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Effect:
    place: Place
    stage: Stage
    # The command as it was written, cut; its secrets are hidden where it is shown.
    command: str = ""
    conditions: Guard = ()
    # From where the function or script was called in which it stands, outermost first.
    via: tuple[Place, ...] = ()
    # Of a command that a function was called with (`retry mount /data`): where that runs it, and what led there.
    run_at: tuple[Place, ...] = ()
    failure: Failure = Failure.STOPS
    # What then happens in whoever called the script in which it stands: that script may stop, and its caller go on.
    around: Failure = Failure.STOPS
    # In the background, or within a time that another step does not wait for.
    detached: bool = False


class How(StrEnum):
    WRITE = "writes"
    APPEND = "appends to"
    EDIT = "edits"
    DELETE = "deletes"
    LINK = "links"


@dataclass(slots=True, unsafe_hash=True)
class Expansion:
    """One expansion inside of an unquoted heredoc."""

    raw: str  # $NAME, ${NAME:-x}, $(date), $1
    name: str  # the variable's, empty for a command
    place: Place
    # Somebody has set the variable before.
    is_set: bool


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Writes(Effect):
    path: Text
    how: How = How.WRITE
    # What this step adds (of an edit: nothing); None where it can't be known at all.
    content: Content | None = None
    # The whole file after it, as far as the script itself made it; None where it was there before, unread.
    whole: Content | None = None
    # Of an edit: the expressions (sed's), of a link: its target.
    expressions: tuple[Text, ...] = ()
    mode: str | None = None
    # What the shell expanded while it wrote: every `$NAME` and `$(…)` of an unquoted heredoc, as it stands there.
    expanded: tuple[Expansion, ...] = ()
    # Of content that only the node knows: what prints it there.
    printed_by: str = ""

    @property
    def expands(self) -> bool:
        return bool(self.expanded)


@dataclass(slots=True, unsafe_hash=True)
class HelmRelease:
    """What helm is told of a release that it installs."""

    # Behind `helm`, as they stand there.
    arguments: tuple[Text, ...]
    # Each values file, and what stands in it where the script itself made it.
    files: tuple[tuple[Text, Content | None], ...] = ()
    # By which it finds its cluster; None where nobody says it.
    kubeconfig: Text | None = None


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Installs(Effect):
    manager: str  # dnf, apt, .run, pip, snap, helm …
    packages: tuple[Text, ...]
    removes: bool = False
    # Of helm alone.
    release: HelmRelease | None = None


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class AddsRepository(Effect):
    repository: Text


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class LoadsModule(Effect):
    """Something that loads a kernel module, or may."""

    module: str  # nvidia, nvidia_uvm, br_netfilter …
    # Why it does: "the driver's package loads it when it is installed".
    because: str = ""
    # Options given on the spot: `modprobe nvidia NVreg_…=0`.
    options: tuple[str, ...] = ()
    unloads: bool = False


class Act(StrEnum):
    ENABLE = "enable"
    DISABLE = "disable"
    START = "start"
    STOP = "stop"
    RESTART = "restart"
    MASK = "mask"
    UNMASK = "unmask"


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Unit(Effect):
    """One act on one unit of systemd; `enable --now` makes two of it."""

    unit: Text  # with its suffix: kubelet.service
    act: Act


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Mounts(Effect):
    """A mount now, or an entry that mounts at every boot (fstab, a mount unit)."""

    what: Text
    where: Text
    kind: Text
    options: Text
    at_boot: bool = False


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Opens(Effect):
    """A rule, a default or a switch of the firewall."""

    tool: str  # ufw, iptables, nft, firewall-cmd
    arguments: tuple[Text, ...]
    # The rules that it reads from a file or from a pipe, where they are known.
    content: Content | None = None
    # Whether somebody answers what it asks; None: whoever runs the script, at a terminal.
    is_answered: bool | None = None


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class PullsImage(Effect):
    tool: str
    image: Text
    runs: bool = False
    gpu: bool = False


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Joins(Effect):
    """The node joins its cluster, or is told how to."""

    how: str  # nodeadm, bootstrap.sh, kubeadm, k3s, rke2, bottlerocket, oke
    # Absent (None) where this way of joining does not say it here.
    cluster: Located[str] | None = None
    endpoint: Located[str] | None = None
    authority: Located[str] | None = None
    service_cidr: Located[str] | None = None
    # The address of the cluster's DNS, where it is said and not derived from the service range.
    dns: Located[str] | None = None
    labels: tuple[tuple[str, str], ...] = ()
    # Those of which not all is known, as they are written.
    hidden_labels: tuple[str, ...] = ()
    # Those that are known from end to end, as they are written: `dedicated=gpu:NoSchedule`.
    taints: tuple[str, ...] = ()
    # Options of its call that are lost in another word, for want of a blank.
    glued: tuple[str, ...] = ()
    # It only tells (a NodeConfig); nodeadm-run acts on it.
    tells: bool = False


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class RefusedOptions(Effect):
    """A program is given options for which it ends at once."""

    program: str  # k3s agent, k3s server
    options: tuple[str, ...]
    # What takes their place where releases before took them.
    instead: tuple[str, ...] = ()
    # Why it is not known whether this release still takes them.
    unless: str = ""


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class RefusedCall(Effect):
    """A call that its program does not take as it is: it ends before a node has come of it."""

    says: str  # what is wrong with it
    is_: str
    should: str
    cause: str
    remedy: str


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Reboots(Effect):
    pass


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Fetches(Effect):
    """Downloads something, to a file or into a program."""

    url: Text
    to: Text | None = None
    # `curl … | bash`: what was fetched is run, and nobody here has read it.
    runs: bool = False


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Runs(Effect):
    """A program of which no more is known than that it runs."""

    arguments: tuple[Text, ...]
    # What it reads from another command, or from a heredoc.
    given: Content | None = None


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class RunsElsewhere(Runs):
    """Commands that another machine is given to run."""

    host: Text
    # What they do there.
    does: tuple[Effect, ...]
    # As they are given, and where they stand.
    text: str
    origin: Origin
    # Of a heredoc: its lines, and what this machine's shell expanded in them before they were sent.
    content: Content | None = None
    expanded: tuple[Expansion, ...] = ()


class Gap(Enum):
    """How little is known of what was not understood."""

    # What its words name: rules that these could concern can't be sure any more.
    ITS_WORDS = "its words"
    # Which packages it installs.
    PACKAGES = "packages"
    # Nothing: a script that is fetched and run, `$TOOL`.
    ANYTHING = "anything"


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class NotUnderstood(Effect):
    """Something that was not understood: rules that could be concerned by these words can't be sure any more."""

    written: str
    why: str
    kind: Gap = Gap.ITS_WORDS
    # What it may do besides what is written: told with it, and no word of its own.
    may_be: str = ""
    # Nothing behind it was followed either.
    ends_it: bool = False

    @property
    def text(self) -> str:
        return f"{self.written} ({self.may_be})" if self.may_be else self.written
