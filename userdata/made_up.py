"""What the cloud would tell, made up: for looking at a script without a cloud, and for scripts to compare with."""

from __future__ import annotations

import base64

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need
from userdata.plan import Told


def told(fleet: Fleet) -> Told:
    region = fleet.region or "us-east-2"
    # As long as EKS's own: it counts against what a boot script may hold.
    lines = ["-----BEGIN CERTIFICATE-----", *["MADEUP" * 10 + "MADE"] * 16, "-----END CERTIFICATE-----", ""]
    return Told(
        cluster=need(fleet.cluster.name),
        endpoint=f"https://0123456789ABCDEF0123456789ABCDEF.gr7.{region}.eks.amazonaws.com",
        certificate_authority=base64.b64encode("\n".join(lines).encode()).decode(),
        service_range=need(fleet.cluster.service_cidr),
        file_system=f"fs-0123456789abcdef0.efs.{region}.amazonaws.com" if fleet.storage is not None else None,
    )
