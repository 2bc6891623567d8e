"""Steps that nobody here has read, amid those by which a script sets up its firewall: they may be a part of it."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.effects import Effect, NotUnderstood, Runs
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.gaps import may_be_anything
from nodeworthy.facts.firewall.firewall import Step
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_SCRIPT = pattern(r"\.(?:sh|bash|py|pl|rb)$")
_INTERPRETERS = pattern(r"(?:python|perl|ruby|node)[\d.]*$")
_PLAYBOOKS = frozenset("ansible-playbook ansible-pull puppet chef-client chef-solo salt-call cinc-client".split())


def unread_amid(timeline: Timeline, steps: Sequence[Step]) -> tuple[Place, str] | None:
    """What stands before the first of them, or behind the last, is there for something else."""
    places = {each.place for each in steps}
    at = [index for index, each in enumerate(timeline.effects) if each.place in places]
    amid = timeline.effects[at[0] : at[-1]] if at else ()
    return next(((each.place, why) for each in amid if (why := _why(each))), None)


def _why(effect: Effect) -> str:
    if isinstance(effect, NotUnderstood):
        return effect.why if may_be_anything(effect) else ""
    if not isinstance(effect, Runs):
        return ""
    program, *words = [each.shown() for each in effect.arguments]
    if _INTERPRETERS.match(program):
        program = next((word for word in words if not word.startswith("-")), "")
    is_script = _SCRIPT.search(program) is not None or program in _PLAYBOOKS
    return f"nobody here has read what `{program}` does" if is_script else ""
