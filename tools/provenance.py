"""What was built from what: an in-toto statement with SLSA's provenance, signed in a DSSE envelope by openssl."""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from changelog import NotReady

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
# The recipe is this folder's release.py; the builder is whoever holds the key.
BUILD_TYPE = "urn:nodeworthy:release:1"
BUILDER = "urn:nodeworthy:builder:local"


def statement(
    version: str, epoch: int, subjects: Mapping[str, str], materials: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects.items()],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"version": version, "sourceDateEpoch": epoch},
                "resolvedDependencies": list(materials),
            },
            "runDetails": {"builder": {"id": BUILDER}},
        },
    }


def new_key(path: Path) -> None:
    _openssl("genpkey", "-algorithm", "ed25519", "-out", str(path))
    path.chmod(0o600)


def public_key(key: Path) -> bytes:
    return _openssl("pkey", "-in", str(key), "-pubout")


def sign(what: Mapping[str, Any], key: Path) -> dict[str, Any]:
    payload = json.dumps(what, indent=1, sort_keys=True).encode()
    with tempfile.TemporaryDirectory() as temporary:
        signed = Path(temporary, "signed")
        signed.write_bytes(_signed(payload))
        signature = _openssl("pkeyutl", "-sign", "-rawin", "-inkey", str(key), "-in", str(signed))
    return {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [{"sig": base64.b64encode(signature).decode()}],
    }


def verified(envelope: Mapping[str, Any], public: Path) -> dict[str, Any]:
    """The statement, once the signature has been found to be that of this key."""
    payload = base64.b64decode(envelope["payload"])
    (signature,) = envelope["signatures"]
    with tempfile.TemporaryDirectory() as temporary:
        signed, sig = Path(temporary, "signed"), Path(temporary, "sig")
        signed.write_bytes(_signed(payload))
        sig.write_bytes(base64.b64decode(signature["sig"]))
        keyed = ("-pubin", "-inkey", str(public), "-sigfile", str(sig), "-in", str(signed))
        _openssl("pkeyutl", "-verify", "-rawin", *keyed)
    told: dict[str, Any] = json.loads(payload)
    return told


def _signed(payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: the type is signed, too."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def _openssl(*arguments: str) -> bytes:
    told = subprocess.run(["openssl", *arguments], capture_output=True, timeout=60, check=False)
    if told.returncode != 0:
        said = (told.stderr or told.stdout).decode("utf-8", "replace").strip().splitlines()
        raise NotReady(f"openssl {arguments[0]}: {said[0] if said else 'failed'}")
    return told.stdout
