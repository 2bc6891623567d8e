"""The fleet, as the stack's config declares it.

It is read from Pulumi's config and not from the file: whatever runs this program (the CLI, an automation, the embedded
preview) has read, merged and decrypted the config already. Lines are lost on the way; the preview knows them.
"""

from __future__ import annotations

import pulumi

from nodeworthy.documents.tree import plant
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import read_fleet
from nodeworthy.verdict import Place

KEY = "nodeworthy:fleet"


def fleet() -> Fleet:
    stack = pulumi.get_stack()
    config = {KEY: pulumi.Config("nodeworthy").require_object("fleet")}
    region = pulumi.Config("aws").get("region")
    if region:
        config["aws:region"] = region
    return read_fleet(plant({"config": config}, Place(path=f"Pulumi.{stack}.yaml")), stack)


def is_secret() -> bool:
    """Whether something in the fleet is encrypted, so that what is made of it must not be shown."""
    return bool(pulumi.runtime.is_config_secret(KEY))
