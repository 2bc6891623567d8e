hf_token = "hf_QrStUvWxYzAbCdEfGhIjKlMnOpQrStUv12"
