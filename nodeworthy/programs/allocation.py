"""allocation: which GPUs this job was given, as CUDA finds them, by the driver alone; torch is not needed.

Whoever was begun beside another job stays a few seconds, for both to be there at once; everybody else goes at once.
"""

from __future__ import annotations

import os
import time

import driver
import say

TEST = "allocation"
# Between two pods that are begun together, where the image is there already.
BESIDE_SECONDS = 8.0
_NO_DEVICE = 100


def devices() -> list[dict[str, str]]:
    """None where CUDA itself finds none: that is an answer, too."""
    try:
        cuda = driver.Cuda()
    except driver.DriverError as problem:
        if problem.status == _NO_DEVICE:
            return []
        raise
    found = []
    for index in range(cuda.count()):
        with cuda.device(index) as device:
            found.append(device.gpu)
    return found


def ask() -> None:
    began = time.time()
    want = {"want": os.environ.get("NODEWORTHY_ASKING", "GPUs")}
    # Of MIG, where a slice was asked for.
    want |= {"profile": os.environ["NODEWORTHY_PROFILE"]} if os.environ.get("NODEWORTHY_PROFILE") else {}
    there = devices()
    say.measure(TEST, "asked", int(os.environ["NODEWORTHY_GPUS"]), at=want)
    for number, gpu in enumerate(there):
        say.measure(TEST, "came", number, gpu=gpu, at=want)
    if os.environ.get("NODEWORTHY_BESIDE"):
        time.sleep(min(BESIDE_SECONDS, float(os.environ.get("NODEWORTHY_SECONDS", "0")) / 2))
        say.measure(TEST, "held_from", round(began, 3), "s", at=want)
        say.measure(TEST, "held_to", round(time.time(), 3), "s", at=want)


if __name__ == "__main__":
    raise SystemExit(say.run(TEST, ask))
