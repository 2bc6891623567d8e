"""Roots of Terraform and OpenTofu: which there are, and what each brings.

A root is judged as a whole, and each fact stands where its literal does. A folder that another one calls is a part of
that one's root; one that nobody here calls is a root of its own, and so is one that its own examples call alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from nodeworthy.collect.source.files import Source, Unreadable, read_bytes, shown_path_beside
from nodeworthy.collect.source.parsing import InputRefused
from nodeworthy.collect.source.terraform_charts import DECLARING, argument, facts_declared_by, handlers_declared_by
from nodeworthy.documents.files import tree_of
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.hcl.disk import UNIT, Disk, Unread, read_file
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.root import Module, open_root
from nodeworthy.hcl.scope import TooMuch
from nodeworthy.hcl.values import Obj, Seq, Str, Value
from nodeworthy.known.terraform import CLOUDS, FIREWALLS, MACHINES, MAKING_CLUSTERS, OTHER_CLOUDS
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.collect.aws.stack import Stack
    from nodeworthy.collect.source.scope import Scopes
    from nodeworthy.facts.aws.node_drainer import Handler
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.facts.fleet.gpu_pool import GpuPool
    from nodeworthy.facts.secrets.terraform_text import TerraformText
    from nodeworthy.facts.surroundings import Surroundings
    from nodeworthy.suppression import Suppression

_T = TypeVar("_T")
# What a model of a module says of an argument that has no effect.
_LEFT_OUT = "left_out"
_A_TYPE = pattern(r"[a-z][a-z0-9-]{1,15}\.(?:\d{0,3}x?large|metal(?:-\d+xl)?)")
# Of machines elsewhere than AWS, and of accelerators: what their names begin with.
_OF_OTHERS = pattern(r"(?i:standard_n[cdgpv]\d\w*)|nvidia-[a-z0-9-]+|[ag]\d+x?-[a-z0-9-]+")
_OF_GPU_IMAGES = pattern(r"(?:AL2023|BOTTLEROCKET)_\w+_NVIDIA|AL2_x86_64_GPU")
_AS_A_PLAN = (
    "run `terraform init`, which puts the module where it is read (.terraform/modules), or check its plan: "
    "terraform show -json PLAN > plan.json"
)
# What runs something besides is called so: `remote-exec`, `local-exec`, Azure's extensions, the provider of ssh.
_RUNS = ('-exec"', '"ssh_', "commandToExecute", "machine_extension", "scale_set_extension", "CustomScript")
# By which machines of other clouds than AWS are given what they boot with.
_BOOTS = (
    *("startup_script", "startup-script", "user-data", "custom_data", "user_data", "userdata", "cloud-init"),
    *("cloud_init", "cloud_config", "source_raw", '"local_file"', '"local_sensitive_file"'),
)
# What a module of one's own is called by.
_CALLS = pattern(rb'(?m)^[ \t]*source[ \t]*=[ \t]*"(\.\.?/[^"$\n]*)"')


@dataclass
class TerraformRoot:
    folder: str
    module: Module
    disk: Disk
    around: Surroundings | None
    # How many were opened before it.
    turn: int = 0
    # Those who were asked for all that it brings.
    told: set[str] = field(default_factory=set)
    # What was looked at, as far as somebody asked.
    heard: set[str] = field(default_factory=set)

    @cached_property
    def facts(self) -> Sequence[Fact]:
        return list(self._facts())

    @cached_property
    def stack(self) -> Stack | None:
        """What it makes in AWS, where that starts nodes. Imported only where a root makes something in AWS."""
        if not self.module.has_any(("aws_",)):
            return None
        from nodeworthy.collect.source.terraform_nodes import stack_in

        return self.bounded(lambda: stack_in(self.module, self._handlers(), self.around))

    @cached_property
    def pools(self) -> Sequence[GpuPool]:
        """The pools that it asks of other clouds. Their reader is imported only where there are some."""
        if not self.module.has_any(CLOUDS):
            return ()
        from nodeworthy.collect.source.terraform_nodes import BY_API, pools_of_other_clouds
        from nodeworthy.facts.fleet.hosted_pools import HOSTED
        from nodeworthy.known.hosted_elsewhere import types_elsewhere

        types = HOSTED | types_elsewhere() if any(map(self.disk.says, OTHER_CLOUDS)) else HOSTED
        types |= {BY_API}
        return self.bounded(lambda: pools_of_other_clouds(self.module.everything(types))) or ()

    @cached_property
    def provisioned(self) -> Provisioned:
        """What it runs on machines and beside itself. Imported only where it does."""
        runs, boots = any(map(self.disk.says, _RUNS)), any(map(self.disk.says, _BOOTS))
        if not (runs or boots):
            return Provisioned((), ())
        from nodeworthy.collect.source.terraform_provisioners import booting_elsewhere, provisioning

        there, beside = (self.bounded(lambda: provisioning(self.module, self.around)) if runs else None) or ([], [])
        booting = (self.bounded(lambda: booting_elsewhere(self.module, self.around)) if boots else None) or []
        return Provisioned([*there, *booting], beside)

    def bounded(self, make: Callable[[], _T]) -> _T | None:
        """What `make` returns; None if it took too much, which is reported with the charts."""
        try:
            return make()
        except TooMuch:
            return None

    def _handlers(self) -> Sequence[Handler]:
        return list(handlers_declared_by(self.module.everything(DECLARING)))

    @property
    def is_of_ours(self) -> bool:
        """Whether it brings anything that is judged here, or says what becomes of a file that would be."""
        brings = self.facts or self.stack is not None or self.pools or any(self.provisioned)
        return bool(brings or self.templates)

    @property
    def files(self) -> frozenset[str]:
        """The files of HCL that it is made of, as the reader knows them."""
        return self.disk.parsed_files

    @cached_property
    def templates(self) -> frozenset[str]:
        """The templates that were filled in: complete once everything that the root brings was asked for."""
        return frozenset(self.disk.templates)

    @cached_property
    def values(self) -> frozenset[str]:
        """The files that are values of its releases, and none by themselves: complete when the templates are."""
        return frozenset(self.disk.values)

    def newly_asked(self) -> Sequence[str]:
        """What was looked at since somebody asked last: nobody hears of it twice, however many files a root has."""
        if len(self.disk.asked) == len(self.heard):
            return ()
        found = sorted(self.disk.asked - self.heard)
        self.heard.update(found)
        return found

    def _facts(self) -> Iterator[Fact]:
        try:
            yield from facts_declared_by(self.module.everything(DECLARING))
            yield from self._nodes()
            yield from self._machines()
            yield from self._opened()
            yield from self._left_out()
            yield from self._unread()
            self._fill_in_for_nobody()
        except TooMuch as problem:
            yield NotLookedAt(Place(self.disk.shown(self.folder)), f"this root was not read to its end: {problem}")

    def _nodes(self) -> Iterator[Fact]:
        """The nodes of what makes clusters by itself. Imported only where it does."""
        if self.module.has_any(MAKING_CLUSTERS) and any(map(self.disk.says, MAKING_CLUSTERS)):
            from nodeworthy.collect.source.terraform_clusters import TYPES, nodes_declared_by

            yield from nodes_declared_by(self.module.everything(TYPES))

    def _machines(self) -> Iterator[Fact]:
        """Machines with GPUs of other clouds, of no pool. Imported only where there may be some."""
        if any(map(self.disk.says, MACHINES)) and self.module.has_any(CLOUDS):
            from nodeworthy.collect.source.terraform_machines import machines_asked_for

            yield from machines_asked_for(self.module, self.around)

    def _opened(self) -> Iterator[Fact]:
        """Ports that a firewall of other clouds opens. Imported only where there may be one."""
        if any(map(self.disk.says, FIREWALLS)) and self.module.has_any(CLOUDS):
            from nodeworthy.collect.source.terraform_machines import ports_opened

            yield from ports_opened(self.module.everything())

    def _fill_in_for_nobody(self) -> None:
        """A template that is filled in for something of which there is none is no file by itself either."""
        for each in self.module.absent(DECLARING):
            if "templatefile" in each.block.file.text:
                _ = each.values

    def _unread(self) -> Iterator[Fact]:
        """The modules that nobody knows and that are given nodes with GPUs to make."""
        for given, hole in self.module.unread_calls():
            named = next(filter(_names_gpus, _texts(given)), None)
            if named is not None:
                what = f"what {hole.shown} makes with {named} was not looked at: {hole.why}"
                yield NotLookedAt(given.spot.place, what, remedy=_AS_A_PLAN)

    def _left_out(self) -> Iterator[Fact]:
        """What a module that is known by its model hands on to nobody."""
        for each in self.module.everything({_LEFT_OUT}) if self.module.has_any(()) else ():
            if isinstance(each, Instance):
                from nodeworthy.facts.boot.left_out import LeftOut

                said = {name: argument(each, name) for name in ("called", "said", "why", "instead")}
                called, why, instead = (said[name].string for name in ("called", "why", "instead"))
                yield LeftOut(said["said"].place.about(called), called, why, instead)


def _texts(value: Value) -> Iterator[str]:
    if isinstance(value, Str) and value.known:
        yield value.known
    elif isinstance(value, (Seq, Obj)):
        for each in value.items if isinstance(value, Seq) else value.items.values():
            yield from _texts(each)


def _names_gpus(text: str) -> bool:
    """A type of EKS' images, a machine of AWS, Google Cloud or Azure, or an accelerator."""
    if _OF_GPU_IMAGES.fullmatch(text) is not None:
        return True
    if _OF_OTHERS.fullmatch(text) is not None:
        from nodeworthy.known.cloud_gpus import gpu_of_accelerator, gpus_of_machine, gpus_of_size

        return bool(gpu_of_accelerator(text) or gpus_of_machine(text) or gpus_of_size(text))
    if "." not in text:
        return False
    from nodeworthy.known.instances import has_gpus

    return _A_TYPE.fullmatch(text) is not None and has_gpus(text)


class Provisioned(NamedTuple):
    on_machines: Sequence[BootScript]
    beside_itself: Sequence[BootScript]

    def within(self, paths: Collection[str]) -> Provisioned:
        return Provisioned(*([each for each in some if each.place.path in paths] for some in self))


class Brought(NamedTuple):
    facts: Sequence[Fact]
    root: TerraformRoot
    stacks: Sequence[Stack]
    # All files of the root: where they are not judged themselves, they are what it is judged by.
    files: frozenset[str]
    # What the file itself writes down; None where it can't be parsed.
    text: TerraformText | None = None
    provisioned: Provisioned = Provisioned((), ())


def facts_in(source: Source) -> Brought | None:
    """What the root of a file brings, once for all its files. Of one that somebody names all others are evidence."""
    root = _root(source)
    if root is None:
        return None
    _refuse(source, root)
    first = not root.told
    root.told.add(source.lies)
    stacks = [root.stack] if first and root.stack is not None else []
    facts, provisioned = (root.facts, root.provisioned) if first else ((), Provisioned((), ()))
    files = root.files | root.templates if source.named else root.files
    return Brought(facts, root, stacks, files, _text(source, root), provisioned)


def pools_asked_of_root(source: Source) -> Sequence[GpuPool]:
    """The pools that the root of a file asks for, in AWS and elsewhere: as evidence, which tells nobody of the root."""
    root = _root(source)
    return _pools_asked_of(root) if root is not None else ()


def _pools_asked_of(root: TerraformRoot) -> Sequence[GpuPool]:
    stack = root.stack
    of_aws = root.bounded(lambda: stack.pools_of_its_groups(stack.facts(None))) if stack is not None else None
    return [*(of_aws or ()), *root.pools]


def pools_of_units_before(source: Source) -> Sequence[GpuPool]:
    """The pools of the units that this one of Terragrunt's depends on: the cluster is theirs that it is made for."""
    root = _root(source)
    if root is None or not root.disk.is_unit(root.folder):
        return ()
    from nodeworthy.hcl.terragrunt import Unit

    before = root.module.before if isinstance(root.module, Unit) else ()
    opened = [_root_of(each, source) for each in before if root.disk.is_unit(each)]
    return [pool for each in opened if each is not None for pool in _pools_asked_of(each)]


def _text(source: Source, root: TerraformRoot) -> TerraformText | None:
    parsed = root.disk.body(source.lies)
    if parsed is None:
        return None
    from nodeworthy.facts.secrets.terraform_text import text_of

    return text_of(parsed.file, parsed.body)


def root_of_template(source: Source, folders: Iterable[Path]) -> Brought | None:
    """The first of these that fills in this template, which somebody names alone: it is judged as what it becomes."""
    for folder in folders:
        root = _root_of(os.fspath(folder), source)
        stacks = [root.stack] if root is not None and root.stack is not None else []
        if root is None or not (root.facts or stacks or any(root.provisioned)):
            continue
        run = root.provisioned
        # By the charts of a root, and by its boot scripts.
        filled = root.templates.union(*(each.scripts_lie_in for each in stacks))
        if source.shown in filled:
            own = [each for each in root.facts if each.place.path == source.shown]
            files = root.files | filled - {source.shown}
            return Brought(own, root, stacks, files, provisioned=run.within({source.shown}))
    return None


def _root(source: Source) -> TerraformRoot | None:
    return _root_of(os.path.dirname(source.lies), source)  # noqa: PTH120 - a path as text


def _root_of(folder: str, source: Source) -> TerraformRoot | None:
    called = source.scopes.parts.get(folder)
    if called is not None:
        return called
    own, folder = folder, folder_of_root(folder, source)
    root = source.scopes.roots.get(folder) or _opened(folder, source)
    if root is not None:
        # None of its instances may be there; its files are looked at all the same.
        root.disk.bodies(own)
    return root


def _opened(folder: str, source: Source) -> TerraformRoot | None:
    given = source.scopes.var_files
    tree_around = tree_of(folder, source.below)
    disk = Disk(tree_around, partial(shown_path_beside, source), lambda path: _bytes_of(path, source), given)
    try:
        module = open_root(folder, disk, given)
    except TooMuch:
        return None
    root = TerraformRoot(folder, module, disk, source.scope, len(source.scopes.roots))
    source.scopes.roots[folder] = root
    _know_parts(root, source.scopes)
    return root


def _know_parts(root: TerraformRoot, scopes: Scopes) -> None:
    """Notes the folders that the root has looked into and those that it will look into."""

    def is_a_part(folder: str) -> None:
        if _lies_below(root.folder, folder):
            return
        before = scopes.parts.get(folder)
        if before is None or before.turn > root.turn:
            scopes.parts[folder] = root

    for each in root.disk.folders:
        is_a_part(each)
    root.disk.tell = is_a_part


def folder_of_root(folder: str, source: Source) -> str:
    """The root that this folder is a part of, among all that was named with it, or that lies in the scope of a file;
    itself where nobody calls it."""
    within = source.below or os.fspath(source.scope.root or "")
    if not within:
        return folder
    calls, seen = _calls(source, within), {folder}
    while (above := calls.get(folder)) is not None and above not in seen:
        seen.add(above)
        folder = above
    return folder


def _calls(source: Source, within: str) -> Mapping[str, str]:
    """For each folder that is called as a module here, the first folder that calls it."""
    found = source.scopes.callers.get(within)
    if found is None:
        found = source.scopes.callers[within] = {}
        scope = source.scopes.below(Path(within))
        for held in scope.holding(_CALLS, (".tf", ".tofu")):
            caller = os.fspath(held.path.parent)
            for each in _CALLS.findall(held.data):
                called = os.path.normpath(held.path.parent / each.decode("utf-8", "replace"))
                if called != caller and not _lies_below(caller, called):
                    found.setdefault(called, caller)
        for folder in (os.fspath(each.parent) for each in scope.called(UNIT)):
            found.update((each, folder) for each in _called_by_unit(folder, source) if each not in found)
    return found


def _called_by_unit(folder: str, source: Source) -> Iterator[str]:
    """A unit of Terragrunt puts together where its module lies. Imported only where there is one."""
    from nodeworthy.hcl.terragrunt import Unit

    root = source.scopes.roots.get(folder) or _opened(folder, source)
    called = root.module.folder_called if root is not None and isinstance(root.module, Unit) else None
    if called is not None:
        yield called


def _lies_below(folder: str, above: str) -> bool:
    """What a module's own examples and tests call is there to be called: by itself it is what its defaults make."""
    return folder.startswith(above + os.sep)


def _bytes_of(path: str, source: Source) -> bytes:
    """What an editor holds is what counts."""
    if path == source.lies:
        try:
            return read_bytes(source)
        except Unreadable as problem:
            raise Unread(problem.why) from None
    other = source.others.get(shown_path_beside(source, path))
    return other if other is not None else read_file(path)


def _refuse(source: Source, root: TerraformRoot) -> None:
    if source.path.name.endswith((".tfvars", ".tfvars.json")):
        return
    faults = (each for bodies in root.disk.folders.values() for each in bodies.faults)
    for fault in faults:
        if fault.place.path == source.shown:
            raise InputRefused(fault.place, f"this is no HCL that Terraform reads: {fault.why}")


def suppressions_of(text: str, shown: str, rules: frozenset[str]) -> list[Suppression]:
    """What a file of it says of findings: in its comments, in JSON in objects of that name."""
    if shown.endswith(".json"):
        from nodeworthy.collect.source.json_comments import json_comments

        return list(json_comments(text, Place(shown), rules))
    from nodeworthy.collect.source.comments import comments

    return list(comments(text, Place(shown), rules, is_yaml=False))
