"""A boot told by hand, as that of a fleet's pools."""

from __future__ import annotations

from nodeworthy.facts.boot.script import BootPool, BootScript
from tests.fleet.reading import fleet_of

HOST = "cache.infra.svc.cluster.local:5000"
REGISTRY = f"registries: [{{host: '{HOST}', plainHttp: true, mirrors: ghcr.io}}]"


def in_fleet(made: BootScript, pool: str, more: str = REGISTRY) -> BootScript:
    """`pool` and `more` are YAML in one line: the pool's keys, and further keys of the fleet."""
    fleet = fleet_of(f"cluster: {{name: a}}\n{more}\npools: {{p: {{{pool}}}}}\n")
    judged_by = tuple(BootPool(each, fleet) for each in fleet.pools)
    other = BootScript(made.place, made.read, pools=judged_by)
    other.__dict__["timeline"] = made.timeline
    return other
