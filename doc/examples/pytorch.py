#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Models between attest and PyTorch, both ways.

    python3 pytorch.py MODEL.safetensors              loss and accuracy of a model of `attest fit`
    python3 pytorch.py MODEL.safetensors OUT          the same, and its state dict saved again
    python3 pytorch.py --task etp MODEL.safetensors   of Even Token Prediction (pi without --task)

Needs torch (and numpy, to write); reads and writes the safetensors format itself.  Models without encoding and
with rpe, urpe or ape are known, causal or not, with gelu or relu.  What a state dict does not show
(heads, length, encoding, causal, activation) is kept in the file's metadata: without it attest asks.  The model is scored on every constant sequence of the task, so the
line printed is that of

    attest eval --model MODEL.safetensors --task pi --constant --count V --json
"""
import argparse
import json
import struct

import torch
from torch import nn
from torch.nn import functional as F

DTYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64}
ACTIVATIONS = {"gelu": F.gelu, "relu": F.relu}


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
        block = torch.frombuffer(bytearray(data[first:end]), dtype=DTYPES[entry["dtype"]])
        tensors[name] = block.reshape(entry["shape"]).double()
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
    def __init__(self, d, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x, bias, factor):
        batch, n, d = x.shape
        q, k, v = self.qkv(x).view(batch, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        logits = q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5 + bias
        if self.causal:
            later = torch.ones(n, n, dtype=torch.bool).triu(1)
            logits = logits.masked_fill(later, -torch.inf)
        weights = torch.softmax(logits, dim=-1)
        return self.out(((weights * factor) @ v).transpose(1, 2).reshape(batch, n, d))


def table(module, name, n):
    """The module's table of 2n - 1 offsets by heads as [heads, n, n]; None where it has none."""
    if getattr(module, name) is None:
        return None
    position = torch.arange(n)
    offset = position[None, :] - position[:, None] + n - 1
    return getattr(module, name)(offset).permute(2, 0, 1)


def add_tables(module, tensors, prefix):
    """b and c as embeddings of the offset, where the file has them at that place."""
    for name in ("rpe", "urpe"):
        weight = tensors.get(f"{prefix}{name}.weight")
        setattr(module, name, None if weight is None else nn.Embedding(*weight.shape))


class Layer(nn.Module):
    def __init__(self, d, ffn, heads, causal, activation):
        super().__init__()
        self.activation = activation
        self.attn = Attention(d, heads, causal)
        self.ln1 = nn.LayerNorm(d)
        self.fc1 = nn.Linear(d, ffn)
        self.fc2 = nn.Linear(ffn, d)
        self.ln2 = nn.LayerNorm(d)

    def forward(self, x, bias, factor):
        x = self.ln1(x + self.attn(x, bias, factor))
        return self.ln2(x + self.fc2(self.activation(self.fc1(x))))


class Encoder(nn.Module):
    """The encoder of `attest fit`, none, rpe, urpe or ape, its tables shared by the layers or not;
    its state dict has attest's names.  A file without dec.weight has it tied to the embedding."""

    def __init__(self, tensors, metadata):
        super().__init__()
        heads, n = int(metadata["heads"]), int(metadata["n"])
        causal = metadata["causal"] in ("1", "true")
        activation = ACTIVATIONS[metadata["activation"]]   # of the layers; the head has gelu
        vocab, d = tensors["emb.weight"].shape
        ffn = tensors["layers.0.fc1.weight"].shape[0]
        layers = sum(name.endswith(".fc1.weight") for name in tensors)
        self.n = n
        self.emb = nn.Embedding(vocab, d)
        self.ape = nn.Embedding(n, d) if "ape.weight" in tensors else None
        self.ln0 = nn.LayerNorm(d)
        self.layers = nn.ModuleList(Layer(d, ffn, heads, causal, activation) for _ in range(layers))
        for number, layer in enumerate(self.layers):
            add_tables(layer, tensors, f"layers.{number}.")
        add_tables(self, tensors, "")
        self.dense = nn.Linear(d, d)
        self.ln1 = nn.LayerNorm(d)
        self.dec = nn.Linear(d, tensors["dec.bias"].shape[0])
        if "dec.weight" not in tensors:
            self.dec.weight = self.emb.weight
            tensors = {**tensors, "dec.weight": tensors["emb.weight"]}
        self.double()
        self.load_state_dict(tensors)

    def forward(self, tokens):
        x = self.emb(tokens)
        if self.ape is not None:
            x = x + self.ape.weight
        x = self.ln0(x)
        for layer in self.layers:
            tables = [table(layer, name, self.n) for name in ("rpe", "urpe")]
            shared = [table(self, name, self.n) for name in ("rpe", "urpe")]
            bias, factor = (own if own is not None else common
                            for own, common in zip(tables, shared))
            x = layer(x, 0.0 if bias is None else bias, 1.0 if factor is None else factor)
        return self.dec(self.ln1(F.gelu(self.dense(x))))


def constants(task, vocab, n):
    """Every constant sequence and its classes: y_i = i, or y_i = x_{2i} and then the last token."""
    symbols = vocab if task == "pi" else vocab - 1
    tokens = torch.arange(symbols)[:, None].repeat(1, n)
    if task == "pi":
        return tokens, torch.arange(n).expand(symbols, n)
    target = tokens.clone()
    target[:, n // 2:] = vocab - 1
    return tokens, target


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("model")
    parser.add_argument("out", nargs="?")
    parser.add_argument("--task", choices=("pi", "etp"), default="pi")
    args = parser.parse_args()
    tensors, metadata = read(args.model)
    model = Encoder(tensors, metadata)
    tokens, target = constants(args.task, model.emb.num_embeddings, model.n)
    with torch.no_grad():
        logits = model(tokens)
    loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1)).item()
    accuracy = (logits.argmax(-1) == target).double().mean().item()
    print(json.dumps({"loss": loss, "accuracy": accuracy}))
    if args.out is not None:
        write(args.out, model.state_dict(), metadata)


if __name__ == "__main__":
    main()
