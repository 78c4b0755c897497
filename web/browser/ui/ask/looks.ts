/** How asking looks. Its sheet is added to the element's when it loads. */
import { looks } from '../later.js';

const SHEET = `
[part='answer'] { flex: none; display: flex; flex-direction: column; align-items: flex-start; gap: 0.3em; padding: 0.4em 1.1em; border-block-start: 1px solid var(--_border); background: var(--_background); font-size: 0.95em; }
.page [part='answer'] { position: sticky; inset-block-end: 0; }
[part='answer-text'] { align-self: stretch; min-inline-size: 0; max-block-size: min(17em, calc(var(--_screen, 100dvh) * 0.38)); overflow: auto; overscroll-behavior: contain; overflow-wrap: anywhere; border-radius: 0.3em; }
[part='answer-text'] :is(p, ol) { margin: 0.35em 0; }
[part='answer-text'] a { color: var(--_accent); text-underline-offset: 0.2em; }
[part='answer-text'] sup { line-height: 0; font-size: 0.8em; }
[part='citation'] { padding: 0.2em 0.1em; font-weight: 600; text-decoration: none; }
[part='citation']:hover { text-decoration: underline; }
[part='answer-sources'] { padding: 0; padding-inline-start: 1.6em; font-size: 0.9em; color: var(--_muted); }
[part='answer-note'] { font-size: 0.9em; color: var(--_muted); }
@media (pointer: coarse) { [part='answer-source'] { display: inline-block; padding-block: 0.35em; } }
`;

export const addLooks = looks(SHEET);
