"""Who writes containerd's config anew behind a step of a boot, and when."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.conditions import always, together
from nodeworthy.boot.effects import Act, Effect, How, Joins, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import file_left_by
from nodeworthy.facts.containerd.config import is_nodeadms
from nodeworthy.facts.registry.config_path import is_default_config
from nodeworthy.known.containerd import Containerd
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

NODEADM_CONFIG = "nodeadm-config.service"
NODEADM_RUN = "nodeadm-run.service"
# nodeadm-run configures the node once more where something lies here.
NODEADM_DROP_INS = "/etc/eks/nodeadm.d/"
_EVERY_BOOT = (Stage.BOOTHOOK, Stage.BOOTCMD, Stage.NEXT_BOOT)


@dataclass(frozen=True)
class Lost:
    """A step whose file is written anew."""

    write: Writes
    # By whom and when, in a reader's words.
    says: str
    # The other end, if the script has it.
    by: Place | None = None
    by_says: str = ""


def generated_files(runtime: Containerd) -> tuple[str, ...]:
    return runtime.generated or ((runtime.config,) if runtime.config else ())


def steps(timeline: Timeline, paths: tuple[str, ...]) -> list[Writes]:
    """What the script does to these files, taking them away apart. nodeadm's own is not the script's."""
    written = [each for each in timeline.of(Writes) if each.path.known in paths and each.how is not How.DELETE]
    return [each for each in written if not is_nodeadms(each)]


def lost_writes(timeline: Timeline, runtime: Containerd) -> Iterator[Lost]:
    paths = generated_files(runtime)
    for write in steps(timeline, paths):
        found = _by_the_script_itself(timeline, write) or _by_the_distribution(timeline, write, runtime)
        if found is not None:
            yield found


def _by_the_script_itself(timeline: Timeline, write: Writes) -> Lost | None:
    if is_default_config(write):
        return None
    for each in timeline.after(write):
        same = isinstance(each, Writes) and each.path.known == write.path.known
        if same and isinstance(each, Writes) and is_default_config(each) and _follows(write, each):
            says = "the script itself writes the default over it later"
            return Lost(write, says, each.place, "this puts the default in its place")
    return None


def _follows(write: Effect, other: Effect) -> bool:
    return together(other.conditions, write.conditions) and always([other.conditions], write.conditions) is not False


def _by_the_distribution(timeline: Timeline, write: Writes, runtime: Containerd) -> Lost | None:
    if runtime.written_by == "nodeadm":
        return _by_nodeadm(timeline, write)
    if runtime.written_by == "bootstrap.sh":
        return _by_bootstrap(timeline, write)
    return Lost(write, runtime.written_when) if runtime.written_by else None


def _by_bootstrap(timeline: Timeline, write: Writes) -> Lost | None:
    for each in timeline.after(write):
        if isinstance(each, Joins) and each.how == "bootstrap.sh" and together(each.conditions, write.conditions):
            if "containerd-config-file" in each.command:
                return None
            return Lost(write, "bootstrap.sh makes it out of its own file", each.place, "bootstrap.sh runs here")
    return None


def _by_nodeadm(timeline: Timeline, write: Writes) -> Lost | None:
    for each in timeline.after(write):
        own = isinstance(each, Joins) and each.how == "nodeadm" and not each.tells
        if own and together(each.conditions, write.conditions) and "--skip config" not in each.command:
            return Lost(write, "nodeadm init writes it anew", each.place, "nodeadm init runs here")
    drop_in = next((each for each in timeline.of(Writes) if each.path.shown().startswith(NODEADM_DROP_INS)), None)
    if drop_in is not None and drop_in.how is not How.DELETE and not is_off(timeline, NODEADM_RUN):
        says = f"nodeadm-run configures the node once more, because of a file in {NODEADM_DROP_INS}"
        return Lost(write, says, drop_in.place, "this file makes it do so")
    if write.stage in _EVERY_BOOT or _is_written_at_next_boot(timeline, write):
        return None
    # nodeadm-run requires nodeadm-config, and starts it where it is only disabled.
    off = is_off(timeline, NODEADM_CONFIG, Act.MASK) or all(
        is_off(timeline, unit) for unit in (NODEADM_CONFIG, NODEADM_RUN)
    )
    return (
        None if off else Lost(write, "nodeadm-config writes it anew at the next boot, and user data does not run again")
    )


def _is_written_at_next_boot(timeline: Timeline, write: Writes) -> bool:
    behind = [each for each in timeline.effects if each.stage is Stage.NEXT_BOOT]
    return write.path.known is not None and file_left_by(behind, write.path.known).is_there


def is_off(timeline: Timeline, unit: str, *acts: Act) -> bool:
    """Whether the script surely leaves a unit off."""
    off = acts or (Act.DISABLE, Act.MASK)
    told = [each for each in timeline.of(Unit) if each.unit.known == unit]
    if not told or told[-1].act in (Act.ENABLE, Act.UNMASK):
        return False
    return always([each.conditions for each in told if each.act in off]) is True
