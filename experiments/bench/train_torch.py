#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training step of `attest bench --only training` in plain PyTorch, for comparison.

Prints tokens per second of full steps (forward, backward, Adam), the median of --steps, and the
largest resident memory.  Run it with PyTorch's best setting, which on Debian is the OpenMP build of
OpenBLAS:

    LD_LIBRARY_PATH=DIR/usr/lib/x86_64-linux-gnu/openblas-openmp python3 train_torch.py --d 64
"""
import argparse
import json
import math
import resource
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    """softmax(q k^T / sqrt(e) + B) * C, heads apart."""

    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x, bias, factor):
        batch, n, d = x.shape
        e = d // self.heads
        q, k, v = self.qkv(x).view(batch, n, 3, self.heads, e).permute(2, 0, 3, 1, 4)
        logits = (q * e ** -0.5) @ k.transpose(-1, -2)
        if bias is not None:
            logits = logits + bias
        weights = torch.softmax(logits, dim=-1)
        if factor is not None:
            weights = weights * factor
        return self.out((weights @ v).transpose(1, 2).reshape(batch, n, d))


class Layer(nn.Module):
    def __init__(self, d, heads, ffn):
        super().__init__()
        self.attn = Attention(d, heads)
        self.ln1 = nn.LayerNorm(d)
        self.fc1 = nn.Linear(d, ffn)
        self.fc2 = nn.Linear(ffn, d)
        self.ln2 = nn.LayerNorm(d)

    def forward(self, x, bias, factor):
        x = self.ln1(x + self.attn(x, bias, factor))
        return self.ln2(x + self.fc2(F.gelu(self.fc1(x))))


class Encoder(nn.Module):
    def __init__(self, n, vocab, d, heads, ffn, layers, encoding):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.ln0 = nn.LayerNorm(d)
        self.layers = nn.ModuleList(Layer(d, heads, ffn) for _ in range(layers))
        self.dense = nn.Linear(d, d)
        self.ln1 = nn.LayerNorm(d)
        self.dec = nn.Linear(d, vocab)
        self.rpe = nn.Embedding(2 * n - 1, heads) if encoding in ("rpe", "urpe") else None
        self.urpe = nn.Embedding(2 * n - 1, heads) if encoding == "urpe" else None
        position = torch.arange(n)
        self.register_buffer("offset", position[None, :] - position[:, None] + n - 1)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
        if self.urpe is not None:
            nn.init.ones_(self.urpe.weight)

    def forward(self, tokens):
        def table(embedding):
            return None if embedding is None else embedding(self.offset).permute(2, 0, 1)

        x = self.ln0(self.emb(tokens))
        bias, factor = table(self.rpe), table(self.urpe)
        for layer in self.layers:
            x = layer(x, bias, factor)
        return self.dec(self.ln1(F.gelu(self.dense(x))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name, value in (("d", 64), ("heads", 4), ("ffn", 0), ("layers", 3), ("batch", 32), ("n", 128),
                        ("vocab", 1000), ("threads", 2), ("steps", 7)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--encoding", choices=("none", "rpe", "urpe"), default="urpe")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    model = Encoder(args.n, args.vocab, args.d, args.heads, args.ffn or 4 * args.d, args.layers,
                    args.encoding)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    target = torch.arange(args.n).expand(args.batch, args.n).reshape(-1)
    seconds = []
    for step in range(args.steps + 2):
        tokens = torch.randint(args.vocab, (args.batch, args.n))
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(tokens).view(-1, args.vocab), target)
        loss.backward()
        optimizer.step()
        if step >= 2:
            seconds.append(time.perf_counter() - start)
        if not math.isfinite(loss.item()):
            raise SystemExit("the loss is not finite")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"torch": torch.__version__, "d": args.d, "heads": args.heads, "n": args.n,
                      "batch": args.batch, "encoding": args.encoding, "threads": args.threads,
                      "tokens_per_s": args.batch * args.n / statistics.median(seconds),
                      "fastest_tokens_per_s": args.batch * args.n / min(seconds),
                      "peak_rss_mb": peak}))


if __name__ == "__main__":
    main()
