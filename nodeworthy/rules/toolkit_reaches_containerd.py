"""The NVIDIA runtime must be in the containerd that kubelet uses, once the toolkit has been there.

Whoever brings the toolkit (the AMI, a boot script, the operator's DaemonSet) has to write the runtime `nvidia` into
containerd's configuration and restart containerd. Where that did not happen, every pod of the RuntimeClass `nvidia`
stays in `ContainerCreating` with `no runtime for "nvidia" is configured`. On the node the effective configuration is
read (`containerd config dump`): a section that this containerd ignores, or a drop-in that nothing imports, is not
there. Until the toolkit was due, nothing can be said. If the runtime is in a containerd that kubelet does not use,
the cause is another one, and `containerd-paths` names it. In the cluster, the events of sandboxes that could not be
made say that it is not there, as long as nothing shows that they could since, and the toolkit's own pods say why:
they crash, or wait for the driver. In files, and in what a boot script writes, a config that makes `nvidia` the
default runtime and configures no such runtime keeps the whole CRI plugin from loading; the config of an EKS node with
GPUs that lacks the runtime, where the fleet has no operator, is a warning: nodeadm writes it so where it does not know
the type. A boot script that installs
the toolkit on a node of Kubernetes and tells no containerd of it is told so, where neither an operator nor CDI brings
the runtime in its place: it is a warning, for another script may do it. So is one that tells a containerd which runs,
and neither starts it anew nor reboots; and so is one that makes the runtime the default of
/etc/containerd where k3s or RKE2 runs, whose own containerd finds the runtime, and leaves runc its default. They find
it when they start: a toolkit that comes behind that, with no start or reboot behind it, is told as well.
"""

from __future__ import annotations

from nodeworthy.facts.boot.default_elsewhere import DefaultElsewhere, FoundAtStart, default_elsewhere, found_at_start
from nodeworthy.facts.boot.runtime import runtime_of, version_of
from nodeworthy.facts.boot.script import PART, BootPool, BootScript
from nodeworthy.facts.boot.toolkit_installed import ToldInVain, told_in_vain, toolkit_installed
from nodeworthy.facts.cluster.offered_gpus import fares as fares_of
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.containerd.config import ConfigFile, Role, config_files
from nodeworthy.facts.containerd.runtimes import DEFAULT, Runtimes, runtimes_of
from nodeworthy.facts.containerd.schema import schema_flaws
from nodeworthy.facts.node.containerd import lost_runtime
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.facts.node.runtimes import NodeRuntimes, NodeToolkit, RuntimeProcess
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes, UnservedFailures
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.containerd import defaults
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.rule import Rule
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Place,
    Related,
    Severity,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

RULE = Rule(
    "toolkit-reaches-containerd",
    severity=Severity.ERROR,
    incident="A",
    title="The NVIDIA runtime is in the containerd that kubelet uses",
    remedy="let the toolkit configure the containerd that kubelet uses, and restart it",
    reads_logs=True,
)

_FOR_THE_DRIVER = "driver-validation"
_NODEADM = "nodeadm"
_UNTIL_THEN = "until then it writes nothing into containerd"
# Where neither the fleet nor the node says which containerd kubelet uses, the node itself is asked.
COMPARE = (
    "see on the node which socket kubelet uses (ps -o args= -C kubelet | tr ' ' '\\n' | grep runtime-endpoint, "
    "or containerRuntimeEndpoint in its config file), and set CONTAINERD_SOCKET and CONTAINERD_CONFIG to match"
)


@RULE.check
def the_runtime_is_there(runtimes: NodeRuntimes, toolkit: NodeToolkit, identity: NodeIdentity) -> Findings:
    handler = defaults().runtime_class
    used = runtimes.meant_for_gpus(handler, toolkit, identity)
    if handler in need(used.loaded):
        _only_where_it_can_run(used, handler)
        return
    lost = lost_runtime(used, handler)
    if lost is not None:
        skip(f"it is written in {lost.path}, which containerd does not read so: containerd-config-read says why")
    if runtimes.elsewhere(handler):
        skip(f"the runtime {handler} is in a containerd that kubelet does not use: containerd-paths names it")
    need(toolkit.due)
    yield fail(
        used,
        f"the containerd that kubelet uses does not have the runtime {handler}",
        is_=", ".join(need(used.loaded)) or "no runtime",
        should=f"{handler} among the runtimes of {used.title}",
        related=[
            runtimes.says_its_endpoint(),
            *(each.related() for each in runtimes.others if each.is_containerd),
            Related(toolkit.due.place, str(toolkit.due.place.subject)),
        ],
        cause=f'the toolkit has not reached it; pods that need it end with: no runtime for "{handler}" is configured',
        remedy=_remedy(used),
    )


def _only_where_it_can_run(used: RuntimeProcess, handler: str) -> None:
    path, fault = (used.said.programs or {}).get(handler, ("", None))
    if says := value_if_known(fault):
        skip(f"its program {path} {says}, which containerd-config-read says")


@RULE.check
def the_script_writes_it_into_containerd(script: BootScript, operator: OperatorValues | None) -> Findings:
    elsewhere = default_elsewhere(script)
    if elsewhere is not None:
        yield _default_elsewhere(elsewhere)
        return
    if script.is_a_part:
        skip(PART)
    by_itself = found_at_start(script.timeline) if operator is None else None
    if by_itself is not None:
        yield from [_found_too_late(by_itself)] if by_itself.is_too_late else []
        return
    found = toolkit_installed(script)
    if found is None:
        skip("nothing here installs a toolkit on a node of Kubernetes that has it from nobody else")
    if operator is not None or any(each.fleet.operator is not None for each in script.pools):
        skip("a GPU operator is there, whose toolkit writes the runtime")
    in_vain = told_in_vain(script.timeline) if found.is_told else None
    if in_vain is not None:
        yield _never_read(in_vain)
    if found.is_told:
        return
    handler = defaults().runtime_class
    yield fail(
        found,
        f"{found.package} is installed, and the runtime {handler} is written into no containerd",
        is_=found.installs.command,
        should=f"the runtime {handler} in containerd, which kubelet uses",
        related=found.says,
        cause=f'the package writes no configuration: pods that need it end with: no runtime for "{handler}" is '
        "configured, and others get no GPU",
        remedy="behind it: nvidia-ctk runtime configure --runtime=containerd, and systemctl restart containerd",
        severity=Severity.WARNING,
    )


def _never_read(found: ToldInVain) -> Draft:
    return fail(
        found.written,
        "containerd is told of NVIDIA's runtime while it runs, and is not started anew",
        is_=found.written.command,
        should="systemctl restart containerd behind it",
        related=[Related(found.runs_since.place, "containerd runs since here")],
        cause="containerd reads its configuration when it starts: until then pods that need the runtime end with: "
        f'no runtime for "{defaults().runtime_class}" is configured',
        remedy=f"behind {found.written.place.spot}: systemctl restart containerd",
        severity=Severity.WARNING,
    )


def _default_elsewhere(found: DefaultElsewhere) -> Draft:
    """Pods that name the runtime class get it all the same."""
    return fail(
        found,
        f"NVIDIA's runtime is made the default in {found.edit.path.shown()}, which {found.distribution} does not read",
        is_=found.edit.command,
        should=f"default-runtime: nvidia in /etc/rancher/{found.distribution}/config.yaml",
        related=[found.says],
        cause=f"{found.distribution} runs a containerd of its own, finds the runtime when it starts, and leaves runc "
        "its default: pods without runtimeClassName: nvidia get no GPU",
        remedy=f"give pods runtimeClassName: nvidia, or say default-runtime: nvidia to {found.distribution} itself",
        severity=Severity.WARNING,
    )


def _found_too_late(found: FoundAtStart) -> Draft:
    return fail(
        found,
        f"{found.package} comes behind the start of {found.distribution}, which does not find its runtime any more",
        is_=found.installs.command,
        should=f"the toolkit first, or a restart of {found.distribution} behind it",
        related=[Related(found.started.place, f"{found.distribution} starts here")],
        cause=f"{found.distribution} looks for nvidia-container-runtime when it starts: until it does so again, pods "
        f'end with: no runtime for "{defaults().runtime_class}" is configured',
        remedy=f"move it before {found.started.place.spot}, or behind it: systemctl restart {found.unit}",
        severity=Severity.WARNING,
    )


@RULE.check
def the_default_runtime_is_in_the_files(files: NodeFiles, pool: BootPool | None) -> Findings:
    handler = defaults().runtime_class
    every = [_runtimes(each, pool) for each in files.only(NodeFileKind.CONFIG).as_filled_in]
    if any(any(schema_flaws(file, files.version(pool))) for each in every for file in each.files):
        skip("containerd does not read them as they stand there, which containerd-config-read says")
    made = [(*each.default, each) for each in every if each.default is not None and each.default[0].startswith(handler)]
    if not made:
        skip(every[0].dark or f"none of them makes {handler} the default runtime")
    without = [(name, place, each) for name, place, each in made if name not in each.tables]
    if not without:
        return
    name, place, runtimes = without[0]
    is_always_without = len(without) == len(every)
    unseen = runtimes.unseen or ("" if is_always_without else "a template decides which of its lines are there")
    if unseen:
        yield unknown(place, f"whether containerd has the runtime {name} is not known: {unseen}")
    else:
        yield _default_is_missing(name, place, runtimes)


@RULE.check
def the_files_of_a_gpu_pool_have_it(files: NodeFiles, pool: BootPool, operator: OperatorValues | None) -> Findings:
    """Files as nodeadm writes them at every boot. For other nodes, a file in a repository is only where their setup
    begins."""
    if not pool.pool.is_gpu or operator is not None or pool.fleet.operator is not None:
        skip("these nodes have no GPUs, or an operator's toolkit brings the runtime")
    if not _is_nodeadms(pool):
        skip("who adds the runtime to these files is not known")
    every = [_runtimes(each, pool) for each in files.only(NodeFileKind.CONFIG).as_filled_in]
    whole = [each for each in every if each.tables and any(file.role is Role.ROOT for file in each.files)]
    if not whole or len(whole) != len(every):
        skip("no root file that configures runtimes lies here, and what else there is nobody knows")
    without = [each for each in whole if not _serves_gpus(each)]
    if not without:
        return
    if any(any(schema_flaws(file, files.version(pool))) for each in every for file in each.files):
        skip("containerd does not read them as they stand there, which containerd-config-read says")
    place, unseen = without[0].files[0].reading.line_of("runtimes"), without[0].unseen
    if unseen:
        yield unknown(place, f"whether containerd of {pool.title} has a runtime for its GPUs is not known: {unseen}")
    else:
        yield _no_runtime_for_gpus(without[0], place, pool)


def _is_nodeadms(pool: BootPool) -> bool:
    runtime = value_if_known(pool.pool.runtime)
    return runtime is not None and runtime.written_by == _NODEADM


def _serves_gpus(runtimes: Runtimes) -> bool:
    return any(defaults().runtime_class in f"{name} {said}" for name, said in runtimes.tables.items())


def _no_runtime_for_gpus(runtimes: Runtimes, place: Place, pool: BootPool) -> Draft:
    handler = defaults().runtime_class
    return fail(
        place,
        f"containerd of {pool.title} has no nvidia runtime, and its nodes have GPUs",
        is_=", ".join(runtimes.tables),
        should=f"a table runtimes.{handler} beside it; as {DEFAULT}, where pods name no RuntimeClass",
        related=[pool.declared("has GPUs, and no GPU operator is there")],
        cause="a container started by another runtime sees no driver: the device plugin finds no GPU, the node offers "
        "none (unless all goes by CDI). nodeadm writes it so where its release does not know the instance type",
        remedy="take an image whose nodeadm knows the type, or write the runtime: nvidia-ctk runtime configure "
        "--runtime=containerd --set-as-default, then systemctl restart containerd",
        severity=Severity.WARNING,
    )


@RULE.check
def the_default_runtime_is_in_what_the_boot_writes(script: BootScript, pool: BootPool | None) -> Findings:
    """Judged only where the whole configuration is there: what a program adds to it may hold the runtime."""
    handler, runtime = defaults().runtime_class, runtime_of(script, pool)
    files = config_files(script.timeline, runtime)
    runtimes = runtimes_of(files)
    if runtimes.default is None or not runtimes.default[0].startswith(handler):
        skip(f"the script writes no configuration that makes {handler} the default runtime")
    is_whole = len(runtimes.files) == len(files) and not runtimes.unseen
    if not is_whole or any(_is_read_otherwise(each, script, pool) for each in files):
        skip("what else stands in its configuration of containerd is not known, or is not read as it stands there")
    name, place = runtimes.default
    if name not in runtimes.tables:
        yield _default_is_missing(name, place, runtimes)


def _is_read_otherwise(file: ConfigFile, script: BootScript, pool: BootPool | None) -> bool:
    return file.is_default or file.is_template or any(schema_flaws(file, version_of(script, pool)))


def _runtimes(files: NodeFiles, pool: BootPool | None) -> Runtimes:
    runtime = files.runtime(pool)
    return runtimes_of(config_files(files.timeline_on(runtime), runtime))


def _default_is_missing(name: str, place: Place, runtimes: Runtimes) -> Draft:
    return fail(
        place,
        f"{name} is the default runtime, and no such runtime is configured",
        is_=", ".join(runtimes.tables) or "no runtime",
        should=f"a table runtimes.{name} beside it",
        cause="the CRI plugin does not load: no corresponding runtime configured in `containerd.runtimes`; "
        "kubelet has no runtime, and the node never becomes ready",
        remedy=f"nvidia-ctk runtime configure --runtime=containerd writes it, as does the operator's toolkit; "
        f"else delete {DEFAULT}, and let pods name the RuntimeClass",
    )


def _remedy(used: RuntimeProcess) -> str:
    restart = f"systemctl restart {used.unit}" if used.unit else "a restart of containerd"
    return (
        "with the operator, read the log of its toolkit pod on this node; else run "
        f"nvidia-ctk runtime configure --runtime=containerd --config={used.config_to_write}, then {restart}"
    )


@RULE.check
def the_runtime_reaches_kubelets_containerd(toolkit: ToolkitOnNodes) -> Findings:
    if toolkit.wrong:
        skip("the toolkit mounts another containerd than kubelet's, which containerd-paths says")
    if toolkit.template is not None:
        skip("the toolkit writes into a template, which containerd-paths says")
    if toolkit.only_waits:
        yield _toolkit_waits(toolkit)
    elif toolkit.lasting:
        yield _runtime_is_missing(toolkit)
    elif toolkit.broken:
        yield _toolkit_is_broken(toolkit)
    elif toolkit.bare_nodes and "pods" not in (*toolkit.unseen, *toolkit.cut) and toolkit.is_short:
        yield _toolkit_is_not_there(toolkit)
    else:
        yield from _not_settled(toolkit)


def _runtime_is_missing(toolkit: ToolkitOnNodes) -> Draft:
    names = " and ".join(sorted({f"'{each.runtime}'" for each in toolkit.lasting}))
    return fail(
        toolkit,
        f"kubelet's containerd does not know the runtime {names} that the toolkit should have brought",
        is_=toolkit.told_failures,
        should=f"the runtime {names} in the containerd that kubelet uses",
        on=toolkit.on_stricken,
        related=toolkit.stricken_say,
        cause="; ".join(filter(None, [_where_it_went(toolkit), toolkit.told_pods, toolkit.stricken_gpus])),
        remedy=_mends_it(toolkit),
        victims=toolkit.victims,
    )


def _mends_it(toolkit: ToolkitOnNodes) -> str:
    if toolkit.is_containerd and toolkit.was_there:
        return _start_it_again(toolkit)
    if _leaves_the_restart(toolkit):
        return (
            "restart it on the node (systemctl restart containerd; k3s and RKE2 by their own unit), or take "
            "CONTAINERD_RESTART_MODE=none out of toolkit.env; if it still knows no such runtime, compare "
            "CONTAINERD_CONFIG with the file that kubelet's containerd reads"
        )
    return _read_its_log(toolkit) if _its_folders_are_right(toolkit) and toolkit.broken else _compare(toolkit)


def _compare(toolkit: ToolkitOnNodes) -> str:
    """The paths themselves, where the nodes say what they run, and nobody says what the toolkit was given."""
    used = toolkit.runtime.state
    if not isinstance(used, Known) or not toolkit.is_containerd or None in (used.value.socket, used.value.config):
        return COMPARE
    if not toolkit.found_no_socket or not _says_no_folders(toolkit):
        return COMPARE
    given = {"CONTAINERD_SOCKET": used.value.socket, "CONTAINERD_CONFIG": used.value.config, **used.value.toolkit_env}
    told = ", ".join(f"{name}={path}" for name, path in given.items())
    return f"set in toolkit.env what {used.value.distribution} has: {told}; to be sure: ls -l {used.value.socket}"


def _start_it_again(toolkit: ToolkitOnNodes) -> str:
    """It writes its runtime when it starts, and never looks again."""
    nodes = {each.node for each in toolkit.lasting}
    pods = [pod for pod in toolkit.pods if pod.node in nodes]
    at = f"-n {toolkit.daemonset.namespace}"
    return (
        f"let the toolkit write it again: kubectl delete pod {at} {' '.join(pod.name for pod in pods)}"
        if pods
        else f"let the toolkit write it again: kubectl rollout restart {at} daemonset/{toolkit.daemonset.name}"
    ) + "; let whoever wrote the config keep NVIDIA's runtime, or import the toolkit's own file (conf.d)"


def _leaves_the_restart(toolkit: ToolkitOnNodes) -> bool:
    return toolkit.is_containerd and toolkit.daemonset.restarts_nothing and not toolkit.found_no_socket


def _its_folders_are_right(toolkit: ToolkitOnNodes) -> bool:
    """Whether its folders are right, as the nodes say or as similar nodes show."""
    return toolkit.mounts_kubelets or (toolkit.works_elsewhere and not toolkit.found_no_socket)


def _where_it_went(toolkit: ToolkitOnNodes) -> str:
    daemonset = toolkit.daemonset
    config, socket = daemonset.config_folder.shown(), daemonset.socket_folder.shown()
    if not toolkit.is_containerd:
        return f"the toolkit configures {daemonset.runtime}"
    if toolkit.was_there:
        return (
            "the runtime was there, as pods of it show that have run on this node, and is no more: containerd's "
            "config.toml was written anew since (an upgrade of the cluster, Kubespray, kubeone, a restart that makes "
            "it of a template), or kubelet uses another containerd now; the toolkit writes into it only when it starts"
        )
    if _leaves_the_restart(toolkit):
        return (
            "the toolkit writes the runtime and was told to restart nothing (CONTAINERD_RESTART_MODE=none): until "
            "somebody restarts containerd, it does not know what was written"
        )
    if _says_no_folders(toolkit):
        return (
            "kubelet's containerd has no such runtime in its config, or has it no more (a restart wrote it anew); "
            "which config the toolkit writes into, its DaemonSet does not say"
        )
    wrote = f"the toolkit writes into {config} of the node and signals the containerd whose socket is in {socket}"
    if toolkit.found_no_socket:
        return f"{wrote}, but found no socket there: kubelet's containerd, which runs these pods, is another one"
    if toolkit.mounts_kubelets:
        return f"{wrote}, which are those of kubelet's containerd by what the nodes say"
    return f"{wrote}; kubelet's containerd may be another one"


def _says_no_folders(toolkit: ToolkitOnNodes) -> bool:
    daemonset = toolkit.daemonset
    return any(each.state == Known(None) for each in (daemonset.config_folder, daemonset.socket_folder))


def _toolkit_waits(toolkit: ToolkitOnNodes) -> Draft:
    pod = toolkit.held_up[0]
    for_driver = pod.waits_in == _FOR_THE_DRIVER
    broken = [each for each in toolkit.drivers if not each.ready and each.node == pod.node]
    driver = fares_of(broken) if broken else None
    known = _known_of(broken[0], toolkit) if broken else None
    has_one = "pods" in toolkit.cut or any(each.node == pod.node for each in toolkit.drivers)
    if for_driver and not has_one:
        driver = "no pod of a driver runs there: the image or the boot script must bring one"
    worst, log = (broken[0], "") if broken else (pod, f" -c {pod.waits_in}")
    return fail(
        pod,
        "the toolkit waits for the driver" if for_driver else f"the toolkit waits in its init container {pod.waits_in}",
        is_=f"{pod.waits_in} runs since {pod.waits_since}",
        should="a driver that is loaded" if for_driver else "an init container that ends",
        on=toolkit.on_stricken,
        related=[Related(toolkit.place, "the DaemonSet that it belongs to"), *toolkit.stricken_say],
        cause="; ".join(
            filter(
                None, [driver, known.why if known else None, _UNTIL_THEN, toolkit.told_failures, toolkit.stricken_gpus]
            )
        ),
        remedy=known.mending if known else f"read why: kubectl logs -n {worst.namespace} {worst.name}{log}",
        victims=dict.fromkeys((*toolkit.victims, *(each.object for each in broken if known))),
        link="module" if for_driver else "toolkit",
    )


def _toolkit_is_broken(toolkit: ToolkitOnNodes) -> Draft:
    known = None if toolkit.found_no_socket else _known_of(toolkit.broken[0], toolkit)
    return fail(
        toolkit.broken[0],
        "the toolkit does not run",
        is_=toolkit.broken[0].fault,
        should="a toolkit pod that is ready on every GPU node",
        on=toolkit.on_stricken,
        related=[Related(toolkit.place, "the DaemonSet that it belongs to"), *toolkit.stricken_say],
        cause="; ".join(filter(None, [known.why if known else None, toolkit.told_pods, toolkit.stricken_gpus])),
        remedy=_compare(toolkit)
        if toolkit.found_no_socket
        else known.mending
        if known is not None
        else _read_its_log(toolkit),
        victims=toolkit.victims,
    )


def _known_of(pod: ClusterPod, toolkit: ToolkitOnNodes) -> Evidence | None:
    said = pod.last_words or toolkit.words.get(pod.object, "")
    return next((each.evidence for each in in_text(said) if not each.evidence.is_symptom), None)


def _read_its_log(toolkit: ToolkitOnNodes) -> str:
    pod = toolkit.broken[0]
    verb = "logs --previous" if pod.restarts else "describe pod"
    return f"read why: kubectl {verb} -n {pod.namespace} {pod.name}"


def _toolkit_is_not_there(toolkit: ToolkitOnNodes) -> Draft:
    named = f"-n {toolkit.daemonset.namespace} {toolkit.daemonset.name}"
    return fail(
        toolkit,
        "no toolkit pod is there, although the DaemonSet chooses the node,",
        should="a toolkit pod that is ready on every GPU node",
        on=[node.title for node in toolkit.bare_nodes],
        remedy=f"kubectl describe daemonset {named}: its events say why",
        victims=toolkit.victims,
    )


def _not_settled(toolkit: ToolkitOnNodes) -> Findings:
    """A toolkit that is not proven wrong; is it proven right?"""
    if toolkit.unseen or toolkit.cut:
        missing = (*toolkit.unseen, *(f"all {each}" for each in toolkit.cut))
        why = f"whether the toolkit works can't be told without {' and '.join(missing)}"
        yield unknown(toolkit, why, on=toolkit.on, cause=toolkit.told_failures, victims=toolkit.victims)
    elif toolkit.unready:
        why = f"the toolkit is not ready yet: {toolkit.told_pods}"
        yield unknown(toolkit.unready[0], why, on=toolkit.on)
    elif toolkit.recent and toolkit.victims:
        why = f"the toolkit has only just become ready, and {toolkit.told_failures}: look again in two minutes"
        yield unknown(toolkit, why, on=toolkit.on, victims=toolkit.victims)
    elif toolkit.unproven_nodes and not toolkit.daemonset.ready_everywhere:
        yield unknown(toolkit, "no toolkit pod was seen", on=[node.title for node in toolkit.unproven_nodes])


@RULE.check
def somebody_brings_the_runtime(unserved: UnservedFailures) -> Findings:
    brings = "whether a toolkit brings it was not seen" if unserved.seen_in_part else "no toolkit brings it"
    yield fail(
        unserved,
        f"kubelet's containerd does not know the NVIDIA runtime, and {brings}",
        is_=unserved.told,
        should="the runtime in the containerd that kubelet uses",
        on=[f"node '{name}'" for name in unserved.nodes],
        cause=unserved.why,
        victims=unserved.victims,
    )
