#!/usr/bin/env bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=a100:8
#SBATCH --cpus-per-task=96
#SBATCH --exclusive
#SBATCH --time=12:00:00
set -eo pipefail
cd "$SLURM_SUBMIT_DIR"

export OMP_NUM_THREADS="${SLURM_CPUS_PER_TASK:-1}" TOKENIZERS_PARALLELISM=false
hostfile="hostfile.$SLURM_JOB_ID"
for host in $(scontrol show hostnames "$SLURM_JOB_NODELIST"); do
    echo "$host slots=8"
done > "$hostfile"

deepspeed --hostfile "$hostfile" --master_port 29500 src/train.py --deepspeed ds.json
