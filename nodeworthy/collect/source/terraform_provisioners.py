"""What Terraform runs besides: on a machine that it has made (`remote-exec`), and beside itself (`local-exec`).

What it has a machine do is that machine's script. What it runs beside itself makes no node, and is looked at for what
it installs and what it has others do by ssh.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.collect.aws.filled_in import script_of
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.blocks import body_value
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.root import Module
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.syntax import Block
from nodeworthy.hcl.values import Lit, Obj, Piece, Str, as_lines
from nodeworthy.records import replace

_REMOTE, _LOCAL = "remote-exec", "local-exec"
# How Terraform runs both.
_HEAD = "#!/bin/sh\n"


def provisioning(module: Module, around: Surroundings | None) -> tuple[list[BootScript], list[BootScript]]:
    """What machines are told to run, and what is run beside Terraform: once of each block, however many it makes."""
    seen: set[int] = set()
    there: list[BootScript] = []
    here: list[BootScript] = []
    for each in module.everything():
        if isinstance(each, Instance) and not each.is_data and id(each.block) not in seen:
            seen.add(id(each.block))
            there += (_script(one, around) for one in _texts(each, _REMOTE))
            here += (_script(one, around) for one in _texts(each, _LOCAL))
    return there, here


def _script(said: Str, around: Surroundings | None) -> BootScript:
    return replace(script_of(said, around), of_an_object=False, by_hand=True, on_ec2=False)


def _texts(instance: Instance, kind: str) -> Iterator[Str]:
    """One provisioner after the other, on one machine."""
    blocks = [each for each in instance.block.body.of("provisioner") if list(each.labels) == [kind]]
    pieces: list[Piece] = []
    for each in blocks:
        said = body_value(each.body, instance.module.scope(instance.block.file, instance.names), each.at)
        pieces += _lines(said, kind)
    if pieces:
        head = Lit(_HEAD, _spot(instance, blocks[0]))
        yield Str([head, *pieces], head.spot)


def _spot(instance: Instance, block: Block) -> Spot:
    return Spot(instance.block.file, block.at)


def _lines(said: Obj, kind: str) -> Iterable[Piece]:
    """What stands in files of its own (`script`, `scripts`) is looked at there; with an interpreter of its own it may
    be of another language."""
    given = said.items.get("inline" if kind == _REMOTE else "command")
    if given is None or "interpreter" in said.items:
        return ()
    return as_lines(given)
