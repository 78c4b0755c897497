#!/usr/bin/env node
// Makes src/encode/bert_tables.inc from tests/golden/wordpiece/properties.json, which records the
// answer of Hugging Face's tokenizer for every code point. (No single Unicode version describes that
// tokenizer, so Node's own Unicode data is no substitute.)
//
//   node scripts/bert_tables.mjs            writes the file
//   node scripts/bert_tables.mjs --stats    also prints sizes
//
// The tables
//   kClasses    ranges of equal class, by first code point; the next range ends the one before it
//   kStrip*     a decomposable code point without its accents: ranges into a pool of 16-bit results;
//               longer results are in kStripLong
//   kLower*     lower case: ranges with a difference; where upper and lower case alternate, it applies
//               to every second code point. bert_text.cc handles U+0130 (two code points).
//
// Twin: src/encode/bert_text.cc, which reads these tables.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

// Class numbers as in src/encode/bert_text.h; combining marks that stay add their rank.
const CLASSES = { removed: 1, space: 2, punctuation: 3, mark: 4, starter: 5 };
const COMBINING = 5,
  MAX_RANK = 10;
const IN_LONG = 0xd800; // results from here on (no character is a surrogate) name a place in kStripLong
const MORE = 0x80000000; // in kStripLong: the result goes on
const MAX_RESULT = 3; // kMaxStripped
const GAP = 4; // code points that strip to themselves and yet do not end a range

const hex = (n) => (n < 10 ? String(n) : "0x" + n.toString(16));
function cArray(type, name, values) {
  const lines = [];
  let line = " ";
  for (const v of values) {
    const word = ` ${type === "int32_t" ? v : hex(v)},`;
    if (line.length + word.length > 100) {
      lines.push(line);
      line = " ";
    }
    line += word;
  }
  lines.push(line);
  return `constexpr ${type} ${name}[${values.length}] = {\n${lines.join("\n")}\n};\n`;
}

const isIdeograph = (cp) => /\p{Ideographic}/u.test(String.fromCodePoint(cp));

/** first code point (21 bits) << 4 | class, ascending, without gaps. */
function classRanges(properties) {
  const classes = new Uint8Array(0x110000);
  const set = (cp, value) => {
    // One class each: what is punctuation and a mark as well would need two.
    if (classes[cp] !== 0) throw new Error(`U+${cp.toString(16)} is of class ${classes[cp]} and ${value}`);
    classes[cp] = value;
  };
  for (const [name, value] of Object.entries(CLASSES)) {
    for (const [first, last] of properties[name]) for (let cp = first; cp <= last; ++cp) set(cp, value);
  }
  for (const [cp, rank] of properties.combining) {
    if (rank < 1 || rank > MAX_RANK) throw new Error(`rank ${rank} does not fit a class`);
    set(cp, COMBINING + rank);
  }
  const found = [];
  for (let cp = 0; cp < 0x110000; ++cp)
    if (cp === 0 || classes[cp] !== classes[cp - 1]) found.push(cp * 16 + classes[cp]);
  return { classes, found };
}

function stripTables(properties, classes) {
  const ranges = [],
    offsets = [],
    pool = [],
    long = [];
  let last = -2 - GAP;
  for (const [cp, ...result] of properties.strip) {
    // bert_text.cc takes it for granted that a word of its own comes of a result of one code point.
    if (result.length > 1 && (isIdeograph(cp) || result.some((part) => [1, 2, 3].includes(classes[part])))) {
      throw new Error(`U+${cp.toString(16)} strips to more than one word`);
    }
    if (result.length > MAX_RESULT) throw new Error(`U+${cp.toString(16)} strips to ${result.length} code points`);
    if (cp - last > GAP + 1) {
      ranges.push(cp * 1024); // its length comes below
      offsets.push(pool.length);
    } else {
      for (let between = last + 1; between < cp; ++between) pool.push(0);
    }
    if (result.length === 1 && result[0] < IN_LONG) {
      pool.push(result[0]);
    } else {
      pool.push(IN_LONG + long.length);
      result.forEach((part, i) => long.push(i + 1 < result.length ? MORE + part : part));
    }
    last = cp;
    const length = pool.length - offsets.at(-1);
    if (length >= 1024) throw new Error("range too long");
    ranges[ranges.length - 1] = Math.floor(ranges.at(-1) / 1024) * 1024 + length;
  }
  if (long.length > 0xe000 - IN_LONG) throw new Error("too many long results");
  return { ranges, offsets, pool, long };
}

/** first (20 bits) << 12 | every second << 11 | length (11 bits), and the difference of each. */
function lowerTables(properties) {
  const entries = properties.lower.filter(([cp]) => cp !== 0x130);
  if (entries.some((entry) => entry.length !== 2)) throw new Error("a lower case of more than one code point");
  const ranges = [],
    differences = [];
  for (let i = 0; i < entries.length; ) {
    const [first, result] = entries[i];
    const run = (step) => {
      let n = 1;
      while (entries[i + n]?.[0] === first + n * step && entries[i + n][1] - entries[i + n][0] === result - first) ++n;
      return n;
    };
    const [dense, sparse] = [run(1), run(2)];
    const step = dense >= sparse ? 1 : 2;
    const length = (Math.max(dense, sparse) - 1) * step + 1;
    if (length >= 2048 || first >= 2 ** 20) throw new Error("range too long or too high");
    ranges.push(first * 4096 + (step - 1) * 2048 + length);
    differences.push(result - first);
    i += Math.max(dense, sparse);
  }
  return { ranges, differences };
}

/** Returns { text, stats }. */
export function generate(properties = readProperties()) {
  const { classes, found } = classRanges(properties);
  const strip = stripTables(properties, classes);
  const lower = lowerTables(properties);
  const text = `// Made by scripts/bert_tables.mjs from tests/golden/wordpiece/properties.json (Hugging Face's
// tokenizers ${properties.tokenizers}); edit those, not this file.
// clang-format off

// First code point << 4 | class.
${cArray("uint32_t", "kClasses", found)}
// First code point << 10 | length.
${cArray("uint32_t", "kStripRanges", strip.ranges)}
// Where in kStripPool each range begins.
${cArray("uint16_t", "kStripOffsets", strip.offsets)}
// 0: itself; 0xd800 + n: kStripLong[n] and what follows; else the result.
${cArray("uint16_t", "kStripPool", strip.pool)}
// Code points; bit 31: the result goes on.
${cArray("uint32_t", "kStripLong", strip.long)}
// First code point << 12 | every second one << 11 | length.
${cArray("uint32_t", "kLowerRanges", lower.ranges)}
${cArray("int32_t", "kLowerDifferences", lower.differences)}// clang-format on
`;
  const bytes = (Type, values) => Buffer.from(Type.from(values).buffer);
  const raw = Buffer.concat([
    bytes(Uint32Array, found),
    bytes(Uint32Array, strip.ranges),
    bytes(Uint16Array, strip.offsets),
    bytes(Uint16Array, strip.pool),
    bytes(Uint32Array, strip.long),
    bytes(Uint32Array, lower.ranges),
    bytes(Int32Array, lower.differences),
  ]);
  const stats = {
    classes: found.length,
    stripRanges: strip.ranges.length,
    stripPool: strip.pool.length,
    stripLong: strip.long.length,
    lowerRanges: lower.ranges.length,
    raw: raw.length,
    brotli: brotliCompressSync(raw).length,
  };
  return { text, stats };
}

function readProperties() {
  return JSON.parse(readFileSync(new URL("../tests/golden/wordpiece/properties.json", import.meta.url), "utf8"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = fileURLToPath(new URL("../src/encode/bert_tables.inc", import.meta.url));
  const { text, stats } = generate();
  let before = "";
  try {
    before = readFileSync(path, "utf8");
  } catch {
    /* first run */
  }
  if (before !== text) writeFileSync(path, text);
  if (process.argv.includes("--stats")) console.log(stats);
}
