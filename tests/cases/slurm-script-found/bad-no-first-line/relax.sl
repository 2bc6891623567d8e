#SBATCH --job-name=relax
#SBATCH --nodes=1
#SBATCH --gres=gpu:1
#SBATCH --time=02:00:00

module load cuda
srun relax --steps 20000 input.dat
