"""Whether the device plugin's own chart takes its values, and finds the configurations that they name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.plugin_chart import PluginChart
from nodeworthy.facts.operator.sharing import SharingConfig
from nodeworthy.rules.sharing_configured import ENDS, RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need, skip, unknown

_UNMOUNTED = (
    "the chart mounts no configuration, and the device plugin goes by its defaults: each GPU goes to one pod alone"
)
_REFUSED = "the chart's validation ends `helm install` with an error"
# By which the chart takes one of several where no default is said.
_STRATEGIES = "fallbackStrategies"


@RULE.check
def its_chart_finds_one(chart: PluginChart) -> Findings:
    chosen = _chosen_in_vain(chart)
    if not chosen or chart.is_loose:
        skip("it says where its configurations are, or who installs the chart may say it on the command line")
    if chart.elsewhere is not None:
        why = f"in what the configuration '{chosen}' stands is not known: {chart.elsewhere}"
        yield unknown(chart.config.get("default"), why)
        return
    yield _not_found(chart, chosen, "config.name, or config.map")


@RULE.check
def its_chart_is_told_of_the_one_beside_it(chart: PluginChart, configs: Sequence[SharingConfig]) -> Findings:
    chosen = _chosen_in_vain(chart)
    beside = next((each for each in configs if each.map and chosen in (each.map, *each.keys)), None)
    if not chart.is_loose or beside is None:
        skip("a release says it whole, or no ConfigMap of this name or with this key lies beside it")
    related = Related(beside.place, f"the ConfigMap '{beside.map}' has '{beside.key}'")
    told = _not_found(chart, chosen, f"config.name: {beside.map}")
    yield told.with_more(related=[related])


@RULE.check
def its_default_is_in_the_map_beside_it(chart: PluginChart, configs: Sequence[SharingConfig]) -> Findings:
    name, default = chart.config.get("name"), chart.config.get("default")
    chosen = need(default.located())
    made = next((each for each in configs if each.map and each.map == name.text), None)
    if not isinstance(chosen, str) or not chosen or "\n" in chosen or made is None:
        skip("it names no default of a ConfigMap that lies beside it")
    if chosen in made.keys:
        return
    keys = " or ".join(sorted(made.keys))
    yield fail(
        default,
        f"the device plugin's chart is told a default that the ConfigMap '{made.map}' does not have",
        is_=f"config.default: {chosen}",
        should=keys,
        related=[Related(made.place, f"the ConfigMap '{made.map}' has {keys}")],
        cause="the plugin's init container finds no such configuration and ends with an error: its pods stay in "
        "Init:CrashLoopBackOff, and the nodes offer no GPU",
        remedy=f"set config.default: {keys}, or call the entry {chosen}",
        severity=Severity.WARNING if chart.is_loose else Severity.ERROR,
    )


def _chosen_in_vain(chart: PluginChart) -> str:
    """The configuration that nodes are to go by, where nothing says in what it stands."""
    config = chart.config
    chosen = need(config.get("default").located())
    for each in (config.get("name"), config.get("map")):
        need(each.located())
    return str(chosen) if chosen and not _is_given(config.get("name")) and not _is_given(config.get("map")) else ""


def _not_found(chart: PluginChart, chosen: str, wanted: str) -> Draft:
    return fail(
        chart.config.get("default").located(),
        "the device plugin's chart is told which configuration to go by, and of none",
        is_=f"config.default: {chosen}",
        should=f"{wanted}, and in config.default a key of it",
        cause=f"config.default names an entry of the ConfigMap that config.name names, or of config.map: {_UNMOUNTED}",
        remedy=f"set {wanted}; config.default is the key of an entry, and may be left out where there is one alone",
        severity=Severity.WARNING if chart.is_loose else Severity.ERROR,
    )


@RULE.check
def its_chart_is_told_a_key(chart: PluginChart) -> Findings:
    default = chart.config.get("default")
    text = need(default.located())
    if not isinstance(text, str) or "\n" not in text.strip():
        skip("what it says of a default is one word")
    first = text.strip().partition("\n")[0]
    yield fail(
        default.heading,
        "the device plugin's chart is given a whole configuration where it takes the name of one",
        is_=f"config.default: {first} …",
        should="config.map: {default: |- …}, and config.default: default",
        cause="config.default is the key of an entry of the ConfigMap that config.name names, or of config.map: there "
        "is none of that name, and the plugin's pods do not start, or go by nothing of it",
        remedy="move the text below a name of its own in config.map, and leave config.name out",
        severity=Severity.WARNING if chart.is_loose else Severity.ERROR,
    )


@RULE.check
def its_chart_takes_them(chart: PluginChart) -> Findings:
    config = chart.config
    name, held, namespace = config.get("name"), config.get("map"), chart.tree.get("namespace")
    if not (_is_given(name) or _is_given(held) or namespace.text):
        skip("its values say nothing that the chart might refuse")
    if _is_given(name) and _is_given(held):
        yield _refused(name, "both a ConfigMap's name and one of its own", "config.name and config.map", "one of them")
    if namespace.text:
        yield _refused(namespace, "a namespace among its values", f"namespace: {namespace.text}",
                       "helm's --namespace, or namespaceOverride")  # fmt: skip
    yield from _of_several(chart, config, held)


def _of_several(chart: PluginChart, config: Tree, held: Tree) -> Iterator[Draft]:
    """By default the chart takes what is called `default`, or the only one."""
    keys = list(held.mapping)
    if len(keys) < 2 or "default" in keys or not config.get(_STRATEGIES).is_absent or chart.elsewhere is not None:
        return
    default = config.get("default")
    if default.says_nothing or default.text == "":
        yield _refused(
            held,
            "several configurations, and not which of them nodes go by that choose none",
            f"config.map: {', '.join(keys)}, and no config.default",
            f"config.default: {' or '.join(keys)}",
            Severity.WARNING if chart.is_loose else Severity.ERROR,
        )


def _refused(tree: Tree, what: str, is_: str, should: str, severity: Severity = Severity.ERROR) -> Draft:
    return fail(
        tree.heading,
        f"the device plugin's chart is given {what}",
        is_=is_,
        should=should,
        cause=f"{_REFUSED}: no device plugin runs, and no node offers GPUs",
        remedy=f"write {should}; `helm template` shows whether it takes them",
        severity=severity,
    )


def _is_given(tree: Tree) -> bool:
    return bool(tree.mapping or tree.text)


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
        cause=f"config-manager ends, saying that the specified config does not exist; {ENDS}",
        remedy=f"set config.default to {names}",
    )
