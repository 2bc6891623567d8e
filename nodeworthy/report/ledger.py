"""The ledger of GPUs: for a person as tables, for a program as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from nodeworthy.facts.cluster.idle_holders import Doing
from nodeworthy.facts.cluster.ledger import AskedFor, Held, Ledger, NodeRow, TypeRow
from nodeworthy.facts.gpus_in_words import gpus_in_words
from nodeworthy.facts.hami.shares import Amount, SharedDevice
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.table import align_columns

_COUNTS = ("capacity", "allocatable", "held", "free", "unhealthy")
# Those that pods decide.
_OF_PODS = ("held", "free")
_TYPES = ("type", "resource", "nodes", *_COUNTS, "idle", "works", "unknown", "idle costs a day")
_NODES = ("node", "type", "resource", *_COUNTS, "kept away by")
_HELD = ("node", "held", "by", "pods", "since", "priority", "doing")
_DEVICES = ("node", "shared GPU", "slots", "held", "free", "MB", "held", "free", "cores %", "held", "free", "by")
_WAITING = ("asked for", "resource", "by", "pods", "since", "priority", "")


def text(ledger: Ledger) -> str:
    """Tables, and under them what the figures rest on."""
    if ledger.is_empty:
        return "\n".join(["No node that was seen has GPUs, and no pod asks for any.", *_in_part(ledger)]) + "\n"
    blocks = [
        _table(_TYPES, (_type(each, ledger) for each in ledger.types)),
        _table(_NODES, (_node(each, ledger) for each in ledger.nodes)),
        _table(_HELD, (_holder_row(row, each) for row in ledger.nodes for each in row.held_by))
        or _nobody_holds(ledger),
    ]
    if ledger.devices:
        blocks.append(_table(_DEVICES, map(_device, ledger.devices)))
    if ledger.waiting:
        blocks.append(_table(_WAITING, (_asker_row(each) for each in ledger.waiting)))
    return "\n\n".join([*filter(None, blocks), "\n".join(_notes(ledger))]).rstrip() + "\n"


def in_a_line(ledger: Ledger) -> str:
    """The ledger in a line, for somebody who did not ask for all of it. Empty where there are no GPUs."""
    if ledger.is_empty:
        return ""
    counts = ", ".join(_counted(ledger, name) for name in ("allocatable", "held", "free", "unhealthy"))
    idle, asked = ledger.doing(Doing.IDLE), sum(each.amount for each in ledger.waiting)
    besides = [f"{idle} of the held are idle"] if idle else []
    besides += [f"{asked} waited for"] if asked else []
    dark = sum(count or 0 for count in ledger.unoffered.values())
    besides += [f"{dark} more that nobody offers"] if dark else []
    told = ", ".join([f"{_all_of(ledger)}: {counts}", *besides])
    return f"{'at least ' if ledger.nodes_in_part else ''}{told} (--ledger tells whose)\n"


def _counted(ledger: Ledger, name: str) -> str:
    """What pods hold is at least what was read, and what is free at most that."""
    if name not in _OF_PODS or not ledger.pods_in_part:
        return f"{ledger.total(name)} {name}"
    if ledger.pods_unseen:
        return f"{name} not known"
    return f"{'at least' if name == 'held' else 'at most'} {ledger.total(name)} {name}"


def _nobody_holds(ledger: Ledger) -> str:
    if ledger.pods_unseen:
        return "Who holds GPUs is not known."
    return "No pod that was read holds a GPU." if ledger.pods_in_part else "No GPU is held."


def _all_of(ledger: Ledger) -> str:
    """How many there are: a slice or a share is no GPU."""
    total = ledger.total("capacity")
    if any(each.node.shared or each.resource != GPU for each in ledger.nodes):
        return f"{total} GPUs, slices and shares of them"
    return gpus_in_words(total)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The rows in columns; nothing where there are none."""
    fit = [[on_one_line(cell) for cell in row] for row in rows]
    return align_columns(heads, fit) if fit else ""


def _type(row: TypeRow, ledger: Ledger) -> tuple[str, ...]:
    counts = [_cell(row.total(name), name, ledger) for name in _COUNTS]
    done = [str(row.doing(each)) for each in (Doing.IDLE, Doing.WORKS, Doing.UNKNOWN)]
    cost = row.idle_per_day if not ledger.pods_unseen else None
    return (
        row.type,
        row.resource,
        str(len(row.nodes)),
        *counts,
        *done,
        f"{cost:,.0f} USD" if cost is not None else "?",
    )


def _cell(count: int, name: str, ledger: Ledger) -> str:
    return "?" if ledger.pods_unseen and name in _OF_PODS else str(count)


def _node(row: NodeRow, ledger: Ledger) -> tuple[str, ...]:
    away = ", ".join(map(str, row.node.taints)) or ("" if row.node.is_ready else "not Ready")
    counts = (_cell(getattr(row, name), name, ledger) for name in _COUNTS)
    return (row.node.name, row.type, row.resource, *counts, away)


def _holder_row(row: NodeRow, held: Held) -> tuple[str, ...]:
    pods = held.pods[0] if len(held.pods) == 1 else str(len(held.pods))
    counted = {"static": held.static, "terminating": held.terminating}
    besides = [f"{count} {what}" for what, count in counted.items() if count]
    said = ", ".join(filter(None, (held.doing.value, held.evidence, *besides)))
    return (row.node.name, f"{held.amount}", held.made_by, pods, _when(held.since), str(held.priority), said)


def _asker_row(asked: AskedFor) -> tuple[str, ...]:
    pods = asked.pods[0] if len(asked.pods) == 1 else str(len(asked.pods))
    gated = f"gated by {', '.join(asked.gates)}" if asked.gates else ""
    since = _when(asked.since)
    return (str(asked.amount), asked.resource, asked.made_by, pods, since, str(asked.priority), gated)


def _device(device: SharedDevice) -> tuple[str, ...]:
    counts = [str(getattr(each, name)) for _, each in _dimensions(device) for name in ("capacity", "held", "free")]
    by = device.held_by[0] if len(device.held_by) == 1 else f"{len(device.held_by)} pods" if device.held_by else ""
    return (device.node, f"{device.id}{'' if device.healthy else ' (not healthy)'}", *counts, by)


def _dimensions(device: SharedDevice) -> tuple[tuple[str, Amount], ...]:
    return ("slots", device.slots), ("memory_mb", device.memory), ("cores_percent", device.cores)


def _when(when: datetime | None) -> str:
    return f"{when:%Y-%m-%d %H:%M}Z" if when else "?"


def _notes(ledger: Ledger) -> Iterator[str]:
    yield from _in_part(ledger)
    for name, count in ledger.unoffered.items():
        yield on_one_line(f"{name} has {gpus_in_words(count) if count else 'GPUs'} and offers none of them.")
    if ledger.no_usage or not ledger.has_usage:
        why = ledger.no_usage or "no answer of Prometheus is in what was read"
        yield on_one_line(f"What held GPUs do is unknown where no container ended: {why}.")
    if ledger.elsewhere:
        yield f"{ledger.elsewhere} pods hold GPUs on nodes that are not in what was read."
    if any(each.node.shared for each in ledger.nodes):
        yield "Where GPUs are shared, one is counted as often as it may be handed out."
    for price in {each.price.type: each.price for each in ledger.types if each.price is not None}.values():
        yield f"{price.type}: {price.per_gpu_hour} USD a GPU and hour ({price.terms}, {price.as_of}): {price.source}"
    unpriced = sorted({each.type for each in ledger.types if each.price is None})
    if unpriced:
        yield f"What idle GPUs cost is unknown for {', '.join(unpriced)}: no source of a price."


def _in_part(ledger: Ledger) -> Iterator[str]:
    if ledger.in_part is not None:
        yield f"More may be there and held than is counted here: {ledger.in_part}."


def as_data(ledger: Ledger) -> dict[str, Any]:
    return {
        "types": [_type_as_data(each) for each in ledger.types],
        "nodes": [_node_as_data(each) for each in ledger.nodes],
        "waiting": [_asked_as_data(each) for each in ledger.waiting],
        "devices": [_device_as_data(each) for each in ledger.devices],
        "not_offered": dict(ledger.unoffered),
        "held_on_unseen_nodes": ledger.elsewhere,
        "in_part": ledger.in_part,
        "no_usage": ledger.no_usage or None,
    }


def _type_as_data(row: TypeRow) -> dict[str, Any]:
    price = row.price
    return {
        "type": row.type,
        "resource": row.resource,
        "nodes": len(row.nodes),
        **{name: row.total(name) for name in _COUNTS},
        **{each.value: row.doing(each) for each in Doing},
        "idle_usd_per_day": row.idle_per_day,
        "price": asdict(price) if price is not None else None,
    }


def _node_as_data(row: NodeRow) -> dict[str, Any]:
    return {
        "node": row.node.name,
        "type": row.type,
        "gpu": row.node.gpu or None,
        "resource": row.resource,
        **{name: getattr(row, name) for name in _COUNTS},
        "shared": row.node.shared,
        "ready": row.node.is_ready,
        "taints": [str(each) for each in row.node.taints],
        "held_by": [_held_as_data(each) for each in row.held_by],
    }


def _held_as_data(held: Held) -> dict[str, Any]:
    return {
        "by": held.made_by,
        "pods": list(held.pods),
        "amount": held.amount,
        "since": held.since.isoformat() if held.since else None,
        "priority": held.priority,
        "doing": held.doing.value,
        "evidence": held.evidence or None,
        "static": held.static,
        "terminating": held.terminating,
    }


def _device_as_data(device: SharedDevice) -> dict[str, Any]:
    amounts = {
        name: {"capacity": each.capacity, "held": each.held, "free": each.free} for name, each in _dimensions(device)
    }
    told = {"node": device.node, "id": device.id, "healthy": device.healthy}
    return {**told, **amounts, "held_by": list(device.held_by)}


def _asked_as_data(asked: AskedFor) -> dict[str, Any]:
    return {
        "by": asked.made_by,
        "resource": asked.resource,
        "pods": list(asked.pods),
        "amount": asked.amount,
        "since": asked.since.isoformat() if asked.since else None,
        "priority": asked.priority,
        "gates": list(asked.gates),
    }
