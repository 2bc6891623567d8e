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

from nodeworthy.boot.effects import Joins, Unit
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.runtime import runtime_of
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.containerd.regeneration import (
    NODEADM_CONFIG,
    NODEADM_RUN,
    Lost,
    generated_files,
    lost_writes,
    steps,
)
from nodeworthy.facts.node.files import NodeFile, NodeFiles
from nodeworthy.facts.node.nodeadm import NODEADMS, SAY_IT, NodeNodeadm, lost_to_nodeadm
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.known.containerd import Containerd, containerd_of, defaults, distributions
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, ToGive, fail, need, skip, unknown

RULE = Rule(
    "containerd-edit-survives",
    severity=Severity.ERROR,
    title="Nothing writes containerd's config anew after the script has edited it",
    remedy="say it where the distribution keeps it: containerd.config of the NodeConfig, the template, a hosts.toml",
)

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
            f"{changed} was edited after {used.unit or used.name} had started, and the next start makes it anew",
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
        if each.written_by and own and steps(timeline, own):
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
