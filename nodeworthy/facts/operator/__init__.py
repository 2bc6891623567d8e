"""The GPU operator, its toolkit, and what else hands out GPUs."""
