"""The completion of zsh, as its own _arguments takes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interface import Argument, Interface, Takes

SCRIPT = """\
#compdef nodeworthy
# {head}
# To use it: nodeworthy completion zsh > "${{fpath[1]}}/_nodeworthy", or source <(nodeworthy completion zsh)

_nodeworthy_rules() {{
    local -a found=({rules})
    compadd -a found
}}

_nodeworthy_known() {{
    local -a found=({known})
    compadd -a found
}}

_nodeworthy_stacks() {{
    local -a found=(Pulumi.*.yaml(N:r:e))
    compadd -a found
}}

_nodeworthy() {{
    local context state line
    local -a commands=(
{commands}
    )
    _arguments -C '(- : *)'{{-h,--help}}'[list the commands]' '(- : *)'{{-V,--version}}'[print the version]' \\
        '1: :->command' '*:: :->arguments'
    case $state in
        command) _describe command commands ;;
        arguments)
            case ${{line[1]}} in
{cases}
            esac
            ;;
    esac
}}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _nodeworthy "$@"
else
    compdef _nodeworthy nodeworthy
fi
"""


def script(head: str, commands: Sequence[Interface], rules: Sequence[str], known: Sequence[str]) -> str:
    return SCRIPT.format(
        head=head,
        rules=" ".join(rules),
        known=" ".join(known),
        commands="\n".join(f"        '{each.name}:{_quoted(each.command.line)}'" for each in commands),
        cases="\n".join(line for each in commands for line in _case(each)),
    )


def _case(each: Interface) -> Iterator[str]:
    specs = [spec for option in each.options for spec in _option(option, each.formats)]
    specs += [_place(place, index, each.formats) for index, place in enumerate(each.places, 1)]
    yield f"                {each.name})"
    yield "                    _arguments -s \\"
    yield " \\\n".join(f"                        '{spec}'" for spec in specs)
    yield "                    ;;"


def _option(option: Argument, formats: Sequence[str]) -> Iterator[str]:
    again = "*" if option.repeated else ""
    for name in option.names:
        ends = "" if option.takes is Takes.NOTHING else f":{_title(option)}:{_offer(option, formats)}"
        # A long one may be written as --format=json, too.
        sign = "=" if ends and name.startswith("--") else ""
        yield f"{again}{name}{sign}[{_escaped(option.help)}]{ends}"


def _place(place: Argument, index: int, formats: Sequence[str]) -> str:
    where = "*" if place.repeated else str(index)
    optional = "" if place.needed or place.repeated else ":"
    return f"{where}{optional}:{_title(place)}:{_offer(place, formats)}"


def _title(each: Argument) -> str:
    return "one of" if each.takes is Takes.CHOICE else _escaped(each.word)


def _offer(each: Argument, formats: Sequence[str]) -> str:
    match each.takes:
        case Takes.CHOICE:
            return f"({' '.join(each.choices)})"
        case Takes.RULE:
            return "_nodeworthy_rules"
        case Takes.KNOWN:
            return "_nodeworthy_known"
        case Takes.STACK:
            return "_nodeworthy_stacks"
        case Takes.FORMAT_AND_FILE:
            return f"({' '.join(f'{name}=' for name in formats)})"
        case Takes.FILE:
            return "_files"
        case _:
            return " "


def _escaped(text: str) -> str:
    """Within a spec, brackets and colons are signs."""
    for sign in "[]:":
        text = text.replace(sign, f"\\{sign}")
    return _quoted(text)


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''")
