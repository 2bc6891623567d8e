"""Looks at what runs in an account of AWS. It only asks; nothing is changed."""
