"""What pods are made from, and what they ask for."""
