"""`check --fix`: its options, who is asked, and what does not go with them."""
