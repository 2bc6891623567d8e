"""Whether the passphrase that is given is the one that a stack was encrypted with. Nothing is decrypted by it.

A stack's `encryptionsalt` holds, besides the salt, a word that everybody knows, encrypted.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from nodeworthy.collect.plan.aes import encrypt_block
from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError

VARIABLE = "PULUMI_CONFIG_PASSPHRASE"
ROUNDS = 1_000_000
WORD = b"pulumi"


def check_passphrase(stack_file: Tree, environment: Mapping[str, str] = os.environ) -> None:
    """Refuses a wrong one; where none is given, or the stack is encrypted otherwise, there is nothing to check."""
    salt = stack_file.get("encryptionsalt")
    given = _given(environment)
    if salt.text is None or given is None:
        return
    variable, passphrase = given
    if _is_right(salt.text, passphrase) is False:
        raise InputError(
            f"{salt.place}: the passphrase in {variable} is not the one that this stack was encrypted with; "
            "without any, what is encrypted stays unknown"
        )


def _given(environment: Mapping[str, str]) -> tuple[str, str] | None:
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
    key = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), salted, ROUNDS, 32)
    # Of AES-GCM, whose first block of text is covered by the counter's second value.
    covers = encrypt_block(key, nonce + (2).to_bytes(4))
    return bytes(a ^ b for a, b in zip(hidden, covers, strict=False))[: len(WORD)] == WORD
