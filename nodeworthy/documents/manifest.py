"""Objects of Kubernetes written as YAML, so that Kubernetes reads them as they were meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from nodeworthy.patterns import pattern


class _Dumper(yaml.SafeDumper):
    """PyYAML quotes what YAML 1.1 takes for something else. kubectl's reader follows 1.2 as well: `12e345` is a number
    to it, `0o17` another, and a name of eight random digits is such a number now and then.
    """


_NUMBER_OF_1_2 = pattern(r"(?:[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9]+)[eE][-+]?[0-9]+|0o[0-7_]+)\Z")
_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER_OF_1_2, list("-+.0123456789"))


def as_manifest(what: Mapping[str, Any]) -> str:
    text: str = yaml.dump(what, Dumper=_Dumper, sort_keys=False, width=120)
    return text
