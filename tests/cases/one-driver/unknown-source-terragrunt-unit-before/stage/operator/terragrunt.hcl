terraform {
  source = "../../modules/operator"
}

dependencies {
  paths = ["../cluster"]
}

inputs = {
  brings_driver = dependency.cluster.outputs.has_no_driver
}
