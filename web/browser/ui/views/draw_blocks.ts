/**
 * Draws a passage's blocks (web/browser/client/blocks.ts), for the preview and for the extension's reader. Plain DOM:
 * document text enters it as text nodes. An address enters it only through `link`, which decides where it may lead.
 */
import type { Block, TextRun } from '../../client/blocks.js';
import { marked } from './marks.js';

export interface Drawing {
  /** Matches the words to mark. */
  marks: RegExp | undefined;
  mark: () => HTMLElement;
  heading: () => HTMLElement;
  /** Around code, whose element is `pre`. */
  code: (text: string, pre: HTMLPreElement) => HTMLElement;
  table: () => HTMLElement;
  /** Of a list's item. */
  depth: `--${string}`;
  marker: () => HTMLElement;
  /** The element around a link's words; undefined where its address is none to follow. */
  link: (address: string) => HTMLElement | undefined;
}

const WIDEST_CELL = 40;

export function drawBlocks(blocks: readonly Block[], drawing: Drawing): HTMLElement[] {
  const nodes: HTMLElement[] = [];
  let rows: Block[][] = [];
  for (const [i, block] of blocks.entries()) {
    const { kind, label, runs } = block;
    const last = nodes.at(-1);
    if (kind === 'cell') {
      if (block.depth === 0) rows.push([]);
      rows.at(-1)?.push(block);
      if (blocks[i + 1]?.kind === 'cell') continue;
      nodes.push(drawTable(rows, drawing));
      rows = [];
    } else if (kind === 'code') {
      const text = runs[0]?.text ?? '';
      const pre = document.createElement('pre');
      pre.dir = 'ltr';
      pre.append(...marked(text, drawing.marks, drawing.mark));
      nodes.push(drawing.code(text, pre));
    } else if (kind === 'item') {
      const list = last?.localName === 'ul' ? last : document.createElement('ul');
      const item = document.createElement('li');
      item.style.setProperty(drawing.depth, String(block.depth));
      const marker = drawing.marker();
      marker.append(label);
      item.append(marker, withRuns(document.createElement('div'), runs, drawing));
      list.append(item);
      if (list !== last) nodes.push(list);
    } else if (kind === 'heading') {
      nodes.push(withRuns(drawing.heading(), runs, drawing));
    } else {
      const element = document.createElement(kind === 'quote' ? 'blockquote' : 'p');
      const named: TextRun[] =
        label === '' ? [] : [{ text: runs.length > 0 ? `${label}\n` : label, looks: ['strong'] }];
      nodes.push(withRuns(element, [...named, ...runs], drawing));
    }
  }
  return nodes;
}

/** Rows with their cells below one another. */
function drawTable(rows: readonly Block[][], drawing: Drawing): HTMLElement {
  const widthOf = ({ runs }: Block): number => runs.reduce((sum, { text }) => sum + text.length, 0);
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => (widths[i] = Math.min(WIDEST_CELL, Math.max(widths[i] ?? 0, widthOf(cell)))));
  const table = drawing.table();
  table.dir = 'ltr';
  rows.forEach((row, r) => {
    if (r > 0) table.append('\n');
    let spaces = 0; // before the next cell that has words
    row.forEach((cell, i) => {
      if (cell.runs.length > 0) {
        table.append(' '.repeat(spaces));
        withRuns(table, cell.runs.map(withoutCode), drawing);
        spaces = 0;
      }
      spaces += Math.max(0, (widths[i] ?? 0) - widthOf(cell)) + 2;
    });
  });
  return table;
}

/** All of a table looks like code. */
const withoutCode = (run: TextRun): TextRun => ({ ...run, looks: run.looks.filter((look) => look !== 'code') });

function withRuns<E extends HTMLElement>(element: E, runs: readonly TextRun[], drawing: Drawing): E {
  let open: { to: string; element: HTMLElement } | undefined;
  for (const { text, looks, to } of runs) {
    let nodes: Node[] = marked(text, drawing.marks, drawing.mark);
    for (const look of looks) {
      const inner = document.createElement(look);
      inner.append(...nodes);
      nodes = [inner];
    }
    if (open?.to !== to) {
      const link = to === undefined ? undefined : drawing.link(to);
      open = to === undefined || link === undefined ? undefined : { to, element: link };
      if (link !== undefined) element.append(link);
    }
    (open?.element ?? element).append(...nodes);
  }
  return element;
}
