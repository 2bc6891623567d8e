"""A Slurm job script: what it asks for, and what it runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.text import Hole, Text
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.slurm.launch import Launch, launches
from nodeworthy.facts.slurm.lines import Option, options_of
from nodeworthy.facts.slurm.paths import module_file, path_of
from nodeworthy.facts.slurm.ran import HOME, STARTS, Ran, Walked
from nodeworthy.facts.slurm.request import Slices, SlurmRequest
from nodeworthy.facts.slurm.walk import fill_value, walk_inner_script, walk_script
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Known, NotKnown, Place, Related, Unknown, Unread, skip

if TYPE_CHECKING:
    from nodeworthy.boot.shell.strict.reading import Broken
    from nodeworthy.facts.slurm.configuration import SlurmConf
    from nodeworthy.facts.slurm.lines import RefusedSbatchOption
    from nodeworthy.facts.slurm.refusals import Refusal


# accelerate's own config file, which says what its command line does not.

_SAID = ("num_machines", "machine_rank", "main_process_ip", "main_process_port", "rdzv_backend", "num_processes")


def with_config(launch: Launch, text: str, place: Place) -> Launch:
    """The launch as it is with the file's words; as it was where they can't be read. The command line wins."""
    try:
        (document,) = read_all(text, place)
    except (NotYaml, ValueError):
        return launch
    told = {name: document.get(name) for name in _SAID}
    scalars = {name: tree.value for name, tree in told.items() if isinstance(tree.value, str | int)}
    held: Mapping[str, Text] = {name: Text.of(str(value)) for name, value in scalars.items()}
    own = {name: value for name, value in launch.options.items() if name != "config_file"}
    return replace(launch, options={**held, **own})


# What a program makes a job of first.
_TEMPLATES = (".j2", ".jinja", ".jinja2", ".template", ".tmpl", ".tpl")
_SHELL = pattern(r"#!\s*\S*(?:/|\s)(?:ba|da|k|z|a)?sh\b")
# What is worked out of a job's text once.
_READ_ONCE = ("requests", "walked", "launches", "named_files")
# What Slurm tells each task for itself.
_OF_A_TASK = ("SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID")
_ON_THE_NODE = ("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_ARRAY_TASK_ID",
                "SLURM_ARRAY_JOB_ID", "SLURM_LAUNCH_NODE_IPADDR", "SLURM_STEP_NODELIST", "SLURM_JOB_NAME",
                "SLURM_TMPDIR", "SLURMD_NODENAME", "SLURM_JOB_PARTITION", "SLURM_GPUS_ON_NODE", "SLURM_JOB_USER",
                "SLURM_CPUS_ON_NODE", "SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_GPUS", "SLURM_JOB_END_TIME",
                "SLURM_MEM_PER_NODE", "SLURM_RESTART_COUNT", "SLURM_GPUS_PER_NODE", "SLURM_TASKS_PER_NODE",
                "SLURM_SUBMIT_HOST", "SLURM_CLUSTER_NAME", "SLURM_TASK_PID", "SLURM_JOB_ACCOUNT", "SLURM_MEM_PER_CPU",
                "SLURM_NTASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE", "SLURM_ARRAY_TASK_COUNT", "USER", "HOSTNAME",
                "HOME", "PWD", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_MIN", "SLURM_CPUS_PER_GPU", "TMPDIR",
                "SLURM_NPROCS", "SLURM_NTASKS", "SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SCRATCH", "WORK")  # fmt: skip


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that the script names, looked for beside it: its path if it is there, its text if that was read."""

    path: str | None
    text: str | None = None
    # Where it should lie, by what lies around the job; empty where nothing shows it.
    expected: str = ""


@dataclass(frozen=True, eq=False)
class SlurmJob:
    called: ClassVar[str] = "a Slurm job"

    place: Place
    text: str
    # Of an sbatch call: options behind it on the command line, which win over its lines.
    given: tuple[Option, ...] = ()
    beside: Mapping[str, NamedFile] = field(default_factory=dict)
    # `--wrap`, a here-document: no file of its own.
    within: bool = False
    # Slurm's variables that the shell which submits it fills in, where they are empty: of an unquoted here-document.
    early: tuple[tuple[str, Place], ...] = ()
    # Lines of it were filled in when it was written, as far as that is known: of an unquoted here-document.
    filled: bool = False
    # Who hands this very file to sbatch, where that is seen.
    submitted: str = ""
    # What other jobs of its repository ask for beside a slice of a GPU.
    slices: Slices = Slices()
    # The one slurm.conf of its repository.
    cluster: SlurmConf | None = None
    # Of the folders that its logs ask for, and that it makes itself: those that are there before it begins.
    log_folders: frozenset[str] = frozenset()

    @cached_property
    def requests(self) -> Sequence[SlurmRequest]:
        """One; of a heterogeneous job one for each of its parts."""
        options = (*options_of(self.text, self.place), *self.given)
        parts = sorted({option.part for option in options}) or [0]
        return [SlurmRequest(self.place, [each for each in options if each.part == part]) for part in parts]

    @property
    def request(self) -> SlurmRequest:
        return self.requests[0]

    @property
    def broken(self) -> Broken | None:
        """What the shell can't read in it. Only of a job that is a file of its own."""
        from nodeworthy.boot.shell.strict.reading import why_broken

        is_template = self.place.file.endswith(_TEMPLATES)
        return why_broken(self.text, jinja=is_template) if not self.within and self.is_shell else None

    @property
    def unread_as(self) -> Unread | None:
        """The engine asks: of a job that no shell can read to its end, or that sbatch refuses, one rule says why."""
        if self.broken is not None:
            return Unread.TEXT
        return Unread.HEADER if self.refused or self.refusals else None

    @cached_property
    def told_once(self) -> frozenset[str]:
        """The engine asks: what is filled in before there is a job is unknown to every rule, and told by one."""
        options = (option for request in self.requests for option in request.options)
        return frozenset(each.value.state.why for each in options if isinstance(each.value.state, Unknown))

    @cached_property
    def refused(self) -> Sequence[RefusedSbatchOption]:
        from nodeworthy.facts.slurm.lines import refused_lines

        return refused_lines(self)

    @cached_property
    def refusals(self) -> Sequence[Refusal]:
        from nodeworthy.facts.slurm.refusals import refusals

        return tuple(refusals(self))

    @property
    def is_shell(self) -> bool:
        first = self.text.split("\n", 1)[0]
        return self.within or not first.startswith("#!") or _SHELL.match(first) is not None

    @cached_property
    def walked(self) -> Walked:
        place = Place(self.place.path, self.place.line or 1, 1)
        text = self.text.replace("\r\n", "\n")
        return walk_script(text, place, self._given(), self._scripts, self._folder)

    @property
    def _folder(self) -> str | None:
        """The folder where it begins. None where that is elsewhere."""
        chdir = self.request.option("chdir")
        if chdir is None:
            return HOME
        path = chdir.value.state.value if isinstance(chdir.value.state, Known) else "/"
        return None if path.startswith(("/", "~")) else posixpath.normpath(f"{HOME}/{path}")

    @cached_property
    def unreadable(self) -> Place | None:
        """Where it is no shell that could be read, and something is started there."""
        if not self.is_shell:
            return None
        return next((place for place, text in self.walked.broken if STARTS.search(text)), None)

    @cached_property
    def launches(self) -> Sequence[Launch]:
        if not self.is_shell:
            skip("its script is no shell script, and is not read")
        if self.unreadable is not None:
            skip(f"what it runs is not known: from line {self.unreadable.line} on it is no shell that could be read")
        every = (self._configured(each) for each in launches(self.walked, self))
        found = sorted(every, key=lambda each: each.place.row)
        return [each for each in found if each.is_python or each.script is not None or each.step is not None]

    @property
    def python_launches(self) -> Sequence[Launch]:
        return [each for each in self.launches if each.is_python]

    def with_files(self, found: Mapping[str, NamedFile]) -> SlurmJob:
        """The same with what was found beside it; only what the job's shell reads changes how it is read."""
        job = replace(self, beside={**self.beside, **found})
        if all(each.text is None or name.endswith(".py") for name, each in found.items()):
            kept = {name: value for name, value in self.__dict__.items() if name in _READ_ONCE}
            job.__dict__.update(kept)
        return job

    def _configured(self, launch: Launch) -> Launch:
        config = launch.option("config_file") if launch.program == "accelerate" else None
        name = path_of(config, launch.ran.folder) if config is not None else None
        found = self.beside.get(name) if name is not None else None
        if found is None or found.text is None:
            return launch

        return with_config(launch, found.text, Place(found.path))

    def inside(self, text: Text, origin: Origin, ran: Ran) -> Walked:
        """What each task runs by itself; what the batch script has filled in is the same for all of them."""
        own = {name: Text((Hole(f"${name}", "each task has its own"),)) for name in _OF_A_TASK}
        written = ""
        for number, piece in enumerate(text.pieces):
            if isinstance(piece, Hole):
                own[f"_FILLED_{number}"] = fill_value(Text((piece,)))
            written += piece if isinstance(piece, str) else f"${{_FILLED_{number}}}"
        return walk_inner_script(written, origin, ran, own, self._scripts)

    def script(self, path: Text, ran: Ran) -> tuple[Text, Origin] | None:
        name = path_of(path, ran.folder)
        body = self._scripts.get(name) if name is not None else None
        return (Text.of(body[1]), Straight(Place(body[0], 1, 1))) if body is not None else None

    @cached_property
    def named_files(self) -> frozenset[str]:
        """The files that it runs or sources, as far as their paths are known."""
        if not self.is_shell or self.unreadable is not None:
            return frozenset()
        every = [*((each.script, each.ran.folder) for each in self.launches)]
        every += [(each.option("config_file"), each.ran.folder) for each in self.launches]
        every += [(each.words[1], each.folder) for each in self.walked.ran
                  if each.words[0].known in ("source", ".") and len(each.words) > 1]  # fmt: skip
        every += [(Text.of(each), HOME) for each in self.copied.values()]
        modules = (each.module for each in self.launches if each.is_python and re.fullmatch(r"[\w.]+", each.module))
        every += [(Text.of(module_file(each)), HOME) for each in modules]
        found = (path_of(script, folder) for script, folder in every if script is not None)
        return frozenset(name for name in found if name is not None)

    @cached_property
    def copied(self) -> Mapping[str, str]:
        """What `sbcast` brings to the nodes: by its path there, the file that it is here."""
        found: dict[str, str] = {}
        for ran in self.walked.ran:
            if ran.words[0].known == "sbcast" and len(ran.words) > 2:
                source, target = (each.known for each in ran.words[-2:])
                if source and target:
                    found[target] = source
        return found

    @property
    def _scripts(self) -> Mapping[str, tuple[str, str]]:
        return {
            name: (each.path, each.text)
            for name, each in self.beside.items()
            if each.path and each.text is not None and not name.endswith((".py", ".yaml", ".yml", ".json"))
        }

    def _given(self) -> Mapping[str, Text]:
        """What Slurm sets for the script, on the first node of the job."""
        given = {name: Text((Hole(f"${name}", f"Slurm sets {name} when the job runs"),)) for name in _ON_THE_NODE
                 if name not in self.request.empty}  # fmt: skip
        given |= {name: Text.of("0") for name in _OF_A_TASK}
        given["SLURM_SUBMIT_DIR"] = Text.of(HOME)
        for names, count in self._counts():
            given |= dict.fromkeys(names, count)
        return given

    def _counts(self) -> Sequence[tuple[tuple[str, ...], Text]]:
        request, found = self.request, list[tuple[tuple[str, ...], Text]]()
        counted: Sequence[tuple[tuple[str, ...], Callable[[], int | None]]] = (
            (("SLURM_NNODES", "SLURM_JOB_NUM_NODES"), lambda: request.nodes),
            (("SLURM_NTASKS", "SLURM_NPROCS"), lambda: request.tasks),
            (("SLURM_CPUS_PER_TASK",), lambda: request.count("cpus-per-task")),
            (("SLURM_NTASKS_PER_NODE",), lambda: request.count("ntasks-per-node")),
            (("SLURM_GPUS_ON_NODE",), lambda: request.gpus_per_node),
        )
        for names, ask in counted:
            try:
                count = ask()
            except NotKnown as later:
                found.append((names, Text((Hole(f"${names[0]}", later.why),))))
                continue
            if count is not None:
                found.append((names, Text.of(str(count))))
        return found

    def related(self, option: Option | None, says: str = "") -> list[Related]:
        return [Related(option.place, says or f"{option.written} stands here")] if option is not None else []

    def known(self, text: Text | None) -> int | None:
        """A count that is known; None for any other."""
        shown = text.known if text is not None else None
        return int(shown) if shown is not None and shown.isdigit() else None
