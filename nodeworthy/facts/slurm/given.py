"""What is known of a job's own arguments: nothing, for whoever submits it gives them."""

from __future__ import annotations

from nodeworthy.boot.shell.word_syntax import Parameter
from nodeworthy.boot.shell.words import Expander
from nodeworthy.boot.text import Hole, Text

GIVEN = "whoever submits the job gives it"
_DEFAULTS = (":-", "-", ":=", "=", ":?", "?")


class JobExpander(Expander):
    """`$1` is not known, and `${1:-train.py}` is train.py unless somebody says otherwise."""

    def _parameter(self, part: Parameter) -> Text:
        if self._is_argument(part) and part.operator not in _DEFAULTS:
            return Text((Hole(part.raw, GIVEN),))
        return super()._parameter(part)

    def _is_argument(self, part: Parameter) -> bool:
        """Of the script itself: within a function they are those of its call."""
        is_one = part.name in ("@", "*") or (part.name.isdigit() and part.name != "0")
        return is_one and self.state.variables.get("@") is None
