"""The alerts that ship, held by Prometheus' own evaluator against what the commands write."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.accept.test_baseline import recorded
from tests.case_files import whole
from tests.run import run

from .tools import Tools

RULES = Path(__file__).parents[2] / "share" / "prometheus" / "nodeworthy.rules.yaml"
_SAMPLE = re.compile(r"(nodeworthy_\w+\{.*\}) (\S+)")


def written(*command: str, cwd: Path) -> str:
    return run(*command, "--format", "prometheus", cwd=cwd).out


def promtool(tools: Tools, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    program = str(tools.path("promtool"))
    return subprocess.run([program, *words], input=said, capture_output=True, text=True, timeout=120, check=False)


def fires(tools: Tools, folder: Path, gauges: str, *alerts: tuple[str, dict[str, str]]) -> str:
    """What the evaluator says where, after two hours of such gauges, these alerts and no others are there."""
    series = [{"series": name, "values": f"{value}+0x120"} for name, value in _SAMPLE.findall(gauges)]
    assert series
    every = {each["alert"] for group in yaml.safe_load(RULES.read_text())["groups"] for each in group["rules"]}
    expected = {name: [labels for told, labels in alerts if told == name] for name in every}
    tests = [
        {
            "alertname": name,
            "eval_time": "2h",
            "exp_alerts": [{"exp_labels": each, "exp_annotations": _said(name, each)} for each in labels],
        }
        for name, labels in expected.items()
    ]
    file = {"rule_files": [str(RULES)], "tests": [{"interval": "1m", "input_series": series, "alert_rule_test": tests}]}
    (folder / "alerts.json").write_text(json.dumps(file), encoding="utf-8")
    ran = promtool(tools, "test", "rules", str(folder / "alerts.json"))
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def _said(name: str, labels: dict[str, str]) -> dict[str, str]:
    """The annotations of the file, filled in by hand."""
    (rule,) = (
        each
        for group in yaml.safe_load(RULES.read_text())["groups"]
        for each in group["rules"]
        if each["alert"] == name
    )
    filled = {}
    for key, text in rule["annotations"].items():
        host = re.sub(r"\{\{ with \$labels\.host \}\}(.*?)\{\{ \. \}\}\{\{ end \}\}", _host(labels), text)
        filled[key] = re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda found: labels[found[1]], host)
    return filled


def _host(labels: dict[str, str]) -> str:
    return rf"\g<1>{labels['host']}" if labels.get("host") else ""


def test_every_command_writes_what_prometheus_reads(tools: Tools, tmp_path: Path) -> None:
    gauges = [
        written("check", ".", cwd=whole("containerd-paths/bad-source-incident")),
        written("diagnose", "--from", "dump", cwd=whole("containerd-paths/bad-cluster-incident")),
        written("accept", "--from", str(recorded(tmp_path / "m")), cwd=tmp_path),
    ]
    for each in gauges:
        ran = promtool(tools, "check", "metrics", said=each)
        assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", "")
        assert _SAMPLE.search(each)


FAILS = {"verdict": "fail", "severity": "critical"}


@pytest.mark.parametrize(
    ("case", "command", "alerts"),
    [
        (
            "containerd-paths/bad-source-incident",
            ("check", "."),
            [("NodeworthyFinding", {"moment": "source", "rule": "containerd-paths", **FAILS})],
        ),
        (
            "driver-fits/bad-node-secure-boot",
            ("node", "replay:node.json", "--rule", "driver-fits"),
            [("NodeworthyFinding", {"moment": "node", "rule": "driver-fits", "host": "HOST", **FAILS})],
        ),
        (
            "driver-fits/unknown-node-bus-not-read",
            ("node", "replay:node.json", "--rule", "driver-fits"),
            [
                (
                    "NodeworthyNotKnown",
                    {
                        "moment": "node",
                        "rule": "driver-fits",
                        "host": "HOST",
                        "verdict": "unknown",
                        "severity": "warning",
                    },
                )
            ],
        ),
        ("containerd-paths/good-source-own-fleet", ("check", ".", "--rule", "containerd-paths"), []),
        (
            "containerd-paths/good-source-own-fleet",
            ("check", ".", "--rule", "slurm-environment"),
            [("NodeworthyProvesNothing", {"moment": "source", "of": "verdicts", "severity": "critical"})],
        ),
    ],
)
def test_what_fires(
    case: str, command: tuple[str, ...], alerts: list[tuple[str, dict[str, str]]], tools: Tools, tmp_path: Path
) -> None:
    gauges = written(*command, cwd=whole(case))
    host = re.search(r'host="(.+?)"', gauges)
    expected = [
        (name, {key: host[1] if host and text == "HOST" else text for key, text in each.items()})
        for name, each in alerts
    ]
    assert fires(tools, tmp_path, gauges, *expected) == ""
    # The evaluator sees the difference.
    assert bool(fires(tools, tmp_path, gauges)) is bool(alerts)


def test_work_that_failed_fires_and_work_that_did_not_run_does_not(tools: Tools, tmp_path: Path) -> None:
    states = {"ddp": ("fail", 0), "fsdp": ("not-run", 0), "moe": ("pass", 1)}
    gauges = "".join(
        f'nodeworthy_accept_passed{{test="{test}",node="gpu-1",state="{state}"}} {value}\n'
        for test, (state, value) in states.items()
    )
    failed = {"test": "ddp", "node": "gpu-1", "state": "fail", "severity": "critical"}
    assert fires(tools, tmp_path, gauges, ("NodeworthyAcceptFailed", failed)) == ""
