"""Whether a script looks later at what a critical step should have made, or fails because it is not there.

It is looked for in the lines behind the step: a question about it of which something comes (`[ -f k3s.yaml ] || exit
1`), a loop that waits for it, or, where a failure ends the script, a command that can't do without it. A script ends
as its last command does. Whoever is told to look so is not told that nobody looks: of what may be noticed nothing is
said, for that is a warning. A loop at boot that waits without an end and without a word tells nobody, unless it stands
directly behind the step, whose own words are then the last in the log; and what stands behind it is never reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice
from math import inf

from nodeworthy.boot.effects import Effect, Failure, Fetches, Joins, Unit
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.critical_steps import JOINING, MAKING_A_CONTROL_PLANE, CriticalStep
from nodeworthy.facts.boot.source_line import Source, SourcePart, without_documents
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# How far behind a question its answer may stand.
_MOST = 12
_OF_A_DRIVER = pattern(
    r"\bnvidia-(?:smi|modprobe)\b|mod(?:probe|info)\s+nvidia|/proc/driver/nvidia|/dev/nvidia|\bnvidia(?:-\w+)?\.ko\b|"
    r"\blsmod\s*\|\s*grep\s[^|]{0,40}nvidia|\bdkms\s+status\b"
)
_OF_A_NODE = pattern(
    r"\b(?:kubectl|k3s|rke2|crictl|kubelet|kubeadm)\b|/var/lib/rancher|/etc/kubernetes/|/var/lib/kubelet|\bhelm\s+(?:install|up)|"
    r"initialized successfully|node has joined|"
    r"(?:health|ready|live)z\b|:\sk8s\b|:\skubernetes\.core\b|\b(?:wait_for|uri)\s'?(?:6443|9345)\b|\.kube/config\b|:(?:6443|10250|9345)\b|\bnc\b[^|]{1,60}\b6443\b"
)
# Commands that ask nothing of a cluster, and what tells somebody.
_NO_USE = pattern(r"\b(?:kubectl|k3s)\s+(?:config|completion)\b")
_TELLS_ONLY = pattern(r"(?:echo|printf|log\w*|cat\s*<<)")
_QUESTION = pattern(r"(?:el)?if\b")
_WAITS = pattern(r"until\b|while\s+!|while\s+\[+\s+!")
# Of a loop that waits: what it asks says nothing, and all that it does is to sleep.
_ASKS_SILENTLY = pattern(
    r"(?:until|while)\s+(?:!\s+)?(?:\[|test\b)|>\s*/dev/null\s+2>&1|&>>?\s*/dev/null|>&\s*/dev/null|"
    r"2>\s*/dev/null\s*\|\s*grep\s+-\w*q|\bis-active\s+(?:-q|--quiet)\b"
)
_ONLY_SLEEPS = pattern(r"(?:do|done|sleep\s++[\w.${}\"]++|:|true|[;\s\"'\]])*")
_TELLS = pattern(r"\b(?:exit|return)\s+[1-9]|\b(?:die|fail|fatal|err|error|abort)\b")
_SAYS = pattern(r"(?i)echo.{1,80}\b(?:error|fail|warn|not\b)[^;]*")
# Whoever says so in the same breath takes it for no failure.
_MAKES_LIGHT_OF_IT = pattern(r"(?i)\b(?:continu\w+|proceed\w*|skip\w*|ignor\w+|already|yet|anyway)\b")
_LAST_WORDS = pattern(r"(?:echo|printf|log\w*|success|info|exit\s+0|exec\s+(?:ba|z)?sh)\b|cat\s*<<")
_GOES_ON = pattern(r"\|\||&\s*$|\|(?!\s*grep\b)")
_LEADS = r"(?:-\s+)?(?:sudo\s+(?:-\S+\s+)*)?(?:[A-Z_]+=\S*\s+)*"
_COMMAND = pattern(
    rf"{_LEADS}(?:\S*/)?(?:kubectl|k3s|rke2|crictl|nvidia-\w+|modprobe|systemctl|service|cp|mv|cat|install|chown|chmod|"
    r"helm|curl|apt-mark|kubelet|kubeadm)\b|\w+=[\"']?\$\(|:\s+(?:wait_for|uri|k8s\w*|kubernetes\.core\.\w+)\b|"
    r"\(\s(?:set\s\+e;\s)?(?:sudo\s)?(?:kubectl|k3s|rke2|crictl|kubeadm|helm|curl)\b"
)
# A file that is there then, whatever became of what should fill it.
_MAKES_IT = pattern(r"(?:>|\b(?:touch|tee)\b[^|]{0,200}?)[\s\"']*+\S{0,300}?\.kube/config\b")
# What kubeadm writes long before the control plane runs: it is there, too, where nothing answers.
_INSTALLERS = ("k3s", "rke2")
_OF_SYSTEMD = pattern(r"\b(?:systemctl|service)\b")
# A folder that the script makes itself, and what is put into it: that is there, whatever became of a node.
_UNDER = pattern(r"if \[ [^;]{1,400} \]; then ")
_FOLDER = pattern(r"\bmkdir\b[^;&|]*")
_PATH = pattern(r"/[\w./-]{3,200}")
_TO_A_FILE = pattern(r"(?:\s-\w{0,5}[oO]|--output|>)[ \t=]*[\"']?(/[^\s\"']+)")
_PUTS = frozenset(("cp", "mv", "install", "tee", "ln"))
# So many of its folders are looked at.
_MOST_FOLDERS = 50
_ENABLES = pattern(r"\bsystemctl\b.{0,80}\benable\b(?!.{0,80}--now)")
_WRITTEN_EARLY = pattern(
    r"^(?:sudo\s+(?:-\S+\s+)*)?(?:cp|mv|cat|install|chown|chmod)\b[^;&|]*(?:/etc/kubernetes/|\.kube/config\b)"
)
_COPIES = pattern(r"(?:sudo\s+(?:-\S+\s+)*)?(?:cp|mv)\s[^;&|]*$")
# The program, what is copied, and where.
_OF_A_COPY = 2
_STARTS = pattern(r"\b(?:systemctl|service)\b(?!.{0,120}\b(?:is-active|is-failed|status)\b)")
# An entry of runcmd, also as a list of words.
_ENTRY = pattern(r"^-\s+(?:\[\s*[\"']?(?:/bin/)?(?:ba)?sh[\"']?,\s*[\"']?-c[\"']?,\s*)?[\"']?")
# A line that is a template's: what it comes to be may be nothing.
_FILLED_IN = pattern(r"\$\{[^{}]*\}|%\{[^{}]*\}|\{\{[^{}]*\}\}|\{%[^{}]*%\}")


class Subject(Enum):
    DRIVER = "the driver"
    NODE = "a node, or its cluster"
    UNIT = "a unit of Rancher's that is there, and may not start"
    K3S = "k3s, which brings its own kubectl"
    CONTROL_PLANE = "a control plane that kubeadm makes"
    JOIN = "a node that joins without an installer"


_ABOUT = {
    Subject.DRIVER: _OF_A_DRIVER,
    Subject.NODE: _OF_A_NODE,
    Subject.UNIT: _OF_A_NODE,
    Subject.K3S: _OF_A_NODE,
    Subject.CONTROL_PLANE: _OF_A_NODE,
    Subject.JOIN: _OF_A_NODE,
}


@dataclass(frozen=True)
class Looks:
    """Where in a part somebody looks, or would notice: lines by their index."""

    # Those that ask.
    asked: tuple[int, ...]
    # Loops that wait for ever, and say nothing.
    mute: tuple[int, ...]
    # The last one of all, where it can't do without the step.
    ends: int
    # Where each command begins.
    commands: tuple[int, ...]
    # Of those from a line on that can't do without it, how far in the outermost of them stands.
    depths: tuple[float, ...]

    def next_of(self, index: int) -> int | None:
        return next((each for each in self.commands if each > index), None)

    def notices(self, index: int, depth: int, *, stops_on_error: bool, reached: float) -> bool:
        if any(index < each < reached for each in (*self.asked, self.ends)):
            return True
        return stops_on_error and index + 1 < len(self.depths) and self.depths[index + 1] <= depth


class NoticedLater:
    """Asked of one script, part by part: each is looked through once."""

    def __init__(self, source: Source, *, at_boot: bool) -> None:
        self._source = source
        # Nobody sits before it and sees it hang.
        self._at_boot = at_boot
        self._looks: dict[tuple[int, int, Subject, tuple[str, ...]], Looks] = {}

    def of(self, step: CriticalStep) -> bool:
        found = self._behind(step)
        if found is None:
            return False
        part, index, looks = found
        reached = self._waits_from(index, looks)
        if step.failure is Failure.UNNOTICED and _may_end_there(part, index, looks):
            return True
        return looks.notices(
            index,
            _depth(part.rows[index]),
            stops_on_error=part.stops_on_error(index),
            reached=inf if reached is None else reached,
        )

    def ends_with_words(self, step: CriticalStep) -> bool:
        """Whether the last that this script does is to say something, or to open a shell."""
        found = self._behind(step)
        if found is None:
            return False
        part, index, looks = found
        return looks.commands[-1] > index and _LAST_WORDS.match(part.rows[looks.commands[-1]].strip()) is not None

    def waits_at(self, step: CriticalStep) -> Place | None:
        """Where the script then waits for ever for what never comes, and says nothing."""
        found = self._behind(step)
        if found is None:
            return None
        part, index, looks = found
        row = self._waits_from(index, looks)
        return part.part.origin.at(row + 1) if row is not None else None

    def _waits_from(self, index: int, looks: Looks) -> int | None:
        if not self._at_boot:
            return None
        return next((each for each in looks.mute if each > index and each != looks.next_of(index)), None)

    def _behind(self, step: CriticalStep) -> tuple[SourcePart, int, Looks] | None:
        place = place_of_step(self._source, step)
        found = self._source.line_at(place)
        if found is None:
            return None
        part, index = found
        end = part.end_of_list(index)
        asked = _questions(part.rows[index]) if part.part.kind is PartKind.PLAYBOOK else ()
        key = id(part), end, _subject(step), asked
        if key not in self._looks:
            rows = [_without_questions(row, asked) for row in part.rows[:end]] if asked else part.rows[:end]
            self._looks[key] = _looks(rows, key[2])
        return part, index, self._looks[key]


def _questions(row: str) -> tuple[str, ...]:
    """Under which conditions a task is run, one for each: `when`, and the hosts of its play."""
    return tuple(_UNDER.findall(row))


def _without_questions(row: str, asked: Collection[str]) -> str:
    """The row without the conditions of the task that is looked at: where that task ran, they hold."""
    found = _UNDER.match(row)
    while found is not None and found[0] in asked:
        row = row[found.end() :]
        found = _UNDER.match(row)
    return row


def _may_end_there(part: SourcePart, index: int, looks: Looks) -> bool:
    """Whether all that follows is a template's: what it fills in may be nothing, what is under another directive than
    the step need not be there, and a script ends as its last command does."""
    behind = [each for each in looks.commands if each > index]
    return bool(behind) and all(
        _FILLED_IN.fullmatch(part.rows[each].strip()) or not part.is_there_with(each, index) for each in behind
    )


def _subject(step: CriticalStep) -> Subject:
    if "driver" in step.called:
        return Subject.DRIVER
    if step.called == MAKING_A_CONTROL_PLANE and step.failure is Failure.SWALLOWED:
        return Subject.CONTROL_PLANE
    if _is_of_k3s(step.effect):
        return Subject.K3S
    if isinstance(step.effect, Unit) and step.effect.unit.shown().startswith(_INSTALLERS):
        return Subject.UNIT
    by_installer = isinstance(step.effect, Joins) and step.effect.how in _INSTALLERS
    return Subject.JOIN if step.called == JOINING and not by_installer else Subject.NODE


def _is_of_k3s(effect: Effect) -> bool:
    """Whether its installer does it, who brings `kubectl`, too."""
    if isinstance(effect, Fetches):
        return "get.k3s.io" in effect.url.shown()
    if isinstance(effect, Joins):
        return effect.how == "k3s"
    is_of_systemd = _OF_SYSTEMD.search(effect.command) is not None
    return isinstance(effect, Unit) and effect.unit.shown().startswith("k3s") and not is_of_systemd


def _looks(lines: Sequence[str], subject: Subject) -> Looks:
    commands = list(_commands(lines))
    rows = [row for _, row in commands]
    is_made = any(_MAKES_IT.search(row) for row in rows)
    whole = [_with_its_body(rows, at) if _WAITS.match(row.strip()) else row for at, row in enumerate(rows)]
    made = tuple(islice(_made_folders(rows), _MOST_FOLDERS))
    whole = [_without_what_is_put_there(row, made) for row in whole] if made else whole
    about = [_ABOUT[subject].search(_without_its_config(row) if is_made else row) is not None for row in whole]
    about = list(_with_copies(rows, about))
    asked = tuple(index for at, (index, _) in enumerate(commands) if about[at] and _is_asked(rows, at))
    mute = tuple(index for at, (index, _) in enumerate(commands) if about[at] and _is_mute(rows, at))
    needs = [index for at, (index, row) in enumerate(commands) if about[at] and _needs(row, subject)]
    depths = [inf] * len(lines)
    for index in needs:
        depths[index] = _depth(lines[index])
    for index in range(len(depths) - 2, -1, -1):
        depths[index] = min(depths[index], depths[index + 1])
    ends = needs[-1] if needs and needs[-1] == commands[-1][0] else -1
    firsts = tuple(index for index, _ in commands)
    return Looks(asked, mute, ends, firsts, tuple(depths))


def _with_its_body(rows: Sequence[str], at: int) -> str:
    """The body of a loop that waits: it may look for failure inside."""
    return " ".join(rows[at : at + _MOST]).partition(" done")[0]


def _made_folders(rows: Iterable[str]) -> Iterator[str]:
    for row in rows:
        for made in _FOLDER.findall(row):
            yield from (each.rstrip("/") + "/" for each in _PATH.findall(made))


def _without_what_is_put_there(row: str, made: tuple[str, ...]) -> str:
    """The row without the file that it writes into a folder which the script has made."""
    found, words = _TO_A_FILE.search(row), row.split()
    path = found[1] if found is not None else words[-1] if words and not _PUTS.isdisjoint(words) else ""
    return row.replace(path, " ") if path.startswith(made) else row


def _with_copies(rows: Sequence[str], about: Iterable[bool]) -> Iterator[bool]:
    """Which lines are about it, those among them that work on a copy of what only it makes: without the one there is
    no other."""
    copies: set[str] = set()
    for row, said in zip(rows, about, strict=True):
        words = row.split()
        yield said or not copies.isdisjoint(words)
        if said and _COPIES.match(row.strip()) and len(words) > _OF_A_COPY and not words[-1].endswith("/"):
            copies.add(words[-1])


def _without_its_config(row: str) -> str:
    return row.replace(".kube/config", "")


def _is_mute(rows: Sequence[str], at: int) -> bool:
    """Whether this loop waits for ever, and neither what it asks nor what it does says a word."""
    row = _ENTRY.sub("", rows[at].strip())
    if not _WAITS.match(row) or not _ASKS_SILENTLY.search(row):
        return False
    body = " ".join([row, *(each.strip() for each in rows[at + 1 : at + _MOST])]).partition("done")[0]
    return _ONLY_SLEEPS.fullmatch(body.partition("do ")[2]) is not None


def _is_asked(rows: Sequence[str], at: int) -> bool:
    """Whether something comes of this line where what it asks for is not there."""
    row = _ENTRY.sub("", rows[at].strip())
    answer = " ".join(rows[at : at + _MOST])
    if _WAITS.match(row):
        return True
    if _QUESTION.match(row):
        return _tells(answer.partition(" fi ")[0])
    behind = answer.partition("||")[2] if "||" in row else ""
    return _tells(behind if behind.lstrip().startswith("{") else row.partition("||")[2])


def _tells(answer: str) -> bool:
    said = _SAYS.search(answer)
    return _TELLS.search(answer) is not None or (said is not None and not _MAKES_LIGHT_OF_IT.search(said[0]))


def _needs(row: str, subject: Subject) -> bool:
    """Whether this command fails where it is not there. kubelet's unit starts on a node that has not joined, too."""
    said = _ENTRY.sub("", row.strip())
    if _TELLS_ONLY.match(said) or (subject is not Subject.K3S and _NO_USE.search(said)):
        return False
    if (subject is Subject.JOIN and _STARTS.search(said)) or (subject is Subject.UNIT and _ENABLES.search(said)):
        return False
    if subject is Subject.CONTROL_PLANE and _WRITTEN_EARLY.match(said):
        return False
    return _COMMAND.match(said) is not None and not _GOES_ON.search(said)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


def _commands(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Each on one line, with the index of its first, and as far in; what says nothing is left out."""
    whole: list[str] = []
    for index, row in without_documents(rows):
        whole.append(row if not whole else row.strip())
        if row.endswith("\\"):
            continue
        said = " ".join(each.removesuffix("\\") for each in whole)
        if said.strip() and not said.lstrip().startswith("#"):
            yield index - len(whole) + 1, said
        whole = []


def place_of_step(source: Source, step: CriticalStep) -> Place:
    """Where it stands in a file; what a program makes up and runs stands where that is called. Where its own script
    stops, what counts is who called that and goes on."""
    called = [each for each in reversed(step.effect.via) if source.part_of(each) is not None]
    if step.is_let_go and called:
        return next((each for each in called if not source.stops_on_error(each)), called[-1])
    return step.place if source.part_of(step.place) is not None else next(iter(called), step.place)


def part_of(source: Source, step: CriticalStep) -> SourcePart | None:
    return source.part_of(place_of_step(source, step))
