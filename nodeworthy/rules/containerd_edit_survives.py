"""What a boot writes into containerd's config is still there when containerd reads it, and after a reboot.

Several distributions write the file themselves: nodeadm at every boot before cloud-init, and once more whenever
it is called or finds a file in /etc/eks/nodeadm.d; bootstrap.sh copies its own over it; k3s, RKE2 and MicroK8s make
it out of a template at every start. An edit that comes before them is gone without a word, and one behind nodeadm
lasts until the next reboot, because user data runs once. Folders of hosts.toml are nobody's and stay. The same holds
for a file in a change, where its folders say whose config it is, and on a node, where such a file is younger than the
containerd that was started with it, or than the run of nodeadm that wrote it at this boot. What scripts and units do at
every boot, and what the operator's toolkit writes whenever it starts, is there again.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.conditions import always, together
from nodeworthy.boot.effects import Act, Effect, How, Joins, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import file_left_by
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.runtime import runtime_of
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.containerd.config import is_nodeadms
from nodeworthy.facts.node.files import NodeFile, NodeFiles
from nodeworthy.facts.node.nodeadm import NODEADMS, SAY_IT, NodeNodeadm, lost_to_nodeadm
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.facts.registry.config_path import is_default_config
from nodeworthy.known.containerd import Containerd, containerd_of, defaults, distributions
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, ToGive, fail, need, skip, unknown

RULE = Rule(
    "containerd-edit-survives",
    severity=Severity.ERROR,
    title="Nothing writes containerd's config anew after the script has edited it",
    remedy="say it where the distribution keeps it: containerd.config of the NodeConfig, the template, a hosts.toml",
)

# Of `s/SystemdCgroup = false/SystemdCgroup = true/` both: an edit of the same words puts in the same.
_SETTING = pattern(r"(?P<name>\w+) *= *(?P<value>[^\s/|#,]+)")
CAUSE = "containerd runs with the config of the distribution, as if the script had never touched it"
REMEDIES = {
    "nodeadm": SAY_IT,
    "bootstrap.sh": "edit it behind bootstrap.sh and restart containerd",
}


@RULE.check
def the_edit_stays(script: BootScript, pool: BootPool | None) -> Findings:
    timeline = script.timeline
    runtime = runtime_of(script, pool) or _shown_by(timeline)
    if runtime is None:
        runtime = containerd_of("kubeadm")
    if not runtime.is_containerd or runtime.config is None:
        skip(f"nobody edits the runtime's config on {runtime.distribution}")
    unsure = list(_perhaps_steps(timeline, runtime))
    if not steps(timeline, (*generated_files(runtime), *_for_people(runtime))) and not unsure:
        skip("the script writes no configuration of containerd")
    on = pool.title if pool is not None else ""
    for each in lost_writes(timeline, runtime):
        yield _flaw(each, runtime).with_more(on=on)
    for flaw in unsure:
        yield flaw.with_more(on=on)


@RULE.check
def the_edit_over_there_stays(script: RemoteScript) -> Findings:
    return the_edit_stays(script, None)


@RULE.check
def nothing_writes_these_files_anew(files: NodeFiles, pool: BootPool | None) -> Findings:
    files = files.only(NodeFileKind.CONFIG)
    runtime = files.runtime(pool)
    if runtime is None:
        skip(ToGive("nothing says whose configuration of containerd this is", "say it in a fleet (distribution)"))
    generated = [each for each in files.of(NodeFileKind.CONFIG) if each.spot.is_laid_out]
    generated = [each for each in generated if each.spot.path in generated_files(runtime)]
    on = pool.title if pool is not None else ""
    for each in generated if runtime.written_by else ():
        yield _of_a_file(each, runtime).with_more(on=on)


@RULE.check
def nothing_makes_it_anew_on_the_node(runtimes: NodeRuntimes, nodeadm: NodeNodeadm | None) -> Findings:
    used = runtimes.kubelets_containerd()
    rows = (containerd_of(each) for each in distributions())
    made = [each for each in rows if (each.templates or each.generated) and used.config in generated_files(each)]
    if not made and nodeadm is not None and used.config == containerd_of(NODEADMS).config:
        yield from lost_to_nodeadm(nodeadm, used)
        return
    if not made:
        skip(f"nothing makes {used.config} anew when containerd starts; what a boot does to it stands in its script")
    changed = need(used.changed_since)
    if changed in generated_files(made[0]):
        yield fail(
            used,
            f"{changed} was edited after {used.service} had started, and the next start makes it anew",
            is_="edited by hand, or by a toolkit that was told of it",
            should=_should(made[0]),
            cause=f"{made[0].written_when}: the edit is gone before anything reads it",
            remedy=_template(made[0]),
        )


def _of_a_file(file: NodeFile, runtime: Containerd) -> Draft:
    """What is made out of a template is lost at every start; others may be laid down behind whoever writes them."""
    path = file.spot.path
    if runtime.templates or runtime.generated:
        says = f"what stands in {path} is lost: {runtime.written_when}"
        return fail(file.place, says, should=_should(runtime), cause=CAUSE, is_=path, remedy=_template(runtime))
    why = f"whether {path} is laid down behind {runtime.written_by} at every boot is not known: {runtime.written_when}"
    return unknown(file.place, why, remedy=REMEDIES.get(runtime.written_by))


def _for_people(runtime: Containerd) -> tuple[str, ...]:
    """What it makes its config of: what is written there stays."""
    return runtime.templates or ((runtime.config,) if runtime.generated and runtime.config else ())


def _shown_by(timeline: Timeline) -> Containerd | None:
    """Where no fleet says it: AL2 and Ubuntu on EKS are alike in this, only AL2023 has nodeadm's units, and a file
    that a distribution makes out of a template lies in a folder of its own."""
    if any(each.how == "bootstrap.sh" for each in timeline.of(Joins)):
        return containerd_of("eks-al2")
    if any(each.unit.known in (NODEADM_CONFIG, NODEADM_RUN) for each in timeline.of(Unit)):
        return containerd_of("eks-al2023")
    for each in map(containerd_of, distributions()):
        own = tuple(path for path in (*generated_files(each), *_for_people(each)) if path != defaults().config)
        if each.written_by and steps(timeline, own):
            return each
    return None


def _flaw(each: Lost, runtime: Containerd) -> Draft:
    path = each.write.path.shown()
    related = (Related(each.by, each.by_says),) if each.by is not None else ()
    says = f"what is written to {path} is lost: {each.says}"
    return fail(
        each.write.place, says, should=_should(runtime), cause=CAUSE, remedy=_remedy(each, runtime), related=related
    )


def _should(runtime: Containerd) -> str | None:
    if runtime.templates:
        return " or ".join(runtime.templates)
    return runtime.config if runtime.generated else runtime.written_from


def _remedy(each: Lost, runtime: Containerd) -> str:
    if each.by is not None and "default" in each.by_says:
        return "write the default first, and edit it then"
    if runtime.templates or runtime.generated:
        return _template(runtime)
    return REMEDIES.get(runtime.written_by, RULE.remedy)


def _template(runtime: Containerd) -> str:
    if not runtime.templates:
        return f"edit {runtime.config}, its template"
    newer = runtime.templates[-1].rsplit("/", 1)[1]
    return f"write {runtime.templates[0]} ({newer} from containerd 2 on) before it starts"


def _perhaps_steps(timeline: Timeline, runtime: Containerd) -> Iterator[Draft]:
    """A step whose path may be the file's, where that would be lost."""
    if not runtime.written_by:
        return
    for path in generated_files(runtime):
        for write in timeline.writes(path):
            begins = write.path.pieces[0] if write.path.pieces else None
            if write.path.known is None and isinstance(begins, str) and begins.count("/") > 1:
                yield unknown(
                    write.place, f"whether {write.path.shown()} is {path}, which is written anew, is not known"
                )


# Who writes containerd's config anew behind a step of a boot, and when.


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
    if is_default_config(write) or _is_empty(write):
        return None
    for each in timeline.after(write):
        same = isinstance(each, Writes) and each.path.known == write.path.known
        if same and isinstance(each, Writes) and is_default_config(each) and _follows(write, each):
            if _is_done_again(timeline, write, each):
                return None
            says = "the script itself writes the default over it later"
            return Lost(write, says, each.place, "this puts the default in its place")
    return None


def _is_done_again(timeline: Timeline, edit: Writes, default: Writes) -> bool:
    """Whether the same is put into the default that took its place: a machine that is set up anew, then goes on."""
    put_in = _settings(edit)
    later = (
        each for each in timeline.after(default) if isinstance(each, Writes) and each.path.known == edit.path.known
    )
    return bool(put_in) and any(put_in <= _settings(each) and _follows(default, each) for each in later)


def _settings(edit: Writes) -> frozenset[tuple[str, str]]:
    shown = " ".join(each.shown() for each in edit.expressions).replace("\\", "")
    return frozenset((found["name"], found["value"]) for found in _SETTING.finditer(shown))


def _is_empty(write: Writes) -> bool:
    """`touch`, `: >`: of nothing nothing is lost."""
    return write.content is not None and not write.content.lines and write.how in (How.WRITE, How.APPEND)


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
