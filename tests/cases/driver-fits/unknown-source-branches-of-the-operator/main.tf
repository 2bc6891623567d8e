data "aws_ssm_parameter" "ubuntu" {
  name = "/aws/service/canonical/ubuntu/eks/22.04/1.33/stable/current/amd64/hvm/ebs-gp2/ami-id"
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.31"

  cluster_name    = "train"
  cluster_version = "1.33"
  vpc_id          = "vpc-0a1b2c3d4e5f60000"
  subnet_ids      = ["subnet-0a1b2c3d4e5f60001"]

  self_managed_node_groups = {
    gpu = {
      ami_id        = data.aws_ssm_parameter.ubuntu.value
      instance_type = "p5.48xlarge"
      min_size      = 1
      max_size      = 1
      desired_size  = 1
    }
  }
}

resource "helm_release" "operator" {
  name       = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.4"

  values = [yamlencode({ driver = { version = var.driver } })]
}

variable "driver" {
  type = string
}
