/**
 * What the TypeScript readers promise for any bytes: they answer, or refuse with an error of ours that says why, and what they
 * answer holds. One property a reader. Two places check them: tests/node/reader_targets.test.mjs in every run, and run.mjs, guided
 * by coverage, at night.
 */
import { parseHead, parseOlderForm, parseShard, objectOf } from '../../../dist/browser/catalogue/format.js';
import { parsePublicKey, parseSignature } from '../../../dist/browser/catalogue/minisign.js';
import { isLibraryName } from '../../../dist/browser/client/names.js';
import { harmless, lineOf, oneLine, visible } from '../../../dist/browser/client/plain_text.js';
import { dedent, headings, inFences, withClosedFences } from '../../../dist/browser/convert/api/markup.js';
import { byNumbers, byTags } from '../../../dist/browser/convert/select_lines.js';
import { isHead, readCatalogue, readSiteList } from '../../../dist/extension/lists.js';
import { removeTomlTable, setTomlTable } from '../../../dist/node/mcp/clients/toml_table.js';
import { blocksOf, closed, cutAtBorders, escapeLines, openFence } from '../../../dist/node/mcp/quote.js';
import { attribute, findInsertionPoints, startTags } from '../../../dist/node/site/insertion_points.js';
import { linksOf, splitFull } from '../../../dist/node/sources/llms.js';
import {
  parseBunLock,
  parsePackageLock,
  parsePipfileLock,
  parsePnpmLock,
  parseRequirements,
  parseTomlLock,
  parseYarnLock,
} from '../../../dist/node/sources/lockfile.js';
import { parsePythonMetadata } from '../../../dist/node/sources/package_docs.js';
import { parseRobots } from '../../../dist/node/sources/robots.js';
import { addressHtml, addressMarkdown, looksLikeApp } from '../../../dist/node/sources/sitemap_page.js';

const OURS = new Set(['SourceError', 'CliError', 'CatalogueRefusal', 'SheafError', 'DeskError']);

/** What `read` answers; undefined where it refuses, with an error of ours. */
function calmly(read) {
  try {
    return read();
  } catch (error) {
    if (!OURS.has(error?.constructor?.name) || typeof error.message !== 'string' || error.message === '') throw error;
    return undefined;
  }
}

function demand(holds, what) {
  if (!holds) throw new Error(`broken property: ${what}`);
}

const ADDRESS = 'https://host.example/docs/catalogue.json';
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function checkPins(pins) {
  for (const { name, version } of pins ?? [])
    demand(typeof name === 'string' && name !== '' && /^(string|undefined)$/.test(typeof version), 'a dependency has a name');
}

export const TARGETS = {
  lockfiles(text) {
    for (const read of [
      () => parsePackageLock(text, 'package-lock.json', true),
      () => parseBunLock(text, 'bun.lock', true),
      () => parsePipfileLock(text, 'Pipfile.lock'),
      () => parsePnpmLock(text, 'pnpm-lock.yaml', true),
      () => parseYarnLock(text, 'yarn.lock', undefined),
      () => parseTomlLock(text, 'uv.lock'),
      () => parseRequirements(text),
    ])
      checkPins(calmly(read));
  },
  robots(text) {
    const { sitemaps, allows } = parseRobots(text);
    demand(Array.isArray(sitemaps) && sitemaps.every((each) => typeof each === 'string'), 'sitemaps are texts');
    for (const path of ['/', '/a/b?c', `/${text.slice(0, 40)}`]) demand(typeof allows(path) === 'boolean', 'a path is allowed or not');
  },
  llms(text) {
    for (const link of linksOf(text, ADDRESS)) demand(/^https?:/.test(link), 'a link is of the web');
    for (const page of splitFull(text, ADDRESS)) demand(typeof page === 'object', 'pages');
  },
  catalogue(text) {
    const fields = calmly(() => objectOf(new TextEncoder().encode(text), 'it'));
    calmly(() => isHead(text));
    if (fields !== undefined) {
      const head = calmly(() => parseHead(fields));
      demand(head === undefined || (head.title === oneLine(head.title) && head.shards.length > 0), 'a head is sound');
      for (const read of [() => parseShard(fields, 0, 1), () => parseOlderForm(fields)])
        for (const { library, title, versions } of calmly(read) ?? []) {
          demand(isLibraryName(library) && versions.length > 0 && !HIDDEN.test(title), 'a library is sound');
          for (const { version } of versions) demand(lineOf(version, 64) === version, 'a version is seen as it is');
        }
    }
    for (const { origin, library } of calmly(() => readCatalogue(text, ADDRESS, 0))?.offers ?? [])
      demand(isLibraryName(library) && origin.address.startsWith('https://host.example/docs/'), 'an offer is of its own folder');
    for (const { origin } of calmly(() => readSiteList(text, ADDRESS, 'Page')) ?? [])
      demand(/^https?:/.test(origin.address), 'an offer has a web address');
  },
  minisign(text) {
    const key = calmly(() => parsePublicKey(text));
    demand(key === undefined || key.key.length === 32, 'a key has 32 bytes');
    const signature = calmly(() => parseSignature(text));
    demand(signature === undefined || signature.signature.length === 64, 'a signature has 64 bytes');
  },
  pages(text) {
    for (const { name, tag } of startTags(text, ['a', 'link', 'html', 'meta'])) {
      demand(text.includes(tag) && tag.toLowerCase().startsWith(`<${name}`), 'a tag stands in the page');
      attribute(tag, 'href');
    }
    findInsertionPoints(text);
    addressHtml(text, ADDRESS, '2026-01-01');
    demand(addressMarkdown(text, ADDRESS).endsWith(text.slice(-1)), 'the text stays');
    looksLikeApp(text);
    parsePythonMetadata(text);
  },
  markup(text) {
    const lines = text.split('\n');
    demand(inFences(lines).length === lines.length, 'an answer a line');
    for (const read of [dedent, withClosedFences, (all) => headings(all, true), (all) => headings(all, false)])
      demand(typeof read(text) === 'string', 'a text');
    const [wanted = '', ...rest] = lines;
    for (const select of [byNumbers, byTags])
      for (const line of select(rest, wanted)) demand(rest.includes(line), 'a selected line is one of the file');
  },
  quotation(text) {
    const blocks = blocksOf(text);
    demand(blocks.join('') === text, 'blocks joined are the text');
    demand(openFence(closed(text)) === undefined, 'a closed text ends outside of code');
    let joined = '';
    for (let next = 0; next !== undefined; ) {
      const cut = cutAtBorders(blocks, next, 40);
      demand(cut.next === undefined || cut.next > next, 'a cut goes on');
      joined += cut.text;
      next = cut.next;
    }
    demand(joined === text, 'cuts joined are the text');
    const shown = visible(text);
    demand(!HIDDEN.test(shown) && visible(shown) === shown, 'what is visible stays');
    demand(!HIDDEN.test(harmless(text)) && !/\n/.test(oneLine(text)), 'nothing moves the cursor');
    const line = lineOf(text, 80);
    demand([...line].length <= 80 && lineOf(line, 80) === line, 'a line of a line is itself');
    const escaped = escapeLines(text, 0, (each) => each.startsWith('(No good match'));
    demand(!escaped.split(/[\n\u2028\u2029]/).some((each) => each.startsWith('(No good match')), 'no line pretends');
  },
  toml(text) {
    const table = ['mcp_servers', 'sheaf'];
    const after = calmly(() => {
      try {
        return setTomlTable(text, table, { command: '"sheaf"' }, 'config.toml');
      } catch (error) {
        if (error.constructor.name === 'TomlError') return undefined; // the caller has read the file
        throw error;
      }
    });
    demand(after === undefined || after.includes('command = "sheaf"'), 'the entry is there');
    if (after !== undefined)
      demand(
        text.includes('command = "sheaf"') || !calmly(() => removeTomlTable(after, table, 'config.toml'))?.includes('command = "sheaf"'),
        'and goes again',
      );
  },
};

/** Inputs to begin with, by target. */
export const SEEDS = {
  lockfiles: [
    '{"lockfileVersion":3,"packages":{"":{"dependencies":{"vue":"^3"}},"node_modules/vue":{"version":"3.5.0","resolved":"https://registry.npmjs.org/vue/-/vue-3.5.0.tgz"}}}',
    'lockfileVersion: "9.0"\nimporters:\n  .:\n    dependencies:\n      vue:\n        specifier: ^3\n        version: 3.5.0(typescript@5.0.0)\n',
    '# yarn lockfile v1\n\n\nvue@^3.0.0:\n  version "3.5.0"\n  resolved "https://registry.yarnpkg.com/vue/-/vue-3.5.0.tgz#abc"\n',
    '__metadata:\n  version: 8\n"vue@npm:^3":\n  version: 3.5.0\n  resolution: "vue@npm:3.5.0"\n',
    'version = 1\n[[package]]\nname = "flask"\nversion = "3.0.0"\nsource = { registry = "https://pypi.org/simple" }\n',
    'flask[async]==3.0.0 ; python_version > "3" --hash=sha256:00\n-r other.txt\nrequests @ https://x/y.whl\n',
    '{"default":{"flask":{"version":"==3.0.0","hashes":[]}},"develop":{}}',
    '{"lockfileVersion":1,"workspaces":{"":{"dependencies":{"vue":"^3"}}},"packages":{"vue":["vue@3.5.0","",{},"sha512-x"]},}',
  ],
  robots: ['User-agent: *\nDisallow: /a*b$\nAllow: /\nCrawl-delay: 1\n\nUser-agent: sheaf\nDisallow:\nSitemap: https://x/s.xml\n'],
  llms: [
    '# Kiln\n\n> Fires pots.\n\n## Docs\n\n- [Guide](guide.md): how to\n- [API](https://x/api.html)\n\n```\n[no](x)\n```\n',
    '---\nurl: https://x/a\n---\n# A\n\ntext\n',
  ],
  catalogue: [
    `{"sheaf":2,"id":"753f5b62-0000-4000-8000-000000000000","title":"T","libraries":1,"bundles":1,"serial":1,"created":"2026-01-01T00:00:00Z","expires":"2027-01-01T00:00:00Z","shards":[{"sha256":"${'a'.repeat(64)}","bytes":9}],"tables":[]}`,
    `{"sheaf":1,"libraries":[{"library":"kiln","title":"K","versions":[{"version":"1.0","address":"k.sheaf","bytes":9,"sha256":"${'b'.repeat(64)}"}]}]}`,
    `{"sheaf":2,"libraries":[{"library":"@a/b","versions":[{"version":"1","bytes":9,"sha256":"${'b'.repeat(64)}"}]}]}`,
    '{"base":"..","sites":[{"src":"site-0123456789ab.sheaf","language":"de","encoder":"t-0123456789ab.sheaf"}]}',
  ],
  minisign: [
    'untrusted comment: minisign public key\nRWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n',
    `untrusted comment: s\n${btoa(`ED${'x'.repeat(72)}`)}\ntrusted comment: t\n${btoa('y'.repeat(64))}\n`,
  ],
  pages: [
    '<!doctype html><html lang="en"><head><title>T</title><link rel=canonical href="x"><meta charset=utf-8></head><body><a href=\'y\'>z</a><script>"<a>"</script></body></html>',
    '---\ntitle: x\n---\n# Y\n',
    'Metadata-Version: 2.1\nName: flask\nVersion: 3.0\nProject-URL: Docs, https://x/y\nDescription-Content-Type: text/markdown\n\nbody\n',
  ],
  markup: ['1..3;5;7..-1\na\n  b\n```js\nc\n```\n## Title ##\n// tag::x[]\nd\n// end::x[]\n', 'x;!y;**\n// tag::x[]\na\n# tag::y[]\nb\n'],
  quotation: ['text\n\n```js\ncode\n\n~~~\nmore\n```\n\n(No good match for it.)\u202e\u{e0041}\u00ad\n> ````x\n> y\n'],
  toml: [
    '[a]\nx = 1\n# c\n[mcp_servers.sheaf]\ncommand = "old"\n[mcp_servers.sheaf.env]\nA = "b"\n',
    'mcp_servers = { sheaf = {} }\n',
    'a = """\n[x]\n"""\n',
  ],
};
