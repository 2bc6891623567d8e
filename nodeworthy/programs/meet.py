"""Whether all pods of a group are there, before anything is begun: the first of them is asked, and counts. Whoever is
alone after the minute says who is missing, and goes, so that GPUs are never held for a group that does not come.
"""

from __future__ import annotations

import json
import os
import socket
import time

# Beside the port that torch itself will meet at.
_BESIDE = 1
_AGAIN_SECONDS = 0.5
_LONGEST = 512


def seconds() -> float:
    return float(os.environ.get("NODEWORTHY_BARRIER", "60"))


def all_there(nonce: str) -> tuple[str, str]:
    """Waits until all ranks are there. Returns nothing where they are; else the kind of trouble, and its words."""
    count, rank = int(os.environ["NODEWORTHY_NODES"]), int(os.environ.get("NODE_RANK", "0"))
    port = int(os.environ.get("MASTER_PORT", "29400")) + _BESIDE
    until = time.monotonic() + seconds()
    if rank == 0:
        return count_them(nonce, count, port, until)
    return ask_first(nonce, rank, os.environ.get("MASTER_ADDR", "127.0.0.1"), port, until)


def count_them(nonce: str, count: int, port: int, until: float) -> tuple[str, str]:
    """All hear the same: that they are all there, or who is missing."""
    there: dict[int, socket.socket] = {}
    try:
        listening = listen(port)
    except OSError as problem:
        return "not-met", f"port {port}, at which rank 0 counts all, is not to be had: {problem}"
    with listening as server:
        while len(there) < count - 1 and time.monotonic() < until:
            server.settimeout(max(0.01, until - time.monotonic()))
            try:
                other, _ = server.accept()
            except OSError:
                break
            rank = hear_rank(other, nonce)
            if rank is None or not 0 < rank < count:
                other.close()
            else:
                there[rank] = other
    missing = [rank for rank in range(1, count) if rank not in there]
    text = f"rank {', '.join(map(str, missing))} of {count} did not come within {seconds():g} s" if missing else ""
    for each in there.values():
        with each:
            each.sendall((json.dumps({"nonce": nonce, "missing": text}) + "\n").encode())
    return ("not-met" if missing else "", text)


def listen(port: int) -> socket.socket:
    """At every address of this node: there are networks without IPv4, and machines without IPv6."""
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", port))


def hear_rank(other: socket.socket, nonce: str) -> int | None:
    """Which rank it is; none where it is nobody of this run."""
    other.settimeout(5.0)
    try:
        data = json.loads(other.recv(_LONGEST))
        return int(data["rank"]) if data["nonce"] == nonce else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ask_first(nonce: str, rank: int, address: str, port: int, until: float) -> tuple[str, str]:
    """Asks the first rank until the time is over: its name may not be known yet, and it may not listen yet."""
    kind, text = "not-met", f"rank 0 at {address} did not come within {seconds():g} s"
    while time.monotonic() < until:
        left = max(0.1, until - time.monotonic())
        try:
            with socket.create_connection((address, port), timeout=min(5.0, left)) as first:
                first.sendall(json.dumps({"nonce": nonce, "rank": rank}).encode())
                first.settimeout(left + 5.0)
                said = json.loads(first.recv(_LONGEST) or b"{}")
                if said.get("nonce") == nonce:
                    return ("not-met" if said["missing"] else "", str(said["missing"]))
        except socket.gaierror as problem:
            kind, text = "dns", f"the name {address} of rank 0 is not known: {problem}"
        except (OSError, ValueError) as problem:
            kind, text = "not-met", f"rank 0 at {address} did not come within {seconds():g} s: {problem}"
        time.sleep(min(_AGAIN_SECONDS, max(0.0, until - time.monotonic())))
    return kind, text
