"""The files of containerd's configuration, and what containerd makes of them."""
