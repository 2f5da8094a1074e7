#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Models between attest and PyTorch, both ways.

    python3 pytorch.py MODEL.safetensors              loss and accuracy of a model of `attest fit`
    python3 pytorch.py MODEL.safetensors OUT          the same, and its state dict saved again

Needs torch and numpy; reads and writes the safetensors format itself.  The model is scored on every
constant sequence of Position Identification, so the line printed is that of

    attest eval --model MODEL.safetensors --task pi --constant --count V --json
"""
import json
import struct
import sys

import numpy
import torch
from torch import nn
from torch.nn import functional as F

DTYPES = {"F32": numpy.float32, "F64": numpy.float64}


def read(path):
    """Tensors by name, and the metadata."""
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        array = numpy.frombuffer(data[first:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(array.astype(numpy.float64))
    return tensors, metadata


def write(path, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in tensors.items():
        block = tensor.detach().numpy().astype("<f8").tobytes()
        header[name] = {"dtype": "F64", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(block)]}
        data += block
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x, bias, factor):
        batch, n, d = x.shape
        q, k, v = self.qkv(x).view(batch, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5 + bias, dim=-1)
        return self.out(((weights * factor) @ v).transpose(1, 2).reshape(batch, n, d))


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
    """The encoder of `attest fit`, none, rpe or urpe; its state dict has attest's names."""

    def __init__(self, tensors, heads, n):
        super().__init__()
        vocab, d = tensors["emb.weight"].shape
        ffn = tensors["layers.0.fc1.weight"].shape[0]
        layers = sum(name.endswith(".fc1.weight") for name in tensors)
        self.emb = nn.Embedding(vocab, d)
        self.ln0 = nn.LayerNorm(d)
        self.layers = nn.ModuleList(Layer(d, heads, ffn) for _ in range(layers))
        self.dense = nn.Linear(d, d)
        self.ln1 = nn.LayerNorm(d)
        self.dec = nn.Linear(d, tensors["dec.weight"].shape[0])
        self.rpe = nn.Embedding(2 * n - 1, heads) if "rpe.weight" in tensors else None
        self.urpe = nn.Embedding(2 * n - 1, heads) if "urpe.weight" in tensors else None
        self.n = n
        self.double()
        self.load_state_dict(tensors)

    def forward(self, tokens):
        position = torch.arange(self.n)
        offset = position[None, :] - position[:, None] + self.n - 1
        bias = self.rpe(offset).permute(2, 0, 1) if self.rpe is not None else 0.0
        factor = self.urpe(offset).permute(2, 0, 1) if self.urpe is not None else 1.0
        x = self.ln0(self.emb(tokens))
        for layer in self.layers:
            x = layer(x, bias, factor)
        return self.dec(self.ln1(F.gelu(self.dense(x))))


def main():
    tensors, metadata = read(sys.argv[1])
    n, heads = int(metadata["n"]), int(metadata["heads"])
    model = Encoder(tensors, heads, n)
    vocab = model.emb.num_embeddings
    tokens = torch.arange(vocab)[:, None].expand(vocab, n)
    target = torch.arange(n).expand(vocab, n)
    with torch.no_grad():
        logits = model(tokens)
    loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1)).item()
    accuracy = (logits.argmax(-1) == target).double().mean().item()
    print(json.dumps({"loss": loss, "accuracy": accuracy}))
    if len(sys.argv) > 2:
        write(sys.argv[2], model.state_dict(), {"heads": str(heads), "n": str(n)})


if __name__ == "__main__":
    main()
