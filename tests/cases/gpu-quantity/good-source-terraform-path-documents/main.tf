data "kubectl_path_documents" "jobs" {
  pattern = "${path.module}/jobs/*.yaml"
  vars    = { gpus = 1 }
}
resource "kubectl_manifest" "jobs" {
  for_each  = data.kubectl_path_documents.jobs.manifests
  yaml_body = each.value
}
