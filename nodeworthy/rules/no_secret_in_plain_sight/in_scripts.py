"""No secret in plain sight of whoever sees a boot script: that depends on who runs it, and in which cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from nodeworthy.boot.effects import Stage, Writes
from nodeworthy.boot.userdata import FaultKind, Part, PartKind
from nodeworthy.facts.boot.remote_script import SendingScript
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind
from nodeworthy.facts.boot.token_given import TokenGiven, tokens_given, user_data_given
from nodeworthy.facts.secrets.plain_text import secrets_in
from nodeworthy.known import clouds
from nodeworthy.known.secret_templates import Filling, fillings, fillings_by_another
from nodeworthy.rules.no_secret_in_plain_sight import RULE, Sight
from nodeworthy.verdict import Draft, Findings, Place, fail, skip, unknown

_SHOWN = "every process on the machine may read its user data, and in most clouds whoever may look at the machine"
_FETCH = "keep it in a store and fetch it when the node boots; then change it, for it has been seen"
_READ = "whoever may read the repository reads it, and every clone of it keeps it"
_IN_AN_IMAGE = "whoever may use the image reads it, and every machine made from it keeps it"
_HANDED = "hand it over when the script is run (a variable, a file of mode 600), and change it, for it has been seen"
_AFAR = Sight("a script", _READ, _HANDED)


def _sight(script: BootScript) -> Sight:
    """The people who see what stands in this script: that depends on who runs it, and in which cloud."""
    kind = script.use.kind if script.read is not None else ScriptKind.USER_DATA
    if kind is ScriptKind.IMAGE_BUILD:
        return Sight("the build of an image", _IN_AN_IMAGE, _HANDED)
    if kind in (ScriptKind.BY_HAND, ScriptKind.CONTAINER):
        return Sight("a script", _READ, _HANDED)
    cloud = script.cloud if script.read is not None else clouds.cloud("ec2")
    where = "user data" if kind is ScriptKind.USER_DATA else kind.value
    return Sight(where, cloud.shown_by, cloud.fetch) if cloud is not None else Sight(where, _SHOWN, _FETCH)


@RULE.check
def user_data_holds_none(script: BootScript) -> Findings:
    if script.by_hand and not script.tells_its_secrets:
        skip("Terraform runs it over ssh, and it lies nowhere when it is done: the file that holds it is looked at")
    sight = cache(partial(_sight, script))
    if script.read is None and script.holds_secret:
        yield sight().finding(script.place, _handed_in(script), "")
        return
    userdata = script.userdata
    if not userdata.parts and any(each.kind is FaultKind.EMPTY for each in userdata.faults):
        return
    if not userdata.parts:
        yield unknown(script, f"whether a secret stands in it is not known: {userdata.unread or 'no part was read'}")
        return
    found = [each for part in userdata.parts for each in _in_part(part, sight, is_template=_is_filled_in(script))]
    # A plan has one line of the program for all of it, and says the script's own line beside that.
    told = {(each.where.line, each.where.subject) for each in found}
    found += (each for each in _in_packed_files(script, sight) if (each.where.line, each.where.subject) not in told)
    yield from found
    if script.holds_secret and not found:
        yield sight().finding(script.place, _handed_in(script), "")


def _handed_in(script: BootScript) -> str:
    return "what its template hides elsewhere" if script.of_an_object else "a secret of the program"


@RULE.check
def what_makes_nodes_from_afar_holds_none(script: SendingScript) -> Findings:
    """A script that installs and joins other machines by ssh, and makes no node of its own: whoever has it has them."""
    if script.is_meant or script.makes_a_node:
        skip("it is judged as what its own machine runs")
    if not script.sent:
        skip("what it has other machines do installs no driver, joins nothing and starts no kubelet")
    for part in script.userdata.parts:
        yield from _in_part(part, lambda: _AFAR, is_template=False)


# Of a user in a cloud-config: the hash of a password, which opens nothing by itself.
_TAKES_A_HASH = frozenset({"passwd", "hashed_passwd", "hashed-passwd"})
_GIVES_NONE = "it starts no machines whose user data it writes"


@RULE.check
def what_it_starts_is_given_none(script: BootScript) -> Findings:
    if script.read is None or not script.userdata.parts or not user_data_given(script):
        skip(_GIVES_NONE)
    yield from map(_given_away, tokens_given(script))


@RULE.check
def what_is_started_from_afar_is_given_none(script: SendingScript) -> Findings:
    """A script that fetches the token by ssh, and starts machines with it."""
    if script.is_meant or not user_data_given(script):
        skip(_GIVES_NONE)
    yield from map(_given_away, tokens_given(script))


def _given_away(each: TokenGiven) -> Draft:
    return fail(
        each.place,
        f"the cluster's token is filled into user data, as {each.called}",
        is_=f"{each.called}{' ' if each.called.startswith('-') else '='}{each.shown}",
        should="a token that the machine fetches when it boots",
        cause=f"{each.path} is handed over as user data: {_SHOWN}, and may join the cluster",
        remedy=_FETCH,
    )


def _is_filled_in(script: BootScript) -> bool:
    """Whether a template fills it in. What builds an image gets such variables from its environment as well."""
    if script.use.is_rendered(script.surroundings):
        return True
    path = script.place.file
    return script.userdata.is_template and (not script.use.builds_an_image or not path.endswith(".sh"))


# Found out where there is something to see: that may take a look at the whole repository.
GetSight = Callable[[], Sight]


def _in_part(part: Part, sight: GetSight, *, is_template: bool) -> Iterator[Draft]:
    # What stands in another file is told there; tasks are looked at as they stand, where their variables are set.
    written = "" if part.kind is PartKind.PLAYBOOK else part.unfilled or part.text
    for secret in secrets_in(written):
        yield sight().finding(part.origin.at(secret.line, secret.column), secret.what, secret.name)
    found = fillings(part.text, all_of_them=_leaves_none(part)) if is_template else fillings_by_another(part.text)
    for each in found:
        if part.kind is not PartKind.CLOUD_CONFIG or each.name.lower() not in _TAKES_A_HASH:
            yield _filled_in(each, sight(), part.origin.at(each.line, each.column))


# By which a template of Terraform leaves one to the shell: it fills in all others.
_ESCAPED = "$${"


def _leaves_none(part: Part) -> bool:
    """Whether what fills in this template fills in names in capitals, too. What cloud-init starts has none of them."""
    return part.kind is PartKind.CLOUD_CONFIG or _ESCAPED in part.text or part.place.file.endswith(".tftpl")


def _filled_in(each: Filling, sight: Sight, place: Place) -> Draft:
    if each.is_called_so:
        return fail(
            place,
            f"the template writes its variable {each.variable} into {sight.where}",
            is_=f"${{{each.variable}}}",
            should="fetched when the node boots",
            cause=f"whatever fills it in then stands there, and {sight.cause}",
            remedy=sight.remedy,
        )
    return unknown(
        place,
        f"what the template fills in for {each.name} is not known: it may be a secret",
        is_=f"${{{each.variable}}}",
        remedy="`nodeworthy preview` looks at it filled in; "
        "what names a secret (an ARN, an id) is best called so: NAME_SECRET_ID",
    )


def _in_packed_files(script: BootScript, sight: GetSight) -> Iterator[Draft]:
    """Files whose content is in base64 here: of the others every line was looked at."""
    texts = [part.text for part in script.userdata.parts]
    for writes in script.timeline.of(Writes):
        packed = writes.stage is Stage.WRITE_FILES or "base64" in writes.command
        if not packed or writes.content is None:
            continue
        content = writes.content.known
        if content is None or any(content.strip() in text for text in texts):
            continue
        for each in secrets_in(content):
            if not any(content[each.start : each.end] in text for text in texts):
                yield sight().finding(writes.content.lines[each.line - 1].place, each.what, each.name)
