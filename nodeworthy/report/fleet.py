"""A fleet as it was resolved: for a person as tables, for a program as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.fleet.model import Accept, Fleet, Pool
from nodeworthy.fleet.operator import effective_values
from nodeworthy.fleet.os import boot_script_kind
from nodeworthy.redaction import hidden_data
from nodeworthy.report.report import place_as_data
from nodeworthy.report.table import align_columns
from nodeworthy.verdict import Known, Located, Unknown, value_if_known

SCHEMA = "nodeworthy/fleet/v1"
_HEADS = ("pool", "GPU", "per node", "nodes", "instance type", "os", "distribution", "driver", "boot script")
_UNKNOWN = "?"
# Behind what nobody declared.
DEFAULT = " (default)"


def text(fleet: Fleet) -> str:
    blocks = [_head(fleet), align_columns(_HEADS, [_row(each) for each in fleet.pools]), _paths(fleet), *_notes(fleet)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _head(fleet: Fleet) -> str:
    stack = f" (stack {fleet.stack})" if fleet.stack else ""
    operator = f"GPU operator {value_in_words(fleet.operator.chart)}" if fleet.operator else "no GPU operator"
    cluster = fleet.cluster
    named = (
        f"cluster {_value_or_unknown(cluster.name)}{stack}, Kubernetes {value_in_words(cluster.version)}, {operator}"
    )
    ranges = f"pods {value_in_words(cluster.pod_cidr)}, services {value_in_words(cluster.service_cidr)}"
    return f"{named}\nVPC {value_in_words(fleet.network.vpc_cidr)}, {ranges}"


def _row(pool: Pool) -> tuple[str, ...]:
    sizes = str(pool.nodes) if pool.min == pool.nodes == pool.max else f"{pool.nodes} ({pool.min}–{pool.max})"
    return (
        pool.name,
        _value_or_unknown(pool.gpu) if pool.gpu else "–",
        _value_or_unknown(pool.gpus_per_node) if pool.gpu else "–",
        sizes,
        _value_or_unknown(pool.instance_type) if pool.instance_type else "–",
        _value_or_unknown(pool.os),
        _value_or_unknown(pool.distribution),
        pool.driver.value if pool.gpu else "–",
        boot_script_kind(pool) or ("–" if not pool.provision else _UNKNOWN),
    )


def _paths(fleet: Fleet) -> str:
    rows = [(each.name, *_runtime(each)) for each in fleet.pools]
    return align_columns(("pool", "containerd config", "containerd socket"), rows)


def _runtime(pool: Pool) -> tuple[str, str]:
    state = pool.runtime.state
    if isinstance(state, Unknown):
        return _UNKNOWN, _UNKNOWN
    runtime = state.value
    if not runtime.is_containerd:
        return f"– ({runtime.runtime})", "–"
    return runtime.config or "–", runtime.socket or "–"


def value_in_words(located: Located[Any]) -> str:
    """What nobody declared is told as that."""
    is_default = isinstance(located.state, Known) and located.state.value is not None and not located.written
    return f"{_value_or_unknown(located)}{DEFAULT if is_default else ''}"


def _defaults(fleet: Fleet) -> Iterator[str]:
    """What a fleet may declare and this one does not, by its path in the stack file."""
    cluster, network = fleet.cluster, fleet.network
    told: dict[str, Located[Any]] = {
        "cluster.version": cluster.version,
        "cluster.podCidr": cluster.pod_cidr,
        "cluster.serviceCidr": cluster.service_cidr,
        "network.vpcCidr": network.vpc_cidr,
        "network.zone": network.zone,
        **{f"network.nodePortsFrom[{at}]": each for at, each in enumerate(network.node_ports_from)},
    }
    if fleet.operator is not None:
        told["operator.chart"] = fleet.operator.chart
    yield from (["operator"] if fleet.operator is not None and not fleet.operator.declared else [])
    yield from (path.partition("[")[0] for path, located in told.items() if not located.written)


def _value_or_unknown(located: Located[Any]) -> str:
    return str(located.state.value) if isinstance(located.state, Known) else _UNKNOWN


def _notes(fleet: Fleet) -> Iterator[str]:
    unknown = [f"{_UNKNOWN} {pool.name}: {why}" for pool in fleet.pools for why in _unknowns(pool)]
    if unknown:
        yield "\n".join(unknown)
    if fleet.impossible:
        yield "\n".join(f"impossible: {each.place}: {each.message}" for each in fleet.impossible)


def _unknowns(pool: Pool) -> list[str]:
    asked = (pool.gpu, pool.gpus_per_node, pool.instance_type, pool.os, pool.distribution)
    whys = [each.state.why for each in asked if each is not None and isinstance(each.state, Unknown)]
    return list(dict.fromkeys(whys))


def as_data(fleet: Fleet) -> dict[str, Any]:
    network = fleet.network
    return {
        "schema": SCHEMA,
        "stack": fleet.stack,
        "region": fleet.region,
        "cluster": {
            "name": value_if_known(fleet.cluster.name),
            "version": value_if_known(fleet.cluster.version),
            "serviceCidr": value_if_known(fleet.cluster.service_cidr),
            "podCidr": value_if_known(fleet.cluster.pod_cidr),
        },
        "network": {
            "vpcCidr": value_if_known(network.vpc_cidr),
            "zone": value_if_known(network.zone),
            "nodePortsFrom": [value_if_known(each) for each in network.node_ports_from],
            "openToTheWorld": [{"port": each.port, "why": each.why} for each in network.open_to_the_world],
        },
        "registries": [
            {"host": value_if_known(each.host), "plainHttp": each.plain_http, "mirrors": each.mirrors}
            for each in fleet.registries
        ],
        **_systems(fleet),
        "defaults": sorted(_defaults(fleet)),
        "pools": [_pool(each) for each in fleet.pools],
        "impossible": [
            {"pool": each.pool, "message": each.message, "where": place_as_data(each.place)}
            for each in fleet.impossible
        ],
    }


def _systems(fleet: Fleet) -> dict[str, Any]:
    storage, monitoring = fleet.storage, fleet.monitoring
    operator = fleet.operator
    return {
        "operator": {"chart": value_if_known(operator.chart), "values": hidden_data(_plain(effective_values(fleet)))}
        if operator
        else None,
        "storage": {"kind": storage.kind, "mount": storage.mount} if storage else None,
        "monitoring": {
            "retention": monitoring.retention,
            "volume": monitoring.volume,
            "grafanaNodePort": monitoring.grafana_node_port,
        }
        if monitoring
        else None,
        "queue": {"volume": fleet.queue.volume} if fleet.queue else None,
        "hami": {"namespace": fleet.hami.namespace} if fleet.hami else None,
        **({"accept": _accept(fleet.accept)} if fleet.accept else {}),
    }


def _accept(accept: Accept) -> dict[str, Any]:
    floors: dict[str, dict[str, float]] = {}
    for (gpu, key), (value, _) in accept.floors.items():
        floors.setdefault(gpu or "any", {})[key] = value
    return {
        "gate": accept.gate,
        "image": accept.image,
        "python": accept.python,
        "scratch": accept.scratch,
        "window": accept.window,
        "maxAge": accept.max_age,
        "floors": floors,
    }


def _pool(pool: Pool) -> dict[str, Any]:
    state = pool.runtime.state
    runtime = state.value if isinstance(state, Known) else None
    return {
        "name": pool.name,
        "gpu": value_if_known(pool.gpu),
        "gpusPerNode": value_if_known(pool.gpus_per_node),
        "nodes": pool.nodes,
        "min": pool.min,
        "max": pool.max,
        "instanceType": value_if_known(pool.instance_type),
        "os": value_if_known(pool.os),
        "distribution": value_if_known(pool.distribution),
        "containerd": {
            "version": value_if_known(pool.containerd_version),
            "config": runtime.config if runtime else None,
            "socket": runtime.socket if runtime else None,
            "units": list(runtime.units) if runtime else [],
        },
        "driver": pool.driver.value if pool.gpu else None,
        "bootScript": boot_script_kind(pool),
        "capacity": {"kind": pool.capacity.kind.value, "id": pool.capacity.id},
        "firewall": pool.firewall.value,
        "profilingDedicated": pool.profiling_dedicated,
        "provision": pool.provision,
        "unknown": _unknowns(pool),
        "where": place_as_data(pool.place),
    }


def _plain(tree: Tree, depth: int = 40) -> Any:
    """Values as data; what is unknown, encrypted or endless is null."""
    if depth == 0 or tree.secret or tree.is_unknown or tree.is_absent:
        return None
    if tree.is_mapping:
        return {name: _plain(child, depth - 1) for name, child in tree.mapping.items()}
    if tree.is_sequence:
        return [_plain(child, depth - 1) for child in tree.sequence]
    return tree.value
