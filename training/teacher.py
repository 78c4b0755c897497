"""The teacher: all-MiniLM-L6-v2 as an ONNX graph made from its safetensors, run by ONNX Runtime.

No PyTorch: scripts/build_minilm.py writes the graph, which runs on two CPU threads at the speed of
its matrix products. A text's vector is the mean of its token outputs, L2-normalised,
exactly as the sentence-transformers package defines it; `python teacher.py --check ref.json ref.npy`
compares with vectors that package computed.

`Teacher.encode` sorts texts by length so that padding is small. `encode_cached` does the same in
shards kept on disk, so that an interrupted run continues where it stopped.
"""
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
from build_minilm import HIDDEN, MAX_TOKENS, build_onnx, model_folder, quantize  # noqa: E402


def graph_of(folder: Path, precision: str) -> bytes:
    """The graph in float32, or with 8-bit products: twice the speed, cosine .991 to float32."""
    model = build_onnx(folder).SerializeToString()
    if precision == "fp32":
        return model
    with tempfile.TemporaryDirectory() as place:
        whole, small = Path(place) / "fp32.onnx", Path(place) / "int8.onnx"
        whole.write_bytes(model)
        quantize(whole, small)
        return small.read_bytes()


class Teacher:
    def __init__(self, threads: int = 2, precision: str = "fp32"):
        import onnxruntime
        from tokenizers import Tokenizer

        folder = model_folder()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.cls, self.sep, self.unk = (self.tokenizer.token_to_id(t) for t in ("[CLS]", "[SEP]", "[UNK]"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(
            graph_of(folder, precision), options, providers=["CPUExecutionProvider"])
        self.hidden = HIDDEN

    def outputs(self, batch, mask):
        """Of every token, [batch, sequence, hidden]."""
        return self.session.run(None, {
            "input_ids": batch, "attention_mask": mask, "token_type_ids": np.zeros_like(batch)})[0]

    def ids(self, texts, max_tokens=MAX_TOKENS):
        """Token ids with [CLS] and [SEP], cut to `max_tokens`."""
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [[self.cls, *e.ids[: max_tokens - 2], self.sep] for e in found]

    def encode_ids(self, ids, batch_tokens=4096, progress=None):
        """Mean-pooled, L2-normalised vectors, in the order given."""
        out = np.empty((len(ids), self.hidden), np.float32)
        order = np.argsort([len(i) for i in ids], kind="stable")[::-1]
        start, begun = 0, time.time()
        while start < len(order):
            longest = len(ids[order[start]])
            rows = order[start : start + max(1, min(256, batch_tokens // longest))]
            batch = np.zeros((len(rows), longest), np.int64)
            mask = np.zeros((len(rows), longest), np.int64)
            for r, i in enumerate(rows):
                batch[r, : len(ids[i])] = ids[i]
                mask[r, : len(ids[i])] = 1
            out[rows] = np.einsum("bnd,bn->bd", self.outputs(batch, mask), mask.astype(np.float32)) / mask.sum(1, keepdims=True)
            start += len(rows)
            if progress:
                progress(start, time.time() - begun)
        return out / np.linalg.norm(out, axis=1, keepdims=True)

    def encode(self, texts, max_tokens=MAX_TOKENS, progress=None):
        return self.encode_ids(self.ids(texts, max_tokens), progress=progress)


def encode_cached(texts, folder: Path, max_tokens, shard=4096, threads=2, precision="fp32", make=Teacher):
    """`Teacher.encode` with float16 shards under `folder`, named by the hash of their texts; `make` makes the teacher."""
    folder.mkdir(parents=True, exist_ok=True)
    teacher, parts, begun, fresh = None, [], time.time(), 0
    for start in range(0, len(texts), shard):
        piece = texts[start : start + shard]
        name = hashlib.sha256(("\0".join(piece) + f"\0{max_tokens}\0{precision}").encode()).hexdigest()[:24]
        path = folder / f"{name}.npy"
        if not path.exists():
            teacher = teacher or make(threads, precision)
            vectors = teacher.encode(piece, max_tokens).astype(np.float16)
            np.save(path.with_suffix(".tmp.npy"), vectors)
            os.replace(path.with_suffix(".tmp.npy"), path)
            fresh += len(piece)
            print(f"teacher: {start + len(piece)}/{len(texts)} texts, {fresh / (time.time() - begun):.0f}/s",
                  file=sys.stderr, flush=True)
        parts.append(np.load(path))
    return np.concatenate(parts)


def main():
    if sys.argv[1:2] != ["--check"]:
        sys.exit("usage: teacher.py --check TEXTS.json VECTORS.npy")
    texts, expected = json.loads(Path(sys.argv[2]).read_text()), np.load(sys.argv[3])
    cosines = (Teacher().encode(texts) * expected).sum(1) / np.linalg.norm(expected, axis=1)
    print("cosines with the package's own vectors:", np.round(cosines, 6))
    sys.exit(0 if cosines.min() > 0.9999 else "teacher differs from its package")


if __name__ == "__main__":
    main()
