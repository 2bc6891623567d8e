"""Bottlerocket: settings in TOML; there is no shell to run a script."""

from __future__ import annotations

import json

from userdata.joining import Joining


def settings(joining: Joining) -> str:
    lines = [
        "[settings.kubernetes]",
        *(
            f"{name} = {_text(value)}"
            for name, value in (
                ("cluster-name", joining.cluster),
                ("api-server", joining.endpoint),
                ("cluster-certificate", joining.certificate_authority),
                ("cluster-dns-ip", joining.dns),
            )
        ),
        "",
        "[settings.kubernetes.node-labels]",
        *(f"{_text(name)} = {_text(value)}" for name, value in joining.labels.items()),
    ]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """A TOML basic string: of ASCII text, JSON writes the same."""
    return json.dumps(value)
