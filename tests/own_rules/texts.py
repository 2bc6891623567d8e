"""A rule of one's own, right or wrong in one place, and its cases."""

from __future__ import annotations

from pathlib import Path

PINNED = "toolkit-version-pinned"
RULE = '''\
"""The toolkit's image is pinned to a version.

With `latest`, two nodes that were built on two days run two toolkits.
"""

from __future__ import annotations

from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need

RULE = Rule(
    "toolkit-version-pinned",
    severity=Severity.ERROR,
    title="The toolkit's image is pinned to a version",
    remedy="set toolkit.version to a released version",
)


@RULE.check
def it_is_a_released_version(values: OperatorValues) -> Findings:
    version = values.tree.get("toolkit", "version").located()
    if need(version) == "latest":
        yield fail(version, "toolkit.version moves with every release", should="a released version")
'''
VALUES = "driver: {{enabled: false}}\ntoolkit: {{enabled: true, version: {version}, env: []}}\n"
CASES = {"bad-latest": "latest", "good-released": "v1.19.0", "unknown-tag": "!vault images/toolkit"}


def values(folder: Path, version: str = "latest") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "values.yaml").write_text(VALUES.format(version=version))


def rules(folder: Path, text: str = RULE, name: str = "toolkit_version_pinned") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(text)
    return folder


def cases(folder: Path) -> None:
    for name, version in CASES.items():
        values(folder / "cases" / PINNED / name, version)
