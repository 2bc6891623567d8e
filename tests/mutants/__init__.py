"""Do the tests bite? Rules and facts are made wrong, one line at a time, and what no test notices is listed.

`operators` says what is made wrong, `drawn` which of all such mutants a seed names, `reached` which tests run the function and
`marked` in which of them the changed piece of it makes a difference, `trial` runs them on it in a process of its own, `kept`
remembers what came of it. `undecided` asks which parts of conditions no test ever sees come out both ways. Nothing is written
into the tree: a mutant exists in the process that imports it, and nowhere else.
"""
