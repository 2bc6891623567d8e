"""How commands are put together: lists, pipelines, branches, loops, functions."""

from __future__ import annotations

from collections.abc import Callable

from nodeworthy.boot.shell.pieces import Pieces
from nodeworthy.boot.shell.simple import Simple
from nodeworthy.boot.shell.source import DEEPEST, NotReadable, Source
from nodeworthy.boot.shell.syntax import (
    AndOr,
    Arm,
    Background,
    Branch,
    Broken,
    Case,
    Command,
    CountingFor,
    Filled,
    For,
    Function,
    Group,
    If,
    Literal,
    Not,
    Opaque,
    Pipeline,
    Redirect,
    Redirected,
    Statement,
    Test,
    While,
    Word,
)
from nodeworthy.boot.shell.templates import ELSE, ENDFOR, ENDIF, FOR, IF
from nodeworthy.boot.shell.tokens import WORD, Tokens

# Longer chains of `&&` are not read: whoever follows them goes down one step for each.
_LONGEST = 150
# A text that has more of them is no shell: its rest is not read.
_MOST_FAILURES = 1000
_CLOSERS = frozenset(
    ("then", "elif", "else", "fi", "do", "done", "esac", "}", ")", ";;", ";&", ";;&", ELSE, ENDIF, ENDFOR)
)
_SEPARATORS = frozenset((";", "\n", "&"))
_ARM_ENDS = frozenset((";;", ";&", ";;&", "esac"))

Statements = tuple[Statement, ...]


class Grammar:
    def __init__(self, tokens: Tokens, pieces: Pieces) -> None:
        self.tokens, self.source = tokens, tokens.source
        self.simple = Simple(tokens, pieces)
        # What closes the constructs that are open, innermost last.
        self.awaited: list[frozenset[str]] = []
        # What was read inside of a construct whose end is missing.
        self.rescued: list[Statement] = []

    def read(self) -> Statements:
        return self.statements(frozenset())

    def statements(self, closers: frozenset[str]) -> Statements:
        """Statements up to one of these words or operators, or to a closer that somebody outside waits for."""
        found: list[Statement] = []
        tokens = self.tokens
        self.awaited.append(closers)
        while True:
            token = tokens.token
            if token in _SEPARATORS and token:
                tokens.at += 1
            elif tokens.row[tokens.at][0] == 0 or (token in _CLOSERS and self._is_awaited(token)):
                self.awaited.pop()
                return tuple(found)
            else:
                found.append(self._one())

    def _is_awaited(self, closer: str) -> bool:
        return any(closer in each for each in self.awaited)

    def _one(self) -> Statement:
        tokens = self.tokens
        at, start, awaited = tokens.at, tokens.start, len(self.awaited)
        rescued, self.rescued = self.rescued, []
        depth = self.source.depth
        try:
            statement = self._and_or()
            if tokens.token and tokens.token not in _SEPARATORS and not self._closes():
                raise NotReadable
        except NotReadable:
            del self.awaited[awaited:]
            self.source.failures += 1
            self.source.depth = depth
            self._recover(at)
            statement = self._broken(start, tuple(self.rescued))
        self.rescued = rescued
        if tokens.token == "&":
            line, column = self.source.place(start)
            return Background(statement, line, column, self._raw(start))
        return statement

    def _closes(self) -> bool:
        return self.tokens.token in _CLOSERS and self._is_awaited(self.tokens.token)

    def _recover(self, at: int) -> None:
        """Goes on behind the line or at a closer that somebody waits for, but never stands still."""
        tokens = self.tokens
        if tokens.at == at:
            tokens.at += 1
        if self.source.failures > _MOST_FAILURES:
            tokens.at = len(tokens.row) - 1
        while tokens.token and tokens.token not in (";", "\n") and not self._closes():
            tokens.at += 1

    def _broken(self, start: int, inside: Statements) -> Broken:
        line, column = self.source.place(start)
        return Broken(self._raw(start), line, column, inside)

    def _raw(self, start: int) -> str:
        return self.source.shown(start, self.tokens.behind)

    def _and_or(self) -> Statement:
        start = self.tokens.start
        left = self._pipeline()
        length = 0
        while self.tokens.token in ("&&", "||"):
            operator = self.tokens.token
            self.tokens.at += 1
            self.tokens.skip_newlines()
            length += 1
            if length > _LONGEST:
                self.rescued.append(left)
                raise NotReadable
            right = self._pipeline()
            line, column = self.source.place(start)
            left = AndOr(left, operator, right, line, column, self._raw(start))
        return left

    def _pipeline(self) -> Statement:
        tokens, negations, start = self.tokens, 0, self.tokens.start
        while True:
            if tokens.take("!"):
                negations += 1
            elif tokens.token == "time" and tokens.row[tokens.at + 1][0] == WORD:
                tokens.at += 1
                tokens.take("-p")
            else:
                break
        first = tokens.start
        commands = [self._command()]
        while tokens.token in ("|", "|&"):
            if tokens.token == "|&":
                commands[-1] = _with_errors(commands[-1])
            tokens.at += 1
            tokens.skip_newlines()
            commands.append(self._command())
        statement = commands[0]
        if len(commands) > 1:
            statement = Pipeline(tuple(commands), *self.source.place(first), self._raw(first))
        if negations % 2:
            statement = Not(statement, *self.source.place(start), self._raw(start))
        return statement

    def _command(self) -> Statement:
        tokens = self.tokens
        kind, token, start = tokens.row[tokens.at]
        if kind == WORD:
            read = _COMPOUND.get(token)
            if read is None and start in self.source.tests:
                return self._redirected(self.simple.double_brackets(), start)
            if read is None and start in self.source.arithmetics:
                return self._redirected(self.simple.arithmetic(), start)
            if token in _CLOSERS:
                raise NotReadable
            if read is None:
                return self._function(start) if tokens.row[tokens.at + 1][1] == "(" else self.simple.command()
            return self._redirected(self._compound(read), start)
        if token == "(":
            return self._redirected(self._compound(Grammar._subshell), start)
        return self.simple.command()

    def _compound(self, read: Callable[[Grammar], Statement]) -> Statement:
        if self.source.depth >= DEEPEST:
            raise NotReadable
        self.source.depth += 1
        statement = read(self)
        self.source.depth -= 1
        return statement

    def _redirected(self, statement: Statement, start: int) -> Statement:
        redirects = self.simple.redirects()
        if not redirects:
            return statement
        return Redirected(statement, redirects, *self.source.place(start), self._raw(start))

    def _body(self, *closers: str) -> Statements:
        """The statements up to one of these; what was read is not lost where none of them comes."""
        body = self.statements(frozenset(closers))
        if self.tokens.token not in closers:
            self.rescued += body
            raise NotReadable
        return body

    def _keep(self, *read: Statements) -> None:
        for each in read:
            self.rescued += each

    def _if(self) -> Statement:
        start = self.tokens.start
        branches: list[Branch] = []
        otherwise: Statements = ()
        mark = len(self.rescued)
        while self.tokens.token in ("if", "elif"):
            self.tokens.at += 1
            condition = self._body("then")
            self._keep(condition)
            self.tokens.at += 1
            body = self._body("elif", "else", "fi")
            self._keep(body)
            branches.append(Branch(condition, body))
            if self.tokens.token == "if":
                break
        if self.tokens.take("else"):
            otherwise = self._body("fi")
        self.tokens.need("fi")
        del self.rescued[mark:]
        return If(tuple(branches), otherwise, *self.source.place(start), self._raw(start))

    def _template_if(self) -> Statement:
        start, line, column, asked = self._directive("if")
        condition = Test(Opaque(asked), line, column, asked)
        body = self._body(ELSE, ENDIF)
        self._keep(body)
        otherwise: Statements = ()
        if self.tokens.take(ELSE):
            otherwise = self._body(ENDIF)
        self.tokens.at += 1
        del self.rescued[-len(body) :]
        return If((Branch((condition,), body),), otherwise, line, column, self._raw(start), of_template=True)

    def _template_for(self) -> Statement:
        _, line, column, header = self._directive("for")
        name, _, values = header.partition(" in ")
        body = self._body(ENDFOR)
        self.tokens.at += 1
        words = (Word((Filled(values),), line, column, values),)
        return For(name.split(",")[-1].strip(), words, body, line, column, f"for {header}")

    def _directive(self, keyword: str) -> tuple[int, int, int, str]:
        start = self.tokens.start
        self.tokens.at += 1
        return start, *self.source.place(start), self.source.directives.get(start, keyword)

    def _while(self) -> Statement:
        start, until = self.tokens.start, self.tokens.token == "until"
        self.tokens.at += 1
        mark = len(self.rescued)
        condition = self._body("do")
        self._keep(condition)
        header = self._raw(start)
        self.tokens.at += 1
        body = self._body("done")
        self.tokens.at += 1
        del self.rescued[mark:]
        return While(condition, body, until, *self.source.place(start), header)

    def _for(self) -> Statement:
        tokens, start = self.tokens, self.tokens.start
        tokens.at += 1
        if tokens.start in self.source.arithmetics:
            tokens.at += 1
            header = self._raw(start)
            return CountingFor(self._loop_body(), *self.source.place(start), header)
        name = self.simple.word().raw
        tokens.skip_newlines()
        words: list[Word] | None = None
        if tokens.take("in"):
            words = []
            while tokens.row[tokens.at][0] == WORD:
                words.append(self.simple.word())
        header = self._raw(start)
        given = None if words is None else tuple(words)
        return For(name, given, self._loop_body(), *self.source.place(start), header)

    def _loop_body(self) -> Statements:
        self.tokens.take(";")
        self.tokens.skip_newlines()
        closer = "done" if self.tokens.token == "do" else "}"
        self.tokens.need("do" if closer == "done" else "{")
        body = self._body(closer)
        self.tokens.at += 1
        return body

    def _case(self) -> Statement:
        tokens, start = self.tokens, self.tokens.start
        tokens.at += 1
        subject = self.simple.word()
        tokens.skip_newlines()
        tokens.need("in")
        tokens.skip_newlines()
        mark = len(self.rescued)
        arms: list[Arm] = []
        while not tokens.take("esac"):
            arms.append(self._arm())
            self._keep(arms[-1].body)
            tokens.skip_newlines()
        del self.rescued[mark:]
        return Case(subject, tuple(arms), *self.source.place(start), self._raw(start))

    def _arm(self) -> Arm:
        tokens = self.tokens
        tokens.take("(")
        patterns = [self.simple.word()]
        while tokens.take("|"):
            patterns.append(self.simple.word())
        tokens.need(")")
        body = self._body(*_ARM_ENDS)
        ending = tokens.token
        if ending == "esac":
            return Arm(tuple(patterns), body)
        tokens.at += 1
        return Arm(tuple(patterns), body, ending)

    def _group(self) -> Statement:
        start = self.tokens.start
        self.tokens.at += 1
        body = self._body("}")
        self.tokens.at += 1
        return Group(body, False, *self.source.place(start), self._raw(start))

    def _subshell(self) -> Statement:
        start = self.tokens.start
        self.tokens.at += 1
        body = self._body(")")
        self.tokens.at += 1
        return Group(body, True, *self.source.place(start), self._raw(start))

    def _named_function(self) -> Statement:
        start = self.tokens.start
        self.tokens.at += 1
        return self._function(start)

    def _function(self, start: int) -> Statement:
        name = self.simple.word().raw
        if self.tokens.take("("):
            self.tokens.need(")")
        self.tokens.skip_newlines()
        body = self._compound(Grammar._command)
        within = body.body if isinstance(body, Group) and not body.subshell else (body,)
        return Function(name, within, *self.source.place(start))


_COMPOUND: dict[str, Callable[[Grammar], Statement]] = {
    "if": Grammar._if,
    "while": Grammar._while,
    "until": Grammar._while,
    "for": Grammar._for,
    "select": Grammar._for,
    "case": Grammar._case,
    "{": Grammar._group,
    "function": Grammar._named_function,
    IF: Grammar._template_if,
    FOR: Grammar._template_for,
}


def _with_errors(statement: Statement) -> Statement:
    """`|&`: what it says on its standard error goes into the pipe too."""
    if isinstance(statement, Function | Broken):
        return statement
    both = Redirect(">&", Word((Literal("1"),), statement.line, statement.column, "1"), 2)
    if isinstance(statement, Command):
        return Command(
            statement.words,
            statement.assignments,
            (*statement.redirects, both),
            statement.line,
            statement.column,
            statement.raw,
        )
    raw = getattr(statement, "raw", "")
    return Redirected(statement, (both,), statement.line, statement.column, raw)


def statements_of(source: Source, base: int, inside: str, pieces: Pieces) -> Statements:
    return Grammar(Tokens(source, base, inside), pieces).read()
