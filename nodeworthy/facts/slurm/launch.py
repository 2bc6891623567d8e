"""How a job starts its work: the launcher, its options, the script, and who starts it on which nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from nodeworthy.boot.commands.call import beginning
from nodeworthy.boot.content import Content
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.shell.nested import SHELLS, Written
from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.ran import Ran, Walked
from nodeworthy.facts.slurm.words import Peeled, Step, options_of, peel_words
from nodeworthy.known.slurm import flags
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Place

_PYTHON = pattern(r"python(?:\d(?:\.\d+)?)?")
_PYTHON_FLAGS = frozenset("u O OO B b bb d E i I P q s S v V x".split())
# Modules that are launchers themselves.
_MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "accelerate.commands.launch": "accelerate",
    "deepspeed.launcher.runner": "deepspeed",
}
_OWN_HOME = pattern(r"\b(?:docker|podman|enroot)\b|--(?:no-home|contain(?:all)?|no-container-mount-home)\b")
_TRAINS = ("sft", "dpo", "kto", "grpo", "rloo", "reward")
LAUNCHERS = ("torchrun", "torch.distributed.launch", "accelerate", "deepspeed")


@dataclass(frozen=True)
class Launch:
    ran: Ran
    # torchrun, torch.distributed.launch, accelerate, deepspeed, python, vllm, bash; else the program itself.
    program: str
    step: Step | None
    environment: Mapping[str, Text]
    options: Mapping[str, Text] = field(default_factory=dict)
    script: Text | None = None
    module: str = ""
    arguments: tuple[Text, ...] = ()
    in_container: bool = False
    # Each task expands its words by itself: `srun bash -c '…'`.
    per_task: bool = False
    timeout: tuple[Text, ...] = ()
    # `python -c …`, a here-document: what runs stands in the job itself.
    inline: bool = False

    @property
    def place(self) -> Place:
        return self.ran.place

    @property
    def is_python(self) -> bool:
        return self.program in (*LAUNCHERS, "python", "vllm")

    @property
    def has_own_home(self) -> bool:
        """Whether it runs in a container that does not see the user's home: Docker's, enroot's."""
        step = self.step.options if self.step is not None else {}
        return "container_image" in step or "container_name" in step or _OWN_HOME.search(self.said) is not None

    @property
    def is_distributed(self) -> bool:
        return self.program in LAUNCHERS

    @cached_property
    def said(self) -> str:
        """All of its words, for those who look for a name in it."""
        return " ".join(each.shown() for each in self.ran.words)

    @property
    def filled_in(self) -> bool:
        """A program that makes the job of a template puts arguments here: which ones, nobody knows."""
        return "{{" in self.said

    def option(self, *names: str) -> Text | None:
        return next((self.options[name] for name in names if name in self.options), None)


class Follows(Protocol):
    """Walks what each task runs by itself."""

    def inside(self, text: Text, origin: Origin, ran: Ran) -> Walked: ...

    def script(self, path: Text, ran: Ran) -> tuple[Text, Origin] | None:
        """What stands in a shell script that lies beside the job."""
        ...


def launches(walked: Walked, follows: Follows, step: Step | None = None, *, per_task: bool = False) -> Iterator[Launch]:
    seen: set[tuple[Place, tuple[Text, ...]]] = set()
    for ran in reversed(walked.ran):
        # What a loop changes is walked twice, and known the second time.
        if (ran.place, ran.words) not in seen:
            seen.add((ran.place, ran.words))
            yield from _launches_of_command(ran, follows, step, per_task=per_task)


def _launches_of_command(ran: Ran, follows: Follows, step: Step | None, *, per_task: bool) -> Iterator[Launch]:
    found = peel_words(ran.words, ran.environment)
    started = found.step or step
    text = _shell_text(found, ran)
    if text is not None:
        # What a plain `bash -c` is given the walk through the script has read already.
        if found.step is not None or found.in_container:
            inner = launches(follows.inside(*text, ran), follows, started, per_task=found.step is not None or per_task)
            yield from (replace(each, in_container=each.in_container or found.in_container) for each in inner)
        return
    launch = _launch(found, ran, started, per_task=per_task) if found.words else None
    if launch is None:
        return
    yield launch
    if launch.program == "bash" and launch.script is not None and found.step is not None:
        body = follows.script(launch.script, ran)
        if body is not None:
            yield from launches(follows.inside(*body, ran), follows, started, per_task=True)


def _shell_text(found: Peeled, ran: Ran) -> tuple[Text, Origin] | None:
    """What a shell is given to run: behind `-c`, or on its standard input."""
    if found.step is not None and found.step.program in ("ssh", "pdsh", "clush") and len(found.words) == 1:
        return found.words[0], Straight(ran.place)
    if found.program not in SHELLS:
        return None
    words = found.words[1:]
    for index, word in enumerate(words):
        known = beginning(word)
        if not known.startswith("-"):
            return None
        if re.fullmatch(r"-\w*c", known) and index + 1 < len(words):
            return words[index + 1], Straight(ran.place)
    content = ran.stdin or Content()
    return content.text, Written(content)


def _launch(found: Peeled, ran: Ran, step: Step | None, *, per_task: bool) -> Launch | None:
    def made(program: str, options: Mapping[str, Text], rest: Sequence[Text], module: str = "", **more: bool) -> Launch:
        script, arguments = (None, rest) if module or more.get("inline") else (rest[0] if rest else None, rest[1:])
        return Launch(
            ran, program, step, found.environment, options, script, module, tuple(arguments), found.in_container,
            per_task, found.timeout, more.get("inline", False),
        )  # fmt: skip

    return _launch_by_program(found.program, found.words, found.wrappers, made)


def _launch_by_program(
    program: str, words: Sequence[Text], wrappers: Sequence[str], made: Callable[..., Launch]
) -> Launch | None:
    rest = words[1:]
    if _PYTHON.fullmatch(program):
        return _python(rest, made)
    if program == "torchrun":
        return _launcher(program, rest, made)
    second = rest[0].known if rest else None
    if program == "accelerate" and second == "launch":
        return _launcher(program, rest[1:], made)
    if program in ("tune", "trl"):
        return _front(program, second, rest, made)
    if program in ("accelerate-launch", "deepspeed"):
        return _launcher("accelerate" if program.startswith("accelerate") else program, rest, made)
    if program == "vllm":
        options = options_of(rest[2:], frozenset())[0]
        return made("vllm", options, rest, module="vllm")
    if program in SHELLS:
        return made("bash", {}, [each for each in rest if not beginning(each).startswith("-")])
    name = words[0].shown()
    if name.endswith(".py") and (wrappers or "/" in name):
        return made("python", {}, words)
    if "/" in name and re.search(r"\.(sh|bash)$", name):
        return made("bash", {}, words)
    return made(program, {}, (), module=program) if program else None


def _front(program: str, second: str | None, rest: Sequence[Text], made: Callable[..., Launch]) -> Launch:
    """Command lines of libraries that hand all of it to a launcher: torchtune's to torchrun, TRL's to accelerate."""
    if program == "tune" and second == "run":
        # Its recipes are no files.
        options, recipe = options_of(rest[1:], flags("torchrun"))
        return made("torchrun", options, recipe, module=recipe[0].shown() if recipe else "tune")
    if program == "trl" and second in _TRAINS:
        return made("accelerate", options_of(rest[1:], flags("accelerate"))[0], rest[1:], module="trl")
    return made(program, {}, (), module=program)


def _python(rest: Sequence[Text], made: Callable[..., Launch]) -> Launch:
    index = 0
    while index < len(rest):
        word = beginning(rest[index])
        if word in ("-m", "-c"):
            behind = rest[index + 1 :]
            module = (behind[0].known or behind[0].shown()) if behind else ""
            if word == "-c":
                return made("python", {}, behind, inline=True)
            if module in _MODULES:
                return _launcher(_MODULES[module], behind[1:], made)
            return made("vllm" if module.startswith("vllm") else "python", options_of(behind[1:], frozenset())[0],
                        behind[1:], module=module)  # fmt: skip
        if word == "-" or not word.startswith("-"):
            break
        index += 1 if word[1:] in _PYTHON_FLAGS or len(word) > 2 else 2
    script = rest[index:]
    return made("python", {}, script, inline=not script or script[0].known == "-")


def _launcher(program: str, words: Sequence[Text], made: Callable[..., Launch]) -> Launch:
    alone = flags("torchrun" if program.startswith("torch") else program)
    options, rest = options_of(words, alone)
    if rest and ("m" in options or "module" in options):
        return made(program, options, rest[1:], module=rest[0].shown())
    return made(program, options, rest)
