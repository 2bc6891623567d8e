"""What a cluster runs for its users: the queue's database, monitoring."""
