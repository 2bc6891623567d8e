"""The completion of fish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interface import Argument, Interface, Takes

SCRIPT = """\
# {head}
# To use it: nodeworthy completion fish > ~/.config/fish/completions/nodeworthy.fish

function __nodeworthy_rules
    printf '%s\\n' {rules}
end

function __nodeworthy_known
    printf '%s\\n' {known}
end

function __nodeworthy_stacks
    for file in Pulumi.*.yaml
        string replace --regex '^Pulumi\\.(.*)\\.yaml$' '$1' $file
    end
end

function __nodeworthy_is
    set --local words (commandline --tokenize --current-process --cut-at-cursor)
    test (count $words) -ge 2; and test $words[2] = $argv[1]
end

function __nodeworthy_is_none
    test (count (commandline --tokenize --current-process --cut-at-cursor)) -lt 2
end

complete --command nodeworthy --no-files
complete --command nodeworthy --condition __nodeworthy_is_none --short-option h --long-option help \\
    --description 'list the commands'
complete --command nodeworthy --condition __nodeworthy_is_none --short-option V --long-option version \\
    --description 'print the version'
{lines}
"""


def script(head: str, commands: Sequence[Interface], rules: Sequence[str], known: Sequence[str]) -> str:
    lines = "\n".join(line for each in commands for line in _command(each))
    return SCRIPT.format(head=head, rules=" ".join(rules), known=" ".join(known), lines=lines)


def _command(each: Interface) -> Iterator[str]:
    yield _line("__nodeworthy_is_none", "--arguments", each.name, "--description", _quoted(each.command.line))
    here = _quoted(f"__nodeworthy_is {each.name}")
    for option in each.options:
        names = (word for name in option.names for word in _name(name))
        yield _line(here, *names, *_offer(option, each.formats), "--description", _quoted(option.help))
    for place in each.places:
        yield _line(here, *_offer(place, each.formats))


def _line(condition: str, *words: str) -> str:
    return " ".join(["complete --command nodeworthy --condition", condition, *words])


def _name(name: str) -> tuple[str, str]:
    return ("--long-option", name[2:]) if name.startswith("--") else ("--short-option", name[1:])


def _offer(each: Argument, formats: Sequence[str]) -> tuple[str, ...]:
    """Of an option, that it takes something and, `exclusive`, that no file's name is meant."""
    match each.takes:
        case Takes.NOTHING:
            return ()
        case Takes.FILE:
            return ("--require-parameter", "--force-files") if each.names else ("--force-files",)
        case Takes.FORMAT_AND_FILE:
            return ("--require-parameter", "--arguments", _quoted(" ".join(f"{name}=" for name in formats)))
    offered = _words(each)
    return (*(("--exclusive",) if each.names else ()), *(("--arguments", offered) if offered else ()))


def _words(each: Argument) -> str:
    match each.takes:
        case Takes.CHOICE:
            return _quoted(" ".join(each.choices))
        case Takes.RULE:
            return "'(__nodeworthy_rules)'"
        case Takes.KNOWN:
            return "'(__nodeworthy_known)'"
        case Takes.STACK:
            return "'(__nodeworthy_stacks)'"
        case _:
            return ""


def _quoted(text: str) -> str:
    written = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{written}'"
