"""The completion of bash: it needs no bash-completion, and works with the bash 3.2 of macOS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interface import Argument, Interface, Takes

SCRIPT = """\
# {head}
# To use it in this shell: source <(nodeworthy completion bash)

_nodeworthy_rules="{rules}"
_nodeworthy_known="{known}"

_nodeworthy_stacks() {{
    local file
    for file in Pulumi.*.yaml; do
        [[ -e $file ]] || continue
        file=${{file#Pulumi.}}
        printf '%s\\n' "${{file%.yaml}}"
    done
}}

# The words are ours, and bash 3.2 has no mapfile.
# shellcheck disable=SC2207
_nodeworthy_offer() {{
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}}

# Nothing can be offered: not even a file's name.
_nodeworthy_nothing() {{
    compopt +o default 2>/dev/null || true
}}

_nodeworthy() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
    COMPREPLY=()
    # bash makes words of their own of the sign in --format=json.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]] && ((COMP_CWORD > 2)); then
        prev=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    if ((COMP_CWORD == 1)); then
        _nodeworthy_offer "{commands} --help --version" "$cur"
        return
    fi
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
}}

complete -o default -F _nodeworthy nodeworthy
"""


def script(head: str, commands: Sequence[Interface], rules: Sequence[str], known: Sequence[str]) -> str:
    return SCRIPT.format(
        head=head,
        rules=" ".join(rules),
        known=" ".join(known),
        commands=" ".join(each.name for each in commands),
        cases="\n".join(line for each in commands for line in _case(each)),
    )


def _case(each: Interface) -> Iterator[str]:
    yield f"        {each.name})"
    yield "            case $prev in"
    for option in each.options:
        if option.takes is not Takes.NOTHING:
            yield f"                {'|'.join(option.names)}) {_offer(option, each.formats)} return ;;"
    yield "            esac"
    names = " ".join(name for option in each.options for name in option.names)
    yield "            if [[ $cur == -* ]]; then"
    yield f'                _nodeworthy_offer "{names}" "$cur"'
    yield from _places(each)
    yield "            fi"
    yield "            ;;"


def _places(each: Interface) -> Iterator[str]:
    """What stands without an option: words, or files' names, which bash offers by itself."""
    choices = [choice for place in each.places for choice in place.choices]
    kinds = {place.takes for place in each.places}
    if not kinds & {Takes.FILE}:
        yield "            else"
        words = " ".join(choices) + (" $_nodeworthy_known" if Takes.KNOWN in kinds else "")
        yield (
            f'                _nodeworthy_offer "{words.strip()}" "$cur"'
            if words
            else "                _nodeworthy_nothing"
        )
    elif choices:
        yield "            else"
        yield f'                _nodeworthy_offer "{" ".join(choices)}" "$cur"'


def _offer(option: Argument, formats: Sequence[str]) -> str:
    match option.takes:
        case Takes.CHOICE:
            return f'_nodeworthy_offer "{" ".join(option.choices)}" "$cur";'
        case Takes.RULE:
            return '_nodeworthy_offer "$_nodeworthy_rules" "$cur";'
        case Takes.STACK:
            return '_nodeworthy_offer "$(_nodeworthy_stacks)" "$cur";'
        case Takes.FORMAT_AND_FILE:
            return f'_nodeworthy_offer "{" ".join(f"{each}=" for each in formats)}" "$cur";'
        case Takes.FILE:
            return ""
        case _:
            return "_nodeworthy_nothing;"
