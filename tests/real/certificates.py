"""A certificate authority for one test run."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Authority:
    """Signs what servers on 127.0.0.1 show, with keys that are made in no time."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def create(cls) -> Authority:
        key = new_key()
        draft = unsigned("nodeworthy test authority", key, issuer="nodeworthy test authority")
        draft = draft.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        return cls(key, draft.sign(key, hashes.SHA256()))

    def save(self, path: Path) -> Path:
        path.write_bytes(self.certificate.public_bytes(Encoding.PEM))
        return path

    def issue_for_localhost(self, certificate_path: Path, key_path: Path) -> None:
        key = new_key()
        names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
        draft = unsigned("localhost", key, issuer="nodeworthy test authority")
        draft = draft.add_extension(x509.SubjectAlternativeName(names), critical=False)
        certificate_path.write_bytes(draft.sign(self.key, hashes.SHA256()).public_bytes(Encoding.PEM))
        save_key(key, key_path)


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def save_key(key: ec.EllipticCurvePrivateKey, path: Path) -> Path:
    """In the one format that the API server reads both as a private key and as its public half."""
    path.touch(mode=0o600)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
    return path


def unsigned(subject: str, key: ec.EllipticCurvePrivateKey, issuer: str) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
    )
