#!/bin/bash
set -euo pipefail
for nodes in 1 2 4; do
    NODES=$nodes sbatch bench.sbatch
done
