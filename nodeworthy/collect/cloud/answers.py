"""What AWS answered, or why it did not. Whoever asks twice is told the same."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, Protocol

from nodeworthy.collect.cloud.calls import Call
from nodeworthy.records import dataclass

AT_ONCE = 8
Page = Mapping[str, Any]


class AwsRefusal(Exception):
    """AWS does not answer this call: a right is missing, it is asked too often, or it does not know the call."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Source(Protocol):
    """Where answers come from: an account, or what was recorded of one."""

    @property
    def region(self) -> str: ...

    @property
    def account(self) -> str: ...

    @property
    def seen_at(self) -> datetime: ...

    def pages(self, call: Call, arguments: Mapping[str, Any]) -> Sequence[Page]:
        """Raises AwsRefusal."""


@dataclass(frozen=True)
class Answer:
    pages: Sequence[Page] = ()
    # Why there is none, in words that name the right.
    refused: str = ""
    key: str = ""

    @property
    def items(self) -> Sequence[Any]:
        """What stands in its list, over all of its pages."""
        found = [page.get(self.key) for page in self.pages]
        return [item for each in found if isinstance(each, list) for item in each]

    @property
    def one(self) -> Any:
        """The answer of a call that gives one value and no list."""
        return self.pages[0].get(self.key) if self.pages else None


class RegionAnswers:
    """The answers of one region, each asked for once."""

    def __init__(self, source: Source) -> None:
        self.region, self.account, self.seen_at = source.region, source.account, source.seen_at
        self._source = source
        self._answers: dict[tuple[str, str], Answer] = {}
        self._lock = threading.Lock()

    def ask(self, call: Call, **arguments: Any) -> Answer:
        key = (call.action, json.dumps(arguments, sort_keys=True))
        with self._lock:
            if key in self._answers:
                return self._answers[key]
        answer = self._answered(call, arguments)
        with self._lock:
            return self._answers.setdefault(key, answer)

    def ask_at_once(self, asked: Iterable[tuple[Call, Mapping[str, Any]]]) -> Sequence[Answer]:
        every = list(asked)
        if not every:
            return []
        with ThreadPoolExecutor(min(AT_ONCE, len(every))) as pool:
            return list(pool.map(lambda each: self.ask(each[0], **each[1]), every))

    def _answered(self, call: Call, arguments: Mapping[str, Any]) -> Answer:
        try:
            return Answer(self._source.pages(call, arguments), "", call.key)
        except AwsRefusal as refused:
            return Answer((), f"AWS does not answer {call.action}: {refused.code}", call.key)
