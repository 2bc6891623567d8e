locals {
  claim = "whole-gpu"
}

resource "kubernetes_manifest" "claim" {
  manifest = {
    apiVersion = "resource.k8s.io/v1"
    kind       = "ResourceClaimTemplate"
    metadata   = { name = local.claim, namespace = "research" }
    spec       = { spec = { devices = { requests = [{ name = "card", exactly = { deviceClassName = "gpu.nvidia.com" } }] } } }
  }
}

resource "kubernetes_manifest" "trainer" {
  manifest = {
    apiVersion = "v1"
    kind       = "Pod"
    metadata   = { name = "trainer", namespace = "research" }
    spec = {
      containers     = [{ name = "train", image = "registry.example.org/train:3", resources = { claims = [{ name = "card" }] } }]
      resourceClaims = [{ name = "card", resourceClaimTemplateName = local.claim }]
    }
  }
}
