variable "grafana_admin_password" {
  description = "Grafana"
  default     = "Sup3rS3cret!9x"
}
