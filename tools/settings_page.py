"""The page of docs/ about the settings: what they are for, and the table of their keys."""

from __future__ import annotations

from markdown import page
from table_pages import record_tables

from nodeworthy.settings.read import SETTINGS

WORDS = """\
What a repository decides for every run in it: `.nodeworthy.yaml`, or `[tool.nodeworthy]` in `pyproject.toml`; both
in one folder are refused. The settings of a run are those of the folder that the command runs in, or of the nearest
one above, up to the repository's root. Settings beside the files that are looked at say which fleet is theirs
(`fleet`, `stack`), and nothing else: a stranger's repository decides nothing about a run outside of it, and no code
of it is run.

```yaml .nodeworthy.yaml
stack: prod
exclude: [third_party]
skip-rules:
  - {rule: registry-trusted, why: the mirror is gone from June on}
strict: true
rules: nodeworthy_rules
```

What is typed wins: `--rule`, `--skip-rule`, `--fleet`, `--stack`, `--rules`, `--baseline`, `--no-strict`,
`--no-allow-unknown`. `--no-settings` is as if there were none.

Nothing is left out in silence. A rule that is skipped is told with its reason and counted under `skip`, files that
are excluded are counted as `excluded`, what stands in the [baseline](adopt.md) as `baselined`. The rules that say
what could not be looked at can't be left out. Malformed settings end a run with exit code 2, each fault with its
place.

[The schema](settings.schema.json) tells an editor which keys there are. [Rules of your own](own-rules.md) are code:
whoever can change that folder decides what your CI runs, as with a Makefile."""


def settings() -> str:
    return page("# Settings", WORDS, *record_tables(".nodeworthy.yaml", SETTINGS))
