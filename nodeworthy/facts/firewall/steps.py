"""What a boot does to the firewall, step by step, whichever program does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Act, Effect, Gap, How, Installs, NotUnderstood, Opens, Runs, Unit, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.facts.firewall.firewall import FIREWALLD, IPTABLES, UFW, Does, FirewallStep
from nodeworthy.facts.firewall.firewalld import OFFLINE, call_of
from nodeworthy.facts.firewall.iptables import Act as IptablesAct
from nodeworthy.facts.firewall.iptables import act_of, acts_in
from nodeworthy.facts.firewall.nft import NftReader
from nodeworthy.facts.firewall.ufw_command import ufw_command
from nodeworthy.facts.firewall.ufw_files import BEFORE, KINDS, USER, Told, begins_a_table, steps_of, steps_of_edit
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Place

_SCRIPT = pattern(r"\.(?:sh|bash|py|pl|rb)$")
_INTERPRETERS = pattern(r"(?:python|perl|ruby|node)[\d.]*$")
_PLAYBOOKS = frozenset("ansible-playbook ansible-pull puppet chef-client chef-solo salt-call cinc-client".split())


def unread_step_amid(timeline: Timeline, steps: Sequence[FirewallStep]) -> tuple[Place, str] | None:
    """What stands before the first of them, or behind the last, is there for something else."""
    places = {each.place for each in steps}
    at = [index for index, each in enumerate(timeline.effects) if each.place in places]
    amid = timeline.effects[at[0] : at[-1]] if at else ()
    return next(((each.place, why) for each in amid if (why := _why(each))), None)


def _why(effect: Effect) -> str:
    if isinstance(effect, NotUnderstood):
        return effect.why if effect.kind is Gap.ANYTHING else ""
    if not isinstance(effect, Runs):
        return ""
    program, *words = [each.shown() for each in effect.arguments]
    if _INTERPRETERS.match(program):
        program = next((word for word in words if not word.startswith("-")), "")
    is_script = _SCRIPT.search(program) is not None or program in _PLAYBOOKS
    return f"nobody here has read what `{program}` does" if is_script else ""


_PACKAGES = (UFW, FIREWALLD)
_IPTABLES = ("iptables", "iptables-legacy", "iptables-nft")
_NFT_FILE = "/etc/nftables.conf"
# What netfilter-persistent restores at every boot.
_SAVED = ("/etc/iptables/rules.v4", "/etc/sysconfig/iptables")
_OFF = (Act.DISABLE, Act.STOP, Act.MASK)
_STARTS = (Act.START, Act.RESTART, Act.ENABLE)


def steps_in(timeline: Timeline) -> Sequence[FirewallStep]:
    return timeline.once(steps_in, lambda: _steps_of(timeline))


def _steps_of(timeline: Timeline) -> tuple[FirewallStep, ...]:
    reader = _Reader(timeline)
    return tuple(step for effect in timeline.effects for step in reader.steps(effect))


@dataclass
class _Reader:
    timeline: Timeline
    nft: NftReader = field(default_factory=NftReader)

    def steps(self, effect: Effect) -> Iterator[FirewallStep]:
        if isinstance(effect, Opens):
            yield from self._command(effect)
        elif isinstance(effect, Unit):
            yield from self._unit(effect)
        elif isinstance(effect, Installs):
            if effect.removes:
                yield from (_step(effect, Does.OFF, each.known) for each in effect.packages if each.known in _PACKAGES)
        elif isinstance(effect, Writes):
            yield from self._file(effect)

    def _command(self, effect: Opens) -> Iterator[FirewallStep]:
        if effect.tool == "ufw":
            yield from _ufw(effect)
        elif effect.tool in _IPTABLES:
            yield from _iptables(effect)
        elif effect.tool == "iptables-restore":
            lines = tuple(effect.content.lines) if effect.content is not None else ()
            yield from _restored(effect, Content(lines))
        elif effect.tool in ("firewall-cmd", OFFLINE):
            yield _of_firewalld(effect)
        elif effect.tool == "nft":
            yield from self._nft(effect, effect.content, effect.arguments)

    def _unit(self, effect: Unit) -> Iterator[FirewallStep]:
        if effect.unit.known == "ufw.service" and effect.act in _OFF:
            yield _step(effect, Does.OFF, UFW, why="unit")
        elif effect.unit.known == "ufw.service" and effect.act in (*_STARTS, Act.UNMASK):
            yield _step(effect, Does.ON, UFW, why="unit")
        elif effect.unit.known == "firewalld.service":
            yield from self._firewalld(effect)
        elif effect.unit.known == "nftables.service" and effect.act in _STARTS:
            written = [each for each in self.timeline.writes(_NFT_FILE) if content_of(each) is not None]
            if written:
                yield from self._nft(effect, content_of(written[-1]), ())

    def _firewalld(self, effect: Unit) -> Iterator[FirewallStep]:
        """What is enabled starts at the next boot: that is how the node is then."""
        if effect.act in _STARTS:
            yield _step(effect, Does.ON, FIREWALLD, why="unit")
        elif effect.act in _OFF and self._has_firewalld():
            yield _step(effect, Does.OFF, FIREWALLD, why="unit")

    def _has_firewalld(self) -> bool:
        """Where apt alone installs, there is none that nobody installed."""
        installs = [each for each in self.timeline.of(Installs) if not each.removes]
        named = any(package.known == FIREWALLD for each in installs for package in each.packages)
        managers = {each.manager for each in installs}
        by_apt = any(each.startswith("apt") for each in managers)
        return named or not by_apt or not managers.isdisjoint(("dnf", "yum"))

    def _file(self, effect: Writes) -> Iterator[FirewallStep]:
        path = effect.path.string
        if path in _SAVED and effect.how is How.WRITE:
            yield from _restored(effect, content_of(effect) or Content())
        kind = KINDS.get(path)
        if kind is None or effect.how in (How.DELETE, How.LINK):
            return
        told = Told(effect.place, effect.command, effect.conditions)
        content = content_of(effect) if effect.how is not How.APPEND else effect.content
        if content is not None and effect.how is How.APPEND and kind in (USER, BEFORE) and not begins_a_table(content):
            yield told.step(Does.REFUSED, why="what stands behind COMMIT is in no table")
        elif content is not None:
            yield from steps_of(kind, content, told)
        else:
            put_in = list(steps_of_edit(kind, effect.expressions, told))
            is_read = bool(effect.expressions) and all(each.known is not None for each in effect.expressions)
            if not put_in and not is_read:
                yield told.step(Does.UNREAD, why=f"what stands in {path} afterwards could not be read")
            yield from put_in

    def _nft(self, effect: Effect, content: Content | None, arguments: Sequence[Text]) -> Iterator[FirewallStep]:
        if content is None and any(each.known in ("-f", "--file") for each in arguments):
            yield _step(effect, Does.UNREAD, "nft", why="the rules that nft reads here could not be read")
            return
        text = content.text if content is not None else _joined(arguments)
        for act in self.nft.read(text):
            place = _hook(content, act.does) or effect.place
            step = _step(effect, act.does, f"nft {act.chain}".strip())
            yield replace(step, place=place, filter=act.filter, sides=act.sides, allows=act.allows)


def _hook(content: Content | None, does: Does) -> Place | None:
    """Where a chain is hung in: its policy stands there."""
    lines = content.find("hook forward") if content is not None and does is Does.POLICY else iter(())
    return next((line.place for line in lines), None)


def _joined(arguments: Sequence[Text]) -> Text:
    return Text.of(*(piece for each in arguments for piece in (*each.pieces, " ")))


def _step(effect: Effect, does: Does, table: str, why: str = "") -> FirewallStep:
    return FirewallStep(does, table, effect.place, effect.command, effect.conditions, why=why)


def _of_firewalld(effect: Opens) -> FirewallStep:
    refusal = call_of(effect.tool, effect.arguments).refusal
    if refusal:
        return _step(effect, Does.REFUSED, FIREWALLD, refusal)
    why = "offline" if effect.tool == OFFLINE else ""
    return replace(_step(effect, Does.ADD, FIREWALLD, why), asked=(Text.of(effect.tool), *effect.arguments))


def _ufw(effect: Opens) -> Iterator[FirewallStep]:
    asked = ufw_command(effect.arguments)
    if asked.asks and effect.is_answered is False:
        yield _step(effect, Does.UNANSWERED, UFW, "switch" if asked.does is Does.ON else "")
    elif asked.does is not None:
        step = _step(effect, asked.does, UFW, asked.why)
        sides = (asked.side,) if asked.does is Does.POLICY else ()
        found = asked.rule.filter if asked.rule is not None else None
        yield replace(step, filter=found, position=asked.number, sides=sides, allows=asked.allows)


def _iptables(effect: Opens) -> Iterator[FirewallStep]:
    try:
        act = act_of(effect.arguments)
    except ValueError as why:
        yield _step(effect, Does.UNREAD, IPTABLES, str(why))
        return
    if act is not None:
        yield _of_iptables(effect, act, effect.place)


def _restored(effect: Effect, content: Content) -> Iterator[FirewallStep]:
    try:
        acts = list(acts_in(content))
    except ValueError as why:
        yield _step(effect, Does.UNREAD, IPTABLES, str(why))
        return
    yield from (_of_iptables(effect, act, content.lines[index].place) for act, index in acts)


def _of_iptables(effect: Effect, act: IptablesAct, place: Place) -> FirewallStep:
    step = _step(effect, act.does, UFW if act.chain.startswith("ufw-") else IPTABLES)
    return replace(step, place=place, filter=act.filter, position=act.position, sides=act.sides, allows=act.allows)
