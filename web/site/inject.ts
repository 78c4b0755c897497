/**
 * `sheaf site --inject`: puts the search into every page of a built site, between marks, so that a second
 * run finds its own work and changes nothing.
 *
 * Only two places are touched: before `</head>` the script, after `<body …>` the button, unless the page
 * has a `<sheaf-search>` of its own. Where `</head>` is left out, the script goes behind `<body …>`, too. No line is
 * added, so what the bundle says of lines stays true. Marks in comments, scripts and attributes are not mistaken for
 * tags, nor is a stray `</head>` in the body. Pages with neither tag are left alone and named.
 *
 * The script is a classic one: pages that are opened as files run no modules.
 */

export const SCRIPT_MARK = 'data-sheaf-site';
const MARKED = new RegExp(`\\b${SCRIPT_MARK}\\b`);

/** The page with search, or why it was left alone. `script` is the address of sheaf.js from that page. Pure. */
export function injected(html: string, script: string): { html: string } | { skipped: string } {
  const clean = html.replace(/<(script|sheaf-search)\b[^<>]*><\/\1>/g, (tag) => (MARKED.test(tag) ? '' : tag));
  const places = findTags(clean);
  const scriptAt = places.headEnd ?? places.bodyStart;
  if (scriptAt === undefined) return { skipped: 'it has no </head> and no <body>' };
  const tag = `<script src="${escapeAttribute(script)}" defer ${SCRIPT_MARK}></script>`;
  const button =
    places.bodyStart === undefined || places.hasElement ? '' : `<sheaf-search ${SCRIPT_MARK}></sheaf-search>`;
  const body = places.bodyStart ?? scriptAt;
  const withButton = button === '' ? clean : clean.slice(0, body) + button + clean.slice(body);
  return { html: withButton.slice(0, scriptAt) + tag + withButton.slice(scriptAt) };
}

/** The address that a page's own relative addresses start from: `<base href>`, as it is written. Pure. */
export function baseHref(html: string): string | undefined {
  return findTags(html).base;
}

/** The part of an address that relative ones are joined to. Pure. */
export function folderOf(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/[^/]*$/, '');
}

interface Tags {
  headEnd?: number;
  bodyStart?: number;
  base?: string;
  hasElement: boolean;
}

/** Where the head ends and the body begins, comments, raw text and attributes passed over. */
function findTags(html: string): Tags {
  const found: Tags = { hasElement: false };
  const token =
    /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title|template)\b[\s\S]*?(?:<\/\1\s*>|$)|<\/head\s*>|<(?:body|base)\b(?:[^<>"']|"[^"]*"|'[^']*')*>|<sheaf-search\b|<[a-z](?:[^<>=]|=\s*(?:"[^"]*"|'[^']*')|=(?!\s*["']))*>/gi;
  for (const match of html.matchAll(token)) {
    const text = match[0].toLowerCase();
    if (text.startsWith('</head')) found.headEnd ??= found.bodyStart ?? match.index;
    else if (text.startsWith('<body')) found.bodyStart ??= match.index + match[0].length;
    else if (text.startsWith('<sheaf-search')) found.hasElement = true;
    else if (text.startsWith('<base')) found.base ??= attribute(match[0], 'href');
  }
  return found;
}

/** The value of a tag's attribute, references to characters but `&amp;` as they stand. Pure. */
export function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag);
  return (match?.[1] ?? match?.[2] ?? match?.[3])?.trim().replace(/&amp;/g, '&');
}

function escapeAttribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
