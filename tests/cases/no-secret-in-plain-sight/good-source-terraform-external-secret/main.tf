resource "kubernetes_manifest" "artifacts" {
  manifest = {
    apiVersion = "external-secrets.io/v1"
    kind       = "ExternalSecret"
    metadata   = { name = "artifacts", namespace = "ml" }
    spec = {
      secretStoreRef = { name = "vault", kind = "ClusterSecretStore" }
      data = [
        {
          secretKey = "MLFLOW_S3_ENDPOINT_URL"
          remoteRef = { key = "ml/artifacts", property = "endpoint" }
        },
      ]
    }
  }
}
