data "kubectl_file_documents" "jobs" {
  content = templatefile("${path.module}/jobs/all.yaml", { gpus = 1, cluster = aws_eks_cluster.x.id })
}
resource "aws_eks_cluster" "x" {
  name     = "ml"
  version  = "1.32"
  role_arn = "arn:aws:iam::123456789012:role/eks"
  vpc_config { subnet_ids = ["subnet-1"] }
}
resource "kubectl_manifest" "jobs" {
  count     = length(data.kubectl_file_documents.jobs.documents)
  yaml_body = element(data.kubectl_file_documents.jobs.documents, count.index)
}
