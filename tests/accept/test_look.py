"""What the driver alone is asked: by stand-ins for its two libraries, which compute as arithmetic has it and fail as told.

No GPU has run the kernels. Their text is read here as PTX is specified, and NVIDIA's own assembler takes it where it is.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nodeworthy import programs
from nodeworthy.known.acceptance import RESULTS
from tests.accept.ptx import last_word
from tests.accept.recordings import NONCE, job, write
from tests.accept.stand_in_driver import compile_into
from tests.run import Ran, run, run_json

PROGRAMS = Path(programs.__file__).parent
SECOND = "GPU-00000000-0000-0000-0000-000000000001"
TESTS = ("gpu-sanity", "gpu-as-asked")
sys.path.insert(0, str(PROGRAMS))
import look  # noqa: E402 - beside its own, as where it runs


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_into(tmp_path_factory.mktemp("driver"))


def looked(
    folder: Path,
    libraries: Path | None,
    fault: str = "",
    gpus: int = 2,
    tests: tuple[str, ...] = TESTS[:1],
    *,
    seconds: int = 60,
) -> tuple[Ran, str]:
    """What is judged of two GPUs that were looked at, and what the program printed."""
    environment = {**os.environ, "NODEWORTHY_NONCE": NONCE, "NODEWORTHY_NODE": "gpu-1", "STUB_FAULT": fault}
    environment |= {"NODEWORTHY_WITHOUT_TORCH": "1", "NODEWORTHY_COPIED": "65536", "NODEWORTHY_DEADLINE": "120"}
    environment |= {"STUB_NAME": "NVIDIA Stand-In", "STUB_GPUS": str(gpus)}
    environment["LD_LIBRARY_PATH"] = str(libraries or folder)
    command = [sys.executable, str(PROGRAMS / "launch.py"), *(f"{each}={seconds}" for each in tests)]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    node = {"name": "gpu-1", "gpu": None, "count": 2, "instance": ""}
    recorded = write(folder, [job(*tests)], {"gpu-1.log": said.stdout}, nodes=[node])
    return run_json("accept", "--from", str(recorded), "--show-passed", cwd=folder), said.stdout


def failed(ran: Ran) -> dict[str, str]:
    return {each["rule"]: each["message"] for each in ran.findings if each["verdict"] == "fail"}


def test_what_is_well_passes(libraries: Path, tmp_path: Path) -> None:
    ran, said = looked(tmp_path, libraries)
    assert failed(ran) == {}, said
    passed = {each["rule"] for each in ran.findings if each["verdict"] == "pass"}
    assert passed >= {"gpu-computes-right"}, ran.out
    # At the limit that it is made for: that is no reason.
    assert '"throttle": ["' not in said


@pytest.mark.parametrize(
    ("fault", "rule", "word"),
    [
        ("integers", "gpu-computes-right", "computes driver-integers wrong"),
        ("floats", "gpu-computes-right", "computes driver-floats wrong"),
        ("unsteady", "gpu-computes-right", "does not compute driver-integers the same twice"),
        ("memory", "gpu-computes-right", "gives back other bits"),
        ("ecc", "gpu-computes-right", "new uncorrected memory errors"),
        ("remapped", "gpu-computes-right", "rows of its memory"),
        ("narrow", "gpu-fast-enough", "narrower"),
        ("old", "gpu-fast-enough", "of an older generation"),
    ],
)
def test_a_fault_is_named_with_its_gpu(fault: str, rule: str, word: str, libraries: Path, tmp_path: Path) -> None:
    ran, said = looked(tmp_path, libraries, f"{fault}:1")
    found = failed(ran)
    assert list(found) == [rule], said
    assert (word in found[rule], SECOND in found[rule]) == (True, True), found


@pytest.mark.parametrize(("fault", "words"), [("hot", "HW thermal slowdown"), ("capped", "SW power cap")])
def test_what_holds_it_back_stands_beside_each_number(fault: str, words: str, libraries: Path, tmp_path: Path) -> None:
    _, said = looked(tmp_path, libraries, f"{fault}:1")
    held = [each for each in said.splitlines() if f'"throttle": ["{words}"]' in each]
    assert len(held) == 6, said
    assert all(SECOND in each for each in held)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("lost", ("GPU 1: cuda: ", "unknown error (999)")),
        ("unwatched", ("nvmlDeviceGetHandleByUUID answered 15", SECOND)),
    ],
)
def test_a_gpu_that_does_not_answer_is_an_error(
    fault: str, words: tuple[str, ...], libraries: Path, tmp_path: Path
) -> None:
    ran, said = looked(tmp_path, libraries, f"{fault}:1")
    errors = [each["message"] for each in ran.findings if each["verdict"] == "error"]
    assert ran.code == 3, said
    assert any(all(word in each for word in words) for each in errors), errors


def test_fewer_than_asked_for_are_told(libraries: Path, tmp_path: Path) -> None:
    ran, said = looked(tmp_path, libraries, gpus=1, tests=TESTS)
    assert failed(ran).keys() == {"gpu-as-asked"}, said


def test_without_a_driver_it_says_which_library_is_missing(tmp_path: Path) -> None:
    ran, said = looked(tmp_path, None)
    errors = [each["message"] for each in ran.findings if each["verdict"] == "error"]
    assert any("libcuda.so.1 is not there" in each for each in errors), (errors, said)


def burnt(folder: Path, libraries: Path, fault: str = "") -> tuple[Ran, str]:
    os.environ["NODEWORTHY_BURN"] = "1"
    try:
        return looked(folder, libraries, fault, seconds=9)
    finally:
        del os.environ["NODEWORTHY_BURN"]


def test_a_burn_computes_again_and_again_and_is_watched(libraries: Path, tmp_path: Path) -> None:
    ran, said = burnt(tmp_path, libraries)
    assert failed(ran) == {}, said
    (row,) = (each for each in ran.report["runs"] if each["test"] == "gpu-sanity")
    laps = [each["value"] for each in row["measures"] if each["name"] == "burn_laps"]
    assert len(laps) == 2
    assert min(laps) > 1
    assert {each["value"] for each in row["measures"] if each["name"] == "burn_temperature_c"} == {66}
    assert sum(each["value"] for each in row["measures"] if each["name"] == "burn_s") > 2


def test_who_becomes_too_hot_in_a_burn_is_named(libraries: Path, tmp_path: Path) -> None:
    ran, said = burnt(tmp_path, libraries, "hot:1")
    assert failed(ran) == {
        "gpu-fast-enough": f"{SECOND} (0000:11:00.0) is held back by its own hardware while it burns"
    }
    (found,) = (each for each in ran.findings if each["verdict"] == "fail")
    assert "HW thermal slowdown in" in found["is"]
    assert "94 °C at most" in found["is"], said


def test_a_lap_that_comes_out_otherwise_is_named(libraries: Path, tmp_path: Path) -> None:
    """After ever so many that were right."""
    ran, said = burnt(tmp_path, libraries, "tires:1")
    assert set(failed(ran)) == {"gpu-computes-right"}, said


def integers(number: int) -> int:
    for _ in range(look.STEPS):
        number = (number * 1664525 + 1013904223) & 0xFFFFFFFF
        number ^= number >> 13
    return number


def floats(number: int) -> int:
    more = (number & 7) + 1
    for _ in range(look.STEPS):
        number = (5 * number + more) % 4096
    return number


ARITHMETIC = {"integers": integers, "floats": floats}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_what_is_known_beforehand_is_what_arithmetic_says(name: str) -> None:
    words = b"".join(ARITHMETIC[name](each).to_bytes(4, "little") for each in range(look.BEGINNINGS))
    every = words * (look.BLOCKS * look.THREADS // look.BEGINNINGS)
    assert RESULTS[f"driver-{name}"] == hashlib.blake2b(every, digest_size=8).hexdigest()


@pytest.mark.parametrize("name", ARITHMETIC)
def test_the_kernels_text_means_that(name: str) -> None:
    for index in (0, 1023, 300_001):
        assert last_word(look.ptx(name), index, look.THREADS) == ARITHMETIC[name](index % look.BEGINNINGS)


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("architecture", ["sm_70", "sm_75", "sm_80", "sm_90", "sm_100"])
def test_nvidias_assembler_takes_it(name: str, architecture: str, tmp_path: Path) -> None:
    """It comes with torch."""
    found = sorted(Path(os.environ.get("NODEWORTHY_TORCH", "/nowhere/bin/python")).parent.parent.rglob("ptxas"))
    if not found:
        pytest.skip("no ptxas: `make accept-tools` installs it with torch, `make test-accept` runs this")
    (tmp_path / "k.ptx").write_text(look.ptx(name), encoding="ascii")
    command = [str(found[0]), f"-arch={architecture}", str(tmp_path / "k.ptx"), "-o", str(tmp_path / "k")]
    assert subprocess.run(command, check=False).returncode == 0


def test_a_dry_run_without_torch_asks_only_the_driver(tmp_path: Path) -> None:
    more = ("--gpus", "h100:8", "--python", "/usr/bin/python3", "--scratch", "/shared", "--without-torch")
    ran = run("accept", "--on", "slurm", "gpu-1", *more, "--level", "quick", "--dry-run", cwd=tmp_path)
    assert "export NODEWORTHY_WITHOUT_TORCH=1" in ran.out
    launched = next(each for each in ran.out.splitlines() if "launch.py" in each and "exec" in each)
    assert ("gpu-sanity=" in launched, "gpu-as-asked=" in launched, "ddp=" in launched) == (True, True, False)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ("--on", "slurm", "--test", "ddp"),
            "--test ddp needs torch: beside --without-torch there are gpu-sanity, allocation, gpu-as-asked",
        ),
        (("--from", "."), "--from judges what was recorded"),
    ],
)
def test_what_it_can_not_be_beside(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    ran = run("accept", *words, "--without-torch", cwd=tmp_path)
    assert (ran.code, why in ran.err) == (2, True), ran.err
