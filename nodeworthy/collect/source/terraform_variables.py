"""Files of variables that somebody names: they are read before anything is judged by them."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.errors import InputError
from nodeworthy.hcl.disk import VARIABLES, Unread, read_file
from nodeworthy.hcl.json_syntax import body_of
from nodeworthy.hcl.parse import parse
from nodeworthy.hcl.source import File, Malformed


def refuse_unread(paths: Sequence[str]) -> None:
    """Raises InputError for the first one that Terraform would not take."""
    for path in paths:
        if not path.endswith(VARIABLES):
            raise InputError(f"{path}: a file of variables ends with .tfvars or .tfvars.json")
        try:
            file = File(path, read_file(path).decode("utf-8-sig"))
            body_of(file, is_flat=True) if path.endswith(".json") else parse(file)
        except Unread as why:
            raise InputError(f"{path}: {why}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path}: it is no text in UTF-8") from None
        except Malformed as problem:
            raise InputError(f"{problem.place}: this is no HCL that Terraform reads: {problem.why}") from None
