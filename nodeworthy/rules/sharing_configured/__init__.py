"""What shares GPUs among pods is a configuration that the device plugin can read, finds, and has the resources for.

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

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import Part
from nodeworthy.facts.operator.device_plugins import Advertiser, DevicePlugins
from nodeworthy.facts.operator.recognition import ORIGIN
from nodeworthy.facts.operator.sharing import (
    LEAST,
    MAKERS,
    MEANS,
    MIG_STRATEGY,
    MOST_BY_MPS,
    MPS,
    OF_THE_MEANS,
    OPERATORS,
    TIME_SLICING,
    UNREAD,
    SharedResource,
    SharingConfig,
    is_advertised,
)
from nodeworthy.facts.operator.values import OperatorValues, PatchedPolicy
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.resources import SHARED
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "sharing-configured",
    severity=Severity.ERROR,
    title="What shares GPUs is a configuration that the device plugin can read, finds, and has the resources for",
    remedy="write sharing.timeSlicing.resources with a name that the node offers and 2 replicas or more",
)

_ENDS = "the device plugin ends at its start, and the node offers no GPU: pods that ask for one stay Pending"
_IGNORED = "the device plugin passes it over without a word, and each GPU goes to one pod alone"
_SINGLE, _NONE, _MIXED = "single", "none", "mixed"
_SLICE = "nvidia.com/mig-"
_REFUSES = OF_THE_MEANS[1]
# How alike two names are of which one is a slip of the other.
_NEAR = 0.8


@RULE.check
def the_device_plugin_can_read_it(config: SharingConfig) -> Findings:
    if config.why_unread is not None:
        yield unknown(config, f"what {config.title} shares is not known: {config.why_unread}")
        return
    if not config.is_text:
        yield _no_text(config)
        return
    version = config.tree.get("version")
    if need(settle(version)) not in (None, "v1"):
        says = f"{config.title} is of a version that the device plugin does not have"
        yield fail(version.located(), says, should="v1", cause=f"it says unknown version, and {_ENDS}",
                   remedy="write version: v1")  # fmt: skip
    for key, tree in config.misplaced:
        says = f"{config.title} says {key} where the device plugin does not read it"
        yield fail(tree.heading, says, is_=key, should=f"sharing.{key}", cause=_IGNORED,
                   remedy=f"move {key} below sharing")  # fmt: skip
    for key, tree in config.misspelt():
        said = f"{config.title} shares by {key}, which the device plugin does not know"
        yield fail(tree, said, is_=key, should=" or ".join(MEANS), cause=_IGNORED, remedy=f"name it {_near(key)}")
    for means in MEANS:
        yield from _of_means(config, means)
    yield from _of_both(config)


def _no_text(config: SharingConfig) -> Draft:
    return fail(
        config.tree.heading,
        f"{config.title} stands in its ConfigMap as a mapping, and a ConfigMap holds texts alone",
        is_="a mapping",
        should=f"a text: {config.key}: |-",
        cause="the API server refuses the ConfigMap (cannot unmarshal object into Go struct field ConfigMap.data of "
        "type string), and the device plugin finds none",
        remedy=f"write {config.key}: |- and what stands below it one level deeper",
    )


def _near(key: str) -> str:
    return MPS if "mps" in key.lower() else TIME_SLICING


def _of_means(config: SharingConfig, means: str) -> Iterator[Draft]:
    said = config.of(means)
    if said is None:
        return
    resources = said.get("resources")
    if isinstance(said.value, Unknown) or isinstance(resources.value, Unknown):
        yield unknown(said, f"which resources {config.title} shares is not known")
        return
    if not resources.sequence:
        should = f"resources: [{{name: nvidia.com/gpu, replicas: {LEAST}}}]"
        says = f"{config.title} names no resources under {means}"
        yield fail(said, says, is_="no resources", should=should, cause=_ENDS, remedy=f"write {should}")
    for each in (each for each in config.resources() if each.means == means):
        yield from _of_resource(config, each)


def _of_resource(config: SharingConfig, each: SharedResource) -> Iterator[Draft]:
    name = need(each.name.located())
    if not isinstance(name, str) or not name:
        yield fail(
            each.tree,
            f"{config.title} shares a resource without a name",
            is_="no name",
            cause=_ENDS,
            should="name: nvidia.com/gpu",
            remedy="write name: nvidia.com/gpu",
        )
        return
    yield from _of_replicas(config, each, name)
    yield from _of_devices(config, each, name)
    yield from _of_rename(config, each, name)
    if not is_advertised(name):
        yield fail(
            each.name.located(),
            f"{config.title} shares a resource that no device plugin of NVIDIA offers",
            should="nvidia.com/gpu, or nvidia.com/mig-1g.10gb and the like",
            cause=_IGNORED,
            remedy="name what the node offers: kubectl describe node NODE | grep nvidia.com",
        )


def _of_replicas(config: SharingConfig, each: SharedResource, name: str) -> Iterator[Draft]:
    replicas = each.replicas
    if replicas.says_nothing:
        is_: str | None = "no replicas"
    else:
        value = need(settle(replicas))
        if isinstance(value, int) and not isinstance(value, bool) and value >= LEAST:
            if each.means == MPS and value > MOST_BY_MPS and not name.startswith(_SLICE):
                yield _more_than_mps_serves(config, replicas, name)
            return
        is_ = f"{replicas.located().shown()} ({replicas.kind()})" if not isinstance(value, int) else str(value)
    yield fail(
        replicas if not replicas.is_absent else each.tree,
        f"{config.title} shares {name} among a number of pods that the device plugin refuses",
        is_=is_,
        should=f"a whole number, {LEAST} or more",
        cause=f"{_ENDS}; its log says: number of replicas must be >= {LEAST}"
        if is_ is not None and is_.lstrip("-").isdecimal()
        else _ENDS,
        remedy=f"write how many pods may share one, {LEAST} or more; to share nothing, leave the entry out",
    )


def _more_than_mps_serves(config: SharingConfig, replicas: Tree, name: str) -> Draft:
    return fail(
        replicas.located(),
        f"{config.title} shares {name} among more pods than MPS serves",
        should=f"{MOST_BY_MPS} or fewer",
        cause="a server of MPS takes no more clients of one GPU: the control daemon ends with `maximum allowed "
        f"replicas exceeded: {need(replicas.located())} > {MOST_BY_MPS}`, and the device plugin waits for it",
        remedy=f"write {MOST_BY_MPS} or fewer; for more pods on a GPU share it by timeSlicing",
    )


def _of_devices(config: SharingConfig, each: SharedResource, name: str) -> Iterator[Draft]:
    """Devices that are listed: the parser knows them, and no release goes by them."""
    devices = each.tree.get("devices")
    if each.means != TIME_SLICING or devices.says_nothing or devices.text == "all":
        return
    yield fail(
        devices.heading,
        f"{config.title} names the GPUs that it shares, and time slicing shares all of a node",
        is_=f"devices of {name}",
        should="no devices, or all",
        cause="the device plugin says that customizing devices is not yet supported, and passes it over",
        remedy="leave devices out; to share only some nodes' GPUs, give them a configuration of their own by their "
        "label nvidia.com/device-plugin.config",
        severity=Severity.WARNING,
    )


def _of_rename(config: SharingConfig, each: SharedResource, name: str) -> Iterator[Draft]:
    """A name of its own: the parser knows it, and the plugin takes it back."""
    renamed, by_default = each.tree.get("rename"), each.said.get("renameByDefault").value is True
    if renamed.says_nothing or (by_default and renamed.text == f"{name}{SHARED}"):
        return
    stays = f"{name}{SHARED}" if by_default else name
    yield fail(
        renamed.located(),
        f"{config.title} renames {name}, and the device plugin ignores that",
        should=f"no rename; renameByDefault: true gives {name}{SHARED}",
        cause="it says that setting 'rename' is not yet supported, and passes it over: pods find the shared resource "
        f"as {stays}",
        remedy=f"leave rename out, and let pods ask for {stays}; for {name}{SHARED} write renameByDefault: true beside "
        f"{each.means}.resources",
        severity=Severity.WARNING,
    )


def _of_both(config: SharingConfig) -> Iterator[Draft]:
    sliced, by_mps = config.of(TIME_SLICING), config.of(MPS)
    if by_mps is None:
        return
    if sliced is not None:
        yield fail(
            sliced,
            f"{config.title} shares by time slicing and by MPS, and time slicing is passed over",
            is_="timeSlicing and mps",
            should="one of them",
            cause="where mps is there the device plugin goes by it alone",
            remedy="leave one of them out",
            related=[Related(by_mps.place, "this is what counts")],
        )
    if config.mig_strategy.text == _MIXED:
        cause = f"using --mig-strategy=mixed is not supported with MPS: {_ENDS}"
        yield fail(
            config.mig_strategy.located(),
            f"{config.title} shares by MPS beside the MIG strategy mixed",
            should=f"{_SINGLE} or {_NONE}",
            cause=cause,
            remedy="share by timeSlicing, or choose another MIG strategy",
        )


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
    if wanted not in keys:
        yield fail(
            default.located(),
            f"the ConfigMap '{name}' has no configuration of this name for the device plugin",
            should=" or ".join(sorted(keys)),
            related=[Related(held[0].place, f"it has '{held[0].key}'")],
            cause=f"config-manager ends, saying that the specified config does not exist; {_ENDS}",
            remedy=f"set devicePlugin.config.default to {' or '.join(sorted(keys))}",
        )


@RULE.check
def a_patch_names_one_of_them(patch: PatchedPolicy, configs: Sequence[SharingConfig]) -> Findings:
    """A patch by which a script tells the operator's device plugin of a ConfigMap."""
    yield from the_default_is_one_of_them(patch.values, configs)


@RULE.check
def the_plugins_chart_has_its_default(config: SharingConfig) -> Findings:
    """In the plugin's own chart `config.default` names a key of `config.map`, and not a configuration or a
    ConfigMap."""
    if config.default is None:
        skip("it is not of the values of the device plugin's own chart, or judged with another one")
    wanted = need(config.default.located())
    if not wanted or wanted in config.keys:
        return
    names = " or ".join(sorted(config.keys))
    is_text = isinstance(wanted, str) and "\n" in wanted.strip()
    yield fail(
        config.default.located(),
        "the device plugin's chart is told of a default configuration that config.map does not hold",
        is_="a configuration, and not the name of one" if is_text else None,
        should=names,
        related=[Related(config.place, f"it has '{config.key}'")],
        cause=f"config-manager ends, saying that the specified config does not exist; {_ENDS}",
        remedy=f"set config.default to {names}",
    )


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


@RULE.check
def slices_are_asked_for_by_their_name(pod: PodTemplate, every: Sequence[OperatorValues]) -> Findings:
    if pod.live is not None:
        skip("where it runs, or why it waits, is seen in the cluster itself")
    asked = [each for each in pod.gpu_resources if each.startswith(_SLICE)]
    if not asked:
        skip("it asks for no slice of a GPU")
    said = [values.tree.get("mig", "strategy") for values in every]
    if len(said) != 1 or said[0].says_nothing:
        skip("no values of the operator say by which MIG strategy slices are named")
    strategy = need(said[0].located())
    if strategy not in (_SINGLE, _NONE):
        return
    asking = next(each for each in pod.containers if asked[0] in each.gpu_resources)
    what = "are all called nvidia.com/gpu" if strategy == _SINGLE else "are not offered"
    yield fail(
        asking.asks_for(asked[0]).place,
        f"{pod.title} asks for {asked[0]}, and by the MIG strategy {strategy} slices {what}",
        is_=asked[0],
        should="nvidia.com/gpu, or mig.strategy: mixed",
        related=[Related(said[0].place, f"mig.strategy: {strategy}")],
        cause="no node ever has this resource: the pod stays Pending (Insufficient)",
        remedy="ask for nvidia.com/gpu, or set mig.strategy: mixed in the operator's values",
    )


@RULE.check
def pods_ask_as_it_shares(
    pod: PodTemplate, configs: Sequence[SharingConfig], plugins: DevicePlugins | None
) -> Findings:
    """Nodes may go by another configuration, or by none: what stands beside it here is no more than likely for them."""
    if pod.live is not None or len(configs) != 1:
        skip("it runs, or nodes may go by one of several configurations")
    if plugins is not None and any(map(_shares_nothing, plugins.advertisers)):
        skip("another device plugin is deployed beside it, which shares nothing")
    (config,) = configs
    for each in config.resources():
        said, name = each.said, each.name.string
        if name not in pod.gpu_resources:
            continue
        asking = next(one for one in pod.containers if name in one.gpu_resources)
        if said.get("renameByDefault").value is True:
            yield _of_another_resource(pod, asking, name, config, said.get("renameByDefault"))
        elif each.means == TIME_SLICING and said.get(_REFUSES).value is True:
            yield from _of_several(pod, asking, name, said.get(_REFUSES))
        elif each.means == MPS and not _chooses_nodes(pod):
            yield from _of_several(pod, asking, name, said)
        elif each.means == TIME_SLICING and not _chooses_nodes(pod):
            yield from _of_one_card(pod, asking, name, said)


def _shares_nothing(plugin: Advertiser) -> bool:
    """Whether it is NVIDIA's, written by hand, and is given no configuration."""
    manifest = plugin.manifest
    if manifest is None or manifest.part is not Part.DEVICE_PLUGIN:
        return False
    return not (manifest.is_of_chart or manifest.reads_configuration)


def _of_another_resource(pod: PodTemplate, asking: Container, name: str, config: SharingConfig, says: Tree) -> Draft:
    return fail(
        asking.asks_for(name).place,
        f"{pod.title} asks for {name}, and {config.title} beside it calls what it shares {name}{SHARED}",
        is_=name,
        should=f"{name}{SHARED}",
        related=[Related(says.place, "renameByDefault: true")],
        cause="on a node that goes by it nothing is called so any more: the pod stays Pending (Insufficient)",
        remedy=f"ask for {name}{SHARED}, or set renameByDefault: false",
        severity=Severity.WARNING,
    )


def _chooses_nodes(pod: PodTemplate) -> bool:
    """Whether it may go where nothing is shared: by labels, or by an affinity."""
    return not all(pod.spec.get(each).is_absent for each in ("nodeSelector", "affinity", "nodeName"))


def _of_one_card(pod: PodTemplate, asking: Container, name: str, shares: Tree) -> Iterator[Draft]:
    asked = asking.asks_for(name)
    if need(asked) > 1:
        yield fail(
            asked.place,
            f"{pod.title} asks for several shares of a GPU, by the configuration beside it, and none of them says of "
            "which card",
            is_=f"{need(asked)} of {name}",
            should="1",
            related=[Related(shares.place, "shares GPUs by time slicing, and refuses nobody who asks for several")],
            cause="all of them may be of one card, and several shares are no more time on it than one: a program that "
            "needs two GPUs finds one",
            remedy="ask for one share; for whole GPUs choose nodes that share none; and set "
            "failRequestsGreaterThanOne: true, so that nobody is misled",
            severity=Severity.WARNING,
        )


def _of_several(pod: PodTemplate, asking: Container, name: str, says: Tree) -> Iterator[Draft]:
    asked = asking.asks_for(name)
    if need(asked) > 1:
        yield fail(
            asked.place,
            f"{pod.title} asks for several shares of a GPU, which the configuration beside it refuses",
            is_=f"{need(asked)} of {name}",
            should="1",
            related=[
                Related(says.heading, "MPS gives one share at most")
                if says.is_mapping
                else Related(says.place, f"{_REFUSES}: true")
            ],
            cause="kubelet does not admit the pod (UnexpectedAdmissionError): several shares are no more of a GPU than "
            "one",
            remedy="ask for one; for whole GPUs choose nodes that share none",
            severity=Severity.WARNING,
        )
