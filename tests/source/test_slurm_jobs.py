"""Slurm jobs as people keep them: recognised by their content, and left in peace where nothing is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.run import run
from tests.source.slurm_check import check, told

GOOD = Path(__file__).parent / "slurm_jobs"


JOBS = sorted(str(path.relative_to(GOOD)) for path in GOOD.rglob("*") if path.suffix in (".sh", ".slurm", ".sbatch"))


def test_there_are_enough() -> None:
    assert len(JOBS) >= 10


def test_good_jobs_in_many_styles(tmp_path: Path) -> None:
    ran = check(shutil.copytree(GOOD, tmp_path / "jobs"), "--strict")
    assert [each for each in ran.findings if each["verdict"] not in ("pass", "skip")] == []
    assert ran.report["evaluated"]["files"] == len(JOBS)
    assert ran.code == 0


HEAD = "#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\n"


RECOGNISED = {
    "a.sh": HEAD,
    "b.slurm": HEAD,
    "c": HEAD,
    "d.sh": "#!/bin/bash\nsbatch <<EOF\n#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\ntrue\nEOF\n",
    "e.sh": "#!/bin/bash\nsbatch --gres=gpu:h1000:1 --wrap 'python -c 1'\n",
    "f.sh": "#!/bin/bash\ncat > job.sh <<'EOF'\n#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\ntrue\nEOF\nsbatch job.sh\n",
    "g.sh": "#!/bin/bash\nmodule load cuda\n#SBATCH --gres=gpu:h1000:1\n",
    "h.sh.j2": "#!/bin/bash\n#SBATCH --gres=gpu:h1000:{{ n }}\n#SBATCH --gpus=h1000:1\n",
    "i.py": "#!/usr/bin/env python3\n#SBATCH --gres=gpu:h1000:1\nimport torch\n",
    "j.job": "#SBATCH --gres=gpu:h1000:1\npython -c 1\n",
    "k.sh": "#!/bin/bash\r\n#SBATCH --gres=gpu:h1000:1\r\n",
    "l.sh": "#!/bin/bash\n#SBATCH -n 1\n#SBATCH hetjob\n#SBATCH --gres=gpu:h1000:1\n",
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_what_is_a_job(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(RECOGNISED[name].encode())
    ran = check(tmp_path, "--rule", "slurm-gpu-as-asked")
    assert ran.report["evaluated"]["files"] == 1
    assert {each["verdict"] for each in ran.findings} & {"fail", "unknown"}


NO_JOBS = {
    "a.md": "# Jobs\n\n#SBATCH --gres=gpu:h1000:1\n",
    "b.py": 'HEAD = """#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\n"""\n',
    "c.py": '#!/usr/bin/env python\nHEAD = """\n#SBATCH --gres=gpu:h1000:1\n"""\n',
    "d.sh": "#!/bin/bash\ngrep '#SBATCH' jobs/*.sh\n",
    "e.sh": "#!/bin/bash\nsbatch jobs/train.sh\n",
    "f.txt": "#SBATCH --gres=gpu:h1000:1\n",
}


@pytest.mark.parametrize("name", NO_JOBS)
def test_what_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(NO_JOBS[name], encoding="utf-8")
    assert check(tmp_path).report["evaluated"]["files"] == 0


def test_a_job_is_no_boot_script(tmp_path: Path) -> None:
    text = "#!/bin/bash\n#SBATCH --gres=gpu:a100:1\nmodprobe nvidia\nsystemctl enable kubelet\nsrun python -c 1\n"
    (tmp_path / "job.sh").write_text(text, encoding="utf-8")
    for options in (("check", "."), ("check", "job.sh")):
        ran = run(*options, "--format", "json", "--show-passed", cwd=tmp_path)
        assert {each["rule"] for each in ran.findings if each["verdict"] != "skip"} <= {
            "slurm-gpu-as-asked", "slurm-environment", "no-secret-in-plain-sight", "shell-parses",
        }  # fmt: skip


def test_a_boot_script_that_brings_a_job_is_one(tmp_path: Path) -> None:
    job = "#!/bin/bash\n#SBATCH --gres=gpu:h1000:1\ntrue\n"
    padding = "# padding\n" * 600
    text = f"#!/bin/bash\ndnf install -y nvidia-driver\n{padding}cat > /opt/job.sh <<'EOF'\n{job}EOF\n"
    (tmp_path / "boot.sh").write_text(text, encoding="utf-8")
    rules = {each["rule"] for each in check(tmp_path).findings}
    assert "profiling-before-driver" in rules
    assert not any(rule.startswith("slurm") for rule in rules)


def test_a_suppression(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text(
        "#!/bin/bash\n#SBATCH --gres=gpu:h1000:1 # nodeworthy: ignore slurm-gpu-as-asked a cluster of ours\n"
    )
    ran = check(tmp_path)
    assert ran.report["summary"]["suppressed"] == 1
    assert ran.code == 0


def test_places_inside_of_what_is_submitted(tmp_path: Path) -> None:
    (found,) = told(tmp_path, "slurm-gpu-as-asked", RECOGNISED["d.sh"])
    assert (found["where"]["line"], found["where"]["column"]) == (4, 9)
