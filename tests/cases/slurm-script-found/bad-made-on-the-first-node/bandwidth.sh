#!/bin/bash
#SBATCH --job-name=bandwidth
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:a100:8
#SBATCH --time=00:10:00

mpicc -O2 -o /tmp/bandwidth_${SLURM_JOB_ID} bandwidth.c
srun /tmp/bandwidth_${SLURM_JOB_ID}
