"""The toolkit's own pods in a cluster, and the pods that its runtime does not reach."""

from __future__ import annotations

from nodeworthy.facts.cluster.offered_gpus import fares as fares_of
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes, UnservedFailures
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.rules.toolkit_reaches_containerd import RULE
from nodeworthy.verdict import Draft, Findings, Known, Related, fail, skip, unknown

_FOR_THE_DRIVER = "driver-validation"
_UNTIL_THEN = "until then it writes nothing into containerd"
# Where neither the fleet nor the node says which containerd kubelet uses, the node itself is asked.
_COMPARE = (
    "see on the node which socket kubelet uses (ps -o args= -C kubelet | tr ' ' '\\n' | grep runtime-endpoint, "
    "or containerRuntimeEndpoint in its config file), and set CONTAINERD_SOCKET and CONTAINERD_CONFIG to match"
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
    if _its_folders_are_right(toolkit) and toolkit.broken:
        return _read_its_log(toolkit)
    stays = toolkit.is_containerd and not toolkit.unready and bool(toolkit.pods)
    return f"{_compare(toolkit)}; where they do, {_start_it_again(toolkit)}" if stays else _compare(toolkit)


def _compare(toolkit: ToolkitOnNodes) -> str:
    """The paths themselves, where the nodes say what they run, and nobody says what the toolkit was given."""
    used = toolkit.runtime.state
    if not isinstance(used, Known) or not toolkit.is_containerd or None in (used.value.socket, used.value.config):
        return _COMPARE
    if not toolkit.found_no_socket or not _says_no_folders(toolkit):
        return _COMPARE
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
