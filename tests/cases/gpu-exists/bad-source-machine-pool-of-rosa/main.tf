resource "rhcs_cluster_rosa_hcp" "research" {
  name    = "research"
  version = "4.18.9"
}

resource "rhcs_hcp_machine_pool" "gpu" {
  cluster     = rhcs_cluster_rosa_hcp.research.id
  name        = "gpu"
  replicas    = 1
  autoscaling = { enabled = false }
  aws_node_pool = {
    instance_type = "g4dn.3xlarge"
  }
}

resource "rhcs_hcp_machine_pool" "notebooks" {
  cluster     = rhcs_cluster_rosa_hcp.research.id
  name        = "notebooks"
  replicas    = 1
  autoscaling = { enabled = false }
  aws_node_pool = {
    instance_type = "g4dn.2xlarge"
  }
}
