"""What pipelines run, as the shell script that it comes down to."""

from __future__ import annotations

import pytest

from nodeworthy.collect.source.pipelines import as_shell, is_pipeline

_HELM = "helm upgrade --install gpu-operator nvidia/gpu-operator"
_FORMS = {
    "a workflow of GitHub's": f"jobs:\n  a:\n    steps:\n      - run: |\n          {_HELM}\n",
    "an action of its own": f"runs:\n  using: composite\n  steps:\n    - shell: bash\n      run: >-\n        {_HELM}\n",
    "a job of GitLab's": f"deploy:\n  image: alpine/helm\n  script:\n    - {_HELM}\n",
    "steps of Azure": f"steps:\n  - bash: |\n      {_HELM}\n",
    "steps of CircleCI": f"jobs:\n  a:\n    steps:\n      - run:\n          name: operator\n          command: |\n            {_HELM}\n",
    "a Taskfile": f"tasks:\n  gpu:\n    cmds:\n      - {_HELM}\n      - cmd: kubectl get nodes\n",
}


@pytest.mark.parametrize("form", _FORMS)
def test_a_command_stands_on_its_own_line(form: str) -> None:
    text = _FORMS[form]
    assert is_pipeline(text.encode(), "deploy.yml")
    shell = as_shell(text.encode()).decode().split("\n")
    (line,) = (index for index, each in enumerate(shell) if _HELM in each)
    written = next(index for index, each in enumerate(text.split("\n")) if _HELM in each)
    assert written - line in (0, 1)  # of a folded text, where it begins
    assert shell[0] == "#!/bin/sh -e"


def test_variables_and_expressions() -> None:
    text = "env:\n  OPERATOR: v25.10.1\njobs:\n  a:\n    steps:\n      - run: echo $OPERATOR ${{ inputs.driver || 'none' }}\n"
    shell = as_shell(text.encode()).decode().split("\n")
    assert shell[1] == 'OPERATOR="v25.10.1"'
    assert shell[5] == "( echo $OPERATOR {{inputs.driver}} )"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("apiVersion: batch/v1\nkind: Job\nspec:\n  command: [helm]\n", "job.yaml"),
        ("image: helm\nreplicas: 2\n", "values.yaml"),
        ("run: helm install", "notes.txt"),
    ],
)
def test_what_is_none(text: str, name: str) -> None:
    assert not is_pipeline(text.encode(), name)


def test_what_is_no_yaml_runs_nothing() -> None:
    assert as_shell(b"run: [helm\n") == b""
