print("nothing to evaluate yet")
