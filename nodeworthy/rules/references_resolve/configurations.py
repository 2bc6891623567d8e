"""The configuration by which the device plugin goes on each node is one of its ConfigMap."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from nodeworthy.facts.cluster.node_gpus import NodeGpus, in_number
from nodeworthy.facts.cluster.plugin_configurations import CHOICE, PluginConfigurations
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail

_SHOWN = 4
_ENDS = (
    "config-manager beside the device plugin ends with `specified config … does not exist`: the plugin's pods there do "
    "not start, or go on by the configuration before, and nodes that are new offer no GPU"
)
_NOTHING = (
    "with neither a label of the node nor a default, the operator lets the device plugin go by no configuration "
    "(FALLBACK_STRATEGIES=empty): what the ConfigMap shares, nobody shares"
)


@RULE.check
def each_node_goes_by_one_that_is_there(relations: Relations) -> Findings:
    for found in relations.configurations:
        yield from _of_policy(found)


def _of_policy(found: PluginConfigurations) -> Iterator[Draft]:
    for name, nodes in found.chosen.items():
        if name not in found.names:
            yield _no_such(found, name, nodes)
    if found.default and found.default not in found.names and found.others:
        yield _no_default(found)
    if not found.default and not found.chosen:
        yield _none_chosen(found)


def _no_such(found: PluginConfigurations, name: str, nodes: Sequence[NodeGpus]) -> Draft:
    first = nodes[0]
    return fail(
        first,
        f"the label of {in_number(nodes)} names a configuration of the device plugin that is not in its ConfigMap",
        is_=f"{CHOICE}={name}",
        should=_one_of(found),
        cause=_ENDS,
        remedy=f"kubectl label node {first.name} {CHOICE}={_likely(found, name)} --overwrite, or write '{name}' into "
        f"the ConfigMap '{found.config_map}'",
        related=[Related(found.policy, f"devicePlugin.config.name: {found.config_map}"), *_each(nodes[1:])],
        link="plugin",
        nodes=[node.name for node in nodes],
    )


def _no_default(found: PluginConfigurations) -> Draft:
    return fail(
        found.policy,
        "the default of the device plugin's configurations is not in their ConfigMap",
        is_=f"devicePlugin.config.default: {found.default}",
        should=_one_of(found),
        cause=_ENDS,
        remedy=f"set devicePlugin.config.default to a key of the ConfigMap '{found.config_map}', or write "
        f"'{found.default}' into it",
        related=_each(found.others),
        link="plugin",
        nodes=[node.name for node in found.others],
    )


def _none_chosen(found: PluginConfigurations) -> Draft:
    return fail(
        found.policy,
        "the device plugin goes by none of its configurations: there is no default, and no node names one",
        is_=f"devicePlugin.config.name: {found.config_map}, no default, no label {CHOICE}",
        should=f"a default ({_shown_names(found)}), or the label on the nodes that are meant",
        cause=_NOTHING,
        remedy=f"set devicePlugin.config.default, or: kubectl label node {found.others[0].name} "
        f"{CHOICE}={found.names[0]}",
        related=_each(found.others),
        severity=Severity.WARNING,
        link="plugin",
        nodes=[node.name for node in found.others],
    )


def _one_of(found: PluginConfigurations) -> str:
    return f"one of the ConfigMap '{found.config_map}': {_shown_names(found)}"


def _shown_names(found: PluginConfigurations) -> str:
    return ", ".join(found.names[:_SHOWN]) + (" …" if len(found.names) > _SHOWN else "")


def _likely(found: PluginConfigurations, name: str) -> str:
    return next(iter(difflib.get_close_matches(name, found.names, 1, 0.5)), found.names[0])


def _each(nodes: Sequence[NodeGpus]) -> Iterator[Related]:
    return (Related(node.place, f"{node.title} goes by it") for node in nodes[:_SHOWN])
