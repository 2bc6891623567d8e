resource "aws_vpc" "this" { cidr_block = "10.0.0.0/16" }

resource "aws_subnet" "nodes" {
  vpc_id            = aws_vpc.this.id
  cidr_block        = "10.0.0.0/18"
  availability_zone = "eu-central-1a"
}

resource "aws_eks_cluster" "this" {
  name     = "training"
  version  = "1.33"
  role_arn = "arn:aws:iam::111122223333:role/training"

  vpc_config {
    subnet_ids         = [aws_subnet.nodes.id]
    security_group_ids = [aws_security_group.control_plane.id]
  }
}

resource "aws_security_group" "control_plane" {
  name   = "control-plane"
  vpc_id = aws_vpc.this.id

  ingress {
    protocol    = "tcp"
    from_port   = 443
    to_port     = 443
    cidr_blocks = [aws_vpc.this.cidr_block]
  }
  egress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}

# CoreDNS runs here.
resource "aws_security_group" "system" {
  name   = "system"
  vpc_id = aws_vpc.this.id

  ingress {
    protocol        = "tcp"
    from_port       = 10250
    to_port         = 10250
    security_groups = [aws_security_group.control_plane.id]
  }
  ingress {
    protocol  = "-1"
    from_port = 0
    to_port   = 0
    self      = true
  }
  ingress {
    protocol        = "udp"
    from_port       = 53
    to_port         = 53
    security_groups = [aws_security_group.gpu.id]
  }
  ingress {
    protocol        = "tcp"
    from_port       = 53
    to_port         = 53
    security_groups = [aws_security_group.gpu.id]
  }
  egress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}

# Nothing runs here but what tolerates the taint of its nodes.
resource "aws_security_group" "gpu" {
  name   = "gpu"
  vpc_id = aws_vpc.this.id

  ingress {
    protocol        = "tcp"
    from_port       = 10250
    to_port         = 10250
    security_groups = [aws_security_group.control_plane.id]
  }
  ingress {
    protocol  = "-1"
    from_port = 0
    to_port   = 0
    self      = true
  }
  egress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_launch_template" "system" {
  vpc_security_group_ids = [aws_security_group.system.id]
}

resource "aws_launch_template" "gpu" {
  vpc_security_group_ids = [aws_security_group.gpu.id]
}

resource "aws_eks_node_group" "system" {
  cluster_name   = aws_eks_cluster.this.name
  node_role_arn  = "arn:aws:iam::111122223333:role/nodes"
  subnet_ids     = [aws_subnet.nodes.id]
  instance_types = ["m6i.xlarge"]

  launch_template {
    id      = aws_launch_template.system.id
    version = aws_launch_template.system.latest_version
  }
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}

resource "aws_eks_node_group" "gpu" {
  cluster_name   = aws_eks_cluster.this.name
  node_role_arn  = "arn:aws:iam::111122223333:role/nodes"
  subnet_ids     = [aws_subnet.nodes.id]
  instance_types = ["g5.12xlarge"]
  ami_type       = "AL2023_x86_64_NVIDIA"

  launch_template {
    id      = aws_launch_template.gpu.id
    version = aws_launch_template.gpu.latest_version
  }
  scaling_config {
    min_size     = 4
    max_size     = 4
    desired_size = 4
  }
  taint {
    key    = "nvidia.com/gpu"
    value  = "present"
    effect = "NO_SCHEDULE"
  }
}
