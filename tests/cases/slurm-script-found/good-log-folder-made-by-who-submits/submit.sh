#!/bin/bash
mkdir -p logs checkpoints
sbatch train.sh
