terraform {
  source = "../../modules/operator"
}

dependencies {
  paths = ["../cluster"]
}

inputs = {
  brings_driver = true
}
