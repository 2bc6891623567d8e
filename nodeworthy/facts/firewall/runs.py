"""The runs of a script in which its firewall differs: one for each set of answers that its steps depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from nodeworthy.boot.conditions import Asks, Condition, Guard, Question
from nodeworthy.facts.firewall.firewall import Does, FirewallStep
from nodeworthy.facts.firewall.state import Firewall, firewall_left_by
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# More questions than this, and their combinations are too many.
MOST = 7
# These ask the firewall whether the step has been done already, or whether there is a firewall at all.
_OF_ITSELF = pattern(
    r"\b(?:ufw\s+(?:status|show)|ip6?tables(?:-save|\s.*(?:-C|-S|-L|--check|--list))|nft\s+list|"
    r"firewall-cmd\s+.*--(?:state|list|query|get)|is-(?:active|enabled)\b.*\bfirewalld|"
    r"(?:command\s+-v|which|type|hash|dpkg|rpm|-x)\b.*\b(?:ufw|iptables|nft|firewall)|(?:ufw|iptables)\.(?:service|conf)|"
    r"grep\b.*[\s\"']/(?:etc|lib)/(?:ufw/|default/ufw|firewalld/|iptables/|sysconfig/ip6?tables|nftables))"
)


@dataclass(frozen=True)
class Run:
    # What has to be so for this run, as far as the firewall depends on it.
    when: Guard
    firewall: Firewall


def runs(steps: Sequence[FirewallStep]) -> list[Run] | None:
    """Each set of answers once; None where they are too many."""
    guards = [_counted(each) for each in steps]
    questions = {each.key: each.question for guard in guards if guard for each in guard}
    if len(questions) > MOST:
        return None
    found: dict[tuple[bool, ...], Run] = {}
    for when in _answers(list(questions.values())):
        answers = {each.key: each.answer for each in when}
        happens = tuple(_holds(guard, answers) for guard in guards)
        if happens not in found:
            done = [each for each, does in zip(steps, happens, strict=True) if does]
            found[happens] = Run(when, firewall_left_by(done))
    return list(found.values())


def _answers(questions: Sequence[Question]) -> Iterator[Guard]:
    for answers in product(*(each.answers for each in questions)):
        yield tuple(Condition(question, answer) for question, answer in zip(questions, answers, strict=True))


def _counted(step: FirewallStep) -> Guard | None:
    """What a step depends on; None where it is there for a failure. A loop is meant to run, a command to succeed."""
    counted: list[Condition] = []
    for each in step.conditions:
        if each.question.asks is Asks.TRAP:
            return None
        if _OF_ITSELF.search(each.question.text) or each.question.asks is Asks.LOOP:
            continue
        if each.question.asks is Asks.SUCCESS:
            if each.answer == "no" and step.does is not Does.ON:
                return None
            continue
        counted.append(each)
    return tuple(counted)


def _holds(guard: Guard | None, answers: dict[tuple[str, int], str]) -> bool:
    return guard is not None and all(answers[each.key] == each.answer for each in guard)
