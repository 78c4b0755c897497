/**
 * results.csv as a chart: for each set a row of bars, nDCG@10 by kind of query, one bar a mode of the static encoder.
 *
 *   node tests/quality/chart.mjs > results.svg
 *
 * Plain SVG, without scripts; text in the reader's font, colours that differ in brightness, too, and follow the reader's
 * dark mode.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MODES = ['keyword', 'semantic', 'hybrid'];
const BAR = 13;
const GAP = 14; // between groups of bars
const HEIGHT = 110; // of a bar of 1
const LEFT = 46;
const ROW = HEIGHT + 62;
const HEAD = 62;

/** Rows of a CSV as objects by column. Quoted cells may hold commas. Pure. */
export function parseCsv(text) {
  const cellsOf = (line) => [...line.matchAll(/(?:^|,)("[^"]*"|[^,]*)/g)].map((match) => match[1].replace(/^"|"$/g, ''));
  const [head, ...lines] = text.trim().split('\n').map(cellsOf);
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i] ?? ''])));
}

const escapeXml = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const text = (x, y, content, more = '') => `<text x="${x}" y="${y}"${more}>${escapeXml(content)}</text>`;

/** The chart of parsed rows. Pure. */
export function chartOf(rows) {
  const shown = rows.filter((row) => row.encoder === 'static' && MODES.includes(row.mode));
  const sets = [...new Set(shown.map((row) => row.set))];
  const kindsOf = (set) => {
    const kinds = new Set(shown.filter((row) => row.set === set).map((row) => row.kind));
    return ['all', ...[...kinds].filter((kind) => kind !== 'all').sort()];
  };
  // A set with one kind of query has nothing to tell apart.
  const groups = sets.map((set) => ({ set, kinds: kindsOf(set).length > 2 ? kindsOf(set) : ['all'] }));
  const step = MODES.length * BAR + GAP;
  const width = LEFT + Math.max(...groups.map(({ kinds }) => kinds.length)) * step + 10;
  const height = HEAD + groups.length * ROW;
  const legend = MODES.map((mode, i) => {
    const x = LEFT + i * 90;
    return `<rect class="${mode}" x="${x}" y="30" width="12" height="12"/>${text(x + 18, 40, mode)}`;
  });
  const parts = groups.map(({ set, kinds }, row) => rowOf(set, kinds, shown, HEAD + row * ROW, width, step));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ' role="img" aria-label="nDCG@10 by set, mode and kind of query">',
    STYLE,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    text(LEFT, 20, 'nDCG@10 by kind of query, static encoder', ' class="title"'),
    ...legend,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const STYLE = `<style>
text{font:11px system-ui,sans-serif;fill:#222}.title{font-size:13px;font-weight:600}.ground{fill:#fff}.grid{stroke:#ddd}
.keyword{fill:#9aa5b1}.semantic{fill:#e0a030}.hybrid{fill:#1f5fa8}.value{font-size:8px}
@media(prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#16181c}.grid{stroke:#383c44}.hybrid{fill:#5ea0ee}}
</style>`;

function rowOf(set, kinds, rows, top, width, step) {
  const base = top + 20 + HEIGHT;
  const grid = [0, 0.5, 1].map((level) => {
    const y = base - level * HEIGHT;
    return `<path class="grid" d="M${LEFT} ${y}H${width - 6}"/>${text(LEFT - 6, y + 4, String(level), ' text-anchor="end"')}`;
  });
  const bars = kinds.flatMap((kind, group) => {
    const left = LEFT + GAP / 2 + group * step;
    const drawn = MODES.flatMap((mode, i) => {
      const row = rows.find((candidate) => candidate.set === set && candidate.mode === mode && candidate.kind === kind);
      if (row === undefined) return [];
      const value = Math.min(1, Math.max(0, Number(row.ndcg10)));
      const high = Number((value * HEIGHT).toFixed(1));
      const told = `${set}, ${kind}, ${mode}: ${value.toFixed(3)} over ${row.n} queries`;
      const place = `x="${left + i * BAR}" y="${Number((base - high).toFixed(1))}" width="${BAR - 2}" height="${high}"`;
      return [`<rect class="${mode}" ${place}><title>${escapeXml(told)}</title></rect>`];
    });
    return [...drawn, text(left + (MODES.length * BAR) / 2, base + 14, kind, ' text-anchor="middle" class="value"')];
  });
  return [text(LEFT, top + 10, set, ' class="title"'), ...grid, ...bars].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(chartOf(parseCsv(readFileSync(new URL('results.csv', import.meta.url), 'utf8'))));
}
