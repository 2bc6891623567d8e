terraform {
  source = "git::https://git.example.org/modules/serving.git//hub?ref=v2.1.0"
}

inputs = {
  replicas = 2
  hf_token = "hf_QWxsIHRoYXQgZ2xpdHRlcnMgaXMgbm90"
}
