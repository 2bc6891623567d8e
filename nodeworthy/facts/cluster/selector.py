"""Selectors of labels, as the API server compares them: whom they choose, and what they want of whom they do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.documents.plain import at, mappings_at, strings_at, text_at
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Unmet:
    label: str
    wants: str
    # As kubectl label takes it: `team=ml`, or `team-` where it must go.
    change: str


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Compares a selector with labels as the API server does; an empty one selects everything."""
    wanted = strings_at(selector, "matchLabels").items()
    return all(labels.get(name) == value for name, value in wanted) and all(
        _holds(each, labels) for each in mappings_at(selector, "matchExpressions")
    )


def unmet(selector: Mapping[str, Any], labels: Mapping[str, str]) -> Iterator[Unmet]:
    """What of it these labels do not fulfil."""
    for name, value in strings_at(selector, "matchLabels").items():
        if labels.get(name) != value:
            yield Unmet(name, f"{name}={value}", f"{name}={value}")
    for each in mappings_at(selector, "matchExpressions"):
        if not _holds(each, labels):
            yield _unmet(each)


def _unmet(expression: Mapping[str, Any]) -> Unmet:
    key, operator = text_at(expression, "key"), text_at(expression, "operator")
    written = at(expression, "values")
    values = [str(each) for each in written] if isinstance(written, list) else []
    if operator == "In":
        wants = f"{key}={values[0]}" if len(values) == 1 else f"{key} in ({', '.join(values)})"
        return Unmet(key, wants, f"{key}={next(iter(values), '')}")
    if operator == "Exists":
        return Unmet(key, f"a label {key}", f"{key}=true")
    return Unmet(key, f"no label {key}" + (f"={' or '.join(values)}" if operator == "NotIn" else ""), f"{key}-")


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    operator, value = text_at(expression, "operator"), labels.get(text_at(expression, "key"))
    written = at(expression, "values")
    values = written if isinstance(written, list) else []
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    return (value is not None) is (operator == "Exists")
