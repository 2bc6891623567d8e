"""The page of a report in a real browser: nothing of others runs, and what people do with it works."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from nodeworthy.report.frame import Excerpt
from nodeworthy.report.html import render
from nodeworthy.report.markdown import BesideFindings
from tests.case_files import whole
from tests.report.html_pages import KNOWN
from tests.report.reports import PATHS, finding, hostile, judged, many, one_of_each, report
from tests.run import run

from .browser import Browser, browser
from .tools import Tools

INCIDENT = whole("containerd-paths/bad-source-incident")
OWNED = "top.document.title=document.title='owned'"
ATTACKS = (
    f"<script>{OWNED}</script>",
    f"<img src=x onerror={OWNED}>",
    f"</style></title></code></pre><svg onload={OWNED}>",
    f'" onmouseover="{OWNED}" autofocus onfocus="{OWNED}" x=\'',
    f"<iframe srcdoc='<script>{OWNED}</script>'></iframe>",
    f"javascript:{OWNED}",
    f"--><script>{OWNED}</script><!-- ]]>",
)
# A browser puts the body of a table where there is none.
MADE_OF = KNOWN | {"tbody"}
POLICY = re.compile('<meta http-equiv="Content-Security-Policy"[^>]*>')
LINES = {("values.yaml", 6): Excerpt(5, ("toolkit:", "  env: []", f"  note: {'long-' * 40}"))}

CONTRASTS = """
const brightness = ([r, g, b]) => [r, g, b].map(each => each / 255).map(
  each => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4
).reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
const behind = each => {
  for (let at = each; at; at = at.parentElement) {
    const colour = numbers(view.getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] > 0) return colour;
  }
};
page.querySelectorAll("details").forEach(each => each.open = true);
await shown();
return [...page.body.querySelectorAll(":not(svg *, svg)")]
  .filter(each => [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
  .filter(each => each.getClientRects().length)
  .map(each => {
    const two = [numbers(view.getComputedStyle(each).color), behind(each)].map(brightness).sort((a, b) => b - a);
    return [(two[0] + 0.05) / (two[1] + 0.05), each.outerHTML.slice(0, 80)];
  });
"""


@pytest.fixture
def opened(tools: Tools, tmp_path: Path) -> Browser:
    return browser(tools, tmp_path / "browser")


def _attacked(attack: str) -> str:
    made = replace(hostile(), message=attack, is_=attack, should=attack, cause=attack, remedy=attack, victims=(attack,))
    rule = type(PATHS)(attack, severity=PATHS.severity, title=attack, remedy=attack)
    where = replace(made.where, path=attack, line=1, subject=attack)
    judgements = (judged(replace(made, where=where, rule=attack), rule=rule, place=where), judged(why=attack))
    lines = {(attack, 1): Excerpt(1, (attack,), attack)}
    return render(report(*judgements), BesideFindings(attack, {attack: attack}), lines)


LOOK = "return [page.title, document.title, [...page.querySelectorAll('*')].map(each => each.localName)]"


def test_a_script_in_the_page_would_be_seen(opened: Browser) -> None:
    page = render(one_of_each()).replace("<main>", f"<main>{ATTACKS[0]}")
    assert opened.told(POLICY.sub("", page), LOOK)[:2] == ["owned", "owned"]
    assert "owned" not in opened.told(page, LOOK)[:2], "the page's own policy stops it"


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_of_others_runs(opened: Browser, attack: str) -> None:
    page, watcher, tags = opened.told(POLICY.sub("", _attacked(attack)), LOOK)
    assert (page, watcher) == ("nodeworthy: 1 failure in the source", "")
    assert {each.lower() for each in tags} <= MADE_OF
    assert set(opened.asked) <= {"/watcher.html", "/page.html", "/favicon.ico"}


def test_nothing_of_a_hostile_repository_runs(opened: Browser, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(INCIDENT, repository)
    values = (repository / "values.yaml").read_text(encoding="utf-8")
    for number, attack in enumerate(ATTACKS):
        text = values.replace("env: []", f"env: []  # {attack}\n  note: {attack!r}")
        (repository / f"{number}{attack.replace('/', '')}.yaml").write_text(text, encoding="utf-8")
    ran = run("check", ".", "--format", "html", "--show-passed", cwd=repository)
    assert ran.code == 1, ran.err
    assert ran.out.count("owned") > len(ATTACKS)
    page, watcher, tags = opened.told(POLICY.sub("", ran.out), LOOK)
    assert "owned" not in (page, watcher)
    assert {each.lower() for each in tags} <= MADE_OF
    assert set(opened.asked) <= {"/watcher.html", "/page.html", "/favicon.ico"}


def test_a_box_takes_its_findings_away_and_brings_them_back(opened: Browser) -> None:
    seen = opened.told(
        render(one_of_each()),
        """
        const seen = () => [...page.querySelectorAll("main > section[id]")]
          .filter(each => each.getClientRects().length).map(each => each.id);
        const told = [seen()];
        for (const _ of [1, 2]) { page.getElementById("show-fail").click(); await shown(); told.push(seen()); }
        return told;
        """,
    )
    every = ["are-fail", "are-error", "are-unknown", "are-warning", "are-suppressed"]
    assert seen == [every, every[1:], every]


def test_all_that_can_be_done_can_be_done_by_keyboard(opened: Browser) -> None:
    doing, not_reached = opened.told(
        render(one_of_each(), excerpts=LINES),
        """
        const doing = [...page.querySelectorAll("summary, input, a, .scroll")].filter(each => each.checkVisibility());
        const reached = each => { each.focus(); return page.activeElement === each; };
        return [doing.length, doing.filter(each => !reached(each)).map(each => each.outerHTML)];
        """,
    )
    assert doing > 10
    assert not_reached == []


def test_an_address_opens_its_finding(opened: Browser) -> None:
    before, after, top = opened.told(
        render(many(300)),
        """
        const body = [...page.querySelectorAll(".body")].at(-1), folded = body.closest("details"), told = [folded.open];
        view.location.hash = body.id;
        await shown();
        return [...told, folded.open, folded.getBoundingClientRect().top];
        """,
    )
    assert (before, after) == (False, True)
    assert 0 <= top < 900


@pytest.mark.parametrize("width", [320, 400, 1400])
def test_it_fits_its_width(opened: Browser, width: int) -> None:
    long = judged(replace(finding(), is_="/" + "x" * 600, message="y" * 600, rule="z" * 100))
    page = render(report(*one_of_each().judgements, long, judged(why="w" * 500)), excerpts=LINES)
    script = """
    page.querySelectorAll("details").forEach(each => each.open = true);
    await shown();
    return [page.documentElement.scrollWidth, view.innerWidth];
    """
    needed, has = opened.told(page, script, width=width)
    assert needed <= has


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_of_it_can_be_read(opened: Browser, dark: bool) -> None:
    page = render(report(*one_of_each().judgements), excerpts=LINES)
    told = opened.told(page, CONTRASTS, dark=dark)
    assert len(told) > 50
    assert [each for each in told if each[0] < 4.5] == []
    paper = opened.told(page, "return view.getComputedStyle(page.body).backgroundColor", dark=dark)
    assert paper == ("rgb(18, 22, 28)" if dark else "rgb(255, 255, 255)")
