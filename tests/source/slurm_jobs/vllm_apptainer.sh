#!/bin/bash
#SBATCH --job-name=vllm
#SBATCH --partition=gpu-a6000
#SBATCH --gres=gpu:a6000:2
#SBATCH --cpus-per-task=16
#SBATCH --mem=64G
#SBATCH --time=30
export OMP_NUM_THREADS=8 TOKENIZERS_PARALLELISM=false
export HF_HOME=/scratch/$USER/hf VLLM_CACHE_ROOT=/scratch/$USER/vllm
export APPTAINER_CACHEDIR=/scratch/$USER/apptainer

apptainer exec --nv --bind /scratch vllm.sif \
    vllm serve TinyLlama/TinyLlama-1.1B-Chat-v1.0 --tensor-parallel-size 2 --port 8000 &
sleep 120
python check.py --url http://localhost:8000
kill %1
