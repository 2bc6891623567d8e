"""Reports made by hand: one of every verdict, and the worst that a file or a cluster may hold."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.engine import Judgement, Nothing
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment, Rule
from nodeworthy.verdict import Finding, Place, Related, Severity, Verdict, worst

PATHS = Rule("containerd-paths", severity=Severity.ERROR, title="The paths are right", remedy="set them")
DISKS = Rule("disks-encrypted", severity=Severity.WARNING, title="Disks are encrypted", remedy="encrypt them")
CRASH = Rule("rule-crashed", severity=Severity.ERROR, title="No rule crashes", remedy="report it", about_ourselves=True)

PLACE = Place(path="values.yaml", line=6, column=14, subject="toolkit.env")
# Ends a line, a command, a property, a code span, a fence, a tag, a CDATA section; what XML and UTF-8 refuse.
HOSTILE = (
    "100%\r\n::error file=a,line=1::owned\n##[error]owned @everyone #1 "
    "`a` ``b`` `````\n```\n</details></code><script>alert(1)</script><!-- --> ![x](http://evil) ]]> "
    "a:b,c \x00\x1b[31m\x85\u2028\u202e\ud800\ufffe\U0001f600"
)


def finding(
    verdict: Verdict = Verdict.FAIL, rule: Rule = PATHS, where: Place = PLACE, message: str = "the socket is another"
) -> Finding:
    return Finding(
        verdict,
        message,
        where,
        is_="/run/a.sock",
        should="/run/b.sock",
        related=(Related(Place(path="Pulumi.prod.yaml", line=9, column=5), "the pool runs k8s-snap"),),
        cause="kubelet talks to another one",
        remedy="set it to /run/b.sock",
        rule=rule.id,
        severity=rule.severity,
    )


def hostile(verdict: Verdict = Verdict.FAIL, rule: Rule = PATHS) -> Finding:
    place = Place(path=f"a/{HOSTILE}", line=1, column=2, subject=HOSTILE)
    named = Related(Place(object=HOSTILE), HOSTILE)
    made = finding(verdict, rule, place, HOSTILE)
    return replace(
        made, is_=HOSTILE, should=HOSTILE, cause=HOSTILE, remedy=HOSTILE, victims=(HOSTILE,), related=(named,)
    )


def judged(*findings: Finding, rule: Rule = PATHS, why: str | None = None, place: Place = PLACE) -> Judgement:
    speaking = [each for each in findings if not each.suppressed]
    verdict = worst(each.verdict for each in speaking) if speaking else Verdict.PASS
    suppressed = bool(findings) and not speaking
    return Judgement(rule, Nothing(place), Verdict.SKIP if why else verdict, findings, suppressed=suppressed, why=why)


def report(*judgements: Judgement) -> Report:
    return Report(Moment.SOURCE, judgements, {"files": 2})


def one_of_each() -> Report:
    outside = Place(urn="urn:pulumi:prod::gpu::aws:ec2/launchTemplate:LaunchTemplate::h100")
    return report(
        judged(finding()),
        judged(finding(rule=DISKS, where=outside), rule=DISKS, place=outside),
        judged(finding(Verdict.UNKNOWN, message="the value is not known yet")),
        judged(finding(Verdict.ERROR, rule=CRASH, message="the rule x crashed here"), rule=CRASH),
        judged(replace(finding(message="left as it is"), suppressed=True)),
        judged(replace(finding(message="by made-up outputs"), simulated=True)),
        judged(),
        judged(why="no fleet was given"),
    )


def many(count: int = 10_000) -> Report:
    return report(*(judged(finding(where=replace_line(number))) for number in range(1, count + 1)))


def replace_line(number: int) -> Place:
    return Place(path=f"charts/{number % 200}/values.yaml", line=number, column=3, subject="toolkit.env")
