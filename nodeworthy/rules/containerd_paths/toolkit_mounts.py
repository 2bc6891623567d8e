"""The folders that the toolkit mounts, beside those of the containerd that kubelet uses."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.cluster.node_labels import POOL
from nodeworthy.facts.operator.toolkit_daemonset import OPT_OUT, Miss
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes
from nodeworthy.facts.operator.values import ToolkitSettings
from nodeworthy.known.containerd import Containerd
from nodeworthy.known.operator_parts import CONFIG, SOCKET
from nodeworthy.records import replace
from nodeworthy.rules.containerd_paths import CAUSE, RULE
from nodeworthy.verdict import Draft, Findings, Known, Located, Place, Related, Unknown, fail, skip, unknown

NAME_THE_POOL = f"label the node with {POOL}=NAME, or declare its pool in the fleet"


@RULE.check
def toolkit_mounts_the_containerd_of_kubelet(toolkit: ToolkitOnNodes) -> Findings:
    comparison = _compared(toolkit)
    if comparison is not None:
        yield replace(
            comparison,
            on=toolkit.on,
            related=(*toolkit.says, *comparison.related),
            cause=comparison.cause or "; ".join((CAUSE, *toolkit.evidence)),
            victims=tuple(toolkit.victims),
        )


def _compared(toolkit: ToolkitOnNodes) -> Draft | None:
    """None where they agree. Skips where the folders mean nothing, or where nothing can be asked of the nodes."""
    _skip_what_is_moot(toolkit)
    state = toolkit.runtime.state
    if isinstance(state, Unknown):
        return _unknown(toolkit.place, "which containerd kubelet uses is not known", state.why, NAME_THE_POOL)
    runtime = state.value
    if not runtime.toolkit:
        return _in_vain(toolkit, runtime)
    if toolkit.wrong:
        return _mismatch(toolkit, runtime)
    if toolkit.template is not None:
        return _template(toolkit, runtime, toolkit.template)
    if toolkit.doubtful:
        return _doubtful(toolkit, runtime)
    return _not_compared(toolkit, runtime)


def _skip_what_is_moot(toolkit: ToolkitOnNodes) -> None:
    if toolkit.daemonset.uses_nri:
        skip("the toolkit uses NRI and edits no containerd config")
    if not toolkit.is_containerd:
        skip("the toolkit configures another runtime than containerd there")
    if toolkit.silent is not None:
        skip(toolkit.silent)


def _unknown(place: Place, message: str, why: str, remedy: str | None = None) -> Draft:
    return unknown(place, message, cause=why, remedy=remedy)


def _doubtful(toolkit: ToolkitOnNodes, runtime: Containerd) -> Draft:
    message = "the toolkit may mount another containerd than the one that kubelet uses"
    why = _why_in_doubt(toolkit, runtime).rstrip(".")
    in_doubt = _unknown(toolkit.doubtful[0].located.place, message, why, "look on a node: nodeworthy node ssh://NODE")
    return replace(in_doubt, is_=_mounted(toolkit.doubtful), should=_right(toolkit.doubtful))


def _mounted(misses: tuple[Miss, ...]) -> str:
    return " and ".join(each.mounted for each in misses)


def _right(misses: tuple[Miss, ...]) -> str:
    return " and ".join(each.right for each in misses)


def _in_vain(toolkit: ToolkitOnNodes, runtime: Containerd) -> Draft:
    return fail(
        toolkit.place,
        f"the operator's toolkit runs where it can do nothing right ({runtime.distribution})",
        should="toolkit.enabled: false",
        remedy="set toolkit.enabled to false in the operator's values",
        cause="; ".join(toolkit.evidence) or runtime.note,
    )


def _mismatch(toolkit: ToolkitOnNodes, runtime: Containerd) -> Draft:
    kinds = " and ".join(each.kind for each in toolkit.wrong)
    folders = "folders" if len(toolkit.wrong) > 1 else "folder"
    message = f"the toolkit mounts the {kinds} {folders} of another containerd than the one that kubelet uses"
    if toolkit.right_for:
        right_for = _first_and_more(toolkit.right_for)
        message = f"one operator can't serve both: what is right for {right_for} is another containerd's"
    return fail(
        toolkit.wrong[0].located.place,
        message,
        is_=_mounted(toolkit.wrong),
        should=_right(toolkit.wrong),
        related=tuple(_said_by_the_policy(toolkit)),
        remedy=_remedy(toolkit, runtime),
    )


def _template(toolkit: ToolkitOnNodes, runtime: Containerd, written: str) -> Draft:
    said = toolkit.policy.toolkit.config if toolkit.policy is not None else None
    says = f"{runtime.distribution} makes its config anew from it as it starts"
    out = f"leave {CONFIG} out of toolkit.env ({SOCKET} alone is right there)" if runtime.config_optional else ""
    return fail(
        toolkit.place,
        "the toolkit writes into a template for people to edit: that breaks the node at its next boot",
        is_=written,
        should=runtime.config,
        related=(Related(said.place, f"{CONFIG} is {said.shown()}"),) if said is not None and said.written else (),
        remedy=f"{out or f'set {CONFIG} in toolkit.env to {runtime.config}'}; then take what it wrote out of {written}",
        cause="; ".join((f"{says}, and what the toolkit writes is no template", *toolkit.evidence)),
    )


def _said_by_the_policy(toolkit: ToolkitOnNodes) -> Iterator[Related]:
    if toolkit.policy is None:
        return
    settings = toolkit.policy.toolkit
    named = {"config": (CONFIG, settings.config), "socket": (SOCKET, settings.socket)}
    for name, said in (named[each.kind] for each in toolkit.wrong):
        says = f"{name} is {said.shown()}" if said.written else f"{name} is not set: the operator's default"
        yield Related(said.place, says)


def _first_and_more(those: tuple[str, ...]) -> str:
    return f"{those[0]} and {len(those) - 1} more" if len(those) > 1 else those[0]


def _remedy(toolkit: ToolkitOnNodes, runtime: Containerd) -> str:
    if toolkit.right_for:
        return (
            "bring the toolkit to these nodes otherwise (their image, their boot script), and keep the operator's away "
            f"by the label {OPT_OUT}=false; other paths in toolkit.env would only break the others"
        )
    if toolkit.policy is not None and _is_right(toolkit.policy.toolkit, runtime):
        return (
            "toolkit.env is right, but the DaemonSet does not follow it: look at the operator's own log "
            "(its release 25.3.3 mounts wrong folders for a socket of one's own; 25.3.4 does not)"
        )
    wanted = [f"{CONFIG} to {runtime.config}"] if runtime.config and not runtime.config_optional else []
    return f"set {' and '.join([*wanted, f'{SOCKET} to {runtime.socket}'])} in toolkit.env of the operator's values"


def _is_right(settings: ToolkitSettings, runtime: Containerd) -> bool:
    pairs = ((settings.socket, runtime.accepts_socket), (settings.config, runtime.accepts_config))
    return all(
        isinstance(said.state, Known) and said.written and accepts(str(said.state.value)) for said, accepts in pairs
    )


def _why_in_doubt(toolkit: ToolkitOnNodes, runtime: Containerd) -> str:
    if any(each.doubtful for each in toolkit.doubtful):
        return runtime.note
    return f"{runtime.distribution} needs no {CONFIG}, but whether this one was set was not seen (no ClusterPolicy)"


def _not_compared(toolkit: ToolkitOnNodes, runtime: Containerd) -> Draft | None:
    """A folder that is not mounted from the host, or not at all, was not compared."""
    wanted: list[tuple[Located[str | None], str | None]] = [(toolkit.daemonset.socket_folder, runtime.socket)]
    if not runtime.config_optional:
        wanted.append((toolkit.daemonset.config_folder, runtime.config))
    message = "what the toolkit mounts of the node's containerd is not known"
    for folder, right in wanted:
        if isinstance(folder.state, Unknown):
            return _unknown(folder.place, message, folder.state.why)
        if folder.state.value is None and right is not None:
            return _unknown(folder.place, message, "it mounts no folder where the operator mounts containerd's")
    return None
