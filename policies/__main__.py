"""The catalogue as a Pulumi policy pack: `pulumi preview --policy-pack policies`."""

from __future__ import annotations

import sys
from pathlib import Path

try:
    from nodeworthy.collect.pack.server import serve
    from nodeworthy.report.policy import violation
except ImportError as missing:
    sys.exit(f"the policy pack nodeworthy needs its library ({missing}): pip install 'nodeworthy[pulumi]'")

serve(Path(__file__).resolve().parent, violation)
