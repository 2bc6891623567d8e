"""A platform's repository as people keep one: pods, charts, boot scripts, containerd files, Slurm jobs, and much that
is none of our business. All of it is right, as most of a repository is."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from bench import tree
from nodeworthy.known.containerd import defaults

Writer = Callable[[random.Random, int], str]
A_TEAM = 40
# Beside them stand settings: of the source's own choosing, as many as the file is to have lines.
_ENV = '        - {{name: SETTING_{0}, value: "{1}"}}\n'

CERTS = f"{defaults().config.rpartition('/')[0]}/certs.d"


def write(folder: Path, files: int) -> None:
    source = random.Random(7)
    (folder / ".git").mkdir(parents=True)
    fleet = tree.FLEET.replace("provision: false", "gpusPerNode: 8, provision: false")
    (folder / "Pulumi.bench.yaml").write_text(fleet, encoding="utf-8")
    (folder / "train.py").write_text("print('trains')\n", encoding="utf-8")
    kinds = [(name, writer) for weight, name, writer in KINDS for _ in range(weight)]
    source.shuffle(kinds)
    for number in range(files - 2):
        name, writer = kinds[number % len(kinds)]
        path = folder / f"team-{number // A_TEAM:03}" / name.format(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(writer(source, int(source.triangular(20, 140, 40))), encoding="utf-8")


def _settings(source: random.Random, lines: int) -> str:
    return "".join(_ENV.format(number, source.randint(0, 999)) for number in range(max(1, lines)))


def deployment(source: random.Random, lines: int) -> str:
    name = f"api-{source.randint(0, 10**6)}"
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  labels: {{app: {name}}}
spec:
  replicas: {source.randint(1, 5)}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata:
      labels: {{app: {name}}}
    spec:
      containers:
      - name: api
        image: registry.example.com/{name}:1.{source.randint(0, 40)}
        ports: [{{containerPort: 8080}}]
        resources:
          requests: {{cpu: 100m, memory: 128Mi}}
          limits: {{memory: 256Mi}}
        env:
{_settings(source, lines - 36)}---
apiVersion: v1
kind: Service
metadata:
  name: {name}
spec:
  selector: {{app: {name}}}
  ports: [{{port: 80, targetPort: 8080}}]
"""


def training(source: random.Random, lines: int) -> str:
    return f"""\
apiVersion: batch/v1
kind: Job
metadata:
  name: train-{source.randint(0, 10**6)}
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: train
        image: registry.example.com/train:2.{source.randint(0, 9)}
        command: [torchrun, --nproc-per-node=8, train.py]
        resources:
          limits:
            nvidia.com/gpu: 8
        env:
{_settings(source, lines - 18)}"""


def config_map(source: random.Random, lines: int) -> str:
    rows = "".join(f"    key_{n}={source.randint(0, 10**6)}\n" for n in range(lines))
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  app.properties: |\n{rows}"


def template(source: random.Random, lines: int) -> str:
    settings = _settings(source, lines - 30)
    return f"""\
{{{{- if .Values.enabled }}}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{{{ include "app.fullname" . }}}}
  labels:
    {{{{- include "app.labels" . | nindent 4 }}}}
spec:
  replicas: {{{{ .Values.replicas }}}}
  template:
    metadata:
      {{{{- with .Values.podAnnotations }}}}
      annotations:
        {{{{- toYaml . | nindent 8 }}}}
      {{{{- end }}}}
    spec:
      containers:
      - name: {{{{ .Chart.Name }}}}
        image: "{{{{ .Values.image.repository }}}}:{{{{ .Values.image.tag }}}}"
        resources:
          {{{{- toYaml .Values.resources | nindent 10 }}}}
        env:
{settings}{{{{- end }}}}
"""


def chart_values(source: random.Random, lines: int) -> str:
    parts = "".join(
        f"part{n}:\n  enabled: true\n  replicas: {source.randint(1, 9)}\n  image:\n    tag: v{n}\n"
        for n in range(lines // 5)
    )
    return f"image:\n  repository: registry.example.com/app\n  tag: v1\nresources: {{}}\n{parts}"


def boot_script(source: random.Random, lines: int) -> str:
    steps = "".join(f"sysctl -w net.core.setting_{n}={source.randint(1, 99)}\n" for n in range(lines // 2))
    return f"#!/bin/bash\nset -euo pipefail\n{steps}systemctl enable --now kubelet\n"


def shell(source: random.Random, lines: int) -> str:
    steps = "".join(f'echo "step {n}"\nmake target-{source.randint(0, 99)}\n' for n in range(lines // 2))
    return f"#!/bin/bash\nset -euo pipefail\n{steps}"


def containerd(source: random.Random, lines: int) -> str:  # noqa: ARG001 - such a file has a length of its own
    return f"""\
version = 2

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.{source.randint(8, 10)}"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "{CERTS}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = true
"""


def slurm(source: random.Random, lines: int) -> str:
    exports = "".join(f"export SETTING_{n}={source.randint(0, 99)}\n" for n in range(max(1, lines - 15)))
    return f"""\
#!/bin/bash
#SBATCH --job-name=train-{source.randint(0, 999)}
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --time=12:00:00
set -euo pipefail
export OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false
{exports}head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun torchrun --nnodes="$SLURM_NNODES" --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint="$head:29500" train.py
"""


# How many of a hundred files or so are of a kind.
KINDS: tuple[tuple[int, str, Writer], ...] = (
    (20, "deployment-{}.yaml", deployment),
    (5, "config-{}.yaml", config_map),
    (3, "train-{}.yaml", training),
    (10, "templates/deployment-{}.yaml", template),
    (8, "values-{}.yaml", chart_values),
    (2, "gpu-values-{}.yaml", tree.values),
    (1, "gpu-release-{}.yaml", tree.helm_release),
    (1, "gpu-application-{}.yaml", tree.argo_application),
    (2, "user-data-{}.sh", boot_script),
    (5, "build-{}.sh", shell),
    (2, "containerd/config-{}.toml", containerd),
    (4, "job-{}.sbatch", slurm),
    (8, "workflow-{}.yaml", tree.workflow),
    (15, "module_{}.py", tree.module),
    (6, "network-{}.tf", tree.terraform),
    (8, "notes-{}.md", tree.prose),
    (3, "data-{}.json", tree.data),
)
