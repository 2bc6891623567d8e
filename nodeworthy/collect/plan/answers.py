"""What the program asks while it runs, and where the answers come from: a reviewed file, or the account once."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import yaml as pyyaml

from nodeworthy.collect.plan.project import read_mapping, shown_path
from nodeworthy.collect.plan.protocol import SIGNATURE, Wire, is_secret, redact_wire
from nodeworthy.documents.tree import Tree, plain
from nodeworthy.errors import Ends, InputError
from nodeworthy.records import dataclass

FILE = "nodeworthy.answers.yaml"
HEADER = "# What the Pulumi program asks while it runs, and what it is told. Reviewed and committed like code.\n"


@dataclass(frozen=True)
class Question:
    call: str
    arguments: Mapping[str, Wire]

    @property
    def key(self) -> str:
        return _key(self.call, self.arguments)

    def shown(self) -> str:
        return f"{self.call} with {json.dumps(_redacted_wire(self.arguments), sort_keys=True, ensure_ascii=False)}"


class Asks(Protocol):
    """Answers a question; None where it does not know how."""

    def __call__(self, question: Question) -> Mapping[str, Any] | None: ...


class Answers:
    """The answers at hand. Both runs of a program use the same ones, each asked once."""

    def __init__(self, path: Path, found: Mapping[str, Mapping[str, Any]], asks: Asks | None = None) -> None:
        self._path = path
        self._found = dict(found)
        self._asks = asks
        self._new: list[tuple[Question, Mapping[str, Any]]] = []
        self._refusal: Ends | None = None
        self._lock = threading.Lock()

    def to(self, question: Question) -> Mapping[str, Any] | None:
        with self._lock:
            if question.key not in self._found and self._asks is not None:
                answer = self._asked(question, self._asks)
                if answer is not None:
                    self._found[question.key] = answer
                    self._new.append((question, answer))
            return self._found.get(question.key)

    def _asked(self, question: Question, asks: Asks) -> Mapping[str, Any] | None:
        """A refusal ends the preview, and not in the thread that the program waits for."""
        try:
            return asks(question)
        except Ends as refusal:
            self._refusal = refusal
            return None

    def keep(self) -> int:
        """Writes what was newly asked beside what stood there; how many answers that were."""
        if self._new:
            written = self._path.read_text(encoding="utf-8") if self._path.exists() else HEADER
            ordered = sorted(self._new, key=lambda each: each[0].key)
            entries = [{"call": q.call, "arguments": _bare(q.arguments), "answer": answer} for q, answer in ordered]
            text = pyyaml.safe_dump(entries, sort_keys=True, allow_unicode=True, width=110)
            try:
                self._path.write_text(written.rstrip("\n") + "\n" + text, encoding="utf-8")
            except OSError as problem:
                raise InputError(f"can't write {shown_path(self._path)}: {problem.strerror}") from None
        return len(self._new)

    def unanswered(self, questions: list[Question]) -> Ends:
        """Every question that nobody answered, and both ways to answer it; or why the account did not."""
        if self._refusal is not None:
            return self._refusal
        told = {each.key: each for each in questions}.values()
        named = "".join(f"\n  {each.shown()}" for each in told)
        return InputError(
            f"the program asks what nobody has answered:{named}\n"
            f"Write the answer into {shown_path(self._path)} (or another file: --answers FILE), as\n"
            f"{_entry(next(iter(told)))}"
            f"or ask the account once, read-only: --ask-aws{self._limits(next(iter(told)))}"
        )

    def _limits(self, question: Question) -> str:
        asked_in_vain = self._asks is not None or not question.call.startswith("aws:")
        return " (which does not know how to ask this)" if asked_in_vain else ""


def read_answers(path: Path, *, named: bool, asks: Asks | None) -> Answers:
    """The answers of a file; one that was named must be there."""
    if not path.exists():
        if named and asks is None:
            raise InputError(f"there is no {shown_path(path)}")
        return Answers(path, {}, asks)
    tree = read_mapping(path, sequence=True)
    return Answers(path, dict(_answer(entry) for entry in tree.sequence), asks)


def _answer(entry: Tree) -> tuple[str, Mapping[str, Any]]:
    call, arguments, answer = entry.get("call"), entry.get("arguments"), entry.get("answer")
    if call.text is None or not answer.is_mapping or not (arguments.is_mapping or arguments.says_nothing):
        raise InputError(f"{entry.place}: an answer has `call`, `arguments` (a mapping) and `answer` (a mapping)")
    return _key(call.text, plain(arguments) if arguments.is_mapping else {}), plain(answer)


def _key(call: str, arguments: Mapping[str, Wire]) -> str:
    return f"{call} {json.dumps(_bare(arguments), sort_keys=True)}"


def _bare(data: Wire) -> Wire:
    """The question itself: a null argument is one that was not given, and a secret is asked like any other."""
    if is_secret(data):
        return _bare(data["value"])
    if isinstance(data, Mapping):
        return {name: _bare(each) for name, each in data.items() if each is not None and name != SIGNATURE}
    return [_bare(each) for each in data] if isinstance(data, list) else data


def _redacted_wire(data: Wire) -> Wire:
    if isinstance(data, Mapping) and not is_secret(data):
        return {name: _redacted_wire(each) for name, each in data.items() if each is not None}
    return redact_wire([_redacted_wire(each) for each in data] if isinstance(data, list) else data)


def _entry(question: Question) -> str:
    entry = [{"call": question.call, "arguments": _redacted_wire(question.arguments), "answer": {"…": "…"}}]
    text: str = pyyaml.safe_dump(entry, sort_keys=False, allow_unicode=True, width=110)
    return "".join(f"  {line}\n" for line in text.splitlines())
