"""HCL as Terraform and OpenTofu read it: parsed, evaluated as far as files can say, each value with its place.

What a file can't say (a data source, an attribute that exists after the first apply, a variable that nobody sets) is a
hole with its reason: a part of a string, never the whole of it, and never a guess.

    syntax.py      what a file says: bodies, blocks, expressions, templates
    values.py      what that comes to: strings of pieces, each from its place; holes
    kinds.py       the types of variables, and what turns into what
    scope.py       where an expression stands, and what evaluating it may cost
    evaluate.py    expressions; `operations.py` what operators make of values, `functions.py` what they may call
    blocks.py      what a block sets, and how often it stands for something; `module_calls.py` what it calls
    instances.py   a resource that a block makes
    root.py        a folder: variables, locals, modules, resources
"""
