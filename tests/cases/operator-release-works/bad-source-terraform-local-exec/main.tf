resource "null_resource" "gpu_operator" {
  triggers = { version = "v25.3.3" }
  provisioner "local-exec" {
    command = <<-EOT
      helm upgrade --install gpu-operator nvidia/gpu-operator --version v25.3.3 -n gpu-operator --create-namespace \
        --set driver.enabled=false \
        --set toolkit.env[0].name=CONTAINERD_SOCKET \
        --set toolkit.env[0].value=/run/k3s/containerd/containerd.sock
    EOT
  }
}
