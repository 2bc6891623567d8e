"""HCL as Terraform and OpenTofu read it: parsed, evaluated as far as files can say, each value with its place.

What a file can't say (a data source, an attribute that exists after the first apply, a variable that nobody sets) is a
hole with its reason: a part of a string, never the whole of it, and never a guess.

    syntax.py      what a file says: bodies, blocks, expressions, templates
    values.py      what that comes to: strings of pieces, each from its place; holes
    kinds.py       the types of variables, and what turns into what
    evaluate.py    expressions; `functions/` what they may call
    root.py        a folder: variables, locals, modules, resources
"""
