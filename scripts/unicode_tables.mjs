#!/usr/bin/env node
// Makes src/text/unicode_tables.inc, and docs/characters.txt for other implementations, from Node's Unicode data; and
// web/browser/client/spelled_letters.ts, what a page needs of it beside the browser's own data.
//
//   node scripts/unicode_tables.mjs            writes the files
//   node scripts/unicode_tables.mjs --stats    also prints sizes
//
// The tables give, for each code point below U+20000:
//   its class   separator, lower, upper, letter (no case), digit, dense (written without spaces:
//               bigrams), ignored (dropped inside a word); four bits in two stages
//   its folding NFKD, marks removed, case folded, Latin letters with strokes and ligatures spelled
//               out, Arabic letters of two keyboards and digits of all scripts as one; sorted ranges, looked up only where the class's fold bit says so
//
// Above U+20000 there are ideographs (dense, not folded), tags and variation selectors (ignored)
// and nothing else; unicode.cc handles these without a table.
//
// Left out on purpose, to keep the WASM small: compatibility ideographs (U+F900 block), Arabic
// ligatures (U+FBEA..U+FDFF) and Hangul compatibility jamo are not folded; letters of plane 1 other
// than the mathematical alphabets and kana supplements, that is, historic scripts, are separators.
//
// Twin: src/text/unicode.cc, which reads these tables.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const LIMIT = 0x20000; // table's end
const BLOCK = 64; // code points per second-stage block, two to a byte

// What a folding range's value is: a difference, the one result of all, a stretch of the pool.
const ADD = 0,
  SAME = 1,
  STRING = 2;
// Class numbers as in src/text/unicode.h; bit 3 marks "has a folding".
const NONE = 0,
  LOWER = 1,
  UPPER = 2,
  LETTER = 3,
  DIGIT = 4,
  DENSE = 5,
  IGNORED = 6,
  FOLDS = 8;

const DENSE_SCRIPTS =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{sc=Yi}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tale}\p{sc=Talu}\p{sc=Lana}\p{sc=Tavt}]/u;
// Scripts whose words stay readable without their marks. In the others (Indic, Thai, Thaana, …)
// marks are vowels, and are letters to us.
const REMOVABLE_MARK =
  /[\p{Me}[\p{M}&&[\p{sc=Zinh}\p{sc=Zyyy}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}]]]/v;
const SPELLED = new Map(
  Object.entries({
    æ: "ae",
    œ: "oe",
    ø: "o",
    ł: "l",
    đ: "d",
    ð: "d",
    ħ: "h",
    þ: "th",
    ŧ: "t",
    // Persian and Arabic keyboards have other letters for what reads alike. Arabic's are the ones that change: the table is
    // 70 bytes smaller than the other way round.
    ي: "ی",
    ى: "ی",
    ك: "ک",
  }),
);

const isDecimal = (cp) => /\p{Nd}/u.test(String.fromCodePoint(cp));

/** The value of a decimal digit of any script: they stand in tens, from zero on. */
function decimalOf(cp) {
  let first = cp;
  while (isDecimal(first - 1)) --first;
  return (cp - first) % 10;
}

const assigned = (c) => !/\p{Cn}|\p{Cs}|\p{Co}/u.test(c);

/** @param {number} cp */
function skipped(cp) {
  if (cp >= 0xf900 && cp <= 0xfaff) return "fold"; // compatibility ideographs
  if (cp >= 0x3131 && cp <= 0x318e) return "fold"; // Hangul compatibility jamo
  if (cp >= 0xfbea && cp <= 0xfdff) return "fold"; // Arabic ligatures of two and more letters
  if (cp >= 0xffa0 && cp <= 0xffdc) return "fold"; // and their halfwidth forms
  if (cp >= 0x10000 && !(cp >= 0x1d400 && cp <= 0x1d7ff) && !(cp >= 0x1aff0 && cp <= 0x1b16f)) return "all";
  return "";
}

/** @param {number} cp */
function baseClass(cp) {
  if (cp >= 0xd800 && cp <= 0xdfff) return NONE;
  const c = String.fromCodePoint(cp);
  if (skipped(cp) === "all" || !assigned(c)) return NONE;
  // Voiced sound marks join the kana before them (unicode.cc composes); alone they say nothing.
  if (cp === 0x3099 || cp === 0x309a || cp === 0xff9e || cp === 0xff9f) return IGNORED;
  if (cp === 0x0640) return IGNORED; // Arabic tatweel only stretches
  if (/\p{Default_Ignorable_Code_Point}/u.test(c)) return IGNORED;
  if (/\p{Nd}/u.test(c)) return DIGIT;
  if (/\p{No}/u.test(c)) return /^[0-9]+$/.test(c.normalize("NFKD")) ? DIGIT : NONE;
  if (/[\p{L}\p{Nl}\p{M}]/u.test(c) && DENSE_SCRIPTS.test(c)) {
    return /\p{Me}|\p{sc=Zinh}/u.test(c) && /\p{M}/u.test(c) ? IGNORED : DENSE;
  }
  if (REMOVABLE_MARK.test(c)) return IGNORED;
  if (/\p{M}/u.test(c)) return LETTER;
  if (/\p{Nl}/u.test(c)) return /^[a-z]+$/i.test(c.normalize("NFKD")) ? (c === c.toLowerCase() ? LOWER : UPPER) : NONE;
  if (/[\p{Lu}\p{Lt}]/u.test(c)) return UPPER;
  if (/\p{Ll}/u.test(c)) return LOWER;
  if (/\p{L}/u.test(c)) return LETTER;
  return NONE;
}

const isWord = (k) => k === LOWER || k === UPPER || k === LETTER || k === DIGIT;

/** The folding of a code point of class `k`, as a string. */
function foldOf(cp, k) {
  const c = String.fromCodePoint(cp);
  if (!(isWord(k) || k === DENSE) || skipped(cp)) return c;
  // Dense scripts stay composed: Hangul syllables and voiced kana are letters of their own.
  if (k === DENSE) {
    const s = c.normalize("NFKC");
    return [...s].every((x) => baseClass(x.codePointAt(0)) === DENSE) ? s : c;
  }
  let s = c;
  for (;;) {
    let t = "";
    for (const x of s.normalize("NFKD").replace(/(?<=l)·/iu, "")) {
      // ŀ
      if (baseClass(x.codePointAt(0)) === IGNORED) continue;
      // Up and down again is case folding: ς -> Σ -> σ, ß -> SS -> ss, ı -> I -> i.
      let y = "";
      for (const u of x.toUpperCase()) y += u.toLowerCase();
      for (const z of y) t += SPELLED.get(z) ?? (isDecimal(z.codePointAt(0)) ? decimalOf(z.codePointAt(0)) : z);
    }
    if (t === s) break;
    s = t;
  }
  // Foldings with spaces or punctuation (Arabic phrases written as one letter) are not used.
  const fits = s !== "" && [...s].every((x) => isWord(baseClass(x.codePointAt(0))));
  return fits ? s : c;
}

const hex = (n) => (n < 10 ? String(n) : "0x" + n.toString(16));
function cArray(type, name, values) {
  const lines = [];
  let line = " ";
  for (const v of values) {
    const word = ` ${hex(v)},`;
    if (line.length + word.length > 100) {
      lines.push(line);
      line = " ";
    }
    line += word;
  }
  lines.push(line);
  return `constexpr ${type} ${name}[${values.length}] = {\n${lines.join("\n")}\n};\n`;
}

/** Letters that are spelled out, for web/browser/client/written.ts. */
export function spelledLetters() {
  const rows = [...SPELLED].map(([letter, spelled]) => `  ${letter}: '${spelled}',\n`);
  return `/** Made by scripts/unicode_tables.mjs; edit that. What the index has for letters that Unicode does not take apart. */
export const SPELLED: Readonly<Record<string, string>> = {\n${rows.join("")}};\n`;
}

const CLASS_NAMES = ["none", "lower", "upper", "letter", "digit", "dense", "ignored"];
const four = (cp) => cp.toString(16).toUpperCase().padStart(4, "0");

/** The same tables for other implementations: docs/analysis.md says how they are used. */
function listing(classes, folds, version) {
  const lines = [
    `# Characters of Unicode ${version} as Sheaf's analysis has them; made by scripts/unicode_tables.mjs, edit that.`,
    '# Classes: FIRST..LAST CLASS. What is not listed, from 0 to 1FFFF, is "none".',
  ];
  const range = (first, last) => (first === last ? four(first) : `${four(first)}..${four(last)}`);
  for (let first = 0; first < LIMIT; ) {
    let last = first;
    const kind = classes[first] & 7;
    while (last + 1 < LIMIT && (classes[last + 1] & 7) === kind) ++last;
    if (kind !== NONE) lines.push(`${range(first, last)} ${CLASS_NAMES[kind]}`);
    first = last + 1;
  }
  lines.push("# Foldings: FIRST..LAST +N adds N to each; CODE = CODES replaces one. Others fold to themselves.");
  const keys = [...folds.keys()].sort((a, b) => a - b);
  for (let i = 0; i < keys.length; ) {
    const fold = folds.get(keys[i]);
    let end = i + 1;
    const shift = fold[0] - keys[i];
    while (
      fold.length === 1 &&
      end < keys.length &&
      keys[end] === keys[end - 1] + 1 &&
      folds.get(keys[end]).length === 1 &&
      folds.get(keys[end])[0] - keys[end] === shift
    )
      ++end;
    if (end - i > 1) lines.push(`${range(keys[i], keys[end - 1])} ${shift < 0 ? "" : "+"}${shift}`);
    else lines.push(`${four(keys[i])} = ${fold.map(four).join(" ")}`);
    i = end;
  }
  return lines.join("\n") + "\n";
}

/** Returns { text, list, version, stats }: `text` is the C++ table, `list` the one for people and other programs. */
export function generate() {
  const classes = new Uint8Array(LIMIT);
  const folds = new Map();
  for (let cp = 0; cp < LIMIT; ++cp) {
    const k = baseClass(cp);
    classes[cp] = k;
    const f = foldOf(cp, k);
    if (f !== String.fromCodePoint(cp)) {
      folds.set(
        cp,
        [...f].map((x) => x.codePointAt(0)),
      );
      classes[cp] |= FOLDS;
    }
  }
  // The folding must be idempotent and leave no capitals, or terms would not be their own terms.
  for (const [cp, f] of folds) {
    for (const t of f) {
      const k = t < LIMIT ? classes[t] : DENSE;
      if (k & FOLDS) throw new Error(`U+${cp.toString(16)} folds to U+${t.toString(16)}, which folds further`);
      if ((classes[cp] & 7) === DENSE ? k !== DENSE : !(k === LOWER || k === LETTER || k === DIGIT || k === UPPER)) {
        throw new Error(`U+${cp.toString(16)} of class ${classes[cp] & 7} folds to U+${t.toString(16)} of class ${k}`);
      }
    }
  }
  // A capital that folds to nothing else has no lower case; take it for a letter.
  for (let cp = 0; cp < LIMIT; ++cp) if (classes[cp] === UPPER) classes[cp] = LETTER;

  const list = listing(classes, folds, process.versions.unicode);
  // A script's digits need no row: unicode.cc reckons with a zero that ends in 0 or, where 5 is no digit, in 6.
  for (const [cp, f] of folds) {
    if (!isDecimal(cp) || String.fromCodePoint(cp).normalize("NFKD") !== String.fromCodePoint(cp)) continue;
    if (f[0] !== 48 + ((cp - (isDecimal((cp & ~15) | 5) ? 0 : 6)) & 15)) throw new Error(`U+${cp.toString(16)}`);
    folds.delete(cp);
    classes[cp] &= ~FOLDS;
  }

  // Stage two: blocks of four-bit classes; stage one: block numbers.
  const blocks = new Map();
  const index = [];
  const bytes = [];
  for (let at = 0; at < LIMIT; at += BLOCK) {
    const packed = [];
    for (let i = 0; i < BLOCK; i += 2) packed.push(classes[at + i] | (classes[at + i + 1] << 4));
    const key = packed.join();
    if (!blocks.has(key)) {
      blocks.set(key, blocks.size);
      bytes.push(...packed);
    }
    index.push(blocks.get(key));
  }
  if (blocks.size > 256) throw new Error(`${blocks.size} blocks do not fit a byte`);

  // Foldings as ranges. Code points without a fold bit never ask, so a range may run over them:
  // Ā ā Ă ă … alternate, and yet are one range.
  const ranges = [];
  const pool = [];
  const encoder = new TextEncoder();
  const keys = [...folds.keys()].sort((a, b) => a - b);
  const single = (cp) => (folds.get(cp)?.length === 1 ? folds.get(cp)[0] : -1);
  for (let i = 0; i < keys.length; ) {
    const first = keys[i];
    if (single(first) < 0) {
      const utf8 = [...encoder.encode(String.fromCodePoint(...folds.get(first)))];
      let at = -1;
      for (let p = 0; p + utf8.length <= pool.length && at < 0; ++p) {
        if (utf8.every((b, j) => pool[p + j] === b)) at = p;
      }
      if (at < 0) {
        at = pool.length;
        pool.push(...utf8);
      }
      ranges.push({ first, last: first, kind: STRING, value: (at << 8) | utf8.length });
      ++i;
      continue;
    }
    const run = (same) => {
      let j = i + 1;
      while (j < keys.length && single(keys[j]) >= 0 && same(keys[j])) ++j;
      return j;
    };
    const delta = single(first) - first;
    const jDelta = run((cp) => single(cp) - cp === delta);
    const jSame = run((cp) => single(cp) === single(first));
    if (jSame > jDelta) {
      ranges.push({ first, last: keys[jSame - 1], kind: SAME, value: single(first) });
      i = jSame;
    } else {
      ranges.push({ first, last: keys[jDelta - 1], kind: ADD, value: delta });
      i = jDelta;
    }
  }
  const packed = ranges.map((r) => {
    const length = r.last - r.first;
    if (length >= 1 << 13) throw new Error("range too long");
    return ((r.first | (r.kind << 17)) + length * 2 ** 19) >>> 0;
  });
  const values = ranges.map((r) => r.value >>> 0);

  const longest = Math.max(...keys.map((cp) => encoder.encode(String.fromCodePoint(...folds.get(cp))).length));

  const version = process.versions.unicode;
  const text = `// Made by scripts/unicode_tables.mjs from Unicode ${version}; edit that script, not this file.
// clang-format off
constexpr uint32_t kTableLimit = ${hex(LIMIT)};
constexpr uint32_t kLongestFold = ${longest};  // bytes
constexpr uint32_t kBlockBits = ${Math.log2(BLOCK)};

// Number of the class block of each ${BLOCK} code points.
${cArray("uint8_t", "kClassIndex", index)}
// Classes, two to a byte, low half first; bit 3: the code point has a folding.
${cArray("uint8_t", "kClassBlocks", bytes)}
// First code point (17 bits) | kind (2 bits) | length - 1 (13 bits), ascending.
${cArray("uint32_t", "kFoldRanges", packed)}
// kind 0: what to add; kind 1: the result; kind 2: offset << 8 | bytes in kFoldPool.
${cArray("uint32_t", "kFoldValues", values)}
${cArray("uint8_t", "kFoldPool", pool)}// clang-format on
`;
  const raw = Buffer.concat([
    Buffer.from(index),
    Buffer.from(bytes),
    Buffer.from(new Uint32Array(packed).buffer),
    Buffer.from(new Uint32Array(values).buffer),
    Buffer.from(pool),
  ]);
  const stats = {
    unicode: version,
    blocks: blocks.size,
    ranges: ranges.length,
    pool: pool.length,
    raw: raw.length,
    brotli: brotliCompressSync(raw).length,
  };
  return { text, list, version, stats };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text, list, stats } = generate();
  const files = [
    ["../src/text/unicode_tables.inc", text],
    ["../docs/characters.txt", list],
    ["../web/browser/client/spelled_letters.ts", spelledLetters()],
  ];
  for (const [name, content] of files) {
    const path = fileURLToPath(new URL(name, import.meta.url));
    let before = "";
    try {
      before = readFileSync(path, "utf8");
    } catch {
      /* first run */
    }
    if (before !== content) writeFileSync(path, content);
  }
  if (process.argv.includes("--stats")) console.log(stats);
}
