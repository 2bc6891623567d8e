"""What Bicep, ARM and Google's module say of the nodes that a fleet is inferred of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run

from .inferring import put

_BICEP = """\
param version string = '1.33'
param size string

resource aks 'Microsoft.ContainerService/managedClusters@2025-01-01' = {
  name: 'ml'
  properties: {
    kubernetesVersion: version
    networkProfile: {
      serviceCidr: '10.9.0.0/16'
    }
    agentPoolProfiles: [
      {
        name: 'system'
        count: 2
        vmSize: 'Standard_D4s_v5'
      }
      {
        name: 'a100'
        count: 1
        vmSize: size
      }
    ]
  }
}

resource more 'Microsoft.ContainerService/managedClusters/agentPools@2025-01-01' = {
  parent: aks
  name: 't4'
  properties: {
    count: 3
    vmSize: 'Standard_NC4as_T4_v3'
    gpuProfile: {
      driver: 'None'
    }
  }
}
"""


_MODULE = """\
module aks 'br/public:avm/res/container-service/managed-cluster:0.11.1' = {
  params: {
    name: 'aks-${uniqueString(deployment().name)}'
    agentPools: [
      {
        name: 'gpu'
        vmSize: 'Standard_NC24ads_A100_v4'
      }
    ]
  }
}
"""


_ARM = """\
{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
 "parameters": {"size": {"type": "string", "defaultValue": "Standard_NC6s_v3"}},
 "resources": [{"type": "Microsoft.ContainerService/managedClusters", "name": "ml", "properties":
  {"agentPoolProfiles": [{"name": "v100", "count": 1, "vmSize": "[parameters('size')]"}]}}]}
"""


def test_pools_of_aks_that_bicep_says(folder: Path) -> None:
    put(folder, "infra/aks.bicep", _BICEP)
    out = run("fleet", "infer", cwd=folder).out
    told = ("name: ml  # infra/aks.bicep:5:9", 'version: "1.33"', 'serviceCidr: "10.9.0.0/16"', "gpu: T4", "nodes: 3")
    assert [each for each in (*told, "driver: operator") if each not in out] == []
    assert "a100" not in out
    put(folder, "infra/aks.bicepparam", "using './aks.bicep'\nparam size = 'Standard_NC48ads_A100_v4'\n")
    assert "gpusPerNode: 2  # infra/aks.bicepparam:2:14" in run("fleet", "infer", cwd=folder).out


@pytest.mark.parametrize(("name", "text", "gpu"), [("aks.bicep", _MODULE, "A100"), ("azuredeploy.json", _ARM, "V100")])
def test_modules_and_templates_of_azures(folder: Path, name: str, text: str, gpu: str) -> None:
    put(folder, name, text)
    out = run("fleet", "infer", cwd=folder).out
    assert f"gpu: {gpu}  #" in out
    assert ("# name: ?" in out) is (text is _MODULE)


_CALLS_A_MODULE = """\
param size string = 'Standard_NC40ads_H100_v5'

module aks './aks.bicep' = {
  name: 'deploy-aks'
  params: {
    size: size
  }
}
"""


def test_a_module_of_bicep_is_given_what_its_caller_says(folder: Path) -> None:
    put(folder, "infra/main.bicep", _CALLS_A_MODULE)
    put(folder, "infra/aks.bicep", _BICEP)
    out = run("fleet", "infer", "infra/main.bicep", cwd=folder).out
    assert "gpu: H100  # infra/main.bicep:1:21" in out
    put(folder, "infra/aks.bicep", _CALLS_A_MODULE)
    assert run("fleet", "infer", "infra/main.bicep", cwd=folder).code == 3


_GKE_MODULE = """\
module "gke" {
  source  = "terraform-google-modules/kubernetes-engine/google//modules/private-cluster"
  version = "~> 36.0"
  name    = "ml"
  node_pools = [
    {
      name              = "t4"
      machine_type      = "n1-standard-8"
      min_count         = 0
      max_count         = 3
      accelerator_count = 2
      accelerator_type  = "nvidia-tesla-t4"
    },
    { name = "plain" },
  ]
}
"""


def test_pools_of_googles_module(folder: Path) -> None:
    put(folder, "main.tf", _GKE_MODULE)
    out = run("fleet", "infer", cwd=folder).out
    told = ("name: ml", "t4:  # GKE node pool 't4'", "gpu: T4", "gpusPerNode: 2", "max: 3")
    assert [each for each in told if each not in out] == []
    assert "plain" not in out
