"""How true `check` is on public files that nobody here wrote: findings against what a reader found in them.

The lists stand in tests/strangers/<set>/files.json: repository, path, commit, kind, and the name under which the
exam looks for the file. No file of them is in this repository. Whoever wants to sit the exam fetches them, each
into DIR/<file>, from a clone of its repository:

    git -C CLONE show COMMIT:PATH > DIR/FILE

and says `make strangers DIR=…` (SET=first for the other list). What DIR lacks is said and counted.

truth.json is what a reader found in the files before the program was run on any of them: `true` (rule, line, why;
`or` names other rules that may say it, `anywhere` lets it stand on any line), `doubt` (rules that may speak or be
silent). judged.json is what a reader said afterwards of a finding that is not in it, by file, rule and line:
`true`, `false`, or `no-fault` for an entry of truth.json that was wrong itself. Both are counted apart. A finding
that nobody has judged is undecided, and counts as not true.
"""
