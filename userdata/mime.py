"""Several parts in one user data, each for its own reader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from email.generator import Generator
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from io import StringIO

# One boundary for ever: a boot script changes only where something in it changes.
BOUNDARY = "==NODE=="
NODE_CONFIG = "application/node.eks.aws"
BOOTHOOK = "text/cloud-boothook"
SHELL = "text/x-shellscript"
# Bottlerocket reads nothing else, and no MIME.
SETTINGS = "application/toml"


@dataclass(frozen=True)
class Part:
    type: str
    text: str


def multipart(parts: Iterable[Part]) -> str:
    document = MIMEMultipart("mixed", boundary=BOUNDARY)
    for each in parts:
        part = MIMENonMultipart(*each.type.split("/"))
        part.set_payload(each.text)
        document.attach(part)
    text = StringIO()
    Generator(text, mangle_from_=False, maxheaderlen=0).flatten(document)
    return text.getvalue()
