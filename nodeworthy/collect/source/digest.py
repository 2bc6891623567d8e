"""The digest by which kept results are told apart. `hashlib` loads OpenSSL, half as long as a bare interpreter takes to
start, and returns this very function."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # a Python that was built otherwise
    from hashlib import blake2b

_BYTES = 16


def digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=_BYTES).hexdigest()
