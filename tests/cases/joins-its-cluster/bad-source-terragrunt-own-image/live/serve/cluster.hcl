locals {
  name  = "serve"
  image = "ami-0c0ffee0c0ffee0c0"
}
