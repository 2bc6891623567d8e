"""Lines that are completed alike by every shell: what is typed, and the words that the program is then given."""

from __future__ import annotations

from pathlib import Path

LINES = {
    "a command": ("nodeworthy che", ["check"]),
    "an option": ("nodeworthy check --show-p", ["check", "--show-passed"]),
    "a format": ("nodeworthy check --format sar", ["check", "--format", "sarif"]),
    "a format, in one word": ("nodeworthy check --format=sar", ["check", "--format=sarif"]),
    "a rule": ("nodeworthy check --rule toolkit-env", ["check", "--rule", "toolkit-env-wellformed"]),
    "a rule to explain": ("nodeworthy explain toolkit-env", ["explain", "toolkit-env-wellformed"]),
    "a distribution": ("nodeworthy explain eks-ub", ["explain", "eks-ubuntu"]),
    "a stack": ("nodeworthy preview --stack pro", ["preview", "--stack", "prod"]),
    "a file": ("nodeworthy check val", ["check", "values.yaml"]),
    "an option's file": ("nodeworthy check --fleet Pulumi.p", ["check", "--fleet", "Pulumi.prod.yaml"]),
    "a shell": ("nodeworthy completion fi", ["completion", "fish"]),
    "no file where a number is meant": ("nodeworthy preview --timeout val", ["preview", "--timeout", "val"]),
    "another command's option": ("nodeworthy rules --show-p", ["rules", "--show-p"]),
}


def fill(folder: Path) -> Path:
    """What lies where these lines are typed."""
    for name in ("values.yaml", "Pulumi.yaml", "Pulumi.prod.yaml", "Pulumi.dev.yaml"):
        (folder / name).write_text("{}\n")
    return folder
