"""The GPU operator's toolkit must write the NVIDIA runtime into the containerd that kubelet talks to.

The operator mounts the folders of `CONTAINERD_CONFIG` and `CONTAINERD_SOCKET` into its toolkit pod without
looking whether they exist. A wrong path becomes an empty folder: the API refuses nothing, the toolkit
crash-loops half a minute later, and every GPU pod stays in `ContainerCreating` with
`no runtime for "nvidia" is configured`. Where no value is given, the operator takes the stock paths, which
are wrong on every distribution that keeps its containerd elsewhere. One operator serves the whole cluster with one
pair of paths, so pools whose containerds differ can't share it.
"""

from __future__ import annotations

from nodeworthy.facts.gpu_pool import GpuPool
from nodeworthy.facts.operator_values import CONFIG, SOCKET, OperatorValues, ToolkitSettings
from nodeworthy.known.containerd import Containerd, same_file
from nodeworthy.rule import Rule
from nodeworthy.verdict import Finding, Findings, Located, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "containerd-paths",
    severity=Severity.ERROR,
    incident="A",
    title="The toolkit's containerd paths are those of the containerd that kubelet uses",
    remedy="set CONTAINERD_CONFIG and CONTAINERD_SOCKET in toolkit.env to the paths of the containerd that kubelet uses",
)

CAUSE = (
    "the operator writes the NVIDIA runtime into the containerd of these paths; kubelet talks to another one, "
    'which then says: no runtime for "nvidia" is configured'
)


@RULE.check
def values_name_the_containerd_of_kubelet(values: OperatorValues, pool: GpuPool) -> Findings:
    toolkit = values.toolkit
    if not need(toolkit.enabled):
        skip("the operator's toolkit is off, so its containerd paths have no effect")
    if need(toolkit.uses_nri):
        skip("the operator's NRI plugin edits no containerd config, so its paths have no effect")
    runtime = need(pool.runtime)
    if not runtime.is_containerd:
        skip(f"kubelet on {pool.title} talks to {runtime.runtime}: containerd's paths have no effect")
    if not runtime.toolkit:
        yield _toolkit_must_be_off(toolkit, pool, runtime)
        return
    yield from _path(SOCKET, toolkit.socket, runtime.socket, pool, runtime)
    if toolkit.config.written or not runtime.config_optional:
        yield from _path(CONFIG, toolkit.config, runtime.config, pool, runtime)


def _path(name: str, path: Located[str], right: str | None, pool: GpuPool, runtime: Containerd) -> Findings:
    if isinstance(path.state, Unknown):
        yield unknown(path, f"{name} is not known: {path.state.why}", on=pool.title)
        return
    written = bare(path.state.value)
    if written is None:
        return  # no path at all: toolkit-env-wellformed says what it is
    if any(same_file(written, one) for one in (right, *runtime.older_sockets)):
        return
    if any(same_file(written, one) for one in runtime.doubtful):
        yield unknown(path, f"{name} may be right: {runtime.note}", on=pool.title, should=right)
        return
    yield _wrong(name, path, right, pool, runtime)


def bare(path: object) -> str | None:
    """The path that was meant, whatever is wrong with its spelling; None where it is none."""
    if not isinstance(path, str):
        return None
    stripped = path.strip().removeprefix("unix://")
    return stripped if stripped.startswith("/") else None


def _wrong(name: str, path: Located[str], right: str | None, pool: GpuPool, runtime: Containerd) -> Finding:
    if not path.written:
        message = f"{name} is not set, and the operator's default is not the containerd that kubelet uses"
    elif any(same_file(str(path.shown()), template) for template in runtime.templates):
        message = f"{name} is a template for people to edit: what the toolkit writes there breaks the node at its next boot,"
    else:
        message = f"{name} is not the {_kind(name)} of the containerd that kubelet uses"
    return fail(
        path,
        message,
        should=right,
        on=pool.title,
        related=[pool.declares_its_runtime()],
        cause=CAUSE,
        remedy=f"set {name} in toolkit.env to {right}",
    )


def _kind(name: str) -> str:
    return "socket" if name == SOCKET else "config"


def _toolkit_must_be_off(toolkit: ToolkitSettings, pool: GpuPool, runtime: Containerd) -> Finding:
    return fail(
        toolkit.enabled,
        f"the operator's toolkit is on where it can do nothing right ({runtime.note})",
        on=pool.title,
        should="toolkit.enabled: false",
        related=[pool.declares_its_runtime()],
        remedy="set toolkit.enabled to false",
    )
