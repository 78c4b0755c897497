/**
 * The sources of core and packer use nothing whose result C or C++ leaves to the library: the same input must give
 * the same bytes, and the same scores, on every machine (docs/decisions/0017-same-bytes-from-every-packer.md).
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const FREE = [
  {
    what: /(?<![\w.>])(?:std::)?(?:exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|sin|cos|tan|tanh|erf|tgamma|lgamma)[fl]?\(/,
    why: "its last bit differs between C libraries; src/base/logarithm.h has a logarithm",
  },
  {
    what: /<random>|default_random_engine|_distribution\b|std::(?:shuffle|sample)\b/,
    why: "each standard library draws other numbers; draw integers by a generator of ours",
  },
  {
    what: /std::hash\b/,
    why: "each standard library hashes otherwise; base/checksum.h has Hash64",
    except: ["src/encode/word_index.h", "src/search/term_tally_builder.cc"], // they look up, and keep another order
  },
  { what: /setlocale|std::locale|\bimbue\b/, why: "the same text would be read by the rules of the place" },
  { what: /\blong double\b/, why: "it has 64, 80 or 128 bits" },
  { what: /std::(?:reduce|transform_reduce)\b/, why: "the order of its additions is open" },
];

/** Without comments and texts. */
function code(path) {
  return readFileSync(`${ROOT}${path}`, "utf8")
    .replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""')
    .replaceAll(/\/\/.*/g, "");
}

function sources() {
  return ["src", "packer"].flatMap((room) =>
    readdirSync(`${ROOT}${room}`, { recursive: true })
      .filter((name) => /\.(cc|h)$/.test(name))
      .map((name) => `${room}/${name}`),
  );
}

function findings(text, path) {
  const broken = FREE.filter(({ what, except = [] }) => what.test(text) && !except.includes(path));
  return broken.map(({ what, why }) => `${text.match(what)[0]}: ${why}`);
}

test("No source uses behaviour that the standard leaves open", () => {
  const found = sources().flatMap((path) => findings(code(path), path).map((finding) => `${path}: ${finding}`));
  assert.deepEqual(found, []);
});

test("Each rule matches its own case, and no similar one", () => {
  const open = ["std::log2(x)", " exp(x)", "powf(x, y)", "#include <random>", "std::hash<int>{}", "std::reduce(a, b)"];
  for (const line of open) assert.equal(findings(line).length, 1, line);
  for (const line of ["Log(x)", "catalog(x)", "list.log(x)", "std::sqrt(x)", "ByKeyword"]) assert.deepEqual(findings(line), []);
});
