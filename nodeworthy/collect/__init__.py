"""The only code that looks at the world, one folder per moment. What it finds becomes facts."""
