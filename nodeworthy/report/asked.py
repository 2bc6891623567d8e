"""What the reader of a report asked for, as far as the report tells of it."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.report.report import Report
from nodeworthy.verdict import Finding, Verdict


@dataclass(frozen=True)
class Asked:
    strict: bool = False
    allow_unknown: bool = False
    show_passed: bool = False
    show_skipped: bool = False
    show_unknown: bool = False
    quiet: bool = False

    @property
    def skips(self) -> bool:
        """Whether every skip is listed, with why."""
        return self.show_skipped or self.show_passed

    def told(self, report: Report) -> list[Finding]:
        """The findings that are told one by one."""
        return [each for each in report.findings if self.tells(report, each)]

    def only_counted(self, report: Report) -> int:
        """How many unknowns are no more than a number, because they change no exit code."""
        return len(report.findings) - len(self.told(report))

    def tells(self, report: Report, finding: Finding) -> bool:
        if finding.verdict is not Verdict.UNKNOWN or self.show_unknown:
            return True
        return report.speaks(finding, strict=self.strict)


EVERYTHING = Asked(show_passed=True, show_skipped=True, show_unknown=True)
