#!/bin/bash
#SBATCH --job-name=vllm
#SBATCH --gres=gpu:a6000:1
#SBATCH --cpus-per-task=8
#SBATCH --mem=32G
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
export TOKENIZERS_PARALLELISM=false
export HF_HOME=/scratch/$USER/hf
export VLLM_CACHE_ROOT=/scratch/$USER/vllm

vllm serve TinyLlama/TinyLlama-1.1B-Chat-v1.0 --port 8000
