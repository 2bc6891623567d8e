"""Never run: the fleet is refused before."""

raise SystemExit("the program was run")
