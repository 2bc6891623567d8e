"""The device plugin finds its sharing configuration, can read it, and has the resources for it.

The device plugin reads `sharing.timeSlicing` or `sharing.mps`: a list of resources, each with the number of pods that
may have one at a time. One entry that it can't read (fewer than 2 replicas, a number in quotes, no name) and it ends
at its start: the node offers no GPU at all. An entry about a resource that the node does not offer (`nvidia.com/gpus`)
and a key that it does not know count for nothing, without a word: GPUs are then not shared. Of both means MPS is taken,
and time slicing is passed over; MPS and the MIG strategy `mixed` exclude each other. MPS serves 48 pods a GPU.

The operator's `devicePlugin.config` names the ConfigMap that holds the configurations, and the one that nodes go by
which have no label `nvidia.com/device-plugin.config`. A default that is not in it ends the device plugin, too. The
ConfigMap lies in the namespace of the operator, for pods mount no others. The plugin's own chart reads `config.name` (a
ConfigMap) or `config.map` (its texts), and `config.default`, which is a key of either and nothing without them.

The operator's chart reads of all that only `devicePlugin.config` (`name`, `default`, `create`, `data`) and
`mig.strategy`: a `timeSlicing` among its values, or below `devicePlugin`, is passed over, and Helm says nothing. It
makes a ConfigMap of `data` only with `create: true`, which nobody has by default; MIG manager's `config` is like it.
With `create: true` and nothing in `data` it makes none, either; and `data` are texts by their names: MIG manager reads
the one that is called `config.yaml`.

A DaemonSet written by hand is given its configuration as a file (`CONFIG_FILE`, `--config-file`), which is one of those
that the ConfigMap becomes: as environment variables it is never read. With MPS it needs `MPS_ROOT`, and the control
daemon beside it. `renameByDefault` counts only below `timeSlicing`; a `rename` of one resource is passed over.

What the plugin does not know it refuses: other ways to list devices (`deviceListStrategy: volume-mount`), to name them,
to find them, to name slices.

Configurations of mig-parted have `devices` (`all`, or a list), `mig-enabled` and `mig-devices`, and no other keys: of a
file with one entry that it can't read none is applied. They name profiles that exist, seven slices a GPU at most, no
more memory than it has (two 3g leave nothing), and each GPU once; the one that `migManager.config.default` names is in
its ConfigMap.

With the MIG strategy `single` a node's slices are called `nvidia.com/gpu`; pods that ask for `nvidia.com/mig-…` wait
for ever. They are all of one size then: a default that cuts a GPU into several (`all-balanced`) leaves none to offer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.recognition import ORIGIN
from nodeworthy.facts.operator.sharing import MAKERS, MIG_STRATEGY, OPERATORS, UNREAD, SharingConfig
from nodeworthy.facts.operator.values import OperatorValues, PatchedPolicy
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need, skip, unknown

RULE = Rule(
    "sharing-configured",
    severity=Severity.ERROR,
    title="The device plugin finds its sharing configuration, can read it, and has the resources for it",
    remedy="write sharing.timeSlicing.resources with a name that the node offers and 2 replicas or more",
)

ENDS = "the device plugin ends at its start, and the node offers no GPU: pods that ask for one stay Pending"
SINGLE, NONE, MIXED = "single", "none", "mixed"
SLICE = "nvidia.com/mig-"
# How alike two names are of which one is a slip of the other.
_NEAR = 0.8


@RULE.check
def the_default_is_one_of_them(values: OperatorValues, configs: Sequence[SharingConfig]) -> Findings:
    chosen = values.tree.get("devicePlugin", "config")
    name, default = need(chosen.get("name").located()), chosen.get("default")
    if not isinstance(name, str) or not name:
        skip("the operator's device plugin is told of no ConfigMap")
    held = [each for each in configs if each.map == name]
    if not held:
        yield from _of_another_name(chosen, name, configs)
        return
    yield from _of_another_namespace(chosen.get("name"), values.namespace, held)
    wanted = need(default.located())
    if not wanted:
        skip("no default is named: nodes choose one by their label nvidia.com/device-plugin.config")
    keys = held[0].keys
    if wanted not in keys and any(each.is_patch for each in held):
        skip(f"the ConfigMap '{name}' is a patch here, and what it is laid over may hold more")
    if wanted not in keys:
        yield fail(
            default.located(),
            f"the ConfigMap '{name}' has no configuration of this name for the device plugin",
            should=" or ".join(sorted(keys)),
            related=[Related(held[0].place, f"it has '{held[0].key}'")],
            cause=f"config-manager ends, saying that the specified config does not exist; {ENDS}",
            remedy=f"set devicePlugin.config.default to {' or '.join(sorted(keys))}",
        )


@RULE.check
def a_patch_names_one_of_them(patch: PatchedPolicy, configs: Sequence[SharingConfig]) -> Findings:
    """A patch by which a script tells the operator's device plugin of a ConfigMap."""
    yield from the_default_is_one_of_them(patch.values, configs)


def _of_another_namespace(name: Tree, namespace: str, held: Sequence[SharingConfig]) -> Iterator[Draft]:
    """Kustomize may write others over both."""
    theirs = {each.namespace for each in held}
    if namespace and "" not in theirs and namespace not in theirs:
        yield fail(
            name.located(),
            f"the ConfigMap '{name.string}' lies in another namespace than the device plugin that is to mount it",
            is_=f"namespace: {' and '.join(sorted(theirs))}",
            should=f"namespace: {namespace}, where the operator is installed",
            related=[Related(held[0].place, f"this lies in '{held[0].namespace}'")],
            cause="a pod mounts ConfigMaps of its own namespace alone: it stays in ContainerCreating (configmap "
            f'"{name.string}" not found), and the node offers no GPU',
            remedy=f"give the ConfigMap metadata.namespace: {namespace}",
            severity=Severity.WARNING,
        )


def _of_another_name(chosen: Tree, name: str, configs: Sequence[SharingConfig]) -> Iterator[Draft]:
    others = {each.map: each for each in configs if each.map}
    if not others:
        skip(f"the ConfigMap '{name}' is not here")
    from difflib import get_close_matches

    near = next(iter(get_close_matches(name, others, 1, _NEAR)), None)
    if near is None:
        yield unknown(chosen.get("name"), f"what the ConfigMap '{name}' holds is not known: it is not here")
        return
    yield fail(
        chosen.get("name").located(),
        "the operator's device plugin is told of a ConfigMap of another name than the one beside it",
        should=near,
        related=[Related(others[near].place, f"the ConfigMap '{near}'")],
        cause="a pod that mounts a ConfigMap which is not there stays in ContainerCreating: the node offers no GPU",
        remedy=f"set devicePlugin.config.name to {near}",
    )


@RULE.check
def the_chart_reads_it(values: OperatorValues) -> Findings:
    if OPERATORS.isdisjoint(values.tree.mapping):
        skip("these may be values of the device plugin's own chart, which reads others")
    found = [(path, tree) for path in UNREAD if _is_given(tree := values.tree.get(*path))]
    if not found:
        skip("nothing in these values shares GPUs where the chart does not look")
    named = values.tree.get("devicePlugin", "config", "name")
    for path, tree in found:
        yield _unread(".".join(path), tree, named)


def _unread(path: str, tree: Tree, named: Tree) -> Draft:
    """What the ConfigMap says may be the same: then it is only said in vain."""
    is_slicing = path.rpartition(".")[2] != MIG_STRATEGY
    should = "devicePlugin.config.data, with create, name and default" if is_slicing else "mig.strategy"
    return fail(
        tree.heading,
        f"the operator's chart reads no {path}",
        is_=path,
        should=should,
        cause="its templates look there for nothing of this name, and Helm says nothing: "
        + ("GPUs are not shared by it" if is_slicing else "only mig.strategy counts"),
        remedy=f"write it as {should}; `helm template` shows what comes of it",
        severity=Severity.WARNING if named.text or not is_slicing else Severity.ERROR,
    )


@RULE.check
def the_chart_makes_the_map(values: OperatorValues, every: Sequence[OperatorValues]) -> Findings:
    parts = [part for part in MAKERS if _is_given(values.tree.get(part, "config", "data"))]
    if values.origin == ORIGIN or not parts:
        skip("its values hold no configuration that the chart would make a ConfigMap of")
    for part in parts:
        # Whoever keeps values in several files may say it in another one.
        others = (each.tree.get(part, "config", "create") for each in every)
        if not any(need(each.located()) for each in others):
            yield from _not_made(values, part)


def _not_made(values: OperatorValues, part: str) -> Findings:
    config = values.tree.get(part, "config")
    data, create, name = config.get("data"), config.get("create"), config.get("name").text
    key = f"{part}.config"
    if create.is_absent and values.elsewhere is not None:
        yield unknown(data.heading, f"whether the chart makes a ConfigMap of {key}.data is not known: "
                      f"{values.elsewhere}")  # fmt: skip
        return
    waits = f"where nothing else makes '{name}', what mounts it waits in ContainerCreating: {MAKERS[part]}"
    yield fail(
        data.heading,
        f"the operator's chart makes no ConfigMap of {key}.data",
        is_=f"{key}.create: false" if create.value is False else f"no {key}.create, which is false by default",
        should=f"{key}.create: true",
        cause=f"what stands here counts for nothing; {waits}" if name else "what stands here counts for nothing",
        remedy=f"set {key}.create: true, with {key}.name; or leave data out, where something else makes the ConfigMap",
        # Without a name nothing waits for it, and what the chart brings by itself counts.
        severity=Severity.ERROR if name else Severity.WARNING,
    )


def _is_given(tree: Tree) -> bool:
    return bool(tree.mapping or tree.sequence or tree.text)
