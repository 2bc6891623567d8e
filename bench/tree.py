"""A tree of 200 files as a platform's repository holds them: half of them of no known kind, 60 lines at the median.

The same on every machine: a random source with a fixed seed chooses lengths and values.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from nodeworthy.known.containerd import containerd_of
from nodeworthy.known.releases import required_of_a_cluster_policy

FILES = 200
Writer = Callable[[random.Random, int], str]

# What the values of this tree have in any case.
_SAID = ("driver", "toolkit", "devicePlugin")
FLEET = """\
config:
  aws:region: us-east-2
  nodeworthy:fleet:
    cluster: {name: bench}
    pools:
      onprem: {gpu: h200, distribution: rke2, provision: false}
"""


def write(folder: Path, files: int = FILES) -> None:
    source = random.Random(20)
    (folder / ".git").mkdir(parents=True)
    (folder / "Pulumi.bench.yaml").write_text(FLEET, encoding="utf-8")
    kinds = [*KNOWN, *UNKNOWN]
    for number in range(files - 1):
        name, writer = kinds[number % len(kinds)]
        path = folder / f"team-{number // 20:02}" / name.format(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(writer(source, _length(source)), encoding="utf-8")


def _length(source: random.Random) -> int:
    return int(source.triangular(20, 140, 40))


def _values(indent: str, source: random.Random, lines: int) -> str:
    runtime = containerd_of("rke2")
    head = [
        "driver:",
        "  enabled: false",
        "toolkit:",
        "  enabled: true",
        "  env:",
        "  - name: CONTAINERD_SOCKET",
        f"    value: {runtime.socket}",
        "devicePlugin:",
        "  enabled: true",
        "  env:",
    ]
    more = [
        line
        for number in range(max(0, lines - len(head)) // 2)
        for line in (f"  - name: SETTING_{number}", f'    value: "{source.randint(0, 999)}"')
    ]
    return "".join(f"{indent}{line}\n" for line in head + more)


def values(source: random.Random, lines: int) -> str:
    return _values("", source, lines)


def parent_chart(source: random.Random, lines: int) -> str:
    return "global:\n  region: us-east-2\ngpu-operator:\n" + _values("  ", source, lines - 3)


def helm_release(source: random.Random, lines: int) -> str:
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: gpu-operator\n"
        "spec:\n  interval: 10m\n  chart:\n    spec:\n      chart: gpu-operator\n      version: v25.3.4\n  values:\n"
    ) + _values("    ", source, lines - 11)


def argo_application(source: random.Random, lines: int) -> str:
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: gpu-operator\nspec:\n  project: gpu\n"
        "  source:\n    chart: gpu-operator\n    repoURL: https://charts.example.com/gpu\n    targetRevision: v25.3.4\n"
        "    helm:\n      values: |\n"
    ) + _values("        ", source, lines - 12)


def cluster_policy(source: random.Random, lines: int) -> str:
    head = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata:\n  name: cluster-policy\nspec:\n"
    required = "".join(f"  {each}: {{}}\n" for each in required_of_a_cluster_policy(None) if each not in _SAID)
    return head + required + _values("  ", source, lines - 5 - required.count("\n"))


def workflow(source: random.Random, lines: int) -> str:
    steps = [
        f"      - name: step {n}\n        run: make target-{source.randint(0, 99)}\n" for n in range((lines - 6) // 2)
    ]
    return "name: build\non: [push]\njobs:\n  build:\n    runs-on: ubuntu-24.04\n    steps:\n" + "".join(steps)


def module(source: random.Random, lines: int) -> str:
    functions = [
        f"def f{n}(x: int) -> int:\n    y = x + {source.randint(0, 99)}\n    return y\n\n\n" for n in range(lines // 5)
    ]
    return '"""A module."""\n\n' + "".join(functions)


def terraform(source: random.Random, lines: int) -> str:
    blocks = [
        f'resource "aws_subnet" "s{number}" {{\n  vpc_id     = aws_vpc.main.id\n'
        f'  cidr_block = "10.{source.randint(0, 255)}.0.0/24"\n}}\n\n'
        for number in range(lines // 5)
    ]
    return "".join(blocks)


def prose(source: random.Random, lines: int) -> str:
    words = "the node joins its cluster after the driver loads and before the first pod asks for a GPU".split()
    return "# Notes\n\n" + "".join(" ".join(source.choices(words, k=14)) + "\n" for _ in range(lines - 2))


def data(source: random.Random, lines: int) -> str:
    rows = ",\n".join(f'  {{"id": {n}, "seen": {source.randint(0, 10**9)}}}' for n in range(lines - 2))
    return f"[\n{rows}\n]\n"


KNOWN: list[tuple[str, Writer]] = [
    ("values-{}.yaml", values),
    ("chart-{}.yaml", parent_chart),
    ("release-{}.yaml", helm_release),
    ("application-{}.yaml", argo_application),
    ("policy-{}.yaml", cluster_policy),
]
UNKNOWN: list[tuple[str, Writer]] = [
    ("workflow-{}.yaml", workflow),
    ("module_{}.py", module),
    ("network-{}.tf", terraform),
    ("notes-{}.md", prose),
    ("data-{}.json", data),
]
