terraform {
  source = "./serving"
}

locals {
  account = read_terragrunt_config(find_in_parent_folders("account.hcl")).locals
}

inputs = {
  hf_token = local.account.ngc_api_key
}
