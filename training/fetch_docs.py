"""Documentation packages of Debian to plain passages: fetch_docs.py WORK [SOURCES.tsv ...] [--sample] -> WORK/passages.jsonl.gz.

Without a list, sources.tsv is read; --sample takes the packages of `SAMPLE` from the lists, to try the way.

Each package is downloaded with apt-get, unpacked with dpkg (never installed), and its HTML, man,
Markdown and POD files are cut at headings into passages of 200 to 900 characters, each with its
heading path. No documentation that Sheaf is evaluated on is read: not PostgreSQL, FastAPI, React,
Vue, the Rust book, Pillow, fish nor Octave (sources.tsv names the folders of rust-doc that are read; `FORBIDDEN` is the
second lock, deduplicate.py the third). A package gives at most `CAP` characters, its files taken in the order of their
paths' hashes, so that one large package cannot drown the others.

WORK/sources.json records package, version, licence, bytes of the package and characters kept.
"""
import gzip
import hashlib
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import lxml.etree
import lxml.html

CAP = 4_000_000
SAMPLE = {"golang-1.19-doc", "php-twig-doc", "python-requests-doc", "python-jinja2-doc", "mypy-doc", "python-aiohttp-doc", "curl",
          "debian-faq", "haproxy-doc", "python-flask-doc", "python-werkzeug-doc", "jq", "tmux"}  # each below a megabyte
FORBIDDEN = re.compile(r"postgresql|fastapi|/react|vue|html/book|rust-by-example|second-edition|first-edition"
                       r"|\bfish(?:-common|/)|octave|pillow|python3?-pil\b", re.I)
SKIP = re.compile(r"_sources/|_modules/|/genindex|/py-modindex|/search\.html|/searchindex|changelog|delta\.pod|/NEWS|copyright"
                  r"|/examples?/|\.Debian|whatsnew|whats-new|CHANGES|/news/|release[-_]?notes|/releases?/|/licen[cs]e", re.I)
SPACE = re.compile(r"\s+")
HEADINGS = {f"h{i}": i for i in range(1, 7)}
BLOCKS = {"p", "li", "dd", "dt", "td", "th", "pre", "blockquote", "div", "section", "article", "tr", "table", "ul",
          "ol", "dl", "body", "main", "figure", "figcaption", "details", "summary", "center", "form"}
DROPPED = {"script", "style", "nav", "footer", "header", "aside", "noscript", "svg", "button", "select", "template"}
CHROME = re.compile(r"\b(sphinxsidebar|sidebar|navheader|navfooter|related|headerlink|toc|breadcrumb\w*|navigation|"
                    r"navbar|footer|contents|anchor|src|srclink|toctree-wrapper|indextable)\b")


def html_blocks(data: bytes):
    """(level, text) in reading order; level 0 is body text."""
    try:
        tree = lxml.html.document_fromstring(data)
    except (lxml.etree.ParserError, ValueError):
        return
    for path in ("//*[@role='main']", "//main", "//article", "//div[@id='content']", "//div[@class='body']", "//body"):
        if found := tree.xpath(path):
            root = found[0]
            break
    else:
        return
    buffer, level = [], 0

    def flush():
        text = SPACE.sub(" ", "".join(buffer)).replace("¶", "").strip()
        buffer.clear()
        return text

    # lxml's iterwalk: depth is the document's, the stack is the library's.
    walk = lxml.etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        tag = node.tag if isinstance(node.tag, str) else ""
        if event == "start":
            chrome = tag in DROPPED or not tag or (
                tag not in ("body", "main", "html") and CHROME.search(f"{node.get('class') or ''} {node.get('id') or ''}")
                and tag not in HEADINGS and node is not root)
            if chrome:
                walk.skip_subtree()
                continue
            if tag in HEADINGS or tag in BLOCKS:
                if text := flush():
                    yield level, text
                level = HEADINGS.get(tag, 0)
            if node.text:
                buffer.append(node.text)
        else:
            if tag in HEADINGS or tag in BLOCKS:
                if text := flush():
                    yield level, text
                level = 0
            if node.tail and node is not root:
                buffer.append(node.tail if tag != "br" else " " + node.tail)
    if text := flush():
        yield level, text


ROFF_ESCAPE = re.compile(r"\\f(?:\(..|\[[^\]]*\]|.)|\\s[-+]?\d+|\\[&|^/,%:]|\\m\[[^\]]*\]")
ROFF_NAMED = {r"\-": "-", r"\(aq": "'", r"\(dq": '"', r"\(co": "", r"\(bu": "", r"\e": "\\", r"\~": " ", r"\ ": " ",
              r"\(em": " - ", r"\(en": "-", r"\(lq": '"', r"\(rq": '"', r"\(ti": "~", r"\(ha": "^", r"\*(lq": '"',
              r"\*(rq": '"', r"\(<=": "<=", r"\(>=": ">=", r"\(rs": "\\", r"\'": "'", r"\(ga": "`", r"\.": "."}
MDOC_INLINE = re.compile(r"^\.(?:[BIRC]{1,2}|SM|SB|Nm|Fl|Ar|Pa|Xr|Dq|Sq|Ql|Cm|Ic|Va|Em|Sy|Li|It|Op|Nd|Tn|Ev|Dv|Fn|Ft|UR|MR)\b ?(.*)")
MDOC_WORDS = re.compile(r"(?<!\S)(?:Nm|Fl|Ar|Pa|Xr|Dq|Sq|Ql|Cm|Ic|Va|Em|Sy|Li|Op|Oo|Oc|Ns|No|Ev|Dv|Xo|Xc|Pq)(?!\S) ?")


def man_blocks(text: str):
    """(level, text) of a man page in man(7) or mdoc(7) macros."""
    buffer, mdoc, literal = [], "\n.Dd" in text[:3000] or text.startswith(".Dd"), False

    def flush():
        out = " ".join(buffer)
        buffer.clear()
        for name, value in ROFF_NAMED.items():
            out = out.replace(name, value)
        return SPACE.sub(" ", re.sub(r"\\\[[^\]]*\]|\\\(..", "", ROFF_ESCAPE.sub("", out))).strip()

    for line in text.splitlines():
        if line.startswith((".\\\"", "'\\\"", "...")):
            continue
        if line.startswith((".de", ".ig")):
            literal = True
        if literal:
            literal = not line.startswith("..")
            continue
        heading = re.match(r"^\.(SH|SS|Sh|Ss|TH|Dt)\s+(.*)", line)
        if heading:
            if out := flush():
                yield 0, out
            kind = heading[1]
            name = heading[2].replace('"', "")
            buffer.append(name.split()[0].lower() if kind in ("TH", "Dt") and name.split() else name.capitalize())
            yield {"TH": 1, "Dt": 1, "SH": 2, "Sh": 2}.get(kind, 3), flush()
        elif line.startswith((".PP", ".P", ".LP", ".TP", ".IP", ".HP", ".Pp", ".sp")) or not line.strip():
            if out := flush():
                yield 0, out
            if line.startswith(".IP"):
                buffer.append(line[3:].replace('"', ""))
        elif inline := MDOC_INLINE.match(line):
            if line.startswith(".It") and (out := flush()):
                yield 0, out
            words = MDOC_WORDS.sub("", inline[1]) if mdoc else inline[1]
            buffer.append(words.replace('"', ""))
        elif not line.startswith((".", "'")):
            buffer.append(line)
    if out := flush():
        yield 0, out


def markdown_blocks(text: str):
    """(level, text) of Markdown; front matter and link targets are dropped."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"!?\[([^\]\n]*)\]\([^)\n]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n|(?=^#)", text, flags=re.M):
        if heading := re.match(r"(#{1,6})\s+(.*)", block):
            yield len(heading[1]), heading[2].strip("# ")
            block = block[heading.end():]
        if block := SPACE.sub(" ", re.sub(r"^```.*$", "", block, flags=re.M)).strip():
            yield 0, block


def pod_blocks(text: str):
    """(level, text) of POD."""
    for block in re.split(r"\n\s*\n", text):
        for _ in range(3):
            block = re.sub(r"[BCEFILSXZ]<+\s?([^<>]*?)\s?>+", r"\1", block)
        if heading := re.match(r"=head([1-6])\s+(.*)", block):
            yield int(heading[1]), SPACE.sub(" ", heading[2])
        elif item := re.match(r"=item\s+(.*)", block):
            yield 0, item[1]
        elif not block.startswith("="):
            if block := SPACE.sub(" ", block).strip():
                yield 0, block


def file_blocks(path: Path):
    name, data = path.name, path.read_bytes()
    if name.endswith(".gz"):
        name, data = name[:-3], gzip.decompress(data)
    if name.endswith((".html", ".htm")):
        return html_blocks(data)
    text = data.decode("utf-8", "replace")
    if name.endswith(".md"):
        return markdown_blocks(text)
    if name.endswith(".pod"):
        return pod_blocks(text)
    if re.search(r"\.[1-8][a-z]*$", name) and "/man/" in str(path):
        return man_blocks(text)
    return iter(())


def passages(blocks, rng):
    """Blocks to {title, heading, text}: whole blocks up to a length drawn per passage."""
    title, stack, body, limit = "", {}, [], 600
    out = []

    def flush():
        text = " ".join(body)
        body.clear()
        if len(text) >= 60:
            out.append({"title": title, "heading": " > ".join(stack[k] for k in sorted(stack)), "text": text[:1200]})

    for level, text in blocks:
        if level:
            flush()
            text = re.sub(r"^[\d.]+\s+|[#§]$", "", text).strip()[:120]
            if not title:
                title = text
            elif text:
                stack = {k: v for k, v in stack.items() if k < level}
                stack[level] = text
            continue
        if body and sum(map(len, body)) + len(text) > limit:
            flush()
            limit = rng.choice((250, 500, 500, 850))
        while len(text) > 1000:  # a giant block, cut at spaces
            cut = text.rfind(" ", 0, 800)
            body.append(text[: cut if cut > 0 else 800])
            flush()
            text = text[cut if cut > 0 else 800:].strip()
        body.append(text)
    flush()
    return out


def main():
    here, work = Path(__file__).parent, Path(sys.argv[1])
    debs, tree = work / "debs", work / "unpacked"
    for folder in (debs, tree):
        folder.mkdir(parents=True, exist_ok=True)
    sample = "--sample" in sys.argv
    lists = [Path(name) for name in sys.argv[2:] if name != "--sample"] or [here / "sources.tsv"]
    sources = [line.split("\t") for file in lists for line in file.read_text().splitlines() if line and not line.startswith("#")]
    sources = [source for source in sources if not sample or source[0] in SAMPLE]
    if barred := [s[0] for s in sources if FORBIDDEN.search(f"{s[0]}/")]:
        sys.exit(f"the sources name documentation that Sheaf is evaluated on: {', '.join(barred)}; take the line out")
    missing = [s[0] for s in sources if not list(debs.glob(f"{s[0]}_*.deb"))]
    if missing:
        subprocess.run(["apt-get", "download", "-q", *missing], cwd=debs, check=True, stdout=subprocess.DEVNULL)
    seen, records = set(), []
    with gzip.GzipFile(work / "passages.jsonl.gz", "wb", mtime=0, compresslevel=3) as out:
        for package, licence, roots in sources:
            deb = next(debs.glob(f"{package}_*.deb"))
            if not (tree / package).exists():
                subprocess.run(["dpkg", "-x", deb, tree / package], check=True)
            wanted = [r for r in roots.split(",") if r] or [""]
            files = []
            for path in (tree / package).rglob("*"):
                name = str(path.relative_to(tree / package))
                if (any(name.startswith(r) for r in wanted) and not FORBIDDEN.search(name) and not SKIP.search(name)
                        and path.is_file() and not path.is_symlink() and path.stat().st_size < 2_000_000):
                    files.append((hashlib.sha1(name.encode()).hexdigest(), name, path))
            kept = count = 0
            for digest, name, path in sorted(files):
                if kept > CAP:
                    break
                for p in passages(file_blocks(path), random.Random(digest)):
                    letters = sum(c.isalpha() or c == " " for c in p["text"])
                    if p["text"] in seen or letters < 0.7 * len(p["text"]):
                        continue
                    seen.add(p["text"])
                    kept += len(p["text"])
                    count += 1
                    out.write((json.dumps({"source": package, "file": name, **p}, ensure_ascii=False) + "\n").encode())
            version = subprocess.run(["dpkg-deb", "-f", deb, "Version"], capture_output=True, text=True, check=True)
            records.append({"package": package, "version": version.stdout.strip(), "licence": licence,
                            "bytes": deb.stat().st_size, "passages": count, "characters": kept})
            print(f"{package}: {count} passages, {kept / 1e6:.1f} M characters", file=sys.stderr, flush=True)
    (work / "sources.json").write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
