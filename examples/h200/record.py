"""Records the PyTorch examples of this folder: one small GPT, trained for some iterations.

    python3 record.py OUT fp32 bf16 bf16_odd_vocabulary bf16_graph

Prints the iteration time without the profiler, which predictions are compared with.
"""
import contextlib
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, schedule

LAYERS, WIDTH, HEADS, TOKENS, BATCH = 4, 512, 8, 512, 8


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, tokens, _ = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, tokens, 3, HEADS, WIDTH // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, tokens, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self, vocabulary, tokens):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, WIDTH), nn.Embedding(tokens, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, vocabulary, bias=False)

    def forward(self, words):
        x = self.words(words) + self.places(torch.arange(words.shape[1], device=words.device))
        return self.head(self.norm(self.blocks(x)))


class Words(torch.utils.data.Dataset):
    def __init__(self, vocabulary, tokens):
        self.sample = lambda: torch.randint(0, vocabulary, (tokens,))

    def __len__(self):
        return 100000

    def __getitem__(self, _):
        return self.sample(), self.sample()


def record(out, name):
    odd, graph, half = name == "bf16_odd_vocabulary", name == "bf16_graph", name != "fp32"
    vocabulary, tokens = (8191, 509) if odd else (8192, 512)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    model = Gpt(vocabulary, tokens).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=graph)
    cast = lambda: torch.autocast("cuda", torch.bfloat16) if half else contextlib.nullcontext()

    def step(words, targets):
        with cast():
            logits = model(words)
            loss = F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    batches = iter(torch.utils.data.DataLoader(Words(vocabulary, tokens), BATCH, pin_memory=True))
    take = lambda: [part.to("cuda", non_blocking=True) for part in next(batches)]
    run = step
    if graph:
        words, targets = take()
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                step(words, targets)
        torch.cuda.current_stream().wait_stream(stream)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            step(words, targets)

        def run(new_words, new_targets):
            words.copy_(new_words)
            targets.copy_(new_targets)
            captured.replay()

    for _ in range(6):
        run(*take())
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(12):
        run(*take())
    torch.cuda.synchronize()
    print(f"{name}: {(time.perf_counter() - start) / 12 * 1e3:.2f} ms without the profiler")
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=0, warmup=2, active=4),
        on_trace_ready=lambda p: p.export_chrome_trace(f"{out}/{name}.pt.trace.json.gz"),
        record_shapes=True,
    ) as profiler:
        for _ in range(6):
            run(*take())
            profiler.step()


if __name__ == "__main__":
    for wanted in sys.argv[2:]:
        record(sys.argv[1], wanted)
