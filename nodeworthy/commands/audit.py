"""Reads AWS and judges what runs there: groups of nodes, their launch templates, and the machines that really run.
Changes nothing.

It asks only what Describe, Get and List answer; --print-policy prints the rights that this takes. What AWS refuses
makes unknown what depends on it, by the name of the right, and nothing else.

Whose nodes it judges follows from tags, types and EKS: no program of ours need have made them. With --stack or --fleet
they are judged by that fleet, and those of other clusters are left out; where the stack says which account it is for,
another one ends the run with 2 before anything is judged.

With --stack in the folder of a Pulumi project, its program is run as in a preview, and what it declares is laid beside
what runs; --state FILE (`pulumi stack export`) says by id which is which. So is what a plan of Terraform or OpenTofu
declares, with --terraform FILE (`terraform show -json` of it).

With --kubernetes CONTEXT the nodes of that cluster are laid beside the machines: who has not joined, whose machine is
gone, who has booted again since he was verified, and who computes on nodes that are not current.

--record keeps what AWS printed, without secrets; --from judges that again, as of the time when it was recorded.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.backstop import watch_time
from nodeworthy.commands import judging, settled
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.cloud.answers import Source
    from nodeworthy.collect.cloud.cluster_nodes import ClusterNodes
    from nodeworthy.collect.cloud.program import Program
    from nodeworthy.collect.cloud.recording import Recorder
    from nodeworthy.collect.cloud.scenes import Looked, Wanted
    from nodeworthy.collect.cloud.stacks import StackAccount
    from nodeworthy.commands.settled import Run

from collections import defaultdict
from collections.abc import Mapping

from nodeworthy.engine import Judgement
from nodeworthy.verdict import Finding, Verdict

_DRIFT = "cloud-matches-plan"
_TIMEOUT = 120.0


class Options(judging.Options):
    region: list[str]
    profile: str | None
    endpoint_url: str | None
    pool: str | None
    state: str | None
    terraform: str | None
    kubernetes: str | None
    record: str | None
    folder: str | None
    print_policy: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--region",
        metavar="NAME",
        action="append",
        default=[],
        help="look here (repeatable; the stack's, or AWS_REGION)",
    )
    parser.add_argument("--profile", metavar="NAME", help="the profile of AWS' own settings")
    parser.add_argument("--endpoint-url", metavar="URL", help="ask there instead of AWS")
    parser.add_argument("--pool", metavar="NAME", help="look at this pool only")
    parser.add_argument(
        "--state", metavar="FILE", help="what `pulumi stack export` wrote of the stack (- for standard input)"
    )
    parser.add_argument(
        "--terraform", metavar="FILE", help="what `terraform show -json` wrote of a plan (- for standard input)"
    )
    parser.add_argument(
        "--kubernetes", metavar="CONTEXT", help="lay the nodes of this context's cluster beside the machines"
    )
    parser.add_argument("--record", metavar="DIR", help="keep what AWS answered, without secrets")
    parser.add_argument("--from", metavar="DIR", dest="folder", help="look at a recording instead of an account")
    parser.add_argument(
        "--print-policy", action="store_true", help="print the rights that this needs, as IAM reads them"
    )
    judging.configure(parser)


def run(options: Options) -> int:
    with watch_time():
        return _run(options)


def _run(options: Options) -> int:
    run = judging.begin(options)
    if options.print_policy:
        return _print_policy(options)
    settled.chosen_ids(run)  # a rule that does not exist is said before anybody is asked
    from nodeworthy.collect.cloud.stacks import stack_account

    _refuse_two_programs(options)
    stack = stack_account(options.fleet, options.stack)
    program, nodes = _program(options, run), _nodes(options)
    looked = [each for source in _sources(options, stack) for each in (_look(source, options, stack, program, nodes),)]
    if options.record is not None and nodes is not None:
        nodes.write(Path(options.record))
    return _deliver(options, run, looked)


def _program(options: Options, run: Run) -> Program:
    """Run, or read, only where somebody asks by it."""
    from nodeworthy.collect.cloud.program import NO_STACK, Program, read_state, run_declaring
    from nodeworthy.collect.cloud.terraform_program import read_terraform

    state = read_state(options.state)
    planned = read_terraform(options.terraform) if options.terraform is not None else None
    if options.stack is None and planned is None:
        return Program(none=NO_STACK)
    if options.pool is not None or _DRIFT not in settled.chosen_ids(run):
        return Program(none="of one pool alone, the program is not asked")
    if planned is not None or options.stack is None:
        return planned or Program(none=NO_STACK)
    from nodeworthy.commands.preview import shown_program

    with shown_program() as shown:
        return run_declaring(options.stack, options.fleet, state, _TIMEOUT, shown)


def _nodes(options: Options) -> ClusterNodes | None:
    from nodeworthy.collect.cloud.cluster_nodes import ask_nodes, recorded_nodes

    if options.folder is not None and options.kubernetes is None:
        return recorded_nodes(Path(options.folder))
    return ask_nodes(options.kubernetes) if options.kubernetes is not None and options.folder is None else None


def _refuse_two_programs(options: Options) -> None:
    from nodeworthy.errors import InputError

    if options.stack is None and options.state is not None:
        raise InputError("--state is of a stack: give --stack NAME, too")
    if options.stack is not None and options.terraform is not None:
        raise InputError("--terraform and --stack name two programs: give one of them, and --fleet FILE for the fleet")


def _print_policy(options: Options) -> int:
    from nodeworthy.collect.cloud.calls import policy

    judging.hand_over(policy(), options.output)
    return 0


def _sources(options: Options, stack: StackAccount) -> Iterator[Source]:
    """One for each region, each with the account that it should be."""
    from nodeworthy.collect.cloud.live import Live, Reach
    from nodeworthy.collect.cloud.recording import regions_of
    from nodeworthy.errors import InputError

    if options.folder is not None:
        asked = {
            "--region": options.region,
            "--profile": options.profile,
            "--endpoint-url": options.endpoint_url,
            "--kubernetes": options.kubernetes,
            "--record": options.record,
        }
        for name, given in asked.items():
            if given:
                raise InputError(f"{name} is for an account; --from asks none")
        for each in regions_of(Path(options.folder)):
            stack.refuse_another(each.account)
            yield each
        return
    reach = Reach(options.profile or stack.profile, options.endpoint_url)
    for region in dict.fromkeys(options.region) or [stack.region]:
        live = Live(reach, region)
        stack.refuse_another(live.account)
        yield live


def _look(
    source: Source, options: Options, stack: StackAccount, program: Program, nodes: ClusterNodes | None
) -> tuple[Source, Wanted, Looked]:
    from nodeworthy.collect.cloud.answers import RegionAnswers
    from nodeworthy.collect.cloud.recording import Recorder
    from nodeworthy.collect.cloud.region import Region
    from nodeworthy.collect.cloud.scenes import Wanted, look

    asked: Source | Recorder = Recorder(source) if options.record is not None else source
    wanted = Wanted(stack.fleet, stack.no_fleet, options.pool)
    looked = look(Region(RegionAnswers(asked)), wanted, program, nodes)
    if options.record is not None and isinstance(asked, Recorder):
        asked.write(Path(options.record))
    return source, wanted, looked


def _deliver(options: Options, run: Run, looked: Sequence[tuple[Source, Wanted, Looked]]) -> int:
    from nodeworthy.collect.cloud.scenes import refuse_unknown_pool

    groups = sum(each.groups for _, _, each in looked)
    machines = sum(each.machines for _, _, each in looked)
    for _, wanted, _ in looked[:1]:
        refuse_unknown_pool(wanted, [each for _, _, each in looked])
    scenes = [scene for _, _, each in looked for scene in each.scenes]
    counted = {"groups": groups, "machines": machines}
    report = judging.judge_scenes(run, Moment.CLOUD, scenes, counted)
    report = replace(report, judgements=with_broken_rules(report.judgements))
    return judging.deliver(options, run, report, "\n".join(_what_was_seen(*each) for each in looked))


def _what_was_seen(source: Source, _: Wanted, looked: Looked) -> str:
    groups = f"{looked.groups} group{'' if looked.groups == 1 else 's'} of nodes"
    machines = f"{looked.machines} machine{'' if looked.machines == 1 else 's'}"
    seen = f"account {source.account}, {source.region}: {groups}, {machines}"
    if not looked.groups and looked.unread:
        seen += f"; which there are is not known: {looked.unread}"
    elif not looked.groups:
        seen += "; nothing here starts nodes of a cluster, or machines with GPUs"
    if looked.of_others:
        one = looked.of_others == 1
        seen += f"; {looked.of_others} more {'is of another cluster' if one else 'are of other clusters'}"
    return f"{seen}\n"


# Says of machines that boot with an old script which rules that script breaks.


_RULE = "nodes-current"


def with_broken_rules(judgements: Sequence[Judgement]) -> list[Judgement]:
    """What judges scripts said it of the machine that the old one was read from; here it is said with the cause."""
    broken: dict[str, list[str]] = defaultdict(list)
    for each in judgements:
        for one in each.findings:
            if one.verdict is Verdict.FAIL and one.where.urn and one.rule != _RULE:
                broken[one.where.urn].append(one.rule)
    return [_with(each, broken) for each in judgements]


def _with(judgement: Judgement, broken: Mapping[str, list[str]]) -> Judgement:
    if judgement.rule.id != _RULE:
        return judgement
    return replace(judgement, findings=tuple(_with_broken_rules(each, broken) for each in judgement.findings))


def _with_broken_rules(finding: Finding, broken: Mapping[str, list[str]]) -> Finding:
    rules = sorted({rule for each in finding.related for rule in broken.get(each.place.urn or "", ())})
    if not rules:
        return finding
    cause = f"what they boot with breaks {', '.join(rules)}"
    return replace(finding, cause=f"{finding.cause}; {cause}" if finding.cause else cause)
