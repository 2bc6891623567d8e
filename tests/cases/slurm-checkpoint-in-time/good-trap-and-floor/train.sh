#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@300

checkpoint() {
    touch "$RUN/checkpoint-now"
    wait "$work"
    sbatch "$0"
}
trap checkpoint SIGUSR1

RUN=/scratch/$USER/run
TIMEOUT=$((4 * 3600 - 300))
if [ "$TIMEOUT" -lt 60 ]; then
    echo "the wall time is too short for a checkpoint" >&2
    TIMEOUT=60
fi
export OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false RUN TIMEOUT
srun python train.py --checkpoint-after "$TIMEOUT" &
work=$!
wait "$work"
