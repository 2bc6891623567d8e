"""Looks at Kubernetes: live, or as it was written down. Reads only."""
