"""What the pack's own config does, and how a wrong one ends."""

from __future__ import annotations

import json
from typing import Any

import grpc
import pytest

from nodeworthy.collect.plan.protocol import UNKNOWN
from nodeworthy.known.operator_parts import SOCKET
from tests.policy.pack import PACK, Pack, fleet, release
from tests.policy.test_violations import INCIDENT, RIGHT, RULE

WRONG = release([])
UNDECIDED = release({**RIGHT, SOCKET: UNKNOWN})
ALLOWED = {"resource": "*::kubernetes:helm.sh/v3:Release::gpu-*", "reason": "moves next week"}


@pytest.fixture
def pack(pack: Pack) -> Pack:
    pack.configure_stack(fleet(onprem=INCIDENT))
    return pack


def levels(pack: Pack, planned: Any) -> set[str]:
    return {each.level for each in pack.deployment(planned).of(RULE)}


def test_a_rule_can_be_an_advisory_then_its_unknowns_are_too(pack: Pack) -> None:
    pack.configure(containerd_paths={"enforcementLevel": "advisory"})
    assert levels(pack, WRONG) == {"advisory"}
    assert levels(pack, UNDECIDED) == {"advisory"}


def test_an_unknown_has_a_level_of_its_own(pack: Pack) -> None:
    pack.configure(containerd_paths={"unknown": "advisory"})
    assert levels(pack, WRONG) == {"mandatory"}
    assert levels(pack, UNDECIDED) == {"advisory"}
    pack.configure(containerd_paths={"enforcementLevel": "advisory", "unknown": "mandatory"})
    assert levels(pack, WRONG) == {"advisory"}
    assert levels(pack, UNDECIDED) == {"mandatory"}


def test_the_way_out_that_a_blocked_unknown_names_is_one(pack: Pack) -> None:
    [told] = pack.deployment(UNDECIDED).of(RULE)
    assert '{"containerd-paths": {"unknown": "advisory"}}' in told.message


def test_a_disabled_rule_is_not_judged(pack: Pack) -> None:
    pack.configure(containerd_paths={"enforcementLevel": "disabled"})
    answer = pack.deployment(WRONG)
    assert answer.of(RULE) == []
    assert [name for name, _ in answer.not_applicable if name == RULE] == []


def test_one_level_for_all_rules_and_one_of_its_own(pack: Pack) -> None:
    pack.configure(all={"enforcementLevel": "advisory"})
    assert levels(pack, WRONG) == levels(pack, UNDECIDED) == {"advisory"}
    pack.configure(all={"enforcementLevel": "advisory"}, containerd_paths={"enforcementLevel": "mandatory"})
    assert levels(pack, WRONG) == levels(pack, UNDECIDED) == {"mandatory"}
    pack.configure(all={"enforcementLevel": "mandatory", "unknown": "advisory"})
    assert (levels(pack, WRONG), levels(pack, UNDECIDED)) == ({"mandatory"}, {"advisory"})
    pack.configure(
        all={"enforcementLevel": "mandatory", "unknown": "advisory"}, containerd_paths={"unknown": "mandatory"}
    )
    assert levels(pack, UNDECIDED) == {"mandatory"}
    pack.configure(all={"enforcementLevel": "disabled"})
    assert levels(pack, WRONG) == set()


def test_an_allowed_resource_may_break_the_rule_and_no_other_may(pack: Pack) -> None:
    pack.configure(containerd_paths={"allow": [ALLOWED]})
    answer = pack.deployment(WRONG, release([], name="second"))
    assert {each.urn for each in answer.of(RULE)} == {release([], name="second").urn}
    assert (RULE, f"allowed on {WRONG.urn}: moves next week") in answer.not_applicable


def test_what_is_allowed_and_does_not_happen_is_told(pack: Pack) -> None:
    pack.configure(containerd_paths={"allow": [ALLOWED]})
    [told] = pack.deployment(release(RIGHT)).told
    assert (told.policy, told.level) == ("suppression-unused", "advisory")
    assert "moves next week" in told.message
    # While the rule could not decide, nobody knows whether it is needed.
    assert pack.deployment(UNDECIDED).of("suppression-unused") == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"containerd-paths": {"allow": [{"resource": "*"}]}},
            "containerd-paths: allow, entry 1 (*): it gives no reason, and without one nothing is allowed",
        ),
        (
            {"containerd-paths": {"allow": [ALLOWED, {"resource": "*", "reason": "  "}]}},
            "containerd-paths: allow, entry 2 (*): it gives no reason, and without one nothing is allowed",
        ),
        (
            {"containerd-paths": {"allow": [{"reason": "because"}]}},
            "containerd-paths: allow, entry 1: it names no resource; it is {resource: URN-GLOB, reason: …}",
        ),
        (
            {"containerd-paths": {"allow": "*"}},
            "containerd-paths: allow is no list; it is [{resource: URN-GLOB, reason: …}]",
        ),
        (
            {"containerd-paths": {"unknown": "never"}},
            "containerd-paths: unknown is 'never'; it is mandatory or advisory",
        ),
        (
            {"containerd-paths": {"unknwon": "advisory"}},
            "containerd-paths: there is no setting 'unknwon'; there are enforcementLevel, unknown, allow",
        ),
        (
            {"all": {"unknown": "never"}},
            "all: unknown is 'never'; it is mandatory or advisory",
        ),
        (
            {"all": {"allow": [ALLOWED]}},
            "all: there is no setting 'allow'; there are enforcementLevel, unknown",
        ),
        (
            {"containerd-pats": {}},
            "there is no rule 'containerd-pats'; did you mean containerd-paths?",
        ),
    ],
)
def test_a_wrong_config_is_refused_with_one_sentence(pack: Pack, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(grpc.RpcError) as refusal:
        pack.configure(**given)
    assert refusal.value.details() == sentence
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    # And what was configured before holds on.
    assert levels(pack, WRONG) == {"mandatory"}


def test_the_config_that_its_page_shows_is_one(pack: Pack) -> None:
    text = (PACK.parent / "docs" / "use-it-on-your-stack.md").read_text(encoding="utf-8")
    shown = json.loads(text.partition("```json levels.json\n")[2].partition("```")[0])
    given = {name: {"enforcementLevel": each} if isinstance(each, str) else each for name, each in shown.items()}
    pack.configure(**given)
    assert levels(pack, UNDECIDED) == {"advisory"}
