"""HAMi's device plugin has settings that it can read, runs on nodes, and has the nvidia runtime.

Its settings for single nodes (`config.json`: `operatingmode`, `migstrategy`, `filterdevices` …) are JSON that Go reads
into types: a number in quotes or a comma too many, and the whole file counts for nothing, without more than a line in
the log. Modes are `hami-core`, `mig` and `mps`; MIG strategies `none`, `single` and `mixed`. `filterdevices` leaves
GPUs out, by UUID as nvidia-smi prints it, or by index. The plugin goes to nodes with the label `gpu=on` unless the
values choose others, and a pod gets its GPU only through the nvidia runtime: as containerd's default, or because
`devicePlugin.runtimeClassName` names the class that HAMi then gives to its pods. A pod that asks for a mode that does
not exist (`nvidia.com/vgpu-mode`) stays Pending.
"""

from __future__ import annotations

from collections import Counter

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.hami.fault import HamiPluginNodes
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.setup import HamiRuntime
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues
from nodeworthy.known.hami import annotation_names, mig_strategies, modes, variables
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Related, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "hami-plugin-configured",
    severity=Severity.ERROR,
    incident="C",
    title="HAMi's device plugin has settings that it can read, nodes, and the nvidia runtime",
    remedy="mend the settings of HAMi's device plugin, in its values or in the ConfigMap hami-device-plugin",
)

_SET_AS_DEFAULT = "CONTAINERD_SET_AS_DEFAULT"


@RULE.check
def its_node_settings_can_be_read(configs: HamiNodeConfigs) -> Findings:
    if configs.broken is not None:
        yield fail(
            configs,
            "the settings of HAMi's device plugin for its nodes are no JSON",
            is_=configs.broken,
            should="JSON: double quotes, no comma behind the last entry, no comments",
            cause="the device plugin goes on as if the file were not there: no node has its settings",
            remedy="mend the JSON; `python3 -m json.tool` says where it ends",
        )
        return
    if isinstance(configs.tree.value, Unknown):
        yield unknown(configs, f"the settings of HAMi's nodes are not known: {configs.tree.value.why}")
        return
    yield from _entries(configs)


@RULE.check
def its_values_are_known(values: HamiValues) -> Findings:
    for path, known, what in (
        (("devicePlugin", "migStrategy"), mig_strategies(), "MIG strategy"),
        (("devices", "nvidia", "gpuCorePolicy"), variables().policies, "policy for a GPU's cores"),
    ):
        said = values.said(*path) if values.written(*path) is not None else None
        if said is not None and need(said) not in known:
            yield fail(
                said,
                f"{path[-1]} is no {what} that HAMi knows",
                should=" or ".join(known),
                cause="it is compared letter by letter; another one is refused, or passed over",
                remedy=f"set {'.'.join(path)} to one of {', '.join(known)}",
            )


@RULE.check
def its_nodes_are_chosen_by_strings(values: HamiValues) -> Findings:
    """YAML takes `on`, `yes` and `1` for a truth and a number, and Helm hands them on as such."""
    for name, label in values.node_selector.mapping.items():
        if label.text is not None or isinstance(label.value, Unknown):
            continue
        written = label.written or "null"
        yield fail(
            label,
            f"the label {name} by which the device plugin chooses its nodes is no string",
            is_=f"{written}, which is {label.kind()}",
            should=f'{name}: "{written}"',
            cause="the API server refuses the DaemonSet: a nodeSelector holds strings alone",
            remedy=f'put it in quotes: {name}: "{written}"',
        )


@RULE.check
def pods_ask_for_a_mode_that_there_is(pod: HamiPod) -> Findings:
    if not pod.asking:
        skip("it asks for no GPU")
    name = annotation_names().mode
    said = pod.annotated(name)
    if said is not None and any(each.strip() not in modes() for each in str(need(said)).split(",")):
        yield fail(
            said,
            f"{name} is no mode of HAMi",
            should=" or ".join(modes()),
            cause="only GPUs in that mode are taken, and none is: the pod stays Pending",
            remedy=f"write one of {', '.join(modes())}",
            victims=pod.victims,
        )


@RULE.check
def pods_get_the_nvidia_runtime(runtime: HamiRuntime) -> Findings:
    """A default runtime that is switched off on purpose. Otherwise it depends on the release whether NVIDIA's is the
    default."""
    default = runtime.operator.toolkit.said(_SET_AS_DEFAULT)
    if not isinstance(default.state, Known) or str(default.state.value).lower() != "false":
        return
    if need(runtime.setup.said("devicePlugin", "runtimeClassName")):
        return
    yield fail(
        default,
        "no pod of HAMi gets the nvidia runtime: it is not containerd's default, and HAMi names no class",
        should='"true", or devicePlugin.runtimeClassName: nvidia in HAMi\'s values',
        related=[Related(runtime.setup.values[0].place, "HAMi's values, without devicePlugin.runtimeClassName")],
        cause="HAMi's pods ask for no RuntimeClass of their own, so that containerd starts them with runc: no GPU",
        remedy="set devicePlugin.runtimeClassName: nvidia in HAMi's values",
    )


@RULE.check
def it_runs_where_the_gpus_are(nodes: HamiPluginNodes) -> Findings:
    yield from nodes.faults


_UNREAD = "the device plugin can't read the file then, and goes on as if it were not there: no node has its settings"
_AS_GIVEN = "the device plugin takes it as it stands, and knows no such {}"


def _entries(configs: HamiNodeConfigs) -> Findings:
    entries = configs.tree.get("nodeconfig")
    if not entries.is_sequence:
        yield _wrong(entries, "nodeconfig is no list of nodes", "a list of entries, one a node", _UNREAD)
        return
    for entry in configs.entries:
        yield from _names(entry)
        yield from _numbers(entry)
        yield from _filter(entry.get("filterdevices"))
    yield from _twice(configs.entries)


def _names(entry: Tree) -> Findings:
    for key, known, what in (
        ("operatingmode", modes(), "operating mode"),
        ("migstrategy", mig_strategies(), "MIG strategy"),
    ):
        tree = entry.get(key)
        if tree.text and tree.text not in known:
            yield _wrong(tree, f"{key} is no {what} of HAMi", " or ".join(known), _AS_GIVEN.format(what))


def _numbers(entry: Tree) -> Findings:
    for key in ("devicesplitcount", "devicememoryscaling", "devicecorescaling"):
        tree = entry.get(key)
        if isinstance(tree.value, (str, bool)):
            yield _wrong(tree, f"{key} is no number", "a number, without quotes", _UNREAD)
    name = entry.get("name")
    if name.is_absent or name.text == "":
        yield _wrong(entry, "this entry names no node", "the name of a node, as kubectl get nodes prints it", _UNNAMED)


_UNNAMED = "an entry is taken by the node of its name, so that no node takes this one"


def _filter(tree: Tree) -> Findings:
    if tree.says_nothing or tree.is_unknown:
        return
    if not tree.is_mapping:
        yield _wrong(tree, "filterdevices is no filter", 'an object with the lists "uuid" and "index"', _UNREAD)
        return
    for key in ("uuid", "index"):
        chosen = tree.get(key)
        if not (chosen.says_nothing or chosen.is_sequence):
            yield _wrong(chosen, f"filterdevices.{key} is no list", "a list", _UNREAD)
    for each in tree.get("uuid").sequence:
        yield from _uuid(each)
    for each in tree.get("index").sequence:
        if isinstance(each.value, bool) or not isinstance(each.value, int) or each.value < 0:
            yield _wrong(each, "this is no index of a GPU", "a number from 0, without quotes", _UNREAD)


def _uuid(tree: Tree) -> Findings:
    if tree.text is None:
        yield _wrong(tree, "this is no UUID of a GPU", 'a string like "GPU-8dcd427f-…"', _UNREAD)
    elif not tree.text.startswith(("GPU-", "MIG-")):
        cause = "it is compared with the whole UUID, prefix included, and no GPU has this one: the filter does nothing"
        yield _wrong(tree, "this is no UUID of a GPU", "GPU-…, as nvidia-smi -L prints it", cause)


def _twice(entries: tuple[Tree, ...]) -> Findings:
    counted = Counter(entry.get("name").text for entry in entries)
    seen: set[str | None] = set()
    for entry in entries:
        name = entry.get("name")
        if name.text and counted[name.text] > 1 and name.text in seen:
            cause = "each entry is laid over the one before it, and nobody sees which settings the node has"
            yield _wrong(name, "this node has another entry above", "one entry a node", cause)
        seen.add(name.text)


def _wrong(tree: Tree, message: str, should: str, cause: str) -> Draft:
    at = settle(tree)
    need(at)
    return fail(at, message, should=should, cause=cause, remedy=f"write {should}")
