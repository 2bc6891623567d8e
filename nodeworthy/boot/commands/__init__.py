"""What programs do: one file per kind of program, each from its arguments to effects."""
