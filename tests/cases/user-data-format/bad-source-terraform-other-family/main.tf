data "aws_ssm_parameter" "gpu" {
  name = "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
}

resource "aws_eks_cluster" "this" {
  name     = "training"
  version  = "1.33"
  role_arn = aws_iam_role.cluster.arn

  vpc_config { subnet_ids = var.subnets }
}

resource "aws_launch_template" "gpu" {
  name_prefix   = "gpu-"
  image_id      = data.aws_ssm_parameter.gpu.value
  instance_type = "p5.48xlarge"

  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 2
  }

  user_data = base64encode(templatefile("${path.module}/templates/node.sh.tftpl", {
    cluster  = aws_eks_cluster.this.name
    endpoint = aws_eks_cluster.this.endpoint
    ca       = aws_eks_cluster.this.certificate_authority[0].data
  }))
}

variable "subnets" { type = list(string) }
