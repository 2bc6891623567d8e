"""What Terraform runs besides: on a machine that it has made (`remote-exec`), and beside itself (`local-exec`).

What it has a machine do is that machine's script. What it runs beside itself makes no node, and is looked at for what
it installs and what it has others do by ssh. What machines of other clouds than AWS boot with is here, too.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.collect.aws.filled_in import script_of
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.blocks import body_value
from nodeworthy.hcl.calling import Calling
from nodeworthy.hcl.codings import jsondecode
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.root import Module
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.syntax import Block
from nodeworthy.hcl.values import Hole, Lit, Obj, Piece, Refusal, Seq, Str, Value, Waits, as_lines
from nodeworthy.known.cloud_gpus import names_gpus
from nodeworthy.known.hosted_elsewhere import gpus_elsewhere
from nodeworthy.known.terraform import boots
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import NotKnown

_REMOTE, _LOCAL, _FILE = "remote-exec", "local-exec", "file"
_EXTENSIONS = ("azurerm_virtual_machine_extension", "azurerm_virtual_machine_scale_set_extension")
_PROTECTED = "protected_settings"
# What has a machine run commands by ssh, after the files that it lays there.
_BY_SSH = ("ssh_resource", "ssh_sensitive_resource")
# What writes a file, of which a script by its first line is one.
_WRITTEN = ("local_file", "local_sensitive_file")
_HEADS = ("#!", "#cloud-config")
_NO_WORD = pattern(r"\W+")
# Where a file ends that is laid on a machine, in the script that this comes down to.
_END = "END_OF_THE_FILE"
# By which a machine of another cloud, or a pool of nodes, says what hardware it is.
_ITS_HARDWARE = (
    *("machine_type", "guest_accelerator", "size", "vm_size", "sku", "shape", "node_shape", "flavor_name"),
    *("resources.platform", "template.resources.platform"),
)
# How Terraform runs both.
_HEAD = "#!/bin/sh\n"
_HEAD_THAT_STOPS = "#!/bin/sh -e\n"
# What one shell was told, the next does not know.
_ANEW = "set +eu\n"
# The last line that is a command of its own, behind one that is at its end.
_LAST_LINE = pattern(r"(?:\A|(?<=[^\\\n]\n)|(?<=\n\n))(?![ \t]*(?:fi|done|esac|[})#]))[^\n]+\n+\Z")
# So many letters stand for a hole where only lines are counted.
_OF_A_HOLE = 1


def provisioning(module: Module, around: Surroundings | None) -> tuple[list[BootScript], list[BootScript]]:
    """What machines are told to run, and what is run beside Terraform: once of each block, however many it makes."""
    seen: set[int] = set()
    there: list[BootScript] = []
    here: list[BootScript] = []
    for each in module.everything():
        if isinstance(each, Instance) and not each.is_data and id(each.block) not in seen:
            seen.add(id(each.block))
            there += (_script(one, around) for one in (*_texts(each, _REMOTE), *_told_by_ssh(each)))
            there += (_by_extension(*one, around) for one in _run_by_extension(each))
            here += (_script(one, around) for one in _texts(each, _LOCAL))
    return there, here


def booting_elsewhere(module: Module, around: Surroundings | None) -> list[BootScript]:
    """What machines of other clouds are given to boot with, once of each block. What stands in a file of its own is
    looked at there; a template that is filled in is none."""
    seen: set[int] = set()
    found: list[BootScript] = []
    for each in module.everything(boots()):
        if isinstance(each, Instance) and not each.is_data and id(each.block) not in seen:
            seen.add(id(each.block))
            texts = [given for given in _boot_texts(each) if _is_written_there(given[0], each)]
            if each.type in _WRITTEN:
                scripts = [_script(said, around) for said, _ in texts if said.shown.startswith(_HEADS)]
            else:
                scripts = [_booting(*given, around) for given in texts]
            read = [one for one in scripts if one.read is not None]
            found += read if _has_gpus(each) else filter(_is_of_a_node, read)
    return found


def scripts_given_to(instance: Instance, around: Surroundings | None) -> list[BootScript]:
    """What a machine boots with, wherever its text stands."""
    scripts = [_booting(*given, around) for given in _boot_texts(instance)]
    return [each for each in scripts if each.read is not None]


def _has_gpus(instance: Instance) -> bool:
    cloud = instance.type.partition("_")[0]
    return any(names_gpus(each) or gpus_elsewhere(cloud, each) is not None for each in _texts_in(instance.values))


def _booting(said: Str, path: str, around: Surroundings | None) -> BootScript:
    return replace(script_of(said, around), on_ec2=False, at_startup="startup" in path)


def _is_of_a_node(script: BootScript) -> bool:
    """Whether a script joins a cluster, makes one or installs a driver, of a machine of which nothing says that it has
    GPUs."""
    from nodeworthy.facts.boot.cluster_join import joins_of
    from nodeworthy.facts.boot.critical_steps import critical_steps
    from nodeworthy.facts.boot.drivers import drivers

    try:
        return bool(joins_of(script) or drivers(script.timeline) or critical_steps(script.timeline))
    except NotKnown:
        return False


def _texts_in(values: Obj) -> Iterator[str]:
    """The machine, its size or shape, and what is put into it; not what it boots with."""
    for path in _ITS_HARDWARE:
        said = _at(values, path.split("."))
        for each in said.items if isinstance(said, Seq) else (said,):
            kind = each.items.get("type") if isinstance(each, Obj) else each
            if isinstance(kind, Str) and kind.known:
                yield kind.known


def _boot_texts(instance: Instance) -> Iterator[tuple[Str, str]]:
    """The texts, and the arguments that hold them. An empty one is none."""
    for form, paths in boots()[instance.type].items():
        for path in paths:
            said = _at(instance.values, path.split("."))
            if not isinstance(said, Str) or said.known == "":
                continue
            if said.packs is not None and said.packs[0] == form:
                yield said.packs[1], path
            elif form == "raw":
                yield said, path


def _at(value: Value | None, path: Sequence[str]) -> Value | None:
    """A key may have dots itself: `extra_config = {"guestinfo.userdata" = …}`."""
    for at, name in enumerate(path):
        if isinstance(value, Seq):
            value = value.items[0] if value.items else None
        if not isinstance(value, Obj):
            return None
        if name not in value.items:
            return value.items.get(".".join(path[at:]))
        value = value.items[name]
    return value


def _is_written_there(said: Str, instance: Instance) -> bool:
    """A variable's default is no file of its own: what has lines is asked. What is packed has them inside."""
    own = instance.block.file
    while said.packs is not None:
        said = said.packs[1]
    lines = (each for each in said.pieces if isinstance(each, Lit) and "\n" in each.text)
    return all(each.spot.file is own or each.spot.file.is_filled_in for each in lines)


def _script(said: Str, around: Surroundings | None) -> BootScript:
    return replace(script_of(said, around, called="the script"), of_an_object=False, by_hand=True, on_ec2=False)


def _texts(instance: Instance, kind: str) -> Iterator[Str]:
    """One provisioner after the other, on one machine, each in a shell of its own."""
    kinds = [[kind], [_FILE]] if kind == _REMOTE else [[kind]]
    blocks = [each for each in instance.block.body.of("provisioner") if list(each.labels) in kinds]
    pieces: list[Piece] = []
    for each in blocks if any(list(one.labels) == [kind] for one in blocks) else ():
        said = body_value(each.body, instance.module.scope(instance.block.file, instance.names), each.at)
        if list(each.labels) == [_FILE]:
            pieces += _file(said, instance)
            continue
        lines = list(_lines(said, kind))
        if pieces and lines:
            pieces.append(Lit(_ANEW, _spot(instance, each)))
        pieces += lines if each is blocks[-1] or "on_failure" in said.items else _ending_heard(lines)
    if pieces:
        head = Lit(_HEAD, _spot(instance, blocks[0]))
        yield Str([head, *pieces], head.spot)


def _told_by_ssh(instance: Instance) -> Iterator[Str]:
    """Commands, each in a shell of its own; behind one that fails comes none."""
    if instance.type not in _BY_SSH:
        return
    laid, told = (instance.values.items.get(name) for name in ("file", "commands"))
    commands = [each for each in told.items if isinstance(each, Str)] if isinstance(told, Seq) else []
    if not commands:
        return
    pieces: list[Piece] = [Lit(_HEAD_THAT_STOPS, commands[0].spot)]
    for each in laid.items if isinstance(laid, Seq) else ():
        pieces += _file(each, instance) if isinstance(each, Obj) else ()
    for each in commands:
        pieces += [*each.pieces, Lit("\n", each.spot)]
    yield Str(pieces, commands[0].spot)


def _file(said: Obj, instance: Instance) -> Iterator[Piece]:
    """A file that is laid on the machine, and may be run there. One that lies here is looked at where it lies."""
    content, path = (said.items.get(name) for name in ("content", "destination"))
    if not isinstance(content, Str) or not isinstance(path, Str) or not path.known or "'" in path.known:
        return
    if _END in content.shown or not _is_written_there(content, instance):
        return
    yield Lit(f"cat > '{path.known}' <<'{_END}'\n", path.spot)
    # What is filled in stands in a text within this one, as a variable that nobody sets.
    yield from (
        Lit(f"${{{_NO_WORD.sub('_', each.shown)}}}", each.spot) if isinstance(each, Hole) else each
        for each in content.pieces
    )
    yield Lit("" if content.shown.endswith("\n") else "\n", content.spot)
    yield Lit(f"{_END}\n", path.spot)


def _by_extension(said: Str, name: str, around: Surroundings | None) -> BootScript:
    """What stands in its plain settings is shown to whoever may read the machine, as user data is."""
    script = _script(said, around)
    return script if name == _PROTECTED else replace(script, by_hand=False, at_startup=True)


def _run_by_extension(instance: Instance) -> Iterator[tuple[Str, str]]:
    """Azure's extension for scripts: its agent has the machine run one, or a command, in a shell of their own. Each
    with the name of the settings that hold it."""
    scope = instance.module.scope(instance.block.file, instance.names)
    for extension in _extensions(instance):
        for name in ("settings", _PROTECTED):
            said = extension.items.get(name)
            settings = said.encodes if isinstance(said, Str) else None
            if isinstance(said, Str) and settings is None:
                try:
                    settings = jsondecode(Calling(scope, said.spot), said)
                except (Refusal, Waits):
                    continue
            if isinstance(settings, Obj):
                yield from ((each, name) for each in _told_by(settings))


def _extensions(instance: Instance) -> Iterator[Obj]:
    """It is a resource of its own, or a block of a scale set."""
    if instance.type in _EXTENSIONS:
        yield instance.values
    elif instance.type.startswith("azurerm_") and instance.type.endswith("_scale_set"):
        said = instance.values.items.get("extension")
        yield from (each for each in (said.items if isinstance(said, Seq) else (said,)) if isinstance(each, Obj))


def _told_by(settings: Obj) -> Iterator[Str]:
    script, command = (settings.items.get(name) for name in ("script", "commandToExecute"))
    if isinstance(script, Str) and script.packs is not None and script.packs[0] == "base64":
        yield script.packs[1]
    elif isinstance(script, Str) and script.known:
        try:
            text = b64decode(script.known, validate=True).decode()
        except ValueError:
            return
        yield Str([Lit(text, script.spot, straight=False)], script.spot)
    if isinstance(command, Str):
        yield Str([Lit(_HEAD, command.spot), *command.pieces, Lit("\n", command.spot)], command.spot)


def _ending_heard(lines: Sequence[Piece]) -> list[Piece]:
    """Terraform stops where a provisioner fails, and it fails as its last command does. Where that is the end of
    something larger, how the whole ends is left open."""
    text = "".join(each.text if isinstance(each, Lit) else "$" * _OF_A_HOLE for each in lines)
    last = _LAST_LINE.search(text)
    if last is None or "<<" in text:
        return list(lines)
    at, pieces = last.start(), list[Piece]()
    for each in lines:
        width = len(each.text) if isinstance(each, Lit) else _OF_A_HOLE
        if 0 <= at < width:
            before, behind = _cut(each, at)
            pieces += [*before, Lit("set -e\n", each.spot), *behind]
        else:
            pieces.append(each)
        at -= width
    return pieces


def _cut(piece: Piece, at: int) -> tuple[list[Piece], list[Piece]]:
    if not isinstance(piece, Lit) or at == 0:
        return [], [piece]
    before = Lit(piece.text[:at], piece.spot, piece.straight)
    return [before], [Lit(piece.text[at:], piece.spot_at(at), piece.straight)]


def _spot(instance: Instance, block: Block) -> Spot:
    return Spot(instance.block.file, block.at)


def _lines(said: Obj, kind: str) -> Iterable[Piece]:
    """What stands in files of its own (`script`, `scripts`) is looked at there; with an interpreter of its own it may
    be of another language."""
    given = said.items.get("inline" if kind == _REMOTE else "command")
    if given is None or "interpreter" in said.items:
        return ()
    return as_lines(given)
