"""What a file has that is a Slurm job."""

from __future__ import annotations

import re

from nodeworthy.patterns import pattern

MARK = pattern(rb"^#SBATCH", re.MULTILINE)
