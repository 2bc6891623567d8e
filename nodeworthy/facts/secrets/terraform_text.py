"""What a file of Terraform writes down in plain words that belongs in a store: a token among its variables, a password
among a chart's values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.facts.secrets.plain_text import secrets_in
from nodeworthy.hcl.source import File
from nodeworthy.hcl.syntax import Body
from nodeworthy.hcl.written import Written, texts_in
from nodeworthy.known.secret_names import holds, is_default
from nodeworthy.known.secrets import what_is
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What machines boot with is looked at as a script.
_A_SCRIPT = pattern(
    r"\s*(?:#!|#cloud-config|MIME-Version:|Content-Type:|<powershell>)|\s*(?:---\s*)?apiVersion: node\.eks\.aws"
)


@dataclass(frozen=True)
class WrittenSecret:
    place: Place
    name: str
    what: str


@dataclass(frozen=True, eq=False)
class TerraformText:
    called: ClassVar[str] = "a file of Terraform"

    place: Place
    # "Terraform's variables", "a file of Terraform".
    what: str
    found: Sequence[WrittenSecret]


def text_of(file: File, body: Body) -> TerraformText:
    is_variables = file.shown.endswith((".tfvars", ".tfvars.json"))
    what = "Terraform's variables" if is_variables else "a file of Terraform"
    return TerraformText(Place(file.shown), what, list(_secrets(file, body)))


def _secrets(file: File, body: Body) -> Iterator[WrittenSecret]:
    for each in texts_in(body):
        if "\n" in each.text:
            yield from _of_lines(file, each)
        elif len(each.text) > 3 and not is_default(each.text):
            what = what_is(each.name, each.text)
            if what is not None:
                yield WrittenSecret(file.place(each.at(0)), each.name, what)


def _of_lines(file: File, written: Written) -> Iterator[WrittenSecret]:
    """A heredoc: a chart's values, a manifest, or one secret of several lines, as a private key is."""
    if _A_SCRIPT.match(written.text):
        return
    for each in secrets_in(written.text):
        if not is_default(written.text[each.start : each.end]):
            yield WrittenSecret(file.place(written.at(each.start)), each.name or _telling(written.name), each.what)


def _telling(name: str) -> str:
    return name if holds(name) is not None else ""
