"""A change that is not made, because the cluster is not as it was looked at, or does not let us."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.errors import Ends


class Refused(Ends):
    exit_code: ClassVar[int] = 3


class Untouched(Refused):
    """Refused before anything was changed."""
