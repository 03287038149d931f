"""One head of a layer of a real size, d = 384 with 12 heads and 32 tokens, from a file of weights to the page.

The weights are random but fixed: a layer of BERT in single precision, as a ``.safetensors`` file with its
``config.json`` beside it, and its input in ``x.npy``. NumPy works the same head out in double precision from the same
files, and prints it: not certified, and not explained. As a program it writes the files, or is the side of NumPy:

    python benchmarks/model.py write FOLDER
    python benchmarks/model.py numpy FOLDER
"""

from __future__ import annotations

import argparse
import json
import math
import struct
from pathlib import Path
from typing import Any

WIDTH, HEADS, TOKENS, INNER = 384, 12, 32, 1536
HEAD = 4
PREFIX = "encoder.layer.3."

SHAPES = {
    "attention.self.query.weight": (WIDTH, WIDTH),
    "attention.self.query.bias": (WIDTH,),
    "attention.self.key.weight": (WIDTH, WIDTH),
    "attention.self.key.bias": (WIDTH,),
    "attention.self.value.weight": (WIDTH, WIDTH),
    "attention.self.value.bias": (WIDTH,),
    "attention.output.dense.weight": (WIDTH, WIDTH),
    "attention.output.dense.bias": (WIDTH,),
    "attention.output.LayerNorm.weight": (WIDTH,),
    "attention.output.LayerNorm.bias": (WIDTH,),
    "intermediate.dense.weight": (INNER, WIDTH),
    "intermediate.dense.bias": (INNER,),
    "output.dense.weight": (WIDTH, INNER),
    "output.dense.bias": (WIDTH,),
    "output.LayerNorm.weight": (WIDTH,),
    "output.LayerNorm.bias": (WIDTH,),
}


CONFIG = {
    "model_type": "bert",
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "intermediate_size": INNER,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
}


def write(folder: Path) -> None:
    """The files ``model.safetensors``, ``config.json`` and ``x.npy``."""
    import numpy as np

    rng = np.random.default_rng(1)
    header: dict[str, Any] = {}
    body = b""
    for name, shape in SHAPES.items():
        array = (rng.standard_normal(shape) / math.sqrt(WIDTH)).astype("<f4")
        header[PREFIX + name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + array.nbytes]}
        body += array.tobytes()
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    np.save(folder / "x.npy", rng.standard_normal((TOKENS, WIDTH)).astype("<f4"))


def command(folder: Path, *more: str) -> tuple[str, ...]:
    """The arguments of Python for symattn's side."""
    words = " ".join(f"w{k}" for k in range(1, TOKENS + 1))
    return (
        *("-m", "symattn", "derive", "--model", str(folder / "model.safetensors"), "--layer", PREFIX),
        *("--input", str(folder / "x.npy"), "--heads", str(HEADS), "--head", str(HEAD), "--tokens", words, *more),
    )


def numpy(folder: Path) -> Any:
    """The weights and the result of the head in double precision."""
    import numpy as np

    content = (folder / "model.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header, body = json.loads(content[8 : 8 + length]), content[8 + length :]

    def tensor(name: str) -> Any:
        entry = header[PREFIX + name]
        begin, end = entry["data_offsets"]
        return np.frombuffer(body[begin:end], "<f4").reshape(entry["shape"]).astype(float)

    x, width = np.load(folder / "x.npy").astype(float), WIDTH // HEADS
    cut = slice((HEAD - 1) * width, HEAD * width)
    Q, K, V = (
        x @ tensor(f"attention.self.{name}.weight")[cut].T + tensor(f"attention.self.{name}.bias")[cut]
        for name in ("query", "key", "value")
    )
    powers = np.exp(Q @ K.T / math.sqrt(width))
    A = powers / powers.sum(axis=1, keepdims=True)
    return A, A @ V


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["write", "numpy"])
    parser.add_argument("folder", type=Path)
    told = parser.parse_args()
    if told.what == "write":
        write(told.folder)
        return
    for matrix in numpy(told.folder):
        for row in matrix:
            print(" ".join(f"{x:.6f}" for x in row))


if __name__ == "__main__":
    main()
