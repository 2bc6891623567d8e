"""Where an effect stands that does not stand where it is run: in functions, traps, sourced files."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Unit
from tests.boot.walk.told import timeline

RETRY = 'retry() {\n  until "$@"; do sleep 1; done\n}\n'

# Each begins behind `#!/bin/bash`, on line 2.
PLACES = {
    "a function's own command, and its call": ("f() {\n  systemctl enable a\n}\nf", (3, 3), [5]),
    "what a function was called with": (f"{RETRY}retry systemctl enable a", (5, 1), []),
    "… as one word": ('f() {\n  eval "$1"\n}\nf "systemctl enable a"', (5, 1), [5]),
    "… without quotes": ("f() {\n  $@\n}\nf systemctl enable a", (5, 1), []),
    "… behind a wrapper": ('f() {\n  sudo timeout 9 "$@"\n}\nf systemctl enable a', (5, 1), []),
    "… behind what it takes for itself": ('f() {\n  shift 2\n  "$@"\n}\nf 5 10 systemctl enable a', (6, 1), []),
    "… handed on": (f'{RETRY}f() {{\n  retry "$@"\n}}\nf systemctl enable a', (8, 1), []),
    "… by a function that was called": (f"{RETRY}f() {{\n  retry systemctl enable a\n}}\nf", (6, 3), [8]),
    "arguments of the function's own command": ('f() {\n  systemctl enable "$@"\n}\nf a', (3, 3), [5]),
    "a trap's function": ("f() {\n  systemctl enable a\n}\ntrap f EXIT\necho", (3, 3), [5, 5]),
    "a function of a file that is sourced": (
        "cat > /opt/f.sh <<'E'\nf() {\n  systemctl enable a\n}\nE\n. /opt/f.sh\nf",
        (4, 3),
        [8],
    ),
}


@pytest.mark.parametrize(("script", "at", "via"), PLACES.values(), ids=PLACES)
def test_places(script: str, at: tuple[int, int], via: list[int]) -> None:
    (effect,) = timeline(script).of(Unit)
    assert (effect.place.line, effect.place.column) == at
    assert [each.line for each in effect.via] == via
