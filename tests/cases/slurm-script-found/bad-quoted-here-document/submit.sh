#!/bin/bash
set -euo pipefail
nodes=${1:-2}

sbatch <<'JOB'
#!/bin/bash
#SBATCH --job-name=sweep
#SBATCH --nodes=$1
#SBATCH --gres=gpu:a100:4
#SBATCH --time=02:00:00

srun ./sweep --seeds 16
JOB
