# What all units of this account are told.
locals {
  account     = "research"
  owner       = "platform@example.org"
  ngc_api_key = get_env("NGC_API_KEY", "")
}
