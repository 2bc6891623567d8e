"""HAMi's names and defaults: the table of `hami.toml`, typed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Resources:
    """What a container asks HAMi for: a number of GPUs, and a share of each."""

    count: str
    memory: str
    memory_percentage: str
    cores: str
    priority: str

    @property
    def shares(self) -> tuple[str, ...]:
        """The resources that HAMi alone hands out: whoever asks for one of them asks HAMi."""
        return (self.memory, self.memory_percentage, self.cores, self.priority)


@dataclass(frozen=True)
class Annotations:
    node_policy: str
    gpu_policy: str
    mode: str
    use_uuid: str
    no_uuid: str
    use_type: str
    no_type: str
    registered: str
    allocated: str
    devices: str


@dataclass(frozen=True)
class Labels:
    component: str
    former: str
    instance: str
    scheduler: str
    device_plugin: str
    monitor: str
    webhook: str
    webhook_off: str
    node: str


@dataclass(frozen=True)
class ContainerVariables:
    """What HAMi's library in a container reads."""

    policy: str
    policies: tuple[str, ...]
    off: str
    true: tuple[str, ...]
    memory_limit: str
    cores_limit: str
    visible: str


@dataclass(frozen=True)
class Refusal:
    """Why its scheduler takes no node."""

    says: str
    remedy: str


@cache
def _table() -> Mapping[str, Any]:
    return table_of("hami")


def _row(name: str) -> dict[str, Any]:
    row = {key: tuple(value) if isinstance(value, list) else value for key, value in _table()[name].items()}
    del row["source"]
    return row


@cache
def resources() -> Resources:
    return Resources(**_row("resources"))


@cache
def annotation_names() -> Annotations:
    return Annotations(**_row("annotations"))


@cache
def labels() -> Labels:
    return Labels(**_row("labels"))


@cache
def variables() -> ContainerVariables:
    return ContainerVariables(**_row("container"))


def charts() -> tuple[str, ...]:
    return tuple(_table()["chart"]["names"])


def image_names() -> tuple[str, ...]:
    """What its image is called in any registry, now and before."""
    return tuple(_table()["chart"]["images"])


def scheduler_name() -> str:
    return str(_table()["chart"]["scheduler"])


def default(name: str) -> Any:
    """What the chart says where nobody else does."""
    return _table()["chart"][name]


def node_policies() -> tuple[str, ...]:
    return tuple(_table()["policies"]["node"])


def gpu_policies() -> tuple[str, ...]:
    return tuple(_table()["policies"]["gpu"])


def modes() -> tuple[str, ...]:
    return tuple(_table()["plugin"]["modes"])


def mig_strategies() -> tuple[str, ...]:
    return tuple(_table()["plugin"]["mig_strategies"])


@cache
def telling_keys() -> Mapping[str, frozenset[str]]:
    """Keys by which its values are known: of the device plugin, of the scheduler, at the top."""
    return {name: frozenset(keys) for name, keys in _row("telling").items()}


@cache
def asked_of_hami() -> tuple[str, ...]:
    """The annotations by which people tell HAMi what they want of it; the others are its own."""
    names = annotation_names()
    return (
        names.node_policy,
        names.gpu_policy,
        names.mode,
        names.use_uuid,
        names.no_uuid,
        names.use_type,
        names.no_type,
    )


@cache
def refusals() -> Mapping[str, Refusal]:
    """The reasons of HAMi's refusals, by the one word that it has for each."""
    return {word: Refusal(**row) for word, row in _row("refusals").items()}
