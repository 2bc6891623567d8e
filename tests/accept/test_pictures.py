"""A run as a page: tests by nodes, and the map of who sends how fast to whom."""

from __future__ import annotations

import json
from pathlib import Path

from tests.case_files import whole
from tests.run import run


def page_of(folder: Path) -> str:
    return run("accept", "--from", str(folder), "--format", "html").out


def test_a_slow_sender_is_a_dark_row() -> None:
    page = page_of(whole("gpus-alike/bad-slow-sender"))
    head, _, rest = page.partition('<table class="pairs">')
    assert "<h2>Nodes and tests</h2>" in head
    rows = [each for each in rest.partition("</table>")[0].split("<tr>") if 'scope="row"' in each]
    dark = sorted(sum(each.count(f'class="slow-{at}"') for at in range(3)) for each in rows)
    assert len(rows) >= 3
    assert dark[-1] >= len(rows) - 1  # towards all others
    assert dark[-2] <= 1


def test_one_slow_path_is_dark_there_alone() -> None:
    page = page_of(whole("gpus-alike/bad-slow-path"))
    maps = page.count('<table class="pairs">')
    assert maps == 2  # it was measured twice
    assert page.count('class="slow-0"') == 2 * maps


def test_two_nodes_alike_are_light() -> None:
    page = page_of(whole("gpus-alike/unknown-two-nodes"))
    assert page.count('<table class="pairs">') == 2
    assert 'class="slow-' not in page


def test_what_was_not_run_says_why_as_text(tmp_path: Path) -> None:
    plan = json.loads((whole("gpus-alike/bad-slow-path") / "run.json").read_text(encoding="utf-8"))
    why = 'its "GPUs" are <b>in use</b>'
    plan |= {"jobs": [], "not_run": [{"test": "ddp", "nodes": ["gpu-1"], "reason": "in-use", "why": why}]}
    (tmp_path / "run.json").write_text(json.dumps(plan), encoding="utf-8")
    page = page_of(tmp_path)
    assert '<td class="not-run" title="its &quot;GPUs&quot; are &lt;b&gt;in use&lt;/b&gt;">not run</td>' in page
    assert '<table class="pairs">' not in page
