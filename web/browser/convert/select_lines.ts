/** The lines of a file that an include of AsciiDoc selects: by numbers or by tags. All functions are pure. */

/** `1..5;8;10..-1` or with commas: numbers of lines from 1, and ranges; -1 is the last. */
export function byNumbers(lines: readonly string[], wanted: string): string[] {
  const chosen = new Set<number>();
  for (const part of wanted.split(/[,;]/)) {
    const [, first, range, last] = /^\s*(\d+)\s*(?:(\.\.)\s*(?:(-?\d+)\s*)?)?$/.exec(part) ?? [];
    if (first === undefined) continue;
    const from = Number(first);
    const to = range === undefined ? from : last === undefined || last === '-1' ? lines.length : Number(last);
    for (let line = Math.max(from, 1); line <= Math.min(to, lines.length); ++line) chosen.add(line);
  }
  return lines.filter((_, index) => chosen.has(index + 1));
}

const MARK = /(?:^|[^\\])\b(tag|end)::([^\s[\]]{1,200})\[\]/;

/** `a;b`, `!a`, `*`, `**`: as Asciidoctor's user manual has it. Lines that mark tags are left out. */
export function byTags(lines: readonly string[], wanted: string): string[] {
  const tags = new Map<string, boolean>();
  for (const each of wanted.split(/[,;]/)) {
    const name = each.trim();
    if (name !== '' && name !== '!') tags.set(name.replace(/^!/, ''), !name.startsWith('!'));
  }
  const all = tags.get('**');
  const anyTag = tags.get('*');
  const [first] = tags.values();
  const outside = all ?? (anyTag === undefined ? first === false : !anyTag);
  const open: { name: string; takes: boolean }[] = [];
  const kept: string[] = [];
  let takes = outside;
  for (const line of lines) {
    const [, kind, name] = MARK.exec(line) ?? [];
    if (name === undefined) {
      if (takes) kept.push(line);
      continue;
    }
    if (kind === 'tag') {
      open.push({ name, takes });
      takes = tags.get(name) ?? anyTag ?? takes;
    } else {
      const at = open.map((each) => each.name).lastIndexOf(name);
      if (at < 0) continue;
      takes = (open[at] as { takes: boolean }).takes;
      open.splice(at);
    }
  }
  return kept;
}
