#!/bin/bash
#SBATCH --gres=gpu:a100:1
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00

export OMP_NUM_THREADS=4 TOKENIZERS_PARALLELISM=false
cat > "$TMPDIR/probe.py" <<'EOF'
import torch

print(torch.cuda.get_device_name(0))
EOF
srun python "$TMPDIR/probe.py"
