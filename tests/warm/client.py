"""Stands for the interpreter that a preview starts: hands all that it was given to the server, and ends as it says."""

import json
import os
import signal
import socket
import sys


def _given() -> list[int]:
    """The descriptors that were handed to this process, beside its own three."""
    numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    return [number for number in numbers if number > 2 and os.path.exists(f"/proc/self/fd/{number}")]


def main() -> None:
    descriptors = [0, 1, 2, *_given()]
    told = {
        "arguments": sys.argv[2:],
        "environment": dict(os.environ),
        "descriptors": descriptors,
        "folder": os.getcwd(),
    }
    server = socket.socket(socket.AF_UNIX)
    server.connect(sys.argv[1])
    data = json.dumps(told).encode()
    socket.send_fds(server, [len(data).to_bytes(4, "big")], descriptors)
    server.sendall(data)
    code = int(server.recv(16) or b"-9")
    if code < 0:
        os.kill(os.getpid(), -code if -code != signal.SIGSTOP else signal.SIGKILL)
    os._exit(code)


main()
