variable "hf_token" { type = string }
resource "kubernetes_secret" "hf" {
  metadata { name = "hf" }
  data = { token = var.hf_token }
}
