"""What servers of models call their metrics: `server_metrics.toml`."""

from __future__ import annotations

from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

_OF_A_HISTOGRAM = ("_bucket", "_sum", "_count")


@dataclass(frozen=True)
class ServersMetrics:
    server: str
    begins: str
    mistaken: str
    names: frozenset[str]
    shares: frozenset[str]

    def meant_by(self, name: str) -> str:
        """How it is called that somebody asks for as `vllm_num_requests_waiting`; empty where it has none such."""
        rest = name.removeprefix(self.mistaken)
        ending = next((each for each in _OF_A_HISTOGRAM if rest.endswith(each)), "")
        is_its = rest != name and (rest in self.names or rest.removesuffix(ending) in self.names)
        return f"{self.begins}{rest}" if is_its else ""

    def is_a_share(self, name: str) -> bool:
        return name.removeprefix(self.begins).removeprefix(self.mistaken) in self.shares


@cache
def metrics_of_servers() -> tuple[ServersMetrics, ...]:
    return tuple(
        ServersMetrics(row["name"], row["begins"], row["mistaken"], frozenset(row["names"]), frozenset(row["shares"]))
        for row in table_of("server_metrics")["server"]
    )
