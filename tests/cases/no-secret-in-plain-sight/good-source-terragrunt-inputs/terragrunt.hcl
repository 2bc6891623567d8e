terraform {
  source = "./serving"
}

inputs = {
  hf_token = get_env("TF_VAR_serving_hf_token", "")
}
