/**
 * `sheaf site --inject`: puts the search into every page of a built site, between marks, so that a second
 * run finds its own work and changes nothing.
 *
 * Only two points are touched (insertion_points.ts): before `</head>` the script, where the body begins the button, unless
 * the page has a `<sheaf-search>` of its own. Where `</head>` is left out, both go there. No line is added, so what the
 * bundle says of lines stays true. Framesets, pieces of pages and pages that are cut short are left alone and named.
 *
 * The script is a classic one: pages that are opened as files run no modules.
 */
import { findInsertionPoints } from './insertion_points.js';

export const SCRIPT_MARK = 'data-sheaf-site';
const MARKED = new RegExp(`\\b${SCRIPT_MARK}\\b`);

/** The page with search, or why it was left alone. `script` is the address of sheaf.js from that page. Pure. */
export function injected(html: string, script: string): { html: string } | { skipped: string } {
  const clean = html.replace(/<(script|sheaf-search)\b[^<>]*><\/\1>/g, (tag) => (MARKED.test(tag) ? '' : tag));
  const { headEnd, bodyStart, hasElement, obstacle } = findInsertionPoints(clean);
  if (bodyStart === undefined) return { skipped: obstacle ?? 'it has no body' };
  const empty = /^[\ufeff\xef\xbb\xbf\s]*<\?xml\b/.test(clean) ? '=""' : ''; // in XML, attributes have values
  const tag = `<script src="${escapeAttribute(script)}" defer${empty} ${SCRIPT_MARK}${empty}></script>`;
  const button = hasElement ? '' : `<sheaf-search ${SCRIPT_MARK}${empty}></sheaf-search>`;
  const scriptAt = headEnd ?? bodyStart;
  return { html: clean.slice(0, scriptAt) + tag + clean.slice(scriptAt, bodyStart) + button + clean.slice(bodyStart) };
}

/** The address that a page's own relative addresses start from: `<base href>`, as it is written. Pure. */
export function baseHref(html: string): string | undefined {
  return findInsertionPoints(html).base;
}

/** The part of an address that relative ones are joined to. Pure. */
export function folderOf(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/[^/]*$/, '');
}

function escapeAttribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
