"""User data that stands in a program which starts machines: of CDK, of Pulumi, of boto3, in Python and in TypeScript.
And what Pulumi's `command` has a machine run by ssh, or runs beside itself.

A program is not run. What it gives to `addCommands`, or to what is called like user data, is read where that is written
down as a text; what it puts into the text is not known, as in a template. Only a text that is user data by its first
line, or whose lines CDK puts behind such a line, is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.collect.source.woven_text import Woven, user_data_of
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

_MARKS = (
    *(b"addCommands", b"add_commands", b"addUserData", b"add_user_data", b"userData", b"user_data", b"UserData"),
    *(b"startup_script", b"startupScript", b"startup-script", b"customData", b"custom_data"),
)
# Who starts machines by it: a test, or a page in JavaScript, speaks of user data, too.
_STARTS = (
    *(b"aws-cdk", b"aws_cdk", b"boto3", b"run_instances", b"@pulumi/", b"pulumi_", b"@aws-sdk/client-ec2", b"cdktf"),
    *(b"RunInstancesCommand", b"googleapiclient", b"google.cloud", b"azure.mgmt", b"aioboto3"),
)
_OF_EC2 = (b"aws", b"boto3", b"run_instances")
_HEADS = ("#!", "#cloud-config", "#cloud-boothook", "Content-Type:", "MIME-Version:")
# A header of parts that the program puts behind it piece by piece is none yet.
_OF_PARTS = ("Content-Type: multipart", "MIME-Version:")
_BEGINS_A_PART = pattern(r"(?m)^--\S")
# What has commands run, each in a shell of its own.
_COMMANDS = (b"@pulumi/command", b"pulumi_command")
_SHELL = "#!/bin/sh"
REMOTE, LOCAL = "remote", "local"


@dataclass(frozen=True)
class GivenText:
    """What a program gives to machines. `is_whole`: it is user data as it stands, and no lines for CDK's own."""

    texts: tuple[Woven, ...]
    is_whole: bool
    # A command that is run there by ssh (`remote`), or here.
    command: str = ""


def may_give_user_data(data: bytes) -> bool:
    gives = any(mark in data for mark in _MARKS) and any(mark in data for mark in _STARTS)
    return gives or any(mark in data for mark in _COMMANDS)


def contents(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """None where it gives no machine what makes it a node."""
    text, place = any_text(data), Place(source.shown)
    given = _given_texts(text, source)
    scripts = [each for each in _scripts(given, source, data) if each.makes_a_node]
    commands = [(each.command, _run_by_hand(each, source)) for each in given if each.command]
    scripts += (each for called, each in commands if called == REMOTE and each.makes_a_node)
    facts = [fact for _, each in commands for fact in _told_by(each, source)]
    if not scripts and not facts:
        return None
    return FileContents(facts, scripts=scripts, suppressions=list(comments(text, place, rules, is_yaml=False)))


def _run_by_hand(given: GivenText, source: Source) -> BootScript:
    """One that names its shell itself is given as it stands."""
    first = given.texts[0]
    head = () if first.text.startswith("#!") else (Woven(_SHELL, first.place, False),)
    read = user_data_of((*head, *given.texts), first.place)
    return BootScript(first.place, read, by_hand=True, on_ec2=False, surroundings=source.scope)


def _told_by(script: BootScript, source: Source) -> Iterator[Fact]:
    from nodeworthy.collect.source.files_beside import FilesBeside
    from nodeworthy.collect.source.script_files import facts_of_commands

    yield from facts_of_commands(script, script.userdata.text.encode(), FilesBeside(source))


def _scripts(given: Sequence[GivenText], source: Source, data: bytes) -> Iterator[BootScript]:
    on_ec2 = any(mark in data for mark in _OF_EC2)
    for each in given:
        if each.command or not _is_user_data(each):
            continue
        first = each.texts[0].place
        texts = each.texts if each.is_whole else (Woven("#!/bin/bash", first, False), *each.texts)
        yield BootScript(
            first,
            user_data_of(texts, first),
            of_an_object=True,
            on_ec2=on_ec2,
            of_cloud_images=True,
            surroundings=source.scope,
        )


def _is_user_data(given: GivenText) -> bool:
    if not given.is_whole:
        return True
    text = given.texts[0].text.lstrip()
    return text.startswith(_HEADS) and not (text.startswith(_OF_PARTS) and _BEGINS_A_PART.search(text) is None)


def _given_texts(text: str, source: Source) -> Sequence[GivenText]:
    if source.path.suffix == ".py":
        from nodeworthy.collect.source.python_texts import given_by_python

        return given_by_python(text, source.shown)
    from nodeworthy.collect.source.typescript_texts import given_by_typescript

    return given_by_typescript(text, source.shown)
