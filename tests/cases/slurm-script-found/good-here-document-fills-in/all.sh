#!/bin/bash
set -euo pipefail
for nodes in 1 2 4; do
    sbatch <<EOF
#!/bin/bash
#SBATCH --job-name=reduce-$nodes
#SBATCH --nodes=1
#SBATCH --mem=${MEMORY:-32}G
#SBATCH --array=0-$((nodes - 1))
#SBATCH --time=00:05:00
srun python reduce.py --ranks $nodes
EOF
done
