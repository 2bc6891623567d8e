"""Labels what was said, and counts it: by rule, and against the bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.exam.records import Exam, Fault, Label, Looked, Said

ERRORS_TRUE, ALL_TRUE, FOUND, UNKNOWNS_A_FILE = 0.95, 0.90, 0.85, 0.1


@dataclass(frozen=True)
class Labelled:
    said: Said
    label: Label
    blind: bool
    why: str = ""


@dataclass(frozen=True)
class Score:
    looked: tuple[Looked, ...]
    missing: tuple[str, ...]
    labelled: tuple[Labelled, ...]
    unknowns: tuple[Said, ...]
    found: tuple[Fault, ...]
    missed: tuple[Fault, ...]
    withdrawn: tuple[Fault, ...] = field(default=())

    @property
    def crashes(self) -> tuple[Looked, ...]:
        return tuple(one for one in self.looked if one.crash)

    def count(self, label: Label, rule: str = "", severity: str = "") -> int:
        return sum(
            one.label is label and rule in ("", one.said.rule) and severity in ("", one.said.severity)
            for one in self.labelled
        )

    def precision(self, severity: str = "") -> float:
        """What nobody has judged is not true."""
        true = self.count(Label.TRUE, severity=severity)
        other = self.count(Label.FALSE, severity=severity) + self.count(Label.UNDECIDED, severity=severity)
        return true / (true + other) if true + other else 1.0

    @property
    def recall(self) -> float:
        of_all = len(self.found) + len(self.missed)
        return len(self.found) / of_all if of_all else 1.0

    @property
    def unknowns_a_file(self) -> float:
        return len(self.unknowns) / len(self.looked) if self.looked else 0.0

    @property
    def passes(self) -> bool:
        is_true = self.precision("error") >= ERRORS_TRUE and self.precision() >= ALL_TRUE
        return is_true and self.recall >= FOUND and self.unknowns_a_file <= UNKNOWNS_A_FILE and not self.crashes


def score(exam: Exam, looked: Sequence[Looked]) -> Score:
    files = {one.file for one in looked}
    said = [said for one in looked for said in one.said]
    asserted = [one for one in said if not one.is_unknown and one.rule != "rule-crashed"]
    here = [fault for fault in exam.faults if fault.file in files]
    withdrawn = [fault for fault in here if _verdict(exam, fault.key) == "no-fault"]
    faults = [fault for fault in here if fault not in withdrawn]
    found = [fault for fault in faults if _is_found(exam, fault, asserted)]
    return Score(
        looked=tuple(looked),
        missing=tuple(file for file in exam.files if file not in files),
        labelled=tuple(_labelled(exam, faults, one) for one in asserted),
        unknowns=tuple(one for one in said if one.is_unknown),
        found=tuple(found),
        missed=tuple(fault for fault in faults if fault not in found),
        withdrawn=tuple(withdrawn),
    )


def rules_of(score: Score) -> list[str]:
    """Every rule that said something, or should have."""
    faults = [fault.rule for fault in (*score.found, *score.missed)]
    said = [one.rule for one in (*(one.said for one in score.labelled), *score.unknowns)]
    return sorted({*faults, *said})


def by_rule(those: Iterable[Fault | Said]) -> Counter[str]:
    return Counter(one.rule for one in those)


def _labelled(exam: Exam, faults: Sequence[Fault], said: Said) -> Labelled:
    judged = exam.judged.get(said.key)
    if judged is not None and judged.verdict in (Label.TRUE, Label.FALSE):
        return Labelled(said, Label(judged.verdict), blind=False, why=judged.why)
    for fault in faults:
        if fault.is_said_by(said):
            return Labelled(said, Label.TRUE, blind=True, why=fault.why)
    if (said.file, said.rule) in exam.doubts:
        return Labelled(said, Label.DOUBT, blind=True)
    return Labelled(said, Label.UNDECIDED, blind=False)


def _is_found(exam: Exam, fault: Fault, asserted: Sequence[Said]) -> bool:
    return any(_means(exam, fault, said) for said in asserted if said.file == fault.file)


def _means(exam: Exam, fault: Fault, said: Said) -> bool:
    judged = exam.judged.get(said.key)
    if judged is not None and judged.finds == fault.line:
        return judged.verdict == Label.TRUE
    return fault.is_said_by(said) and (judged is None or judged.verdict != Label.FALSE)


def _verdict(exam: Exam, key: tuple[str, str, int]) -> str:
    judged = exam.judged.get(key)
    return judged.verdict if judged is not None else ""
