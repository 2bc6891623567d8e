#!/bin/bash
#SBATCH --nodes={{ nodes }}
#SBATCH --gres=gpu:1
#SBATCH --time=00:10:00
echo "burning on $(hostname)"
timeout 120s bash -c "while true; do nvidia-smi -q -d UTILIZATION > /dev/null; done"
python3 -c "
import torch
x = torch.randn(20000, 20000).cuda()
torch.matmul(x, x)
"
