"""From a pod's log to the recording of its node. What a node prints is data, and may be anything."""

from __future__ import annotations

import json
from dataclasses import replace

from nodeworthy.collect.node.recording import NoRecording, Recording, of_data
from nodeworthy.redaction import hidden

# As it is written; what stands before and after it is not read.
_BEGINS = '{\n "schema"'


def recording(host: str, log: bytes, why: str) -> Recording:
    """Under the name by which we asked: a log may say any. `why` is what the cluster says of a Job that failed."""
    text = log.decode("utf-8", "replace")
    at = text.find(_BEGINS)
    if at < 0:
        return Recording(host, unreached=_unsaid(text, why))
    try:
        data, _ = json.JSONDecoder().raw_decode(text, at)
        return replace(of_data(data), host=host)
    except NoRecording as problem:
        return Recording(host, unreached=f"its log is no recording: {problem}")
    except (ValueError, RecursionError):
        return Recording(host, unreached="its log is no whole recording: it breaks off, or was cut")


def _unsaid(text: str, why: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = f"; the last that its pod said: {hidden(lines[-1])[:200]}" if lines else ""
    return f"{why or 'its log holds no recording: is the image built from this repository?'}{last}"
