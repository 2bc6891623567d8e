"""A key of another type than it is read as is told, and never passed over: what stands in it was judged by nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run, run_json

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: a\n      image: b\n"
ASKS = "nvidia.com/gpu: 1"
WRONG = {
    "resources is a list": (f"{POD}      resources: [{{limits: {{{ASKS}}}}}]\n", 8),
    "limits is a list": (f"{POD}      resources: {{limits: [{ASKS}]}}\n", 8),
    "requests is a string": (f"{POD}      resources: {{requests: nvidia.com/gpu}}\n", 8),
    "env is a mapping": (f"{POD}      env: {{NVIDIA_VISIBLE_DEVICES: all}}\n", 8),
    "this is a string": (f"{POD}      env: [NVIDIA_VISIBLE_DEVICES]\n", 8),
    "command is a string": (f"{POD}      command: nvidia-smi\n", 8),
    "nodeSelector is a list": (f"{POD}  nodeSelector: [a]\n", 8),
    "tolerations is a mapping": (f"{POD}  tolerations: {{key: nvidia.com/gpu}}\n", 8),
    "containers is a mapping": (POD.replace("    - name: a\n      ", "    a:\n      name: a\n      "), 6),
    "spec is a list": (POD.replace("spec:\n  ", "spec:\n- "), 5),
    "template is a list": ("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  template: []\n", 5),
    "toolkit is a boolean": ("toolkit: true\ndriver: {enabled: true}\ndevicePlugin: {enabled: true}\n", 1),
    "driver is a list": ("toolkit: {env: []}\ndriver: [a]\n", 2),
    "devicePlugin is a string": ("toolkit: {env: []}\ndevicePlugin: off\n", 2),
}


@pytest.mark.parametrize("says", WRONG)
def test_it_is_told_with_its_place(says: str, here: Path) -> None:
    text, line = WRONG[says]
    (here / "object.yaml").write_text(text.replace(": off", ": 'off'"))
    ran = run_json("check", "object.yaml")
    said = [each for each in ran.findings if each["rule"] == "input-readable"]
    assert [(each["where"]["line"], each["verdict"]) for each in said] == [(line, "error")]
    wanted = "a list" if said and "must be a list" in said[0]["message"] else "a mapping"
    assert (
        f"{says.replace('this', said[0]['where']['subject'].rpartition('.')[2])}, and must be {wanted}"
        in said[0]["message"]
    )
    assert ran.code == 3


@pytest.mark.parametrize(
    "text",
    [
        f"{POD}      resources:\n      env:\n      command: []\n  nodeSelector:\n",
        f"{POD}      resources: !vault x\n",
        f"{POD}      resources: {{{{ toYaml .Values.resources }}}}\n      args: {{{{ .Values.args }}}}\n",
        POD + "      env:\n        {{- range .Values.env }}\n        - name: x\n        {{- end }}\n",
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
        "apiVersion: acme.example/v1\nkind: Deployment\nspec: {template: [a]}\n",
        "toolkit: {env: []}\ndriver:\ndevicePlugin: {}\n",
    ],
)
def test_what_is_empty_or_not_known_or_somebody_elses_is_not(text: str, here: Path) -> None:
    (here / "object.yaml").write_text(text)
    assert "input-readable" not in run("check", "object.yaml", "--show-unknown").out
