"""Proves nodes by real work, and judges what the work showed.

Programs that ship with nodeworthy compute, speak with each other, write and read; they measure, and judge nothing.
Rules judge, by the fleet's own baseline, else by its floors, else by the table of published figures; so a recording
gives the same verdicts whenever it is replayed with --from.

What did not run is said, with its reason, and is never a pass. What floods, breaks off, bears another run's nonce, or
tells numbers that no GPU has, is an error.

--on kubernetes begins Jobs, --on slurm batch jobs: shown first and agreed to, bounded, below all other work, kept off
nodes that opted out, never begun again, and removed whatever ends it. With --dry-run they are printed, and nothing is
begun. --record DIR keeps the run: its plan, and what each of its pods or jobs printed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nodeworthy.commands import judging, settled
from nodeworthy.commands.accept.options import Options, chosen_tests, refuse_idle
from nodeworthy.commands.accept.options import configure as configure
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.workload.recording import RunRecording
    from nodeworthy.commands.settled import Run
    from nodeworthy.report.report import Report


def run(options: Options) -> int:
    tests = chosen_tests(options)
    run = judging.begin(options)
    settled.chosen_ids(run)  # a rule that does not exist is said before anything is read
    refuse_idle(options)
    if options.folder is not None:
        from nodeworthy.collect.workload.recording import load

        return judge_recording(options, run, _only(load(options.folder), tests))[0]
    if options.print_role:
        from nodeworthy.commands.accept.on_kubernetes import print_role

        return print_role(options)
    if options.dry_run:
        from nodeworthy.commands.accept.dry import show

        return show(options, tests)
    from nodeworthy.commands.accept.live import run_live

    return run_live(options, run, tests)


def _only(recorded: RunRecording, tests: tuple[str, ...]) -> RunRecording:
    """What was asked for of it, by --test and --skip-test."""
    jobs = (replace(each, tests=tuple(one for one in each.tests if one in tests)) for each in recorded.jobs)
    left_out = (each for each in recorded.left_out if each.test in tests)
    return replace(recorded, jobs=tuple(each for each in jobs if each.tests), left_out=tuple(left_out))


def judge_recording(options: Options, run: Run, recorded: RunRecording) -> tuple[int, Report]:
    """Writes the report; the exit code, and what it says."""
    from nodeworthy.collect.source.fleets import Fleets
    from nodeworthy.collect.workload import baseline_file
    from nodeworthy.collect.workload.collector import fleet_floors, outcomes, scene
    from nodeworthy.commands.accept.shown import rows_of
    from nodeworthy.facts.accept.floors import Floors
    from nodeworthy.report.accept import as_data, table

    fleet = Fleets(options.fleet, options.stack).asked_for()
    baseline = baseline_file.read(options.baseline) if options.baseline else None
    found = outcomes(recorded)
    judged = scene(found, fleet, baseline, recorded.given_back)
    report = judging.judge_scenes(run, Moment.WORKLOAD, [judged], {"nodes": len(recorded.nodes), "tests": len(found)})
    rows = rows_of(recorded, found, report.judgements, Floors(baseline, fleet_floors(fleet)))
    report = replace(report, extra={**report.extra, "runs": as_data(rows)})
    if options.save_baseline:
        from nodeworthy.commands.accept.learning import save

        save(options, recorded, found, report)
    return judging.deliver(options, run, report, table(rows)), report
