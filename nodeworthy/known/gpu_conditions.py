"""Which conditions of a node tell how its GPUs are: the table of `gpu_conditions.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.known.xid import Xid, xid
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace

_STATUSES = ("True", "False")


@dataclass(frozen=True)
class GpuReason:
    reason: str
    says: str
    cause: str
    remedy: str


@dataclass(frozen=True)
class GpuCondition:
    type: str
    who: str
    good: str
    says: str
    cause: str
    remedy: str
    link: str
    unsure: tuple[str, ...] = ()
    reasons: tuple[GpuReason, ...] = ()

    def of_reason(self, reason: str) -> GpuReason | None:
        """What the reason names, where one is known that says more than the condition."""
        for each in self.reasons:
            found = pattern(each.reason).fullmatch(reason)
            if found is not None:
                told = {name: value for name, value in found.groupdict().items() if value}
                known = xid(int(told["number"])).says if "number" in told else ""
                return replace(each, says=each.says.format(xid=known, **told))
        return None

    def is_good(self, status: str) -> bool:
        return status == self.good

    def is_bad(self, status: str, reason: str = "") -> bool:
        """Whether the condition tells of a fault. What a watcher says that does not see the GPUs itself is unsure."""
        return status in _STATUSES and not self.is_good(status) and reason not in self.unsure


@cache
def gpu_conditions() -> Mapping[str, GpuCondition]:
    table = table_of("gpu_conditions")
    return {row["type"]: _condition(row, table["reason"]) for row in table["condition"]}


def _condition(row: Mapping[str, str], reasons: Iterable[Mapping[str, str]]) -> GpuCondition:
    said = {name: row[name] for name in ("type", "who", "good", "says", "cause", "remedy", "link")}
    own = (each for each in reasons if each["type"] == row["type"])
    named = tuple(GpuReason(*(each[name] for name in ("reason", "says", "cause", "remedy"))) for each in own)
    return GpuCondition(**said, unsure=tuple(row.get("unsure", ())), reasons=named)


def tells_of_no_gpu(message: str) -> bool:
    """Whether all that it is about are codes which a machine without any fault has, too."""
    codes = _codes_in(message)
    return bool(codes) and all(each in table_of("gpu_conditions")["codes"]["innocent"] for each in codes)


def fault_of_a_program(message: str) -> Xid | None:
    """The Xid that it is about, where each of them is the fault of what ran on the GPU."""
    told, codes = table_of("gpu_conditions")["codes"], _codes_in(message)
    if not codes or not all(each in told["numbered"] for each in codes):
        return None
    found = [xid(int(each["number"])) for each in pattern(told["number"]).finditer(message)]
    return found[0] if len(found) >= len(codes) and all(each.whose == "program" for each in found) else None


def _codes_in(message: str) -> list[str]:
    return [each["code"] for each in pattern(table_of("gpu_conditions")["codes"]["entry"]).finditer(message)]
