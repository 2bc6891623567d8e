"""A boot script, wherever it is kept: a file, a planned launch template, an instance's user data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Located, NotKnown, Place, Related, ToGive, Unread, skip

if TYPE_CHECKING:
    from nodeworthy.boot.timeline import Timeline
    from nodeworthy.boot.userdata import Part, UserData
    from nodeworthy.facts.boot.script_kind import Use
    from nodeworthy.facts.fleet.gpu_pool import NodeImage
    from nodeworthy.facts.surroundings import Surroundings
    from nodeworthy.fleet.model import Fleet, Pool
    from nodeworthy.known.clouds import Cloud


# By which a node says of which pool it is.
POOL_LABEL = "nodeworthy/pool"
# Of tasks that others stand beside, and of functions that another script calls, nobody can say what is left undone, nor
# who hears of a failure but Ansible, or that script.
PART = "this is a part of a play or of another script, which may do the rest and stop where something fails"


def drafts_of_a_whole(script: BootScript, drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Drafts about something that a script leaves undone, or of which nobody hears. Skips where it is a part of a play,
    whose other parts may do it."""
    found = list(drafts)
    if found and script.is_a_part:
        skip(PART)
    yield from found


@dataclass(frozen=True, eq=False)
class BootPool:
    """A pool whose nodes boot with a script, and the fleet that it belongs to."""

    called: ClassVar[str] = "a pool that boots with this script"

    pool: Pool
    fleet: Fleet
    # What its nodes start from; None where nothing that was read names one.
    image: NodeImage | None = None

    @property
    def place(self) -> Place:
        return self.pool.place

    @property
    def title(self) -> str:
        return f"pool '{self.pool.name}'"

    def declared(self, says: str) -> Related:
        return Related(self.pool.place, f"{self.title} {says}")


@dataclass(frozen=True, eq=False)
class PromisedPool(BootPool):
    """The same pool for checks of what a fleet promises to nodes: registries, storage. Without a fleet there are
    none."""

    called: ClassVar[str] = "a fleet that names registries or shared storage"

    NOBODY: ClassVar[str] = "no fleet promises these nodes anything (registries, storage)"


class NotInFleet(str):
    """Why something is of no pool: the one that it names is not in its fleet."""

    pool: str

    def __new__(cls, says: str, pool: str) -> NotInFleet:
        made = super().__new__(cls, f"{says} the pool '{pool}', which the fleet does not have")
        made.pool = pool
        return made


def _nothing_is_made_up(_: str) -> str | None:
    return None


@dataclass(frozen=True, eq=False)
class BootScript:
    called: ClassVar[str] = "a boot script"
    # A first preview can't know the endpoint that stands in it.
    known_late: ClassVar[bool] = True

    place: Place
    # None where it can't be known yet, or can't be read; `unread` says why.
    read: UserData | None
    unread: str = ""
    pools: tuple[BootPool, ...] = ()
    # Why it is of no pool.
    no_pool: str = "no fleet was given"
    # A program's secret was written into it: whoever may read the instance reads that, too.
    holds_secret: bool = False
    # Somebody says that nodes boot with it, or its name does.
    is_meant: bool = True
    # Why EKS, which starts nodes with it, does not add the part that joins.
    on_its_own: str = ""
    # EKS puts its own part beside it, which it can do with MIME alone.
    is_merged: bool = False
    # Whoever gives it to machines adds to it where their cluster is, and whom to trust.
    is_completed: bool = False
    # What its machines start from; None where nothing that was read names one.
    image: NodeImage | None = None
    # What the cluster of its machines is called, where what gives it to them says so.
    cluster: Located[str] | None = None
    # The script that has another machine run it.
    told_in: tuple[Part, ...] = ()
    # It stands in an object, by which it is given to machines as their user data; and those are EC2's.
    of_an_object: bool = False
    on_ec2: bool = True
    # A program starts machines with it, from images made for clouds.
    of_cloud_images: bool = False
    # Somebody runs it on a machine that is there already, whatever it looks like.
    by_hand: bool = False
    # Of such a one: nobody else looks for secrets in the file in which it stands.
    tells_its_secrets: bool = False
    # Whoever builds an image runs it on the machine of which that is made, whatever it looks like.
    is_build: bool = False
    # Another agent than cloud-init runs it when the machine boots: Google's.
    at_startup: bool = False
    # The resource of a stack that gives it to its machines, by its URN or its address.
    holder: str = ""
    # Of tasks that stand in several files: all of those.
    stands_in: frozenset[str] = frozenset()
    # The files around it; None where it comes from no file.
    surroundings: Surroundings | None = None
    # Of a value that a preview made up: the output that it stands for ("endpoint of gpu-ci").
    stands_for: Callable[[str], str | None] = _nothing_is_made_up

    @property
    def userdata(self) -> UserData:
        """What was unpacked. Ends the judgement as `unknown` where nothing could be."""
        if self.read is None:
            raise NotKnown(self.unread, self.place)
        return self.read

    @cached_property
    def timeline(self) -> Timeline:
        if self.userdata.unread:
            raise NotKnown(f"the user data can't be read: {self.userdata.unread}", self.userdata.place)
        return self.userdata.timeline

    @cached_property
    def use(self) -> Use:
        """Who runs it, and when. What a launch template, an instance or an object of a cluster holds is user data,
        whatever it looks like."""
        from nodeworthy.facts.boot.script_kind import ScriptKind, Use, use_of

        if self.is_build:
            return Use(ScriptKind.IMAGE_BUILD)
        if self.by_hand or self.at_startup:
            return Use(ScriptKind.BY_HAND if self.by_hand else ScriptKind.STARTUP)
        is_given = self.place.urn or self.of_an_object
        return Use(ScriptKind.USER_DATA) if is_given else use_of(self.userdata, self.surroundings)

    @cached_property
    def cloud(self) -> Cloud | None:
        """The cloud whose machines boot with it; None where nothing says which."""
        from nodeworthy.facts.boot.cloud import cloud_of

        return cloud_of(self)

    @property
    def makes_a_node(self) -> bool:
        """Whether it is more than a script that speaks of nodes: they are told apart where nobody named it."""
        from nodeworthy.facts.boot.pools import makes_a_node

        return makes_a_node(self.userdata)

    @property
    def is_a_part(self) -> bool:
        """Tasks of Ansible, beside which a play has others, and functions that another script calls: what is not done
        in them may be done there."""
        from nodeworthy.boot.userdata import PartKind

        return self.is_library or self.userdata.has(PartKind.PLAYBOOK)

    @cached_property
    def is_library(self) -> bool:
        """Whether all that it does stands in functions that another script calls."""
        from nodeworthy.boot.conditions import is_for_others

        return any(is_for_others(each.conditions) for each in self.userdata.timeline.effects)

    @property
    def unread_as(self) -> Unread | None:
        """Why nothing of the script could be read. The engine asks for it: one rule then says why, and the other rules
        need not repeat it."""
        if self.read is None:
            # A file that is not there. In a program and in AWS each rule says what it could not look at.
            return Unread.FORMAT if self.place.urn is None else None
        if self.read.unread:
            return Unread.FORMAT
        from nodeworthy.facts.boot.unreadable_shell import unreadable

        return Unread.TEXT if next(unreadable(self), None) is not None else None

    def judged_by(self, kind: type[Any]) -> Sequence[Any] | str | None:
        """The engine asks: a script is judged by its own pools, and not by every pool there is."""
        if kind is PromisedPool:
            return self._promised
        return (self.pools or self.no_pool) if kind is BootPool else None

    @property
    def _promised(self) -> Sequence[PromisedPool] | str:
        """The promised pools; without a fleet nothing is promised, and nothing is missing."""
        if not self.pools:
            return PromisedPool.NOBODY if isinstance(self.no_pool, ToGive) else self.no_pool
        return [PromisedPool(each.pool, each.fleet, each.image) for each in self.pools]
