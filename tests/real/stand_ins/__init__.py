"""What stands in for the parts of Pulumi that no package registry serves: the Python language host, the providers.

They let the real CLI run. They prove nothing about the real AWS and Kubernetes providers.
"""
