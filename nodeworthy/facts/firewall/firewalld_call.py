"""What a call of firewall-cmd asks for: its options, and whether it is for now or for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.records import dataclass

OFFLINE = "firewall-offline-cmd"
_PERMANENT = "--permanent"
# These are the whole call.
_WHOLE = ("--reload", "--complete-reload", "--runtime-to-permanent", "--panic-on", "--panic-off", "--set-default-zone")
_CHANGES = ("--add-", "--remove-", "--change-", "--set-target")
_QUIET = ("-q", "--quiet")
# These have no value; of all others the value may be the next word.
_ALONE = (
    "--reload",
    "--complete-reload",
    "--runtime-to-permanent",
    "--panic-on",
    "--panic-off",
    "--add-forward",
    "--remove-forward",
    "--add-masquerade",
    "--remove-masquerade",
    "--direct",
    "--quiet",
    "-q",
    _PERMANENT,
)


@dataclass(frozen=True)
class Asked:
    """`--add-source=10.0.0.0/8`"""

    option: str
    value: Text = EMPTY

    @property
    def known(self) -> str:
        """Its value; one that is not known is nobody's name."""
        return self.value.known if self.value.known is not None else self.value.shown()


@dataclass(frozen=True)
class FirewalldCall:
    is_permanent: bool
    asked: tuple[Asked, ...]

    def value(self, option: str) -> str:
        return next((each.known for each in self.asked if each.option == option), "")

    @property
    def refusal(self) -> str:
        """Why firewall-cmd ends with an error, and nothing changes; empty where it does not."""
        options = dict.fromkeys(each.option for each in self.asked if each.option not in _QUIET)
        whole = next((each for each in options if each in _WHOLE), None)
        if whole is not None and len(options) > 1:
            return f"`{whole}` stands alone"
        changes = [each for each in options if each.startswith(_CHANGES)]
        is_direct = "--direct" in options
        return "" if len(changes) < 2 or is_direct else f"`{changes[1]}` is not allowed beside `{changes[0]}`"

    def has(self, *options: str) -> bool:
        return any(each.option in options for each in self.asked)


def call_of(tool: str, words: Sequence[Text]) -> FirewalldCall:
    asked = tuple(_options(words))
    is_permanent = tool == OFFLINE or any(each.option == _PERMANENT for each in asked)
    return FirewalldCall(is_permanent, asked)


def _options(words: Sequence[Text]) -> Iterator[Asked]:
    at = 0
    while at < len(words):
        first = words[at].pieces[0] if words[at].pieces else ""
        name, equals, rest = first.partition("=") if isinstance(first, str) else ("", "", "")
        at += 1
        if not name.startswith("-"):
            continue
        if equals:
            yield Asked(name, Text.of(rest, *words[at - 1].pieces[1:]))
        elif name in _ALONE or at == len(words) or (words[at].known or "").startswith("--"):
            yield Asked(name)
        else:
            yield Asked(name, words[at])
            at += 1
