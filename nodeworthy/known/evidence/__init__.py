"""What programs print when something of ours is wrong: the tables beside this file, and how a log is searched."""

from __future__ import annotations

from nodeworthy.known.evidence.entries import Evidence, all_evidence
from nodeworthy.known.evidence.nearest import nearest
from nodeworthy.known.evidence.search import EvidenceMatch, in_stream, in_text

__all__ = ["Evidence", "EvidenceMatch", "all_evidence", "in_stream", "in_text", "nearest"]
