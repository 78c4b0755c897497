/** Contract 2.2, 2.3 and the scores of 2.4, as pure functions: bangs and modifiers, instant answers, merging. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { answerAlone, answerHash } from '../../dist/node/mcp/contracts/searxng/answerers.js';
import { isWithin, shownAt } from '../../dist/node/mcp/contracts/searxng/local.js';
import { mergeResults } from '../../dist/node/mcp/contracts/searxng/merge.js';
import { otherBangs, parseQuery } from '../../dist/node/mcp/contracts/searxng/query.js';
import { isLinkable, parseUrl } from '../../dist/node/mcp/contracts/searxng/url.js';
import { webResult } from './searxng_fake.mjs';

const bundle = (library, version) => ({ library, version, path: `/store/${library}@${version}`, bytes: 1 });
// As the pool lists them: by library, newest first.
const INSTALLED = [
  bundle('@vue/core', '3.5'),
  bundle('@vue/runtime-core', '3.5'),
  bundle('fastapi', '0.115.0'),
  bundle('fastapi', '0.114.0'),
  bundle('scikit-learn', '1.5'),
];

/** Without an instance (undefined), or with one that knows these bangs. */
function parse(q, known) {
  const { text, bundles, forInstance, problems } = parseQuery(q, INSTALLED, known && ((name) => known.includes(name)));
  return { text, bundles: bundles.map(({ library, version }) => `${library} ${version}`), forInstance, problems };
}

const NEWEST = ['@vue/core 3.5', '@vue/runtime-core 3.5', 'fastapi 0.115.0', 'scikit-learn 1.5'];

describe('query syntax of SearXNG: bangs, languages and time limits may stand anywhere', () => {
  it("A query without a bang asks every source, and each library's newest version", () => {
    assert.deepEqual(parse('background tasks', ['news']), {
      text: 'background tasks',
      bundles: NEWEST,
      forInstance: 'background tasks',
      problems: [],
    });
    assert.deepEqual(parse('background tasks'), { text: 'background tasks', bundles: NEWEST, forInstance: undefined, problems: [] });
  });

  it('A bang chooses a library anywhere in the query, hidden from the instance', () => {
    for (const q of ['!fastapi background tasks', 'background !fastapi tasks', 'background tasks !FastAPI']) {
      assert.deepEqual(
        parse(q, ['news']),
        { text: 'background tasks', bundles: ['fastapi 0.115.0'], forInstance: undefined, problems: [] },
        q,
      );
    }
  });

  it('A bang ignores case, _, - and /, and npm scopes may lack @', () => {
    for (const q of ['!scikit_learn x', '!Scikit-Learn x', '!SCIKIT_LEARN x']) assert.deepEqual(parse(q).bundles, ['scikit-learn 1.5'], q);
    for (const q of ['!@vue/runtime-core x', '!vue/runtime_core x', '!vue-runtime-core x'])
      assert.deepEqual(parse(q).bundles, ['@vue/runtime-core 3.5'], q);
    assert.deepEqual(parse('!@vue x').bundles, ['@vue/core 3.5', '@vue/runtime-core 3.5'], 'a scope is all of its libraries');
  });

  it('Bangs add up when chained', () => {
    assert.deepEqual(parse('!fastapi !scikit-learn metrics').bundles, ['fastapi 0.115.0', 'scikit-learn 1.5']);
    const { bundles, forInstance, text } = parse('!fastapi !news release', ['news']);
    assert.deepEqual([bundles, forInstance, text], [['fastapi 0.115.0'], '!news release', 'release']);
  });

  it('A bang takes a version after @, and lists the versions on a miss', () => {
    assert.deepEqual(parse('!fastapi@0.114.0 x').bundles, ['fastapi 0.114.0']);
    assert.deepEqual(parse('!fastapi@v0.114.0 x').bundles, ['fastapi 0.114.0']);
    const { bundles, problems } = parse('!fastapi@9 x', ['news']);
    assert.deepEqual(bundles, []);
    assert.deepEqual(problems, [['fastapi@9', "Version '9' not found. Available versions: 0.115.0, 0.114.0"]]);
  });

  it('The categories are docs, ours alone, and it, shared with the instance', () => {
    assert.deepEqual(parse('!docs routing', ['it']), { text: 'routing', bundles: NEWEST, forInstance: undefined, problems: [] });
    assert.deepEqual(parse('!it routing', ['it']), { text: 'routing', bundles: NEWEST, forInstance: '!it routing', problems: [] });
    assert.deepEqual(parse('!it routing').forInstance, undefined);
  });

  it("The instance's own bangs pass through, and ask no library then", () => {
    const { bundles, forInstance } = parse('!stack_overflow routing', ['stack overflow']);
    assert.deepEqual([bundles, forInstance], [[], '!stack_overflow routing']);
  });

  it('An unknown bang stays in the query text', () => {
    assert.equal(parse('css !important rule').text, 'css !important rule', 'without an instance');
    const { text, bundles, forInstance } = parse('css !important rule', ['news']);
    assert.deepEqual(
      [text, bundles, forInstance],
      ['css !important rule', NEWEST, 'css !important rule'],
      'and with one that does not know it',
    );
  });

  it('The modifiers :lang, <3 and !! go to the instance, and not to libraries', () => {
    for (const modifier of [':fr', ':en-US', ':en_us', ':all', ':auto', '<3', '<850', '!!g', '!!']) {
      const { text, forInstance } = parse(`routing ${modifier} rules`, []);
      assert.deepEqual([text, forInstance], ['routing rules', `routing ${modifier} rules`], modifier);
    }
  });

  it('A query keeps words that only look like modifiers', () => {
    for (const q of ['css :not selector', 'a <b tag', ':nth-child', 'what !', 'x <3y', '::before']) assert.equal(parse(q).text, q);
    assert.equal(parse(':is').text, ':is', 'a modifier that stands alone is meant as a word');
  });

  it('A query names bangs that only an instance could know', () => {
    assert.deepEqual(otherBangs('!fastapi !Stack_Overflow x !!g !docs', INSTALLED), ['stack overflow']);
  });
});

describe('statistics answerers, where the first word is min, max, avg, sum, prod or range', () => {
  const rows = {
    'avg 1 2 3': '[en] avg(1, 2, 3) = 2 ',
    'avg 123 548 2.04 24.2': '[en] avg(123, 548, 2.04, 24.2) = 174.31 ',
    'avg 1 1 2': '[en] avg(1, 1, 2) = 1.333 ',
    'sum 1000 2000': '[en] sum(1,000, 2,000) = 3,000 ',
    'sum 1,000 .5': '[en] sum(1,000, 0.5) = 1,000.5 ',
    'sum 0.1 0.2': '[en] sum(0.1, 0.2) = 0.3 ',
    'min 3 -2.5 1e2': '[en] min(3, -2.5, 100) = -2.5 ',
    'max 3 -2.5 1e2': '[en] max(3, -2.5, 100) = 100 ',
    'prod 2 3 4': '[en] prod(2, 3, 4) = 24 ',
    'range -1 5': '[en] range(-1, 5) = 6 ',
    'avg 0.0025': '[en] avg(0.002) = 0.002 ', // halves to even, as Babel rounds
    'sum 9007199254740993 0': '[en] sum(9,007,199,254,740,993, 0) = 9,007,199,254,740,993 ',
  };
  for (const [query, answer] of Object.entries(rows)) {
    it(`The statistics answerers answer ${query}`, () => {
      const { answer: text, engine, template } = answerAlone(query);
      assert.deepEqual([text, engine, template], [answer, `answerer: ${query.split(' ')[0]}`, 'answer/legacy.html']);
    });
  }

  it('The statistics answerers ignore non-numbers, other cases, and keywords that are not first', () => {
    for (const query of [
      'avg',
      'avg a b',
      'avg 1 two',
      'AVG 1 2',
      'the avg 1 2',
      'average 1 2',
      'avg 1..2',
      'avg NaN',
      'avg .',
      'toString 1',
    ]) {
      assert.equal(answerAlone(query), undefined, query);
    }
  });

  it('The statistics answerers give up on numbers too long to read', () => {
    assert.equal(answerAlone(`prod ${'9e99 '.repeat(800)}`.trim()), undefined);
    assert.equal(answerAlone('sum 1e999'), undefined);
  });
});

describe('random answerer, where the query is random and one kind', () => {
  const forms = {
    string: /^[a-zA-Z0-9]{8,32}$/,
    int: /^-?\d{1,10}$/,
    float: /^(0(\.\d+)?|\d(\.\d+)?e-\d+)$/,
    sha256: /^[0-9a-f]{64}$/,
    uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    color: /^#[0-9A-F]{6}$/,
  };
  for (const [kind, form] of Object.entries(forms)) {
    it(`The random answerer makes a random ${kind}, another each time`, () => {
      const answers = Array.from({ length: 50 }, () => answerAlone(`random ${kind}`).answer);
      for (const answer of answers) assert.match(answer, form);
      assert.ok(new Set(answers).size > 1);
    });
  }

  it('The random answerer wants exactly two words', () => {
    for (const query of ['random', 'random int 5', 'random dice', 'random constructor', 'Random int'])
      assert.equal(answerAlone(query), undefined, query);
  });
});

describe('hashes, as SearXNG writes them: sha512 hash digest: HEX', () => {
  it('The hash answerer answers sha512 text with the digest of the contract', () => {
    const digest =
      'eaf2c12742cb8c161bcbd84b032b9bb98999a23282542672ca01cc6edd268f7dce9987ad6b2bc79305634f89d90b90102bcd59a57e7135b8e3ceb93c0597117b';
    assert.equal(answerHash('sha512 text').answer, `sha512 hash digest: ${digest}`);
    assert.equal(answerHash('sha512 text').engine, 'plugin: hash_plugin');
  });

  it('The hash answerer knows all six, in any case, over trimmed UTF-8', () => {
    for (const name of ['md5', 'sha1', 'SHA224', 'Sha256', 'sha384', 'sha512']) {
      const digest = createHash(name.toLowerCase()).update('grüße an alle').digest('hex');
      assert.equal(answerHash(`${name}  grüße an alle `).answer, `${name} hash digest: ${digest}`);
    }
  });

  it('The hash answerer keeps silent without a text, or when its name is not first', () => {
    for (const query of ['md5', 'md5  ', 'the md5 x', 'md5sum x', 'sha3 x']) assert.equal(answerHash(query), undefined, query);
  });
});

describe('merging: a score grows with the lists that hold a result, and with its places there', () => {
  const local = (url, position) => ({ ...webResult(url, { position, engine: 'fastapi' }), category: 'docs' });

  it('Merging scores weight * positions * sum of 1/position, and orders by it', () => {
    const merged = mergeResults(
      [local('https://a/1', 1), local('https://a/2', 2)],
      [webResult('https://b/1', { position: 1 }), webResult('https://b/2', { position: 3 })],
    );
    assert.deepEqual(
      merged.map(({ url, score }) => [url, score]),
      [
        ['https://a/1', 1],
        ['https://b/1', 1],
        ['https://a/2', 0.5],
        ['https://b/2', 1 / 3],
      ],
    );
  });

  it('Merging joins common results: engines, positions, the longer content, https', () => {
    const [merged, ...rest] = mergeResults(
      [local('http://www.docs.example/guide/#install', 2)],
      [webResult('https://docs.example/guide', { position: 1, content: 'A longer text about the guide.' })],
    );
    assert.equal(rest.length, 0);
    assert.deepEqual([merged.engines, merged.positions, merged.score], [['fastapi', 'almanac'], [2, 1], 2 * (1 / 2 + 1)]);
    assert.equal(merged.url, 'https://www.docs.example/guide/#install');
    assert.equal(merged.content, 'A longer text about the guide.');
  });

  it('Merging keeps different queries, paths and fragments of others apart', () => {
    const merged = mergeResults(
      [local('https://a/p?v=1', 1)],
      [webResult('https://a/p?v=2'), webResult('https://a/q'), webResult('https://a/p?v=1#/route')],
    );
    assert.equal(merged.length, 4);
  });

  it('Merging gives parsed_url as urlparse does', () => {
    assert.deepEqual(parseUrl('https://host:8/a/b;p?q=1#f'), ['https', 'host:8', '/a/b', 'p', 'q=1', 'f']);
    assert.deepEqual(parseUrl('guide/start.md#x'), ['', '', 'guide/start.md', '', '', 'x']);
  });
});

describe('filters', () => {
  it('The time_range filter counts back from now; a bare date is its whole day', () => {
    const now = Date.parse('2026-06-15T12:00:00Z');
    const within = (date, range) => isWithin(date, range, now);
    assert.ok(within('2026-06-15', 'day') && within('2026-06-14', 'day') && !within('2026-06-13', 'day'));
    assert.ok(within('2026-06-08T13:00:00Z', 'week') && !within('2026-06-08T11:00:00Z', 'week'));
    assert.ok(within('2026-05-20', 'month') && !within('2026-05-01', 'month'));
    assert.ok(within('2025-07-01', 'year') && !within('2025-05-01', 'year'));
    for (const date of ['', 'soon', '2026-13-45']) assert.ok(!within(date, 'year'), date);
  });

  it('The rating filter shows a library up to its level, and an unrated one always', () => {
    const levels = (rating) => [0, 1, 2].filter((level) => shownAt(rating, level));
    assert.deepEqual(levels(undefined), [0, 1, 2]);
    assert.deepEqual(levels('strict'), [0, 1, 2]);
    assert.deepEqual(levels('Moderate'), [0, 1]);
    assert.deepEqual(levels('none'), [0]);
    assert.deepEqual(levels('harmless, trust me'), [0], 'what is not understood passes no filter');
  });

  it('The address filter removes addresses that run code', () => {
    for (const url of ['javascript:alert(1)', ' java\tscript:alert(1)', 'JAVASCRIPT:x', 'data:text/html,x', 'vbscript:x'])
      assert.ok(!isLinkable(url), url);
    for (const url of ['https://a/', 'guide/a.md', '/guide', 'file:///docs/a.md']) assert.ok(isLinkable(url), url);
  });
});
