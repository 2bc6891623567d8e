"""Walks a script again of which a few lines have changed, as an editor asks at every keystroke.

What a script does above a changed command it did before, and what the shell knows there it knew before. So the walk
goes on where it stood then: before the last statement that is still the same, which may be run otherwise when the next
one is another. The first walk after a change elsewhere notes where that is; those behind it begin there.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.effects import Effect, Stage
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.shell.flow import Flow
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.shell.syntax import Statement
from nodeworthy.boot.shell.walker import FEW_STEPS, Walker
from nodeworthy.records import dataclass

# So many scripts are remembered: those of one file of user data, or of a few files.
_MOST = 8


@dataclass
class _Stood:
    """How a walker stood before one of the statements; nobody walks on with it, only with what is copied of it."""

    at: int
    walker: Walker


@dataclass
class _Walked:
    origin: Origin
    stage: Stage
    errexit: bool
    statements: Sequence[Statement]
    stood: _Stood | None

    def is_begun_as(self, walker: Walker) -> bool:
        return (self.origin, self.stage, self.errexit) == (walker.origin, walker.stage, walker.state.options.errexit)

    def same_as(self, statements: Sequence[Statement]) -> int:
        """How many of them it has walked; those that were read before are the very same."""
        pairs = enumerate(zip(self.statements, statements, strict=False))
        return next((at for at, (one, other) in pairs if one is not other), min(len(self.statements), len(statements)))


# Of whoever asks for the same scripts again and again.
_REMEMBERED: list[list[_Walked]] = []


def remember_walks() -> None:
    """From now on a script of which little has changed is walked from there on."""
    if not _REMEMBERED:
        _REMEMBERED.append([])


def run_script_of(walker: Walker, statements: Sequence[Statement]) -> None:
    """Runs the statements of a script, by a walker that has run none."""
    if not _REMEMBERED or not _is_alone(walker):
        walker.run_all(statements)
        return
    kept = _REMEMBERED[0]
    last = next((each for each in kept if each.is_begun_as(walker)), None)
    # Whoever runs a statement looks at the next one.
    same = last.same_as(statements) - 1 if last is not None else 0
    now = _Walked(walker.origin, walker.stage, walker.state.options.errexit, statements, None)
    stood = last.stood if last is not None and last.stood is not None and last.stood.at <= same else None
    if stood is not None:
        _copy(stood.walker, walker)
    began = stood.at if stood is not None else 0
    if same > began and _may_stand(walker):
        walker.run_some(statements, began, same)
        began = same
        stood = _Stood(same, _copy(walker, Walker(walker.origin, walker.stage))) if _may_stand(walker) else None
    now.stood = stood
    if walker.flow is Flow.ON:
        walker.run_some(statements, began, len(statements))
    _REMEMBERED[0] = [*(each for each in kept if each is not last), now][-_MOST:]


def _is_alone(walker: Walker) -> bool:
    """Nothing was done before it on this machine, and nobody gives it anything."""
    state = walker.state
    return type(walker.origin) is Straight and not (state.given or state.versions or walker.steps)


def _may_stand(walker: Walker) -> bool:
    """Whether all that it knows can be copied, and is what it would be in a longer text, or a shorter one."""
    return walker.flow is Flow.ON and not walker.machines and walker.steps < FEW_STEPS


def _copy(there: Walker, here: Walker) -> Walker:
    """Brings a new walker to where another one stands, between two statements of a script."""
    here.effects = list[Effect](there.effects)
    here.guard, here.left, here.early = there.guard, [*there.left], [*there.early]
    here.failing, here.around, here.detached, here.stdin = there.failing, there.around, there.detached, there.stdin
    here.steps, here.is_cut_short = there.steps, there.is_cut_short
    here.at_exit, here.fetched = [*there.at_exit], {**there.fetched}
    here.questions.take(there.questions)
    _copy_state(there.state, here.state)
    return here


def _copy_state(there: State, here: State) -> None:
    """The journals stay whose they are: others know them as the machine's disk."""
    here.variables.take(there.variables)
    here.files.take(there.files)
    here.versions.update(there.versions)
    here.functions, here.defined = {**there.functions}, {**there.defined}
    here.has_called, here.options = there.has_called, there.options.copy()
    here.folder, here.came_from, here.folders = there.folder, there.came_from, [*there.folders]
    here.made_up, here.links, here.sourced = there.made_up, {**there.links}, there.sourced
    here.asked, here.wanting = {*there.asked}, {*there.wanting}
