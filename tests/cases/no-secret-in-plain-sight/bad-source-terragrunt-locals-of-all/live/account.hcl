# What all units of this account are told.
locals {
  account     = "research"
  owner       = "platform@example.org"
  ngc_api_key = "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"
}
