resource "aws_eks_cluster" "research" {
  name     = "research"
  version  = "1.32"
  role_arn = "arn:aws:iam::111122223333:role/eks"
}

data "aws_ssm_parameter" "gpu" {
  name = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
}

resource "aws_launch_template" "trainer" {
  image_id      = data.aws_ssm_parameter.gpu.value
  instance_type = "p5.48xlarge"
  user_data = base64encode(<<-EOT
    MIME-Version: 1.0
    Content-Type: multipart/mixed; boundary="//"

    --//
    Content-Type: application/node.eks.aws

    ---
    apiVersion: node.eks.aws/v1alpha1
    kind: NodeConfig
    spec:
      cluster:
        name: ${aws_eks_cluster.research.name}
        apiServerEndpoint: ${aws_eks_cluster.research.endpoint}
        certificateAuthority: ${aws_eks_cluster.research.certificate_authority[0].data}
        cidr: 172.20.0.0/16

    --//--
  EOT
  )
}

resource "aws_eks_node_group" "trainer" {
  cluster_name    = aws_eks_cluster.research.name
  node_group_name = "trainer"

  launch_template {
    id      = aws_launch_template.trainer.id
    version = aws_launch_template.trainer.latest_version
  }

  scaling_config {
    min_size     = 4
    max_size     = 4
    desired_size = 4
  }
}
