"""The container runtime that a script starts for a node of kubeadm's, and what starts it at the next boot.

Packages of Debian's kind enable the unit that they bring; those of RPM leave it as the distribution presets it, and
that is disabled. kubelet does not start a runtime: it waits for one.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Act, Effect, How, Installs, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.kubelet_starts import STARTS, package_name
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.swap_off import makes_a_kubeadm_node
from nodeworthy.facts.boot.unread_steps import gaps, other_scripts
from nodeworthy.known.kubelet import Runtime, presets_units, runtimes
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_EVERY_BOOT = frozenset({Stage.BOOTHOOK, Stage.BOOTCMD, Stage.NEXT_BOOT})


@dataclass(frozen=True)
class StartedRuntime:
    """One that runs in this boot, and that nothing in the script enables."""

    runtime: Runtime
    starts: Unit
    installs: Installs
    # What may enable it, and was not read, or decides whether it is there.
    doubt: tuple[Place, str] | None = None


def started_for_this_boot(script: BootScript) -> StartedRuntime | None:
    timeline = script.timeline
    is_config = any(part.kind is PartKind.NODE_CONFIG for part in script.userdata.parts)
    if is_config or not makes_a_kubeadm_node(timeline):
        return None
    for runtime in runtimes():
        installs = next((each for each in timeline.of(Installs) if _brings(each, runtime)), None)
        starts = next((each for each in timeline.of(Unit) if _starts(each, runtime)), None)
        if installs is None or starts is None or any(_keeps(each, runtime) for each in timeline.effects):
            continue
        return StartedRuntime(runtime, starts, installs, next(_doubts(timeline, runtime, installs, starts), None))
    return None


def _brings(effect: Installs, runtime: Runtime) -> bool:
    named = (package_name(each.shown()) for each in effect.packages)
    return not effect.removes and presets_units(effect.manager) and any(each in runtime.packages for each in named)


def _starts(effect: Unit, runtime: Runtime) -> bool:
    return effect.act in STARTS and effect.unit.known == runtime.unit


def _keeps(effect: Effect, runtime: Runtime) -> bool:
    units = (runtime.unit, *runtime.wanted_by)
    if isinstance(effect, Unit):
        is_repeated = effect.stage in _EVERY_BOOT and effect.act in STARTS
        return (effect.act is Act.ENABLE or is_repeated) and any(effect.unit.could_be(each) for each in units)
    if not isinstance(effect, Writes):
        return False
    path = effect.path.shown()
    is_wanted = effect.how is How.LINK and ".wants/" in path and path.rpartition("/")[2] in units
    return is_wanted or "system-preset/" in path


def _doubts(timeline: Timeline, runtime: Runtime, installs: Effect, starts: Effect) -> Iterator[tuple[Place, str]]:
    yield from ((each.place, each.why) for each in gaps(timeline, runtime.name))
    for each in other_scripts(timeline):
        yield each.place, f"nobody here has read what `{each.command}` does, and it may enable {runtime.name}"
    for each in (installs, starts):
        decides = next((one.question.text for one in each.conditions if one.question.is_of_template), "")
        if decides:
            yield each.place, f"{decides} decides whether this line is there"
