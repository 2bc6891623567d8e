resource "local_file" "job" {
  filename = "${path.module}/out/job.yaml"
  content = templatefile("${path.module}/job.yaml.tpl", { gpus = "0.5" })
}
