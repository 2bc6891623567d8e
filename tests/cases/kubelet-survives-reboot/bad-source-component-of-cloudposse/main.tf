# A component of Cloud Posse's, which is on unless somebody says otherwise; its nodes boot with what a file of variables
# gives it.
variable "enabled" {
  type    = bool
  default = null
}

variable "context" {
  type    = any
  default = { enabled = true }
}

variable "node_pools" {
  type = map(object({ types = list(string), user_data = string }))
}

module "this" {
  source  = "cloudposse/label/null"
  version = "0.25.0"

  enabled = var.enabled
  context = var.context
}

locals {
  node_pools = { for name, each in var.node_pools : name => each if module.this.enabled }
}

resource "kubernetes_manifest" "classes" {
  for_each = local.node_pools

  manifest = {
    apiVersion = "karpenter.k8s.aws/v1"
    kind       = "EC2NodeClass"
    metadata   = { name = each.key }
    spec = {
      role                       = "karpenter"
      amiFamily                  = "Custom"
      amiSelectorTerms           = [{ tags = { image = "ubuntu-gpu" } }]
      subnetSelectorTerms        = [{ tags = { of = "ml" } }]
      securityGroupSelectorTerms = [{ tags = { of = "ml" } }]
      userData                   = each.value.user_data
    }
  }
}
