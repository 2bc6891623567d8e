"""A unit of systemd's whose daemon puts itself into the background, where its type says that it does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# By what each stays in the foreground; None where nothing makes it. Sources: slurmctld(8), slurmd(8), slurmdbd(8),
# munged(8), nvidia-persistenced(1) with the unit that NVIDIA ships (Type=forking).
_STAYS = {
    "slurmctld": r"(?:^|\s)(?:-\w*D|--systemd)",
    "slurmd": r"(?:^|\s)(?:-\w*D|--systemd)",
    "slurmdbd": r"(?:^|\s)(?:-\w*D|--systemd)",
    "munged": r"(?:^|\s)(?:-\w*F|--foreground)",
    "nvidia-persistenced": None,
}
_SECTION = pattern(r"(?m)^[ \t]*\[Service\][ \t]*$(?P<body>(?:\n(?![ \t]*\[)[^\n]*){1,60})", words=("[Service]",))
_TYPE = pattern(r"(?m)^[ \t]*Type[ \t]*=[ \t]*(?P<type>\S+)")
_STARTS = pattern(
    r"(?m)^[ \t]*ExecStart[ \t]*=[ \t]*[-@:+!]*\S*?(?P<name>slurmctld|slurmdbd|slurmd|munged|nvidia-persistenced)"
    r"(?P<options>(?:[ \t][^\n]*)?)$"
)
_ENDS_AT_ONCE = ("simple", "exec")
# A drop-in, which says what is otherwise than in the unit, and has its type from there.
_BEGINS_ANEW = pattern(r"(?m)^[ \t]*ExecStart[ \t]*=[ \t]*$")
_IS_WHOLE = pattern(r"(?m)^[ \t]*\[Install\][ \t]*$", words=("[Install]",))
# What these hold nobody knows here: -D may be among it.
_FILLED_IN = pattern(r"\$|\{\{")


@dataclass(frozen=True)
class ForkingService:
    called: ClassVar[str] = "a unit that starts a daemon"

    place: Place
    written: str
    daemon: str
    # "simple", said or by default; "" where the unit is right.
    type: str
    stays_with: str

    @property
    def loses_it(self) -> bool:
        return bool(self.type)


def forking_services(text: str, path: str) -> Iterator[ForkingService]:
    for section in _SECTION.finditer(text):
        body = section["body"]
        started, said = _STARTS.search(body), _TYPE.search(body)
        if started is None or _FILLED_IN.search(started["options"]) is not None:
            continue
        if said is None and (_BEGINS_ANEW.search(body) is not None or _IS_WHOLE.search(text) is None):
            continue
        kind = said["type"] if said is not None else "simple"
        stays = _STAYS[started["name"]]
        is_lost = kind in _ENDS_AT_ONCE and (stays is None or re.search(stays, started["options"]) is None)
        row = text.count("\n", 0, section.start("body") + started.start("name")) + 1
        place = Place(path=path, line=row)
        yield ForkingService(
            place,
            started[0].strip(),
            started["name"],
            kind if is_lost else "",
            "-F" if "munged" in started[0] else "-D",
        )
