"""A cluster as its API server tells of it: who asks for GPUs, who has them, who was refused."""
