"""The user data of launch templates and instances, where one property holds all of it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Place, Unknown

if TYPE_CHECKING:
    from nodeworthy.boot.userdata import UserData

# The properties that hold user data, and whether they hold it in base64.
USER_DATA: Final[Mapping[str, Mapping[str, bool]]] = {
    "aws:ec2/launchTemplate:LaunchTemplate": {"userData": True},
    "aws:ec2/launchConfiguration:LaunchConfiguration": {"userData": False, "userDataBase64": True},
    "aws:ec2/instance:Instance": {"userData": False, "userDataBase64": True},
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest": {"userData": False, "userDataBase64": True},
}
CALLED: Final = "the user data"
# EKS User Guide, "Customize managed nodes with launch templates".
OWN_IMAGE: Final = "its launch template names the image, and to one of these EKS adds nothing"
NO_BASE64: Final = "the user data is no base64, which is what EC2 takes here"


# What EC2's agents for Windows read: tags, or the tasks of its second version as YAML.
_COMMENTS = r"(?:[ \t]*(?:#[^\n]*|(?:---[ \t]*)?\r?)\n)*"
_WINDOWS = pattern(
    r"(?i)\s*<(?:powershell|script|persist)>"
    rf"|{_COMMENTS}[ \t]*version[ \t]*:[ \t]*[\"']?1\.\d[^\n]*\n{_COMMENTS}[ \t]*tasks[ \t]*:"
)


def is_for_windows(text: str) -> bool:
    """What Windows runs is no boot script of a node that is judged here."""
    return _WINDOWS.match(text) is not None


def scripts_of(resource: AwsResource, stands_for: Callable[[str], str | None] | None = None) -> Sequence[BootScript]:
    """The user data of a resource as boot scripts, without those for Windows. `stands_for` recognises made-up values in
    it."""
    said = ((resource.get(name), encoded) for name, encoded in USER_DATA.get(resource.type, {}).items())
    found = [_script(tree, encoded) for tree, encoded in said if not tree.says_nothing]
    found = [each for each in found if not _is_of_windows(each)]
    return found if stands_for is None else [replace(each, stands_for=stands_for) for each in found]


def _is_of_windows(script: BootScript) -> bool:
    return script.read is not None and any(is_for_windows(part.text) for part in script.read.parts)


def _script(tree: Tree, encoded: bool) -> BootScript:
    if isinstance(tree.value, Unknown) or tree.text is None:
        why = tree.value.why if isinstance(tree.value, Unknown) else f"it is {tree.kind()}"
        return BootScript(tree.place, None, f"the user data is not known: {why}", holds_secret=tree.secret)
    return BootScript(tree.place, _user_data_of(tree.text, tree.place, encoded), holds_secret=tree.secret)


@lru_cache(maxsize=4096)
def _user_data_of(text: str, place: Place, encoded: bool) -> UserData:
    """The same script comes by again with every run of a program, and is read once."""
    from nodeworthy.boot.origin import Folded
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.boot.userdata import FaultKind, UserDataFault

    origin = Folded(place, CALLED)
    if not encoded:
        return unpack(text.encode(), place, template=False, origin=origin)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        fault = UserDataFault(
            FaultKind.BAD_ENCODING, place, NO_BASE64, "encode it: base64.b64encode(script.encode()).decode()"
        )
        read = unpack(text.encode(), place, template=False, origin=origin)
        return replace(read, faults=(fault, *read.faults))
    return unpack(data, place, template=False, origin=origin, taken_off=("base64",))
