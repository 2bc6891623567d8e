"""Lines and words that no grammar is needed for. Most of a script is made of them.

Whatever is left out here is read word by word, so a shape that is missing costs time and nothing else.
"""

from __future__ import annotations

from nodeworthy.patterns import pattern

# The words that are more than a word where a command begins; what they begin may reach over many lines.
_KEYWORD = (
    r"(?:if|then|else|elif|fi|case|esac|for|select|while|until|do|done|in|function|time|coproc|!|\{|\}|\[\[|\]\])"
    r"(?=[\s;&|<>)]|\\\n|\Z)"
)
_BLANKS = r"(?:[ \t]|\\\n)"
_EXPANSION = r"\$(?:\w|[?@*#!$-]|\{\w++(?::?[-=+?][\w./:-]*+)?\}|(?=[\s/:.,%\"]))"
# An index of an array may hold blanks; a bracket by itself is a command. What extglob opens is a parenthesis.
_WORD = (
    r"(?:\[(?=[ \t])|(?!\#)(?:[^\s|&;()<>\"'`$\\\[?*+@!]++|[?*+@!](?!\()|\\[^\n]|'[^']*+'|"
    rf"\"(?:[^\"\\`$]++|\\[\s\S]|{_EXPANSION})*+\"|{_EXPANSION})++)"
)
# A number behind a redirection that is that of the next one is what bash refuses.
_REDIRECTION = rf"(?:>>|>&|>\||<&|>(?![>&|(])|<(?![<>&(])){_BLANKS}*+(?!(?:\d+|\{{\w+\}})[<>])"
_NEXT_COMMAND = rf"(?:(?:&&|\|\||\|(?!&))[ \t\n]*+|;(?![;&])[ \t]*+)(?!{_KEYWORD})"
_COMMANDS = rf"(?!{_KEYWORD}){_WORD}(?:(?:{_BLANKS}++|{_BLANKS}*+(?:{_REDIRECTION}|{_NEXT_COMMAND})){_WORD})*+"
_LINES = pattern(
    rf"(?:[ \t]*+(?:({_COMMANDS}){_BLANKS}*+(?:;(?![;&])|&(?![&>]))?)?[ \t]*+(?:(?<![^ \t\n;])\#[^\n]*+)?\n)++"
)
# What is followed at once by one of these is the number of a descriptor, or an array.
_WORDS = pattern(rf"(?:{_BLANKS}++{_WORD}(?![<>(]))++")


def behind_plain_lines(text: str, at: int) -> tuple[int, bool]:
    """How far one may go on from the beginning of a line, where a command may begin, and still be at such a place; and
    whether a command was on the way."""
    found = _LINES.match(text, at)
    return (found.end(), found[1] is not None) if found is not None else (at, False)


def behind_plain_words(text: str, at: int) -> int:
    """The position after the words that follow a command's name, as long as they are nothing but words."""
    found = _WORDS.match(text, at)
    return found.end() if found is not None else at
