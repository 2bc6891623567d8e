"""multi-node, beside its collectives: how fast a node sends and receives over the network that everything else uses.

Each node has a few of the others as its partner, one at a time and one way at a time. So who is slow is slow with all
of them, and whoever was his partner is well with another.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import meet
import say

TEST = "multi-node"
STREAMS, PARTNERS = 4, 2
SECONDS = float(os.environ.get("NODEWORTHY_STREAM_SECONDS", "2"))
# Who does not connect by then can't, and who takes so much longer is dead.
PATIENCE = 15.0
_BLOCK = 1 << 20
_LOOK_SECONDS = 0.05
_TAKEN = b"!"


def tournament(count: int) -> list[list[tuple[int, int]]]:
    """Rounds in which each has one partner, until each had every other."""
    seats: list[Any] = list(range(count)) + ([None] if count % 2 else [])
    rounds = []
    for _ in range(len(seats) - 1):
        pairs = [(seats[at], seats[-1 - at]) for at in range(len(seats) // 2)]
        rounds.append([(a, b) for a, b in pairs if a is not None and b is not None])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return rounds


def gather_from_ranks(own: Any) -> list[Any]:
    """What each rank says, by ranks."""
    import torch.distributed as dist

    every: list[Any] = [None] * say.WORLD
    dist.all_gather_object(every, own)
    return every


def measure(nodes: list[str]) -> None:
    """Measures by the first rank of each node while all others wait. Raises where two nodes cannot reach each other."""
    mine = meet.listen(0) if say.LOCAL_RANK == 0 else None
    addresses = _addresses(nodes, mine)
    # Of an odd number one sits out each time.
    for round_, matches in enumerate(tournament(len(nodes))[: PARTNERS + len(nodes) % 2], start=1):
        for turn in (False, True):
            ways = [(other, one) if turn else (one, other) for one, other in matches]
            _all_or_none(_stream(nodes, mine, addresses, ways, round_) if mine is not None else "")
    if mine is not None:
        mine.close()


def _stream(
    nodes: list[str], mine: socket.socket, addresses: list[tuple[str, int]], ways: list[tuple[int, int]], round_: int
) -> str:
    """This node's part of it; in words, what went wrong."""
    place = nodes.index(say.NODE)
    for sender, receiver in ways:
        match = f"{nodes[sender]} to {nodes[receiver]}, {round_}"
        try:
            if place == sender:
                _told_of("out", _together(_connected(addresses[receiver], match), _send), round_)
            elif place == receiver:
                _told_of("in", _together(_accepted(mine, match), _receive), round_)
        except OSError as problem:
            return f"the network from {nodes[sender]} to {nodes[receiver]}: {type(problem).__name__}: {problem}"
    return ""


def _told_of(direction: str, rate: float, round_: int) -> None:
    at = {"direction": direction, "streams": STREAMS, "round": round_}
    say.measure(TEST, "network_gbps", round(rate, 4), "GB/s", at=at)


def _all_or_none(trouble: str) -> None:
    """All hear of one's trouble: nobody waits for him at the next barrier."""
    first = next((each for each in gather_from_ranks(trouble) if each), "")
    if first:
        raise OSError(first)


def _addresses(nodes: list[str], mine: socket.socket | None) -> list[tuple[str, int]]:
    """The addresses as others see them: the first node's own name may mean nothing to others."""
    own, first = _as_seen(os.environ.get("MASTER_ADDR", "127.0.0.1"))
    said = gather_from_ranks((say.NODE, own, first, mine.getsockname()[1]) if mine is not None else None)
    by_node = {name: (own, first, port) for name, own, first, port in filter(None, said)}
    found = [(by_node[name][0], by_node[name][2]) for name in nodes]
    return [(by_node[nodes[1]][1], found[0][1]), *found[1:]]


def _as_seen(master: str) -> tuple[str, str]:
    """This node's own address on the way to the first one, and that one's."""
    family, _, _, _, at = socket.getaddrinfo(master, 1, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, socket.SOCK_DGRAM) as way:
        way.connect(at)
        return str(way.getsockname()[0]), str(way.getpeername()[0])


def _password(match: str) -> bytes:
    """The password by which a receiver knows its partner, and tells it from a port scanner and from one that comes too
    late."""
    return hashlib.sha256(f"{say.NONCE}/{match}".encode()).digest()


def _connected(to: tuple[str, int], match: str) -> list[socket.socket]:
    """Each of them taken by the other side."""
    streams = [socket.create_connection(to, timeout=PATIENCE) for _ in range(STREAMS)]
    for each in streams:
        each.sendall(_password(match))
    for each in streams:
        if each.recv(len(_TAKEN)) != _TAKEN:
            raise ConnectionRefusedError("the other end does not know who this is")
    return streams


def _accepted(mine: socket.socket, match: str) -> list[socket.socket]:
    """Strangers beside them are heard out, and count for nothing. All begin at once, when all are there."""
    until = time.monotonic() + PATIENCE
    known: list[socket.socket] = []
    mine.settimeout(_LOOK_SECONDS)
    while len(known) < STREAMS:
        if time.monotonic() > until:
            raise TimeoutError(f"{len(known)} of {STREAMS} streams came within {PATIENCE:g} s")
        with contextlib.suppress(TimeoutError):
            other, _ = mine.accept()
            threading.Thread(target=_hear, args=(other, match, known), daemon=True).start()
    for each in known:
        each.sendall(_TAKEN)
    return known


def _hear(other: socket.socket, match: str, known: list[socket.socket]) -> None:
    """Keeps a connection that sends the right password, and closes any other."""
    other.settimeout(PATIENCE)
    wanted, said = _password(match), b""
    with contextlib.suppress(OSError):
        while len(said) < len(wanted) and (more := other.recv(len(wanted) - len(said))):
            said += more
    if said == wanted:
        known.append(other)
    else:
        other.close()


def _together(streams: list[socket.socket], work: Callable[[socket.socket], tuple[int, float]]) -> float:
    """GB/s of all of them, which is at most what the slowest of them took."""
    done: list[tuple[int, float]] = []
    troubles: list[OSError] = []

    def run(stream: socket.socket) -> None:
        try:
            stream.settimeout(SECONDS + PATIENCE)
            with stream:
                done.append(work(stream))
        except OSError as problem:
            troubles.append(problem)

    threads = [threading.Thread(target=run, args=(each,), daemon=True) for each in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if troubles:
        raise troubles[0]
    return sum(count for count, _ in done) / max(took for _, took in done) / 1e9


def _send(to: socket.socket) -> tuple[int, float]:
    """Until the time is over, and all of it has come: what lies in a buffer was not sent."""
    block, count, began = os.urandom(_BLOCK), 0, time.monotonic()
    while time.monotonic() < began + SECONDS:
        to.sendall(block)
        count += len(block)
    to.shutdown(socket.SHUT_WR)
    while to.recv(1):
        pass
    return count, max(time.monotonic() - began, 1e-9)


def _receive(other: socket.socket) -> tuple[int, float]:
    """Receives, and measures from the first byte on."""
    into, count, began = bytearray(_BLOCK), 0, 0.0
    while True:
        got = other.recv_into(into)
        began = began or time.monotonic()
        if not got:
            return count, max(time.monotonic() - began, 1e-9)
        count += got
