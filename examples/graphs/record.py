"""Records the profiles of this folder: a small GPT that serves as a CUDA graph, and the graph's capture.

    python3 record.py OUT
"""
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

LAYERS, WIDTH, HEADS, TOKENS, BATCH, WORDS = 4, 512, 8, 512, 8, 8192


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
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(TOKENS, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, words):
        x = self.words(words) + self.places(torch.arange(words.shape[1], device=words.device))
        return self.head(self.norm(self.blocks(x)))


def recorded(path, run, **more):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities, record_shapes=True, **more) as profiler:
        run()
        torch.cuda.synchronize()
    profiler.export_chrome_trace(path)


def main():
    out = sys.argv[1]
    model = Gpt().cuda().to(torch.bfloat16).eval()
    words = torch.randint(0, WORDS, (BATCH, TOKENS), device="cuda")
    fresh = words.clone()
    side = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()

    @torch.no_grad()
    def step():
        model(words)

    def eager():
        with torch.cuda.stream(side):
            step()
        torch.cuda.synchronize()

    def capture():
        eager()  # CUDA names the kernels of this run, and none while it captures.
        with torch.cuda.graph(graph):
            step()

    def serve():
        for _ in range(6):
            words.copy_(fresh)
            graph.replay()
            torch.cuda.synchronize()

    for _ in range(3):
        eager()
    recorded(f"{out}/capture_traces/graph_capture_rank_0.pt.trace.json.gz", capture, with_stack=True)
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    recorded(f"{out}/rank0.pt.trace.json.gz", serve)


if __name__ == "__main__":
    main()
