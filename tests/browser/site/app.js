/**
 * A whole search page in little: it opens a bundle as its address asks (?bundle=…&encoder=…&lazy=…&
 * worker=…), upgrades queries to a transformer where one is named (&model=…&runtime=…&precision=…&
 * device=…), searches while one types, and shows text as text. The tests drive it like a reader would.
 */
import { open } from '/dist/browser/client/index.js';

const flag = (value) => (value === null ? undefined : value === 'true');
const parameters = new URLSearchParams(location.search);
const byId = (id) => document.getElementById(id);

window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`));

let current = new AbortController();

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** The snippet with its highlights as <mark> elements, built from text nodes alone. */
function snippetOf(hit) {
  const paragraph = document.createElement('p');
  let position = 0;
  for (const { start, length } of hit.highlights) {
    paragraph.append(hit.snippet.slice(position, start), element('mark', hit.snippet.slice(start, start + length)));
    position = start + length;
  }
  paragraph.append(hit.snippet.slice(position));
  return paragraph;
}

async function search(library) {
  current.abort(); // a newer query supersedes the older one
  current = new AbortController();
  const { signal } = current;
  const query = byId('query').value;
  try {
    const { hits } = await library.search(query, { signal });
    byId('hits').replaceChildren(
      ...hits.map((hit) => {
        const item = document.createElement('li');
        const link = element('a', [hit.title, ...hit.headings].join(' › '));
        link.href = hit.url;
        link.addEventListener('click', async (event) => {
          event.preventDefault();
          byId('page').textContent = (await library.page(hit.page)).text;
        });
        item.dataset.source = hit.source;
        item.append(link, snippetOf(hit));
        return item;
      }),
    );
    byId('status').textContent = `${hits.length} pages for “${query}”`;
  } catch (error) {
    if (error.name !== 'AbortError') byId('status').textContent = `${error.code}: ${error.message}`;
  }
}

/** The library with a transformer on its way, where the address names one. */
async function upgraded(plain) {
  const model = parameters.get('model');
  if (model === null) return plain;
  const { loadEncoder, withTransformer } = await import('/dist/browser/encoder/index.js');
  window.progress = [];
  window.states = [];
  const encoder = loadEncoder({
    model,
    runtime: parameters.get('runtime') ?? '/ort/ort.wasm.min.mjs',
    precision: parameters.get('precision') ?? 'fp32',
    device: parameters.get('device') ?? 'wasm',
    worker: flag(parameters.get('worker')),
    onProgress: (progress) => window.progress.push(progress),
  });
  return withTransformer(plain, encoder, {
    onState: (state) => {
      window.states.push(state.kind);
      byId('encoder').textContent = state.kind === 'failed' ? `${state.error.code}: ${state.error.message}` : `${state.kind} ${state.name} ${state.precision}`;
    },
  });
}

try {
  const library = await upgraded(await open(parameters.get('bundle') ?? '/kiln.sheaf', {
    encoder: parameters.get('encoder') ?? undefined,
    lazy: flag(parameters.get('lazy')),
    worker: flag(parameters.get('worker')),
  }));
  window.library = library;
  byId('query').addEventListener('input', () => search(library));
  byId('status').textContent = `${library.info.library} ${library.info.version}: ${library.info.pages} pages, ready`;
} catch (error) {
  byId('status').textContent = `${error.code}: ${error.message}`;
}
