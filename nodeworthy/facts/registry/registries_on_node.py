"""The caches of a fleet as a node knows them: by trust, and by name."""

from __future__ import annotations

from nodeworthy.facts.node.node import Node
from nodeworthy.facts.node.registries import NodeRegistries
from nodeworthy.facts.node.seen import read_then
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS, NAME
from nodeworthy.facts.registry.name_resolution import without_port
from nodeworthy.fleet.model import Registry
from nodeworthy.known.containerd import registries as known_registries
from nodeworthy.verdict import Findings, Known, Related, fail, need, skip, unknown


def trust_of(node: Node) -> Findings:
    """Every cache that speaks plain HTTP is told to containerd, where containerd looks."""
    seen, caches = _caches(node)
    plain = [each for each in caches if each.plain_http]
    if not plain:
        skip("the fleet has no registry that speaks plain HTTP")
    need(node.kubelets_containerd().handlers)
    for cache in plain:
        host = need(cache.host)
        says = Related(cache.host.place, "the fleet says that every node must trust it")
        file = seen.file_for(host, *filter(None, [cache.mirrors]))
        if file is None:
            yield fail(
                seen.place.about(host),
                f"containerd is not told of {host}",
                is_=", ".join(seen.files) or f"no {NAME} where containerd looks",
                should=f"{known_registries().hosts[0]}/{host}/{NAME}, with http://, and config_path set",
                related=[says],
                cause=BY_HTTPS,
            )
            continue
        flaw = file.speaks_plainly(host)
        if flaw is not None:
            yield flaw.told(related=(says,))


def names_of(node: Node, cause: str) -> Findings:
    """Every address that containerd is sent to for them is one that this node can resolve."""
    seen, caches = _caches(node)
    asked = False
    for cache in caches:
        host = need(cache.host)
        file = seen.file_for(host, *filter(None, [cache.mirrors]))
        leads = [each.authority for each in file.endpoints if each.serves("pull")][:1] if file is not None else []
        for name in map(without_port, leads):
            asked = True
            address = seen.addresses.get(name)
            if address is None:
                yield unknown(seen, f"whether {name} has an address on this node was not asked")
            elif need(address) is None:
                yield fail(
                    address,
                    f"{name} has no address on this node",
                    is_="not found",
                    should="an address of the cache",
                    related=[Related(cache.host.place, "the fleet says that every node pulls from it")],
                    cause=cause,
                )
    if not asked:
        skip("containerd is told of none of the fleet's registries: registry-trusted judges that")


def _caches(node: Node) -> tuple[NodeRegistries, tuple[Registry, ...]]:
    seen = read_then(node.seen.registries, "what containerd is told of registries")
    if node.fleet is None or not node.fleet.registries:
        skip("no fleet with registries was given")
    pool = need(node.declared)
    runtime = pool.runtime.state.value if pool is not None and isinstance(pool.runtime.state, Known) else None
    if runtime is not None and runtime.registries is not None:
        skip(f"{runtime.distribution} is told in {runtime.registries}, which is not read on nodes yet")
    return seen, node.fleet.registries
