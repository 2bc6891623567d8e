"""A node's firewall, as commands, as files and as it is: what it lets through."""
