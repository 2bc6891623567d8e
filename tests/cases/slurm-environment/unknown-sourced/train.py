from transformers import AutoTokenizer, Trainer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
Trainer(model, train_dataset=data.map(lambda row: tokenizer(row["text"]), num_proc=8)).train()
