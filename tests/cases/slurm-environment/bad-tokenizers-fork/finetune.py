from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
loader = DataLoader(Texts("corpus.jsonl", tokenizer), batch_size=8, num_workers=4)
