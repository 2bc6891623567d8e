"""grep over what a script itself wrote."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.commands.call import NOTHING, Call, Did, Given, Handler, ask_node, has_open_lines, split_options
from nodeworthy.boot.commands.searching import Mask, Regex, Search, TooHard, regex
from nodeworthy.boot.commands.streams import contents_of
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.text import Text

_TAKES = frozenset(
    "-e -f -m -A -B -C --regexp --file --max-count --after-context --before-context --context --include --exclude "
    "--exclude-dir --label --binary-files".split()
)
# With other options the output is not the lines, or the search is another one.
_READ = frozenset(
    "-q -v -E -F -i -s -h -x -e -y --quiet --silent --invert-match --extended-regexp --fixed-strings --ignore-case "
    "--no-messages --line-regexp --regexp --color".split()
)
_QUIET = ("-q", "--quiet", "--silent")


def grep(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES)
    patterns, files = arguments.values("-e", "--regexp"), arguments.operands
    if not patterns:
        patterns, files = files[:1], files[1:]
    content = contents_of(call, files[0]) if files else call.stdin
    if (
        content is None
        or len(files) > 1
        or has_open_lines(content)
        or any(n not in _READ for n, _ in arguments.options)
    ):
        return _quietly(call, arguments)
    try:
        found = _matching_lines(arguments, patterns, content, extended=call.program == "egrep")
    except TooHard:
        return _quietly(call, arguments)
    return Did(output=NOTHING if arguments.has(*_QUIET) else Content(tuple(found)), succeeded=bool(found))


def _quietly(call: Call, arguments: Given) -> Did:
    return Did(output=NOTHING) if arguments.has(*_QUIET) else ask_node(call)


def _matching_lines(arguments: Given, patterns: Sequence[Text], content: Content, *, extended: bool) -> list[Line]:
    mask = Mask()
    search = Search(mask)
    wanted = [_wanted(arguments, mask.on(pattern), extended=extended) for pattern in patterns]
    inverts = arguments.has("-v", "--invert-match")
    found = []
    for line in content.lines:
        text = mask.on(line.text)
        if text is None:
            raise TooHard("too many holes")
        if any(search.span(each, text) is not None for each in wanted) != inverts:
            found.append(line)
    return found


def _wanted(arguments: Given, pattern: str | None, *, extended: bool) -> Regex:
    if pattern is None or "\n" in pattern:
        raise TooHard("several patterns in one")
    if arguments.has("-F", "--fixed-strings"):
        pattern = "".join(
            f"[{letter}]" if letter in ".*[$" else f"\\{letter}" if letter in "\\^" else letter for letter in pattern
        )
    extended = extended or arguments.has("-E", "--extended-regexp")
    if arguments.has("-x", "--line-regexp"):
        pattern = f"^{pattern}$"
    return regex(pattern or "^", extended=extended, ignores_case=arguments.has("-i", "-y", "--ignore-case"))


HANDLERS: dict[str, Handler] = {**dict.fromkeys(("grep", "egrep"), grep)}
