// Names of the C++ files' own helpers, in unnamed namespaces. cmake/unity.cmake compiles files of a folder as one, where two
// helpers of one name would be overloads of each other, and a helper would hide a function that a neighbour calls. So a
// name stands in one file of a folder, and in no header that such files include: `problems` lists those that do not.
import fs from "node:fs";
import path from "node:path";
import { root } from "./support.mjs";

/** The names that a file declares in namespaces: [{ name, isOwn, line }], `line` being its text. Follows clang-format's layout. */
export function declared(source) {
  const names = [];
  const open = [];
  for (const line of source.replace(/R"(\w*)\([\s\S]*?\)\1"/g, '""').split("\n")) {
    const opened = /^namespace ?([\w:]*) ?\{/.exec(line);
    if (opened) open.push(opened[1]);
    else if (/^\}\s*\/\/ namespace/.test(line)) open.pop();
    else if (/^\w/.test(line) && !/^(static_assert|extern|requires|friend)\b/.test(line)) {
      const type = /^(?:template <.*> )?(?:struct|class|enum class|enum|union) (\w+)(?!.*;$)/.exec(line)?.[1];
      const alias = /^using (\w+) =/.exec(line)?.[1];
      let plain = line;
      while (/<[^<>]*>/.test(plain)) plain = plain.replace(/<[^<>]*>/g, "");
      const other = /^(?!struct|class|enum|union|using|namespace)[^(=;{[]*?(::)?~?\b(\w+)\s*[(=;{[]/.exec(plain);
      const name = type ?? alias ?? (other && !other[1] ? other[2] : undefined);
      if (name) names.push({ name, isOwn: open.includes("") || line.startsWith("static "), line });
    }
  }
  return names;
}

/** What stands twice: a line for each. `files` maps paths to sources. Files of `packer` include headers of `src` too. */
export function problems(files) {
  const headers = new Map();
  const helpers = new Map();
  for (const [file, source] of files) {
    for (const { name, isOwn, line } of declared(source)) {
      if (file.endsWith(".h")) headers.set(`${file.split("/")[0]} ${name}`, file);
      else if (isOwn) {
        const key = `${path.dirname(file)} ${name}`;
        helpers.set(key, (helpers.get(key) ?? new Map()).set(file, line));
      }
    }
  }
  return [...helpers].flatMap(([key, places]) => {
    const [folder, name] = key.split(" ");
    const seen = folder.startsWith("packer") ? ["packer", "src"] : ["src"];
    const header = seen.map((top) => headers.get(`${top} ${name}`)).find(Boolean);
    const isAlias = [...places.values()].every((line, _, [first]) => line === first && /^using .*;$/.test(line));
    const where = [...places.keys()];
    return (where.length > 1 && !isAlias) || header
      ? [`${name}: ${[...where, ...(header ? [header] : [])].join(", ")}; rename a helper`]
      : [];
  });
}

/** The C++ files that are compiled together, and their headers: paths and sources. */
export function sources() {
  const list = (folder) =>
    fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const inner = `${folder}/${entry.name}`;
      return entry.isDirectory() ? list(inner) : /\.(cc|h)$/.test(inner) ? [inner] : [];
    });
  return new Map(
    [...list("packer"), ...list("src")].map((file) => [file, fs.readFileSync(path.join(root, file), "utf8")]),
  );
}
