"""Bottlerocket: settings in TOML; there is no shell to run a script."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from nodeworthy.rules import registry_resolvable
from userdata.plan import NodePlan
from userdata.script import comment
from userdata.title import title


def settings(plan: NodePlan) -> str:
    told = plan.told
    return (
        "\n\n".join(
            [
                comment(title(plan, "Settings")).rstrip(),
                _table(
                    "settings.kubernetes",
                    {
                        "cluster-name": told.cluster,
                        "api-server": told.endpoint,
                        "cluster-certificate": told.certificate_authority,
                        "cluster-dns-ip": registry_resolvable.dns(told.service_range),
                    },
                ),
                "\n".join(
                    [
                        "[settings.kubernetes.node-labels]",
                        *(f"{_value(k)} = {_value(v)}" for k, v in plan.labels.items()),
                    ]
                ),
                *_taints(plan),
                *_registries(plan),
            ]
        )
        + "\n"
    )


def _taints(plan: NodePlan) -> Iterator[str]:
    if plan.taints:
        taints = {_value(each.key): [f"{each.value}:{each.effect}"] for each in plan.taints}
        yield _table("settings.kubernetes.node-taints", taints)


def _registries(plan: NodePlan) -> Iterator[str]:
    for registry in plan.registries:
        yield _table("[settings.container-registry.mirrors]", {"registry": registry.host, "endpoint": [registry.url]})
    hosts = {each.name: each.address for each in plan.registries if each.address is not None}
    if hosts:
        yield _table("settings.network", {"hosts": [[address, [name]] for name, address in hosts.items()]})


def _table(name: str, values: Mapping[str, object]) -> str:
    return "\n".join([f"[{name}]", *(f"{key} = {_value(value)}" for key, value in values.items())])


def _value(value: object) -> str:
    """Of ASCII texts and lists of them, JSON writes the same as TOML."""
    return json.dumps(value)
