"""Scripts of Slurm's jobs: what they ask for, start and write."""
