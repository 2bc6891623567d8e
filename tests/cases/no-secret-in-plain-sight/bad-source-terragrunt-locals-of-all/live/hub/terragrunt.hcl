terraform {
  source = "git::https://git.example.org/modules/serving.git//hub?ref=v2.1.0"
}

locals {
  account = read_terragrunt_config(find_in_parent_folders("account.hcl")).locals
}

inputs = {
  ngc_api_key = local.account.ngc_api_key
}
