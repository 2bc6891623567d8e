"""The report as JUnit's XML: a test case for each rule on each subject."""

from __future__ import annotations

import io
from collections import Counter
from xml.etree import ElementTree

from nodeworthy.engine import Judgement
from nodeworthy.report.counted import count_line
from nodeworthy.report.printable import on_one_line, printable
from nodeworthy.report.report import Report
from nodeworthy.report.text import finding_text, sentence_of
from nodeworthy.rule import Moment
from nodeworthy.verdict import Verdict, worst

NOTHING = "nothing was evaluated, so nothing is proven"


def render(report: Report, *, strict: bool = False, allow_unknown: bool = False) -> str:
    """`strict` makes warnings failures, `allow_unknown` lets what is unknown pass, as in the exit code."""
    cases = _Cases(report, strict, allow_unknown)
    suite = ElementTree.Element("testsuite", name=f"nodeworthy {report.moment.value}")
    for each in report.judgements:
        suite.append(cases.case(each))
    if not report.evaluated["verdicts"]:
        suite.append(_nothing(report.moment, cases))
    ElementTree.SubElement(suite, "system-out").text = printable(count_line(report))
    for name, count in cases.counts.items():
        suite.set(name, str(count))
    suites = ElementTree.Element("testsuites", name="nodeworthy")
    suites.append(suite)
    return _as_xml(suites)


def _as_xml(suites: ElementTree.Element) -> str:
    ElementTree.indent(suites)
    written = io.StringIO()
    ElementTree.ElementTree(suites).write(written, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written.getvalue()}\n'


def _nothing(moment: Moment, cases: _Cases) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname="nodeworthy", name=f"something was evaluated at {moment.value}")
    ElementTree.SubElement(case, "error", message=NOTHING)
    cases.counts["tests"] += 1
    cases.counts["errors"] += 1
    return case


class _Cases:
    """Names each case once: readers of JUnit's XML take two of one name for the same."""

    def __init__(self, report: Report, strict: bool, allow_unknown: bool) -> None:
        self._report = report
        self._strict = strict
        self._allow_unknown = allow_unknown
        self._named: Counter[tuple[str, str]] = Counter()
        self.counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}

    def case(self, judgement: Judgement) -> ElementTree.Element:
        name = self._name(judgement)
        case = ElementTree.Element("testcase", classname=judgement.rule.id, name=name)
        outcome = self._outcome(judgement)
        told = printable("\n\n".join(finding_text(each) for each in judgement.findings))
        if outcome is not None:
            tag, counter = outcome
            self.counts[counter] += 1
            child = ElementTree.SubElement(case, tag, message=self._message(judgement))
            child.text = told or None
        elif told:
            ElementTree.SubElement(case, "system-out").text = told
        self.counts["tests"] += 1
        return case

    def _name(self, judgement: Judgement) -> str:
        place = judgement.subject.place
        name = on_one_line(" ".join(dict.fromkeys([str(place), place.subject or str(place)])))
        self._named[judgement.rule.id, name] += 1
        number = self._named[judgement.rule.id, name]
        return name if number == 1 else f"{name} ({number})"

    def _outcome(self, judgement: Judgement) -> tuple[str, str] | None:
        """The element, and the count that it is in; None: it passed."""
        if judgement.verdict is Verdict.SKIP:
            return "skipped", "skipped"
        if judgement.verdict is Verdict.ERROR:
            return "error", "errors"
        speaking = {each.verdict for each in judgement.findings if self._report.speaks(each, strict=self._strict)}
        if Verdict.FAIL in speaking:
            return "failure", "failures"
        return ("error", "errors") if Verdict.UNKNOWN in speaking and not self._allow_unknown else None

    def _message(self, judgement: Judgement) -> str:
        speaking = [each for each in judgement.findings if self._report.speaks(each, strict=self._strict)]
        if not speaking:
            return on_one_line(judgement.why or "")
        gravest = worst(each.verdict for each in speaking)
        return on_one_line(sentence_of(next(each for each in speaking if each.verdict is gravest)))
