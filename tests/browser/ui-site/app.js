/**
 * A page that holds one <sheaf-search>, made as its address asks: ?mode=…&lang=…&dir=…&dark=1, any
 * attribute as ?a.NAME=VALUE, a slot's text as ?slot.NAME=TEXT, ?fake=1 for a library made of hostile hits, ?filters=1,
 * ?template=1, ?sources=JSON for <sheaf-source> children. The tests read and drive it like a reader would.
 */
import '/dist/browser/ui/index.js';

const parameters = new URLSearchParams(location.search);
window.violations = [];
window.events = [];
document.addEventListener('securitypolicyviolation', (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
for (const name of ['sheaf-select', 'sheaf-search', 'sheaf-toggle', 'sheaf-error']) document.addEventListener(name, (event) => window.events.push([name, event.detail]));

document.documentElement.lang = parameters.get('lang') ?? 'en';
if (parameters.get('dir')) document.documentElement.dir = parameters.get('dir');
if (parameters.get('dark')) document.documentElement.classList.add('dark');

/** What a malicious bundle may answer. */
const hostile = ['javascript:window.pwned=1', ' JaVaScRiPt:window.pwned=1', 'data:text/html,<script>alert(1)</script>', 'https://kiln.example/x" onclick="window.pwned=1', 'vbscript:x', '//[broken', '/fine'].map((url, i) => ({
  page: i, passage: i, score: 1 - i / 10, title: `<img src=x onerror="window.pwned=1"> ${url}`, url, source: `${i}.md`, anchor: '"><script>window.pwned=1</script>',
  headings: ['<b onmouseover="window.pwned=1">bold</b>', '\u202Ereversed'], firstLine: 1, lastLine: 2,
  snippet: '<svg onload="window.pwned=1"><iframe srcdoc="<script>parent.pwned=1</script>"></iframe> text', highlights: [{ start: 5, length: 6 }, { start: -3, length: 1 }, { start: 8, length: 900 }, { start: NaN, length: 1 }],
}));
const fake = {
  info: { semantic: false, manifest: { base_url: {}, language: 7 } },
  search: async () => ({ hits: hostile, corrections: [{ word: 'x', term: '<img src=x onerror="window.pwned=1">' }], matchingPassages: 7, ignoredWords: 0, usedKeyword: true, usedSemantic: false }),
};

function select() {
  const element = document.createElement('select');
  element.slot = 'filters';
  element.setAttribute('aria-label', 'Section');
  for (const [value, text] of [['', 'Everything'], ['guide/', 'Guide'], ['reference/', 'Reference']]) element.append(new Option(text, value));
  return element;
}

function template() {
  const made = document.createElement('template');
  made.slot = 'hit';
  const title = document.createElement('strong');
  title.dataset.field = 'title';
  title.setAttribute('part', 'my-title');
  const snippet = document.createElement('p');
  snippet.dataset.field = 'snippet';
  made.content.append(title, snippet);
  return made;
}

const element = document.createElement('sheaf-search');
element.setAttribute('base', '/docs/');
element.setAttribute('mode', parameters.get('mode') ?? 'button');
if (parameters.get('fake')) element.library = fake;
else for (const [name, value] of [['src', '/kiln.sheaf'], ['encoder', '/table.sheaf']]) element.setAttribute(name, value);
for (const [key, value] of parameters) {
  if (key.startsWith('a.')) element.setAttribute(key.slice(2), value);
  if (!key.startsWith('slot.')) continue;
  const span = document.createElement('span');
  span.slot = key.slice(5);
  span.textContent = value;
  element.append(span);
}
for (const source of JSON.parse(parameters.get('sources') ?? '[]')) {
  const child = document.createElement('sheaf-source');
  for (const [name, value] of Object.entries(source)) child.setAttribute(name, value);
  element.append(child);
}
if (parameters.get('filters')) element.append(select());
if (parameters.get('template')) element.append(template());
document.getElementById('place').append(element);
window.element = element;
