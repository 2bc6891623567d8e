"""`yamlencode`: what Terraform writes, in pieces that keep the places of what they say."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.hcl.arithmetic import number_text
from nodeworthy.hcl.calling import lines
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import Hole, Lit, Obj, Piece, Scalar, Seq, Str, Value, Waits, string

# Where it folds texts, and how long a key may be that stands before its colon.
_WIDTH, _LONGEST_KEY = 80, 128
_ESCAPES = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
    "\x85": "\\N",
    "\xa0": "\\_",
    "\u2028": "\\L",
    "\u2029": "\\P",
}


class _Writer:
    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.column = 0

    def put(self, text: str, spot: Spot, straight: bool = False) -> None:
        self.pieces.append(Lit(text, spot, straight))
        self.column = len(text) - text.rfind("\n") - 1 if "\n" in text else self.column + len(text)

    def value(self, value: Value, indent: int, *, inline: bool) -> None:
        """What stands behind a key or a dash. `inline`: something of its line stands there already."""
        if isinstance(value, Obj) and (value.items or value.rest):
            self.mapping(value, indent, inline=inline)
        elif isinstance(value, Seq) and value.items:
            self.sequence(value, indent, inline=inline)
        else:
            self.scalar(value, indent)

    def mapping(self, value: Obj, indent: int, *, inline: bool) -> None:
        if value.rest is not None:
            raise Waits(value.rest)
        for index, (name, each) in enumerate(value.sorted()):
            if index or not inline:
                self.put(" " * indent, value.key_spot(name))
            self.key(name, value.key_spot(name))
            self.beneath(each, indent)

    def key(self, name: str, spot: Spot) -> None:
        if "\n" in name or len(name) > _LONGEST_KEY:
            raise Waits(Hole("a key of several lines is not written here", spot))
        self.put(f'"{_escaped(name)}":', spot)

    def beneath(self, value: Value, indent: int) -> None:
        if isinstance(value, Obj) and (value.items or value.rest):
            self.put("\n", value.spot)
            self.value(value, indent + 2, inline=False)
        elif isinstance(value, Seq) and value.items:
            self.put("\n", value.spot)
            self.value(value, indent, inline=False)
        else:
            self.put(" ", value.spot)
            self.scalar(value, indent + 2)

    def sequence(self, value: Seq, indent: int, *, inline: bool) -> None:
        for index, each in enumerate(value.items):
            if index or not inline:
                self.put(" " * indent, each.spot)
            self.put("- ", each.spot)
            self.value(each, indent + 2, inline=True)

    def scalar(self, value: Value, indent: int) -> None:
        if isinstance(value, (Str, Hole)):
            self.text(string(value), indent, is_text=isinstance(value, Str))
        elif isinstance(value, Scalar):
            plain = value.value
            told = "null" if plain is None else str(plain).lower() if isinstance(plain, bool) else number_text(plain)
            self.put(told, value.spot)
        else:
            self.put("{}" if isinstance(value, Obj) else "[]", value.spot)
        self.put("\n", value.spot)

    def text(self, value: Str, indent: int, *, is_text: bool) -> None:
        if value.hole is not None:
            self.partly(value, is_text=is_text)
        elif "\n" in (value.known or "") and _may_be_block(value.known or ""):
            self.block(value, indent)
        else:
            self.quoted(value, indent)

    def partly(self, value: Str, *, is_text: bool) -> None:
        """Writes a text of which nobody knows how long its lines are: on one line, quoted where it is certainly a
        text."""
        quote = '"' if is_text else ""
        self.put(quote, value.spot)
        for each in value.pieces:
            if isinstance(each, Hole):
                self.pieces.append(each)
                self.column += 10
            else:
                self.put(_escaped(each.text), each.spot)
        self.put(quote, value.spot)

    def block(self, value: Str, indent: int) -> None:
        text = value.known or ""
        hint = "2" if text[0] in " \n" else ""
        chomping = "-" if not text.endswith("\n") else "+" if text.endswith("\n\n") or text == "\n" else ""
        self.put(f"|{hint}{chomping}", value.spot)
        rows = lines(value)
        if text.endswith("\n"):
            del rows[-1]
        for row in rows:
            self.put("\n", row[0].spot if row else value.spot)
            if row:
                self.put(" " * indent, row[0].spot)
                self.pieces += row

    def quoted(self, value: Str, indent: int) -> None:
        self.put('"', value.spot)
        text = value.known or ""
        at, spaces = 0, False
        for piece in value.pieces:
            assert isinstance(piece, Lit)
            if (
                piece.straight
                and '"' not in piece.text
                and piece.text.isprintable()
                and "\\" not in piece.text
                and (self.column + len(piece.text) <= _WIDTH and piece.text.isascii())
            ):
                self.put(piece.text, piece.spot, True)
                at, spaces = at + len(piece.text), False
                continue
            for offset, each in enumerate(piece.text):
                here = at + offset
                if each == " " and not spaces and self.column > _WIDTH and 0 < here < len(text) - 1:
                    self.put("\n" + " " * indent + ("\\" if text[here + 1] == " " else ""), piece.spot)
                    spaces = True
                else:
                    self.put(_escaped(each), piece.spot_at(offset))
                    spaces = each == " "
            at += len(piece.text)
        self.put('"', value.spot)


def _escaped(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join([_ESCAPES.get(each) or (each if _is_printable(each) else _coded(each)) for each in text])


def _coded(each: str) -> str:
    code = ord(each)
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _is_printable(each: str) -> bool:
    code = ord(each)
    if code == 0xFEFF:
        return False
    return 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def _may_be_block(text: str) -> bool:
    """libyaml quotes what ends in a blank, has one before a line's end, or holds what can't be printed."""
    if text.endswith(" ") or " \n" in text:
        return False
    return all(each == "\n" or _is_printable(each) for each in text)


def encode_yaml(value: Value, spot: Spot) -> Sequence[Piece]:
    writer = _Writer()
    if isinstance(value, Str):
        writer.scalar(value, 2)
    else:
        writer.value(value, 0, inline=True)
    if isinstance(value, Scalar):
        # So that nobody reads on: nothing ends a plain word that stands alone.
        writer.put("...\n", spot)
    return writer.pieces
