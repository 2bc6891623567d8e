"""Whether the passphrase that is given is the one that a stack was encrypted with. Nothing is decrypted by it.

A stack's `encryptionsalt` holds, besides the salt, a word that everybody knows, encrypted.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError

ROUNDS = 14
WORDS_OF_KEY = 8


def encrypt_block(key: bytes, block: bytes) -> bytes:
    keys = _round_keys(key)
    state = _added(block, keys[0])
    for round_key in keys[1:-1]:
        state = _added(_mixed(_shifted(_substituted(state))), round_key)
    return bytes(_added(_shifted(_substituted(state)), keys[-1]))


def _round_keys(key: bytes) -> list[list[int]]:
    words = [list(key[at : at + 4]) for at in range(0, len(key), 4)]
    constant = 1
    for index in range(WORDS_OF_KEY, 4 * (ROUNDS + 1)):
        word = words[-1]
        if index % WORDS_OF_KEY == 0:
            word = _substituted([*word[1:], word[0]])
            word[0] ^= constant
            constant = _doubled(constant)
        elif index % WORDS_OF_KEY == 4:
            word = _substituted(word)
        words.append(_added(words[-WORDS_OF_KEY], word))
    return [[byte for word in words[at : at + 4] for byte in word] for at in range(0, len(words), 4)]


def _added(one: Iterable[int], other: Iterable[int]) -> list[int]:
    return [a ^ b for a, b in zip(one, other, strict=True)]


def _substituted(state: Iterable[int]) -> list[int]:
    return [_substitutes()[byte] for byte in state]


def _shifted(state: Sequence[int]) -> list[int]:
    """Row r of the columns moves by r."""
    return [state[(at + 4 * (at % 4)) % 16] for at in range(16)]


def _mixed(state: Sequence[int]) -> list[int]:
    mixed: list[int] = []
    for at in range(0, 16, 4):
        column = state[at : at + 4]
        total = column[0] ^ column[1] ^ column[2] ^ column[3]
        mixed += [byte ^ total ^ _doubled(byte ^ column[(row + 1) % 4]) for row, byte in enumerate(column)]
    return mixed


def _doubled(byte: int) -> int:
    return (byte << 1) ^ 0x11B if byte & 0x80 else byte << 1


@cache
def _substitutes() -> tuple[int, ...]:
    """The S-box: of every byte its inverse in the field, turned and added up."""
    table = [0] * 256
    power = inverse = 1
    while True:
        power ^= _doubled(power)  # times three
        for shift in (1, 2, 4):  # divided by three
            inverse ^= inverse << shift & 0xFF
        inverse ^= 0x09 if inverse & 0x80 else 0
        turned = inverse
        for by in (1, 2, 3, 4):
            turned ^= (inverse << by | inverse >> (8 - by)) & 0xFF
        table[power] = turned ^ 0x63
        if power == 1:
            break
    table[0] = 0x63
    return tuple(table)


VARIABLE = "PULUMI_CONFIG_PASSPHRASE"
DERIVATION_ROUNDS = 1_000_000
WORD = b"pulumi"


def check_passphrase(stack_file: Tree, environment: Mapping[str, str] = os.environ) -> None:
    """Refuses a wrong one; where none is given, or the stack is encrypted otherwise, there is nothing to check."""
    salt = stack_file.get("encryptionsalt")
    given = _passphrase_source(environment)
    if salt.text is None or given is None:
        return
    variable, passphrase = given
    if _is_right(salt.text, passphrase) is False:
        raise InputError(
            f"{salt.place}: the passphrase in {variable} is not the one that this stack was encrypted with; "
            "without any, what is encrypted stays unknown"
        )


def _passphrase_source(environment: Mapping[str, str]) -> tuple[str, str] | None:
    if environment.get(VARIABLE):
        return VARIABLE, environment[VARIABLE]
    name = f"{VARIABLE}_FILE"
    if not environment.get(name):
        return None
    try:
        return name, Path(environment[name]).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"can't read {environment[name]}, which {name} names") from None


def _is_right(salt: str, passphrase: str) -> bool | None:
    """None where it is no salt of the kind that we know."""
    parts = salt.split(":")
    if len(parts) != 5 or parts[0] != "v1" or parts[2] != "v1":
        return None
    try:
        salted, nonce, hidden = (base64.b64decode(parts[at], validate=True) for at in (1, 3, 4))
    except binascii.Error:
        return None
    if len(nonce) != 12 or len(hidden) != len(WORD) + 16:
        return None
    key = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), salted, DERIVATION_ROUNDS, 32)
    # Of AES-GCM, whose first block of text is covered by the counter's second value.
    covers = encrypt_block(key, nonce + (2).to_bytes(4))
    return bytes(a ^ b for a, b in zip(hidden, covers, strict=False))[: len(WORD)] == WORD
