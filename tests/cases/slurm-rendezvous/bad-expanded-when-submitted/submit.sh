#!/bin/bash
set -euo pipefail

for seed in 1 2; do
    sbatch <<EOF
#!/bin/bash
#SBATCH --job-name=seed-$seed
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:a100:4
#SBATCH --cpus-per-task=32
#SBATCH --time=02:00:00

export OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false
export MASTER_ADDR=\$(scontrol show hostnames \$SLURM_JOB_NODELIST | head -n 1)
srun torchrun --nnodes=$SLURM_NNODES --nproc_per_node=4 \\
    --rdzv_backend=c10d --rdzv_endpoint=\$MASTER_ADDR:29500 train.py --seed $seed
EOF
done
