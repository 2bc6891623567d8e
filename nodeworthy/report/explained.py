"""What is known of a rule, of evidence, and of the world, for a person and for a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.known.containerd import Containerd, containerd_of, takes_base_dir
from nodeworthy.known.evidence import Evidence, EvidenceMatch
from nodeworthy.known.gpus import Gpu
from nodeworthy.known.instances import InstanceGpus, instance_types_source, types_with
from nodeworthy.known.releases import OperatorRelease
from nodeworthy.known.xid import Xid, xid_numbered
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets
from nodeworthy.rule import Moment, Rule

SCHEMA = "nodeworthy/explain/v1"
WIDTH = 108


@dataclass(frozen=True)
class Explanation:
    """One thing that was recognised: what kind of thing, its name, and what there is to say, by label."""

    kind: str
    id: str
    title: str
    rows: tuple[tuple[str, str], ...] = ()
    prose: str = ""
    # What a program wants of it.
    data: tuple[tuple[str, Any], ...] = ()

    def as_data(self) -> dict[str, Any]:
        said = dict(self.data) if self.data else dict(self.rows)
        return {"kind": self.kind, "id": self.id, "title": self.title, **said}


def text(explanations: Sequence[Explanation]) -> str:
    return "\n\n".join("\n".join(_lines(each)) for each in explanations) + "\n"


# What somebody types who was told of a thing of this kind.
_NEXT = {
    "evidence": "nodeworthy diagnose (the cluster), nodeworthy diagnose --node NAME (the chain of a node)",
    "distribution": "nodeworthy check ., with this distribution in the fleet's pool",
    "gpu": "nodeworthy fleet, which tells the pools that have it",
    "instance-type": "nodeworthy fleet, which tells the pools that have it",
    "operator-release": "nodeworthy check ., with `operator: {chart: VERSION}` in the fleet",
}


def next_command(known: Sequence[Explanation]) -> str:
    last = known[-1]
    moments = dict(last.data).get("moments", ())
    if last.kind != "rule":
        return _NEXT[last.kind]
    typed = {"source": "check .", "plan": "preview", "node": "node HOST", "cluster": "diagnose"}
    asks = [f"nodeworthy {typed[each]} --rule {last.id}" for each in moments if each in typed]
    return ", ".join(asks) or "nodeworthy rules"


def _lines(each: Explanation) -> Iterator[str]:
    yield f"{each.id}: {each.title}"
    for paragraph in filter(None, each.prose.split("\n\n")):
        yield from textwrap.wrap(" ".join(paragraph.split()), WIDTH, initial_indent="  ", subsequent_indent="  ")
    width = max((len(label) for label, _ in each.rows), default=0)
    for label, value in each.rows:
        yield from textwrap.wrap(
            value,
            WIDTH,
            initial_indent=f"  {label:<{width}}  ",
            subsequent_indent=" " * (width + 4),
            break_long_words=False,
            break_on_hyphens=False,
        )


def explain_rule(rule: Rule, moments: Sequence[Moment]) -> Explanation:
    proven = [each.value for each in moments]
    body = rule.documentation
    said = [("remedy", rule.remedy), ("severity", rule.severity.value), ("moments", ", ".join(proven))]
    if rule.incident:
        said.append(("incident", rule.incident))
    said.append(("ignore it", f"# nodeworthy: ignore {rule.id} REASON"))
    data: dict[str, Any] = {
        "documentation": body,
        "remedy": rule.remedy,
        "severity": rule.severity.value,
        "moments": proven,
        "incident": rule.incident,
    }
    return Explanation("rule", rule.id, rule.title, tuple(said), body, tuple(data.items()))


def explain_evidence(found: EvidenceMatch, rule: Rule | None) -> Explanation:
    """What was found in a text. The rule is None where none of ours proves it yet."""
    evidence = found.evidence
    words, times = found.shown(hide_secrets), f"{found.times} time{'s' if found.times > 1 else ''}"
    rows = [("found", f"{times}, first in line {found.line}: {words}")]
    data: dict[str, Any] = {"times": found.times, "line": found.line, "words": words}
    if found.number is not None:
        fault = xid_numbered(evidence.table, found.number)
        rows += _of_number(evidence.table, found.number, fault)
        whose = (fault.says, fault.whose, fault.remedy) if fault is not None else (None, None, None)
        data[evidence.table] = dict(zip(("number", "says", "whose", "remedy"), (found.number, *whose), strict=True))
    return _explained(evidence, rule, rows, data)


def explain_entry(evidence: Evidence, rule: Rule | None) -> Explanation:
    """What is known of it, without a text in which it was found."""
    return _explained(evidence, rule, [("words", text) for text in evidence.texts], {})


def _explained(
    evidence: Evidence, rule: Rule | None, rows: list[tuple[str, str]], found: dict[str, Any]
) -> Explanation:
    told = [*rows, ("rule", f"{rule.id}: {rule.title}")] if rule is not None else rows
    why = {
        "cause": evidence.cause,
        "remedy": evidence.remedy,
        "prove": evidence.prove,
        "source": evidence.source,
    }
    data = {"evidence": evidence.text, **found, "rule": rule.id if rule is not None else None, **why}
    return Explanation("evidence", evidence.id, evidence.says, (*told, *why.items()), "", tuple(data.items()))


_TABLES = {"xid": "Xid", "sxid": "SXid"}


def _of_number(table: str, number: int, fault: Xid | None) -> list[tuple[str, str]]:
    """The number's own row of the table, and what it asks for."""
    label = f"{_TABLES[table]} {number}"
    if fault is None:
        return [(label, "is not in our table: look it up in NVIDIA's catalogue")]
    return [(label, f"{fault.says}; mostly the {fault.whose}'s fault: {fault.remedy}")]


def explain_distribution(name: str) -> list[Explanation]:
    """One, or each of the variants whose paths differ."""
    plain = _of_runtime(name, "", containerd_of(name))
    if not takes_base_dir(name):
        return [plain]
    return [
        _of_runtime(name, "classic confinement, the default", containerd_of(name)),
        _of_runtime(name, "containerdBaseDir: BASE_DIR", containerd_of(name, "BASE_DIR")),
        _of_runtime(name, "snapConfinement: strict", containerd_of(name, strict=True)),
    ]


def _of_runtime(name: str, variant: str, runtime: Containerd) -> Explanation:
    data: dict[str, Any] = {
        "variant": variant,
        "runtime": runtime.runtime,
        "config": runtime.config,
        "socket": runtime.socket,
        "older_sockets": list(runtime.older_sockets),
        "units": list(runtime.units),
        "toolkit": runtime.toolkit,
        "toolkit_env": dict(runtime.toolkit_env),
        "doubtful": list(runtime.doubtful),
        "templates": list(runtime.templates),
        "note": runtime.note,
        "source": runtime.source,
    }
    title = f"{_runtime_in_words(runtime)} that kubelet uses{f' ({variant})' if variant else ''}"
    return Explanation("distribution", name, title, tuple(_runtime_rows(runtime)), "", tuple(data.items()))


def _runtime_in_words(runtime: Containerd) -> str:
    return "the containerd" if runtime.is_containerd else f"the {runtime.runtime}"


def _runtime_rows(runtime: Containerd) -> Iterator[tuple[str, str]]:
    if runtime.config:
        yield "config", runtime.config
    if runtime.socket:
        yield "socket", runtime.socket
    for older in runtime.older_sockets:
        yield "older socket", older
    yield "units", ", ".join(runtime.units)
    for name, value in runtime.toolkit_env.items():
        yield "toolkit.env", f"{name}={value}"
    for template in runtime.templates:
        yield "template", f"{template} (for people to edit, never for the toolkit)"
    if not runtime.toolkit:
        yield "toolkit", "must be off (toolkit.enabled: false)"
    if runtime.note:
        yield "note", runtime.note
    yield "source", runtime.source


def explain_gpu(gpu: Gpu) -> Explanation:
    types = types_with(gpu.name)
    rows = [("memory", f"{' or '.join(str(each) for each in gpu.memory)} GB")]
    if gpu.nvswitch:
        rows.append(("NVSwitch", "boards of eight talk through NVSwitches: nvidia-fabricmanager must run"))
    rows += [("on EC2", ", ".join(types) or "in no instance type we know"), ("source", gpu.source)]
    data: dict[str, Any] = {
        "memory": list(gpu.memory),
        "architecture": gpu.architecture,
        "nvswitch": gpu.nvswitch,
        "instance_types": list(types),
        "source": gpu.source,
    }
    return Explanation(
        "gpu", gpu.name, f"a GPU of NVIDIA's {gpu.architecture} line", tuple(rows), "", tuple(data.items())
    )


def explain_instance_type(name: str, gpus: InstanceGpus | None) -> Explanation:
    source = instance_types_source()
    if gpus is None:
        rows = (("GPUs", "we know of none in it"), ("exists in", source))
        return Explanation(
            "instance-type", name, "an EC2 instance type", rows, "", (("gpu", None), ("exists_in", source))
        )
    told = [
        ("GPUs", f"{gpus.count} × {gpus.gpu}, {gpus.memory} GB each"),
        ("EFA", "not known" if gpus.efa is None else f"{gpus.efa} interface{'' if gpus.efa == 1 else 's'}"),
        ("NVSwitch", "yes: nvidia-fabricmanager must run" if gpus.nvswitch else "no"),
        ("source", gpus.source),
        ("exists in", source),
    ]
    data: dict[str, Any] = {
        "gpu": gpus.gpu,
        "count": gpus.count,
        "memory": gpus.memory,
        "efa": gpus.efa,
        "nvswitch": gpus.nvswitch,
        "source": gpus.source,
        "exists_in": source,
    }
    return Explanation("instance-type", name, "an EC2 instance type with GPUs", tuple(told), "", tuple(data.items()))


def explain_release(asked: str, release: OperatorRelease) -> Explanation:
    rows = (
        ("toolkit", release.toolkit),
        ("CDI", "on, unless one says otherwise" if release.cdi else "off, unless one says otherwise"),
        ("behaviour", release.behaviour),
        ("source", release.source),
    )
    data: dict[str, Any] = {
        "toolkit": release.toolkit,
        "cdi": release.cdi,
        "behaviour": release.behaviour,
        "source": release.source,
    }
    return Explanation(
        "operator-release", release.version, f"a GPU operator release ({asked})", rows, "", tuple(data.items())
    )
