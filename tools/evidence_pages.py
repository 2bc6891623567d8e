"""The pages of docs/ for whoever is woken: from words in a log to the rule, the cause, what to do, what proves it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files

from markdown import code, page, prose, table

from nodeworthy.collect.collected import moments_of
from nodeworthy.known.evidence import Evidence, all_evidence
from nodeworthy.known.evidence.entries import LAYERS
from nodeworthy.known.releases import breakages
from nodeworthy.known.versions import Span
from nodeworthy.known.xid import xid
from nodeworthy.rule import Moment, Rule
from nodeworthy.rules import catalogue

INTRODUCTION = """\
Let `nodeworthy` find the words, or look for them below, in the order in which one is the cause of another; neither asks
for a cluster:

```console
$ nodeworthy explain 'no runtime for "nvidia" is configured'
$ kubectl logs --namespace gpu-operator POD | nodeworthy explain -
$ journalctl --dmesg --boot | nodeworthy explain -
```

Where nothing is known of the words, `nodeworthy diagnose` reads the cluster and `nodeworthy node HOST` a machine; both
only read. What they find is named by a [rule](rules/index.md), and each rule has its page."""

# Who prints the words of a table, from below upwards.
PRINTED_BY = {
    "hardware": "The card, its memory, its place on the bus",
    "driver": "The kernel module, its build and its libraries",
    "fabric": "NVLink, NVSwitch, fabric manager, IMEX",
    "mig": "MIG: its mode, its instances, and who changes them",
    "image": "Pulling images: registries, names, room",
    "network": "What pods and nodes need to reach each other",
    "storage": "File systems, volumes and disks",
    "packages": "apt, dpkg, dnf, rpm, zypper and DKMS",
    "services": "systemd and the kernel, of programs that they could not start or that ended",
    "containerd": "containerd, CRI-O and Docker",
    "toolkit": "The NVIDIA container toolkit",
    "cdi": "Devices by CDI",
    "kubelet": "kubelet",
    "operator": "The GPU operator, its validator, node feature discovery",
    "dra": "Dynamic resource allocation",
    "plugin": "The device plugin and GPU feature discovery",
    "hami": "HAMi",
    "monitoring": "DCGM, its exporter, and who scrapes it",
    "programs": "Any program that was called wrongly or meets another version",
    "scheduling": "Schedulers and autoscalers: why a pod waits",
    "cloud": "The cloud: machines, images, node pools",
    "slurm": "Slurm",
    "collectives": "NCCL, EFA, InfiniBand",
    "cuda": "Programs that use CUDA",
    "frameworks": "Frameworks and servers over CUDA",
}

# What looks at the thing that is broken now, before what looks at where it was written.
LOOKED_AT = {
    Moment.CLUSTER: "nodeworthy diagnose --rule {rule}",
    Moment.CLOUD: "nodeworthy audit --rule {rule}",
    Moment.NODE: "nodeworthy node HOST --rule {rule}",
    Moment.PLAN: "nodeworthy preview --rule {rule}",
    Moment.SOURCE: "nodeworthy check PATH --rule {rule}",
}


def evidence_pages() -> dict[str, str]:
    """The pages by their path in docs/: one that leads to the others, and one for each table."""
    rules = {rule.id: rule for rule in catalogue()}
    return {"evidence.md": _first_page(rules)} | {f"evidence/{layer}.md": _layer(layer, rules) for layer in LAYERS}


def _first_page(rules: Mapping[str, Rule]) -> str:
    return page(
        "# From a line in a log to a command",
        INTRODUCTION,
        table(("who prints it", "causes"), *((_link(layer), str(len(_of_layer(layer)))) for layer in LAYERS)),
        "## Xid errors",
        "What the kernel's log says as `NVRM: Xid (PCI:…): NUMBER`. "
        "`nodeworthy node HOST --rule kernel-log-clean` reads it.",
        table(("Xid", "says", "whose fault", "what to do"), *_xids()),
        "## Releases of the GPU operator that break something",
        "`nodeworthy check` and `preview` judge the release that is named, `diagnose` the one that runs "
        "([operator-release-works](rules/operator-release-works.md)).",
        table(("releases", "on", "what breaks", "what to do"), *_breakages()),
        "## Rules that look where it hurts",
        "Proven in a cluster or on a node, without words of their own in a log.",
        table(("rule", "what must be true", "looks"), *_silent(rules)),
    )


def _link(layer: str) -> str:
    return f"[{PRINTED_BY[layer]}](evidence/{layer}.md)"


def _layer(layer: str, rules: Mapping[str, Rule]) -> str:
    return page(
        f"# {PRINTED_BY[layer]}",
        "[From a line in a log to a command](../evidence.md) has the other tables.",
        table(("the words", "are a sign that", "rule"), *map(_row, _of_layer(layer))),
        *(block for each in _of_layer(layer) for block in _section(each, rules)),
    )


def _of_layer(layer: str) -> list[Evidence]:
    return [each for each in all_evidence() if each.layer == layer]


def _row(each: Evidence) -> tuple[str, str, str]:
    return f"[{_words(each.text)}](#{each.id})", each.says, _page_of(each.rule, "../rules") if each.rule else "–"


def _words(text: str) -> str:
    """As code; words that have backquotes of their own stand between two."""
    return f"`` {text} ``" if "`" in text else code(text.strip())


def _page_of(rule: str, folder: str = "rules") -> str:
    return f"[{rule}]({folder}/{rule}.md)"


def _section(each: Evidence, rules: Mapping[str, Rule]) -> Iterator[str]:
    rule = rules.get(each.rule or "")
    yield f'<a id="{each.id}"></a>'
    yield f"## {_words(each.text)}"
    if len(each.texts) > 1:
        yield "Or:"
        yield "\n".join(f"- {_words(text)}" for text in each.texts[1:])
    yield prose(f"A sign that {each.says}.")
    yield prose(f"Cause: {each.cause}.")
    yield prose(f"What to do: {each.remedy}.")
    yield f"What proves it: {_words(each.prove)}"
    if rule is not None:
        yield f"{_page_of(rule.id, '../rules')}: {rule.title}. What looks:"
        yield "\n".join(["```console", *(f"$ {command}" for command in _commands(rule)), "```"])
    yield prose(f"Read in: {each.source}.")


def _commands(rule: Rule) -> list[str]:
    proven = set(moments_of(rule))
    return [command.format(rule=rule.id) for moment, command in LOOKED_AT.items() if moment in proven]


def _xids() -> Iterator[tuple[str, ...]]:
    rows = tomllib.loads(files("nodeworthy.known").joinpath("xid.toml").read_text(encoding="utf-8"))["xid"]
    for known in map(xid, map(int, rows)):
        yield str(known.number), known.says, known.whose, known.remedy or ""


def _breakages() -> Iterator[tuple[str, ...]]:
    for each in breakages():
        where = [", ".join(each.distributions), f"Kubernetes {_span(each.kubernetes)}" if each.kubernetes else ""]
        where += [f"containerd {_span(span)}" for span in each.containerd]
        yield _span(each.releases), "; ".join(filter(None, where)), each.says, each.remedy


def _span(span: Span) -> str:
    since, before = (".".join(map(str, end)) if end else "" for end in (span.since, span.before))
    return " ".join(filter(None, (f"from {since}" if since else "", f"before {before}" if before else ""))) or "all"


def _silent(rules: Mapping[str, Rule]) -> Iterator[tuple[str, ...]]:
    spoken = {each.rule for each in all_evidence()}
    for rule in rules.values():
        looks = [code(command) for command in _commands(rule) if re.match(r"nodeworthy (diagnose|node)", command)]
        if rule.id not in spoken and not rule.about_ourselves and looks:
            yield _page_of(rule.id), rule.title, ", ".join(looks)
