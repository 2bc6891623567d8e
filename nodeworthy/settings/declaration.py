"""The keys of the settings: what each takes, what it means, and what holds where it is left out."""

from __future__ import annotations

from nodeworthy.fleet.shape import Field, Items, Record, Text, Truth

_NOT_BLANK = r"[\s\S]*\S[\s\S]*"
_RULE = Text("the id of a rule, such as gpu-quantity", pattern=r"[a-z0-9]+(-[a-z0-9]+)*")


def _fault_of_pattern(pattern: str) -> str | None:
    """What would match nothing, or something else than its writer thought."""
    if not pattern.strip("/ "):
        return "must be a path or a pattern, such as third_party/**"
    if pattern.startswith("!"):
        return "must not begin with '!': what was excluded can't be taken in again"
    if ".." in pattern.split("/"):
        return "must not hold '..': it is about what lies beside these settings, or below"
    return None


SKIPPED = Record(
    "A rule that is left out",
    {
        "rule": Field(_RULE, "its id", required=True, example="gpu-quantity", decides=True),
        "why": Field(
            Text("a reason", pattern=_NOT_BLANK),
            "why it is left out; every report says so",
            required=True,
            decides=True,
        ),
    },
)

SETTINGS = Record(
    "The settings",
    {
        "fleet": Field(
            Text("a path", pattern=_NOT_BLANK),
            "the fleet to judge by, a path from these settings on",
            example="Pulumi.prod.yaml",
            decides=True,
        ),
        "stack": Field(
            Text("a name", pattern=_NOT_BLANK), "the stack whose fleet it is, where several lie here", decides=True
        ),
        "exclude": Field(
            Items(Text("a pattern", fault=_fault_of_pattern)),
            "what `check` leaves out of folders: a name at any depth, or a path from these settings on; "
            "`*` is anything but a slash, `**` any depth. A file that is named is looked at all the same",
            example=["third_party", "charts/**/generated-*.yaml"],
        ),
        "skip-rules": Field(Items(SKIPPED), "rules that are left out, each with a reason"),
        "strict": Field(Truth(), "warnings change the exit code, as with `--strict`", default=False, decides=True),
        "allow-unknown": Field(
            Truth(),
            "what is unknown does not change the exit code, as with `--allow-unknown`",
            default=False,
            decides=True,
        ),
        "rules": Field(
            Text("a path", pattern=_NOT_BLANK),
            "the folder of your own rules, a path from these settings on. What lies in it is run",
            example="nodeworthy_rules",
            decides=True,
        ),
        "baseline": Field(
            Text("a path", pattern=_NOT_BLANK),
            "the baseline, a path from these settings on (`.nodeworthy-baseline.json`, here or in a folder above)",
            decides=True,
        ),
    },
)
