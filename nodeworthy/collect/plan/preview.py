"""Looks at the plan: finds the project, the stack and its fleet, runs the program, and hands over scenes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from nodeworthy.collect.plan.answers import FILE, Answers, Asks, read_answers
from nodeworthy.collect.plan.manifests import known_later
from nodeworthy.collect.plan.passphrase import check_passphrase
from nodeworthy.collect.plan.plan import PreviewedPlan
from nodeworthy.collect.plan.project import (
    Project,
    StackConfig,
    choose_stack,
    find_project,
    read_config,
    read_mapping,
    shown_path,
)
from nodeworthy.collect.plan.runs import Ran, run_differently, run_program
from nodeworthy.collect.plan.scene import scene_of, scene_of_fleet
from nodeworthy.collect.plan.served import Bounded, Program, Show
from nodeworthy.collect.source.comments import comments
from nodeworthy.facts.secrets.plain_text import IN_A_STACK, PlainText
from nodeworthy.fleet.model import Fleet, has_fleet
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.records import dataclass
from nodeworthy.scene import Scene
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class PreviewRequest:
    """What a preview is asked for."""

    folder: Path
    stack: str | None = None
    fleet_file: str | None = None
    answers_file: str | None = None
    simulate: bool = True
    timeout: float = 120.0
    # Variables that the program is given although they belong to the job.
    passed: Collection[str] = ()


@dataclass(frozen=True)
class Preview:
    """A stack that is about to be previewed: all that can be known of it before its program runs."""

    asked: PreviewRequest
    project: Project
    stack: str
    config: StackConfig
    fleet: Fleet | None
    # The stack's own file, in which secrets are encrypted or are none.
    file: PlainText
    suppressions: Sequence[Suppression]

    @property
    def of_fleet(self) -> Scene | None:
        """The fleet, where it can't exist: then there is no use in running the program."""
        return scene_of_fleet(self.fleet) if self.fleet is not None and self.fleet.impossible else None

    def run(self, asks: Asks | None, show: Show, meanwhile: Callable[[], object] = lambda: None) -> PreviewOutcome:
        answers = self._answers(asks)
        show = Bounded(show)
        program = Program(self.project, self.stack, self.config, answers, self.asked.passed)
        try:
            ran = run_program(
                program, simulate=self.asked.simulate, timeout=self.asked.timeout, show=show, meanwhile=meanwhile
            )
        finally:
            kept = answers.keep()
        return PreviewOutcome(self, ran, program, kept)

    def _answers(self, asks: Asks | None) -> Answers:
        named = self.asked.answers_file
        path = Path(named) if named else self.project.root / FILE
        return read_answers(path, named=named is not None, asks=asks)


@dataclass(frozen=True)
class PreviewOutcome:
    """What the program registered, plain and simulated."""

    preview: Preview
    ran: Ran
    program: Program
    # How many questions were newly answered, and written down.
    newly_answered: int

    @property
    def plan(self) -> PreviewedPlan:
        return self.ran.plan

    def confirmed(self) -> PreviewOutcome:
        """The same, less what depends on the made-up values themselves: the program runs once more, with others."""
        if self.ran.simulated is None:
            return self
        ran = run_differently(self.program, self.ran, timeout=self.preview.asked.timeout)
        return self if ran is self.ran else replace(self, ran=ran)

    @cached_property
    def scenes(self) -> tuple[Scene, Scene | None]:
        second = self._scene(self.ran, simulated=True) if self.ran.simulated is not None else None
        return self._scene(self.ran), second

    def _scene(self, ran: Ran, *, simulated: bool = False) -> Scene:
        second = ran.simulated if simulated else None
        plan = known_later(ran.plan, ran.simulated.plan, ran.simulated.made) if ran.simulated else ran.plan
        return scene_of(
            second.plan if second else plan,
            folder=self.preview.project.folder,
            fleet=self.preview.fleet,
            no_fleet=f"stack {self.preview.stack} declares no fleet (nodeworthy:fleet)",
            made=second.made if second else None,
            file=self.preview.file,
            encrypted=bool(self.preview.config.secret_keys),
            suppressions=self.preview.suppressions,
        )

    @property
    def counts(self) -> dict[str, int]:
        return {"resources": len(self.plan.resources), "unknowns": sum(each.unknowns for each in self.plan.resources)}


def prepare(asked: PreviewRequest, rules: frozenset[str]) -> Preview:
    """Reads everything that is read before the program runs. Raises InputError for what can't be."""
    project = find_project(asked.folder)
    stack = choose_stack(project, asked.stack)
    file = project.stack_file(stack)
    config = read_config(project, stack)
    if config.secret_keys:
        check_passphrase(read_mapping(file))
    fleet = _fleet(asked, file)
    text = file.read_text(encoding="utf-8-sig")
    place = Place(path=shown_path(file))
    found = tuple(comments(text, place, rules, is_yaml=True))
    return Preview(asked, project, stack, config, fleet, PlainText(place, text, "stack config", IN_A_STACK), found)


def _fleet(asked: PreviewRequest, file: Path) -> Fleet | None:
    """The previewed stack's own, unless another one is named."""
    if asked.fleet_file:
        return read_fleet_file(Path(asked.fleet_file), asked.fleet_file)
    return read_fleet_file(file, shown_path(file)) if has_fleet(read_mapping(file)) else None
