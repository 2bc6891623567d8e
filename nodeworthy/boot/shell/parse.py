"""The statements of a script's text. Parsing never fails: what is no shell is `Broken`, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from nodeworthy.boot.shell.lexer import Lexer
from nodeworthy.boot.shell.lists import Lists, Statements
from nodeworthy.boot.shell.pieces import Pieces
from nodeworthy.boot.shell.reread import Remembered
from nodeworthy.boot.shell.source import DEEPEST, NotReadable, Source
from nodeworthy.boot.shell.syntax import (
    Arm,
    Branch,
    Case,
    CountingFor,
    Filled,
    For,
    Function,
    Group,
    If,
    Not,
    Opaque,
    Script,
    Statement,
    Test,
    While,
    Word,
)
from nodeworthy.boot.shell.templates import ELSE, ENDFOR, ENDIF, FOR, IF, Directive, template_of, without_marks
from nodeworthy.boot.shell.tokens import WORD, Tokens
from nodeworthy.patterns import pattern

# Constructs: branches, loops, functions, groups, and the directives of a template.

_ARM_ENDS = frozenset((";;", ";&", ";;&", "esac"))
# What bash takes for a function: of anything else it may say more.
_BODIES = frozenset((Group, If, For, While, Case))
_NAME = pattern(r"[A-Za-z_][\w:.-]*")


class Grammar(Lists):
    def _if(self) -> Statement:
        start = self.tokens.start
        branches: list[Branch] = []
        otherwise: Statements = ()
        mark = len(self.rescued)
        while self.tokens.token in ("if", "elif"):
            self.tokens.at += 1
            condition = self.body("then")
            self.keep(condition)
            self.tokens.at += 1
            body = self.body("elif", "else", "fi")
            self.keep(body)
            branches.append(Branch(condition, body))
            if self.tokens.token == "if":
                break
        if self.tokens.take("else"):
            otherwise = self.body("fi")
        self.tokens.need("fi")
        del self.rescued[mark:]
        return If(tuple(branches), otherwise, *self.source.place(start), self.raw(start))

    def _template_if(self) -> Statement:
        start, line, column, directive = self._directive()
        asked, is_yes = directive.positive if directive is not None else ("%{ if }", True)
        condition: Statement = Test(Opaque(asked), line, column, asked)
        if not is_yes:
            condition = Not(condition, line, column, asked)
        body = self.body(ELSE, ENDIF, empty=True)
        self.keep(body)
        otherwise: Statements = ()
        if self.tokens.take(ELSE):
            otherwise = self.body(ENDIF, empty=True)
        self.tokens.at += 1
        del self.rescued[-len(body) :]
        return If((Branch((condition,), body),), otherwise, line, column, self.raw(start), of_template=True)

    def _template_for(self) -> Statement:
        start, line, column, directive = self._directive()
        name, _, values = (directive.expression if directive is not None else "").partition(" in ")
        body = self.body(ENDFOR, empty=True)
        self.tokens.at += 1
        words = (Word((Filled(values),), values, self.source, start),)
        told = directive.told if directive is not None else "%{ for }"
        return For(name.split(",")[-1].strip(), words, body, line, column, told)

    def _directive(self) -> tuple[int, int, int, Directive | None]:
        start = self.tokens.start
        self.tokens.at += 1
        return start, *self.source.place(start), self.source.directives.get(start)

    def _while(self) -> Statement:
        start, until = self.tokens.start, self.tokens.token == "until"
        self.tokens.at += 1
        mark = len(self.rescued)
        condition = self.body("do")
        self.keep(condition)
        header = self.raw(start).rstrip("; \n")
        self.tokens.at += 1
        body = self.body("done")
        self.tokens.at += 1
        del self.rescued[mark:]
        return While(condition, body, until, *self.source.place(start), header)

    def _for(self) -> Statement:
        tokens, start, start_at = self.tokens, self.tokens.start, self.tokens.at
        tokens.at += 1
        if tokens.start in self.source.arithmetics:
            tokens.at += 1
            header = self.raw(start)
            return CountingFor(self._loop_body(), *self.source.place(start), header)
        name = self.simple.word().raw
        tokens.skip_newlines()
        words: list[Word] | None = None
        if tokens.token != "in" or tokens.row[start_at][1] == "select":
            self.source.is_doubtful = True
        if tokens.take("in"):
            words = []
            while tokens.row[tokens.at][0] == WORD:
                words.append(self.simple.word())
        header = self.raw(start)
        given = None if words is None else tuple(words)
        return For(name, given, self._loop_body(), *self.source.place(start), header)

    def _loop_body(self) -> Statements:
        self.tokens.take(";")
        self.tokens.skip_newlines()
        closer = "done" if self.tokens.token == "do" else "}"
        if closer == "}":
            self.source.is_doubtful = True
        self.tokens.need("do" if closer == "done" else "{")
        body = self.body(closer)
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
            self.keep(arms[-1].body)
            tokens.skip_newlines()
        del self.rescued[mark:]
        return Case(subject, tuple(arms), *self.source.place(start), self.raw(start))

    def _arm(self) -> Arm:
        tokens = self.tokens
        tokens.take("(")
        patterns = [self.simple.word()]
        while tokens.take("|"):
            patterns.append(self.simple.word())
        tokens.need(")")
        body = self.body(*_ARM_ENDS, empty=True)
        ending = tokens.token
        if ending == "esac":
            return Arm(tuple(patterns), body)
        tokens.at += 1
        return Arm(tuple(patterns), body, ending)

    def _group(self) -> Statement:
        start = self.tokens.start
        self.tokens.at += 1
        body = self.body("}")
        self.tokens.at += 1
        return Group(body, False, *self.source.place(start), self.raw(start))

    def _subshell(self) -> Statement:
        start = self.tokens.start
        self.tokens.at += 1
        body = self.body(")")
        self.tokens.at += 1
        return Group(body, True, *self.source.place(start), self.raw(start))

    def _function(self) -> Statement:
        start = self.tokens.start
        has_its_word = self.tokens.take("function")
        name = self.simple.word().raw
        # `function step (` with commands behind it: they run in a shell of their own.
        if not (has_its_word and self.tokens.opens_a_subshell) and self.tokens.take("("):
            self.tokens.need(")")
        self.tokens.skip_newlines()
        body = self.compound(Grammar.command)
        if type(body) not in _BODIES or not _NAME.fullmatch(name):
            self.source.is_doubtful = True
        within = body.body if isinstance(body, Group) and not body.subshell else (body,)
        return Function(name, within, *self.source.place(start))


_CONSTRUCTS: Mapping[str, Callable[[Grammar], Statement]] = {
    "if": Grammar._if,
    "while": Grammar._while,
    "until": Grammar._while,
    "for": Grammar._for,
    "select": Grammar._for,
    "case": Grammar._case,
    "{": Grammar._group,
    "(": Grammar._subshell,
    "function": Grammar._function,
    IF: Grammar._template_if,
    FOR: Grammar._template_for,
}
_WORDS = ('"', "'", '$"', "$'", "${", "$((")


def parse(text: str, template: bool = False, *, jinja: bool = False) -> Script:
    """The statements of a script; of a `template`, what Terraform fills in is `Filled`, and what cloud-init does."""
    text = _cleaned(text)
    if not (template or jinja):
        text = without_marks(text)
        return _REMEMBERED[0].script(text, _lines) if _REMEMBERED else _lines(text)
    source = _filled_in(text, jinja=jinja)
    inside = Lexer(source).read(0, len(source.text))
    torn = _inside_words(source)
    if torn:
        source = _filled_in(text, jinja=jinja, inside_words=torn)
        inside = Lexer(source).read(0, len(source.text))
    return _script(source, inside)


# Of whoever asks for the same scripts again and again.
_REMEMBERED: list[Remembered] = []


def remember_scripts() -> None:
    """From now on a script of which little has changed is read where it has."""
    if not _REMEMBERED:
        _REMEMBERED.append(Remembered())


def _lines(text: str, first: int = 1) -> Script:
    source = Source(text, first_line=first)
    return _script(source, Lexer(source).read(0, len(text)))


def _script(source: Source, inside: str) -> Script:
    statements = _statements(source, 0, inside)
    return Script(statements, source.is_sure, any(not each.closed for each in source.bodies.values()))


def _statements(source: Source, base: int, inside: str) -> tuple[Statement, ...]:
    if source.depth >= DEEPEST:
        raise NotReadable
    source.depth += 1
    try:
        tokens, pieces = Tokens(source, base, inside), Pieces(source, _statements, _commands)
        return Grammar(tokens, pieces, _CONSTRUCTS).read()
    finally:
        source.depth -= 1


def _commands(source: Source, start: int, end: int) -> str:
    return Lexer(source).read(start, end)


def _inside_words(source: Source) -> set[int]:
    """Where directives stand between quotes or brackets: they decide a part of a word, and no command."""
    found: set[int] = set()
    words = iter(sorted(each for each in source.ends.items() if _is_word(source, each[0])))
    opens, until = next(words, (len(source.text), 0)), 0
    for offset, directive in source.directives.items():
        while opens[0] < offset:
            until = max(until, opens[1])
            opens = next(words, (len(source.text), 0))
        if offset < until:
            found.add(directive.start)
    return found


def _is_word(source: Source, offset: int) -> bool:
    return offset in source.arrays or source.text.startswith(_WORDS, offset)


def _filled_in(text: str, *, jinja: bool, inside_words: Collection[int] = ()) -> Source:
    marked = template_of(text, jinja=jinja, inside_words=inside_words)
    return Source(
        marked.text,
        filled=marked.filled,
        directives=marked.directives,
        original=marked.original,
        origins=marked.origins,
    )


def _cleaned(text: str) -> str:
    """The text without what is no part of a word. Bash passes over a NUL. A file with Windows line ends has them from
    its first line on, and cloud-init takes those off; where they begin further down, they stay in the words."""
    if "\r\n" in text and text[: text.index("\n")].endswith("\r"):
        text = text.replace("\r\n", "\n")
    return text.replace("\0", "\ufffd")
