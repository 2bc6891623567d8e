"""What is wrong with user data as such: with its packing, and with the documents in it."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.bottlerocket import read_settings
from nodeworthy.boot.cloud_config import read_cloud_configs
from nodeworthy.boot.effects import Installs
from nodeworthy.boot.node_config import read_node_config
from nodeworthy.boot.userdata import FaultKind, Part, PartKind, UserData, UserDataFault
from nodeworthy.facts.boot.families import AL2
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known

# How long what a template writes is at least: without what it fills in, and without what its directives leave out.

# What a template fills in: `${…}`, but not the escaped `$${…}`.
_FILLED = pattern(r"(?<!\$)\$\{[^{}]{0,400}\}")
_DIRECTIVE = pattern(r"(?<!%)%\{~?\s*(?P<word>if|else|endif|for|endfor)\b[^{}]{0,400}\}")


@dataclass
class _Open:
    """A directive that is not closed yet: how long its branches are so far."""

    is_loop: bool
    branch: int = 0
    shortest: int | None = None

    def next_branch(self) -> None:
        self.shortest = self.branch if self.shortest is None else min(self.shortest, self.branch)
        self.branch = 0

    @property
    def least(self) -> int:
        """The fewest lines that are there: none of a loop, nor of a condition without an `else`."""
        return 0 if self.is_loop or self.shortest is None else min(self.shortest, self.branch)


def least_size(text: str) -> int:
    """The size in bytes, where directives decide for the shortest text."""
    open_ = [_Open(is_loop=False)]
    begins = 0
    for directive in _DIRECTIVE.finditer(text):
        open_[-1].branch += _literal_size(text[begins : directive.start()])
        begins = directive.end()
        _turn(directive["word"], open_)
    open_[-1].branch += _literal_size(text[begins:])
    return open_[0].branch


def _turn(word: str, open_: list[_Open]) -> None:
    if word in ("if", "for"):
        open_.append(_Open(is_loop=word == "for"))
    elif len(open_) > 1 and word == "else":
        open_[-1].next_branch()
    elif len(open_) > 1:
        closed = open_.pop()
        open_[-1].branch += closed.least


def _literal_size(text: str) -> int:
    return len(_FILLED.sub("", text).encode())


# What is wrong with a script whoever starts it; all else is wrong with what cloud-init is given.
_OF_ANY_SCRIPT = (FaultKind.WINDOWS_LINE_ENDS, FaultKind.NUL, FaultKind.OPTIONS_BEHIND_ENV)
_CALLED = "the user data "


def faults_told(script: BootScript) -> Iterator[UserDataFault]:
    """The faults of user data where this script is run. Nobody can tell what stands at the beginning of a template that
    begins with a directive, nor whether it is a piece of another one."""
    decided = not script.userdata.begins_open and not script.use.is_behind_others(script.surroundings)
    for told in faults_of(script.userdata):
        fault = _where_it_runs(told, script)
        if fault is None:
            continue
        if script.use.is_user_data and decided:
            yield fault
        elif script.use.unsure and decided and fault.kind not in _OF_ANY_SCRIPT:
            why = f"whether this is user data is not known ({script.use.unsure}); if it is, "
            yield replace(fault, message=f"{why}{fault.message}", is_doubt=True)
        elif fault.kind in _OF_ANY_SCRIPT:
            says = fault.message.removeprefix(_CALLED)
            yield fault if says == fault.message else replace(fault, message=f"this script {says}")


def _where_it_runs(fault: UserDataFault, script: BootScript) -> UserDataFault | None:
    if fault.kind is FaultKind.PART_WITHOUT_SHEBANG:
        return _on_its_image(fault, script)
    if fault.kind is FaultKind.NO_CLOUD_CONFIG_HEADER and script.cloud is not None and script.cloud.merges:
        why = f"what {script.cloud.title} makes of it is not known; as it stands, {fault.message}"
        return replace(fault, message=why, is_doubt=True)
    return fault


# Any other than AL2: a NodeConfig, another cloud, and package managers that AL2 does not have say so.
_NOT_AL2 = "another"
_NOT_ON_AL2 = ("apt", "dnf", "zypper", "apk")


def _on_its_image(fault: UserDataFault, script: BootScript) -> UserDataFault | None:
    """The cloud-init of Amazon Linux 2 runs it all the same; those after it do not, and say `Exec format error. Missing
    #! in script?`."""
    runs = _distributions(script)
    if runs == {AL2}:
        return None
    if runs and AL2 not in runs:
        return fault
    why = f"what its nodes run is not known; on all but Amazon Linux 2, {fault.message}"
    return replace(fault, message=why, is_doubt=True)


def _distributions(script: BootScript) -> set[str | None]:
    """What its nodes run; nothing where nobody says it."""
    if not script.on_ec2 or script.userdata.has(PartKind.NODE_CONFIG):
        return {_NOT_AL2}
    if script.pools:
        states = [each.pool.distribution.state for each in script.pools]
        return {str(each.value) if isinstance(each, Known) else None for each in states} - {None}
    if script.image is not None and script.image.distribution is not None:
        return {script.image.distribution}
    managers = [each.manager for each in script.timeline.of(Installs)] if script.userdata.unread == "" else []
    return {_NOT_AL2} if any(each.startswith(_NOT_ON_AL2) for each in managers) else set()


def faults_of(userdata: UserData) -> Iterator[UserDataFault]:
    """Each once: the packing's own first, then those of its documents."""
    told: set[tuple[object, str]] = set()
    for fault in (*userdata.faults, *_of_documents(userdata)):
        if (fault.place, fault.message) not in told:
            told.add((fault.place, fault.message))
            yield fault


def _of_documents(userdata: UserData) -> Iterator[UserDataFault]:
    template = userdata.is_template
    configs, cloud = _parts(userdata, PartKind.NODE_CONFIG), _parts(userdata, PartKind.CLOUD_CONFIG)
    if configs and (config := read_node_config(configs, template=template)) is not None:
        yield from config.faults
    if cloud:
        yield from read_cloud_configs(cloud, template=template).faults
    for part in _parts(userdata, PartKind.BOTTLEROCKET):
        yield from read_settings(part.text, part.origin, template=template, braced=part.jinja).faults


def _parts(userdata: UserData, kind: PartKind) -> list[Part]:
    return [part for part in userdata.parts if part.kind is kind]
