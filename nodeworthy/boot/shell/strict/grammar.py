"""The grammar of bash: which token may stand where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from nodeworthy.boot.shell.strict.conditional import Conditional
from nodeworthy.boot.shell.strict.plain_lines import behind_plain_lines, behind_plain_words
from nodeworthy.boot.shell.strict.quoting import BashRefusal
from nodeworthy.boot.shell.strict.tokens import (
    ARITHMETIC,
    ASSIGNMENT,
    END,
    NEWLINE,
    REDIRECTIONS,
    WORD,
    Token,
)

_ARM_ENDS = (";;", ";&", ";;&")


class BashGrammar(Conditional):
    def __init__(self, text: str, *, extglob: bool = False) -> None:
        super().__init__(text, extglob=extglob)
        # Where the command begins that bash reads as a whole before it runs anything of it.
        self.command_start = 0
        self.substitutions = 0

    def script(self) -> None:
        self._plain_lines()
        while not self._is_at_end():
            if self.kind == NEWLINE:
                self.take()
                self._plain_lines()
                continue
            self.command_start = self.token.start
            self._line()
            if self.kind not in (NEWLINE, END):
                raise self._unexpected()

    def _is_at_end(self) -> bool:
        """All that stands before is run, also where not even the first word of what follows can be read."""
        if self.ahead is None:
            self.command_start = self.at
        return self.kind == END

    def _line(self) -> None:
        self._pipeline()
        while True:
            if self.kind in ("&&", "||"):
                self.take()
                self._newlines()
                self._pipeline()
            elif self.kind in ("&", ";"):
                self.take()
                if self.kind in (NEWLINE, END):
                    return
                self._pipeline()
            else:
                return

    def _list(self) -> None:
        """At least one command, up to what can begin none."""
        if not self._lines() or self._begins():
            self._pipeline()
        while True:
            if self.kind in ("&&", "||"):
                self.take()
                self._newlines()
            elif self.kind in ("&", ";", NEWLINE):
                if self.kind != NEWLINE:
                    self.take()
                self._lines()
                if not self._begins():
                    return
            else:
                return
            self._pipeline()

    def _lines(self) -> bool:
        """The ends of lines, and those lines that need no grammar. Whether a command was among them."""
        has_command = False
        while self.kind == NEWLINE:
            self.take()
            has_command = self._plain_lines() or has_command
        return has_command

    def _plain_lines(self) -> bool:
        self.at, has_command = behind_plain_lines(self.text, self.at)
        return has_command

    def _newlines(self) -> None:
        while self.kind == NEWLINE:
            self.take()

    def _begins(self) -> bool:
        kind = self.kind
        return (
            kind in (WORD, ASSIGNMENT, "!", "time", "coproc", "function")
            or kind in self.compounds
            or kind in REDIRECTIONS
        )

    def _pipeline(self) -> None:
        self._deeper()
        while self.kind in ("!", "time"):
            is_time = self.take().kind == "time"
            while is_time and self.kind == WORD and self.text[self.token.start : self.token.end] in ("-p", "--"):
                self.take()
                self.ahead, self.last = None, "time"
            if self.kind in (NEWLINE, ";", END):
                self.depth -= 1
                return
        self._command()
        while self.kind in ("|", "|&"):
            self.take()
            self._newlines()
            self._command()
        self.depth -= 1

    def _command(self) -> None:
        kind = self.kind
        if kind in self.compounds:
            self._compound()
        elif kind == "function":
            self.take()
            self._need(WORD)
            if self.kind == "(" and not self._closes_at_once():
                # `function f (` with commands behind it: they are its body.
                self._compound()
                return
            if self.kind == "(":
                self.take()
                self._need(")")
            self._function_body()
        elif kind == "coproc":
            self.take()
            self._coproc()
        else:
            self._simple()

    def _closes_at_once(self) -> bool:
        return self.text[self.token.end : self.token.end + 80].lstrip(" \t").startswith(")")

    def _coproc(self) -> None:
        if self.kind == WORD:
            self.take()
            if self.kind in self.compounds:
                self._compound()
            elif self.kind in (WORD, ASSIGNMENT) or self.kind in REDIRECTIONS:
                self._simple()
        else:
            self._command()

    def _compound(self) -> None:
        self.compounds[self.kind](self)
        while self.kind in REDIRECTIONS:
            self._redirection()

    def _function_body(self) -> None:
        self._newlines()
        if self.kind not in self.compounds:
            raise self._unexpected()
        self._compound()

    def _simple(self) -> None:
        count = 0
        while True:
            if self.kind in REDIRECTIONS:
                self._redirection()
            elif self.kind in (WORD, ASSIGNMENT):
                is_word = self.take().kind == WORD
                if is_word and not self._plain_words() and not count and self.kind == "(":
                    self.take()
                    self._need(")")
                    self._function_body()
                    return
            elif count:
                return
            else:
                raise self._unexpected()
            count += 1

    def _plain_words(self) -> bool:
        behind = behind_plain_words(self.text, self.at)
        if behind == self.at:
            return False
        self.at, self.last, self.before_last = behind, WORD, WORD
        return True

    def _redirection(self) -> None:
        operator = self.take().kind
        word = self._need(WORD, ASSIGNMENT)
        if operator in ("<<", "<<-"):
            self.announce(word, strips=operator == "<<-")

    def _if(self) -> None:
        self.take()
        self._list()
        self._need("then")
        self._list()
        while self.kind == "elif":
            self.take()
            self._list()
            self._need("then")
            self._list()
        if self.kind == "else":
            self.take()
            self._list()
        self._need("fi")

    def _while(self) -> None:
        self.take()
        self._list()
        self._need("do")
        self._list()
        self._need("done")

    def _for(self) -> None:
        self.take()
        if self.kind == ARITHMETIC:
            self._counting()
            return
        self._need(WORD)
        if self.kind == ";":
            self.take()
            self._newlines()
            self._loop_body()
            return
        self._newlines()
        if self.kind == "in":
            self.take()
            while self.kind in (WORD, ASSIGNMENT):
                self.take()
                self._plain_words()
            self._need(";", NEWLINE, END)
            self._newlines()
        self._loop_body()

    def _counting(self) -> None:
        header = self.token
        self.take()
        inside = self.text[header.start + 2 : header.end - 2]
        if inside.count(";") < 2:
            raise BashRefusal("syntax error: arithmetic expression required", header.start, self.at)
        if inside.count(";") > 2 and "'" not in inside and '"' not in inside:
            raise BashRefusal("syntax error: `;' unexpected", header.start, self.at)
        if self.kind in (";", NEWLINE):
            self.take()
            self._newlines()
        self._loop_body()

    def _loop_body(self) -> None:
        closer = "}" if self.kind == "{" else "done"
        self._need("do", "{")
        self._list()
        self._need(closer)

    def _case(self) -> None:
        self.take()
        self._need(WORD)
        self._newlines()
        self._expect("in")
        self.in_pattern = True
        self.take()
        while True:
            self._newlines()
            if self.kind == "esac":
                break
            self._arm()
            if self.kind not in _ARM_ENDS:
                break
            self.in_pattern = True
            self.take()
        self.in_pattern = False
        self._need("esac")

    def _arm(self) -> None:
        if self.kind == "(":
            self.take()
        self._need(WORD)
        while self.kind == "|":
            self.take()
            self._need(WORD)
        self._expect(")")
        self.in_pattern = False
        self.take()
        self._newlines()
        if self.kind not in _ARM_ENDS and self.kind != "esac":
            self._list()

    def _group(self) -> None:
        self.take()
        self._list()
        self._need("}")

    def _subshell(self) -> None:
        self.take()
        self._list()
        self._need(")")

    def _arithmetic_command(self) -> None:
        self.take()

    def _condition(self) -> None:
        self.take()
        self.condition()

    compounds: ClassVar[Mapping[str, Callable[[BashGrammar], None]]] = {
        "if": _if,
        "while": _while,
        "until": _while,
        "for": _for,
        "select": _for,
        "case": _case,
        "{": _group,
        "(": _subshell,
        ARITHMETIC: _arithmetic_command,
        "[[": _condition,
    }

    def commands_until_parenthesis(self) -> None:
        kept = (self.ahead, self.last, self.before_last, self.in_pattern, self.declares, self.heredocs)
        self.ahead, self.last, self.before_last, self.in_pattern, self.declares = None, "", "", False, False
        self.heredocs = []
        self.substitutions += 1
        self._newlines()
        if self.kind != ")":
            self._list()
        if self.kind != ")":
            raise self._unexpected()
        self.substitutions -= 1
        inner = self.heredocs
        self.ahead, self.last, self.before_last, self.in_pattern, self.declares, self.heredocs = kept
        self.heredocs = [*self.heredocs, *inner]

    def compound_assignment(self) -> None:
        """Words alone, on as many lines as they like."""
        start = self.at
        while True:
            self.skip_blanks()
            while self.text.startswith("\n", self.at):
                self.at += 1
                self.skip_blanks()
            at = self.at
            if at >= self.end:
                raise self.unclosed(")", start)
            if self.text[at] == ")":
                self.at += 1
                return
            if self.text[at] == "[":
                self.at += 1
                self.pair("[", "]")
            self.characters(at)
            if self.at == at:
                operator = self.operator_at(at)
                raise BashRefusal(f"syntax error near unexpected token `{operator}'", at, at + len(operator))

    def _need(self, *kinds: str) -> Token:
        self._expect(*kinds)
        return self.take()

    def _expect(self, *kinds: str) -> None:
        if self.kind not in kinds:
            raise self._unexpected()

    def _unexpected(self) -> BashRefusal:
        token = self.token
        if token.kind == END:
            closed = "unexpected EOF while looking for matching `)'" if self.substitutions else ""
            return BashRefusal(closed or "syntax error: unexpected end of file", self.end, self.end)
        text = "newline" if token.kind == NEWLINE else self.text[token.start : token.end]
        at = token.start if token.kind == NEWLINE else token.end
        return BashRefusal(f"syntax error near unexpected token `{text}'", at, max(at, token.end))
