#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds that PyTorch takes for the energy model as released: 12 tied layers, the energy before each
and after the last, float64 or float32, pairs j < i gathered for the energy.

    python3 energy_torch.py [-n 512] [-d 300] [--layers 12] [--threads 2] [--double] [--repeat 5]

Prints one JSON line: the median, the least, and the same for the layers alone."""
import argparse
import json
import statistics
import time

import torch


def energy(y, w, s, b, first, second):
    v = y @ w
    half_distances = 0.5 * ((v[first] - v[second]) ** 2).sum(1)
    attention = -torch.exp(-half_distances).sum() + 0.5 * (v ** 2).sum()
    return attention + 0.5 * ((y @ s) * y).sum() + 0.5 * ((y - b) ** 2).sum()


def layer(y, w, s, b):
    q = y @ w.T
    return torch.softmax(q @ q.T, dim=1) @ y @ (-s) + b


def run(y, w, s, b, layers, pairs):
    energies = []
    for _ in range(layers):
        if pairs is not None:
            energies.append(energy(y, w, s, b, *pairs).item())
        y = layer(y, w, s, b)
    if pairs is not None:
        energies.append(energy(y, w, s, b, *pairs).item())
    return energies


def timed(repeat, *arguments):
    seconds = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        run(*arguments)
        seconds.append(time.perf_counter() - start)
    return seconds[1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=512)
    parser.add_argument("-d", type=int, default=300)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--double", action="store_true")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64 if options.double else torch.float32)
    torch.manual_seed(1)
    n, d = options.n, options.d
    y = 0.3 * torch.randn(n, d)
    w = torch.randn(d, d) / d ** 0.5
    s = torch.randn(d, d) / d ** 0.5
    values, vectors = torch.linalg.eigh(s @ s.T)
    s = vectors @ torch.diag(values.clamp(0, 0.95)) @ vectors.T
    b = torch.randn(1, d) * (2 / (d + 1)) ** 0.5
    pairs = torch.tril_indices(n, n, -1)
    whole = timed(options.repeat, y, w, s, b, options.layers, (pairs[0], pairs[1]))
    alone = timed(options.repeat, y, w, s, b, options.layers, None)
    print(json.dumps({"n": n, "d": d, "layers": options.layers, "threads": options.threads,
                      "double": options.double, "seconds": statistics.median(whole),
                      "least": min(whole), "layers_alone": statistics.median(alone),
                      "torch": torch.__version__}))


if __name__ == "__main__":
    main()
