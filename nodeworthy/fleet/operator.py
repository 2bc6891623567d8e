"""The GPU operator's values, as they follow from the pools and from what the fleet says itself."""

from __future__ import annotations

from nodeworthy.documents.tree import Tree, Value, merge, plant
from nodeworthy.fleet.model import Driver, Fleet, Operator, Pool
from nodeworthy.known.containerd import Containerd, defaults
from nodeworthy.known.operator_parts import CONFIG, RUNTIME_CLASS, SOCKET
from nodeworthy.known.releases import knows_nri
from nodeworthy.verdict import Place, Unknown


def implied_values(fleet: Fleet) -> Tree:
    """The values that follow from the pools. Each has the place in the fleet from which it follows. One operator has
    one pair of paths, so they are those of the first pool whose nodes the toolkit can serve."""
    place = fleet.operator.place if fleet.operator is not None else fleet.place
    if not fleet.gpu_pools:
        return Tree({}, place)
    served = served_by_the_toolkit(fleet)
    toolkit: dict[str, Value] = {"enabled": served is not None}
    decisive = served or fleet.gpu_pools[0]
    where = decisive.runtime.place
    children = {name: _leaf(value, where, f"toolkit.{name}") for name, value in toolkit.items()}
    if served is not None:
        children["env"] = Tree(_env(served, fleet.operator), where.about("toolkit.env"), where)
    values = {"driver": _driver(fleet), "toolkit": Tree(children, where.about("toolkit"), where)}
    return Tree({**values, **_device_plugin(fleet), **_scraped(fleet)}, place)


# A quoted value is the same to the chart.
_ON, _OFF = (True, "true"), (False, "false")


def served_by_the_toolkit(fleet: Fleet) -> Pool | None:
    """The pool whose runtime decides the toolkit's paths; None where there is nothing for it to do."""
    return next((pool for pool in fleet.gpu_pools if _takes_the_toolkit(pool)), None)


def has_the_operators_toolkit(fleet: Fleet, pool: Pool) -> bool:
    """Whether the one pair of paths is right on its nodes, as far as that is known. Others bring their own toolkit."""
    served = served_by_the_toolkit(fleet)
    if served is None or isinstance(served.runtime.state, Unknown) or isinstance(pool.runtime.state, Unknown):
        return _takes_the_toolkit(pool)
    return _takes_the_toolkit(pool) and _toolkit_env_for(pool.runtime.state.value) == _toolkit_env_for(
        served.runtime.state.value
    )


def _takes_the_toolkit(pool: Pool) -> bool:
    """Whether the toolkit may be on there; what is not known is left to the rules."""
    state = pool.runtime.state
    return isinstance(state, Unknown) or state.value.toolkit


def _leaf(value: Value, place: Place, subject: str) -> Tree:
    return Tree(value, place.about(subject), place)


def _driver(fleet: Fleet) -> Tree:
    """One operator brings the driver to all of its nodes or to none."""
    brings = next((pool for pool in fleet.gpu_pools if pool.driver is Driver.OPERATOR), None)
    where = (brings or fleet.gpu_pools[0]).place
    return Tree({"enabled": _leaf(brings is not None, where, "driver.enabled")}, where.about("driver"), where)


def _scraped(fleet: Fleet) -> dict[str, Tree]:
    """Where there is a Prometheus, it scrapes the exporter; the node's name is what tells pools apart there."""
    if fleet.monitoring is None:
        return {}
    relabeled = {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
    place = fleet.monitoring.place.about("dcgmExporter.serviceMonitor")
    monitor = plant({"enabled": True, "relabelings": [relabeled]}, place)
    return {"dcgmExporter": Tree({"serviceMonitor": monitor}, place, place)}


def _device_plugin(fleet: Fleet) -> dict[str, Tree]:
    """HAMi hands the GPUs out where there is one, and two plugins would both."""
    if fleet.hami is None:
        return {}
    where = fleet.hami.place
    enabled = _leaf(False, where, "devicePlugin.enabled")
    return {"devicePlugin": Tree({"enabled": enabled}, where.about("devicePlugin"), where)}


def _env(pool: Pool, operator: Operator | None) -> list[Tree]:
    if operator is not None and operator.values.get("toolkit", "enabled").value in _OFF:
        return []
    where = pool.runtime.place
    unread = (CONFIG, SOCKET) if operator is not None and _edits_no_config(operator) else ()
    return [_variable(name, value, where) for name, value in _settings(pool).items() if name not in unread]


def _edits_no_config(operator: Operator) -> bool:
    """Whether the user's own values leave nothing that reads the paths."""
    nri = operator.values.get("cdi", "nriPluginEnabled").value in _ON
    return nri and (isinstance(operator.chart.state, Unknown) or knows_nri(operator.chart.state.value))


def _settings(pool: Pool) -> dict[str, str | Unknown]:
    state = pool.runtime.state
    if isinstance(state, Unknown):
        return {CONFIG: state, SOCKET: state, RUNTIME_CLASS: defaults().runtime_class}
    return _toolkit_env_for(state.value)


def _toolkit_env_for(runtime: Containerd) -> dict[str, str | Unknown]:
    if not runtime.is_containerd:
        return dict(runtime.toolkit_env)
    paths = {CONFIG: runtime.config, SOCKET: runtime.socket, RUNTIME_CLASS: defaults().runtime_class}
    return {**{name: path for name, path in paths.items() if path is not None}, **runtime.toolkit_env}


def _variable(name: str, value: str | Unknown, place: Place) -> Tree:
    subject = f"toolkit.env[{name}]"
    return Tree({"name": _leaf(name, place, subject), "value": _leaf(value, place, subject)}, place.about(subject))


def effective_values(fleet: Fleet) -> Tree:
    """What the operator gets: the user's values laid over the implied ones, as Helm does it."""
    implied = implied_values(fleet)
    return merge(implied, fleet.operator.values) if fleet.operator is not None else implied
