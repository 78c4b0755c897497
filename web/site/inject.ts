/**
 * `sheaf site --inject`: puts the search into every page of a built site, between marks, so that a second
 * run finds its own work and changes nothing.
 *
 * Only two places are touched: before `</head>` the script, after `<body …>` the button, unless the page
 * has a `<sheaf-search>` of its own. No line is added, so what the bundle says of lines stays true. Marks in comments and scripts are not mistaken for tags. Pages
 * without a head are left alone and named.
 */

export const SCRIPT_MARK = 'data-sheaf-site';

/** The page with search, or why it was left alone. `script` is the address of sheaf.js from that page. Pure. */
export function injected(html: string, script: string): { html: string } | { skipped: string } {
  const clean = html.replace(new RegExp(`<(script|sheaf-search)\\b[^>]*\\b${SCRIPT_MARK}\\b[^>]*></\\1>`, 'g'), '');
  const places = findTags(clean);
  if (places.headEnd === undefined) return { skipped: 'it has no </head>' };
  const tag = `<script type="module" src="${escapeAttribute(script)}" ${SCRIPT_MARK}></script>`;
  const button = places.bodyStart === undefined || places.hasElement ? '' : `<sheaf-search ${SCRIPT_MARK}></sheaf-search>`;
  const body = places.bodyStart ?? places.headEnd;
  const withButton = button === '' ? clean : clean.slice(0, body) + button + clean.slice(body);
  return { html: withButton.slice(0, places.headEnd) + tag + withButton.slice(places.headEnd) };
}

/** Where the head ends and the body begins, comments and raw text passed over. */
function findTags(html: string): { headEnd: number | undefined; bodyStart: number | undefined; hasElement: boolean } {
  const found = { headEnd: undefined as number | undefined, bodyStart: undefined as number | undefined, hasElement: false };
  const token = /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title|template)\b[\s\S]*?(?:<\/\1\s*>|$)|<\/head\s*>|<body\b(?:[^>"']|"[^"]*"|'[^']*')*>|<sheaf-search\b/gi;
  for (const match of html.matchAll(token)) {
    const text = match[0].toLowerCase();
    if (text.startsWith('</head')) found.headEnd ??= match.index;
    else if (text.startsWith('<body')) found.bodyStart ??= match.index + match[0].length;
    else if (text.startsWith('<sheaf-search')) found.hasElement = true;
  }
  return found;
}

function escapeAttribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
