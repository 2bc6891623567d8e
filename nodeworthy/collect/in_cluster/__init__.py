"""Looks at nodes by Jobs that Kubernetes runs on them: where the fleet outgrows one machine."""
