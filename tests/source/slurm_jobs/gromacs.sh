#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=v100:2
#SBATCH --time=24:00:00
module load gromacs/2024
export OMP_NUM_THREADS=4
srun gmx_mpi mdrun -deffnm md -ntomp 4 -maxh 23.5
