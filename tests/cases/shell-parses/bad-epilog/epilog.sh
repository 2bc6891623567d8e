#!/bin/bash
# Slurm runs this as root behind each job.
if [[ "${SLURM_JOB_PARTITION:-}" == gpu ]]; then
  nvidia-smi --gpu-reset --id "${SLURM_JOB_GPUS:-0}"
fih
