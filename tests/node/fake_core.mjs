/**
 * A stand-in for the WASM core that implements wasm/module.d.ts over a toy format, so that the client
 * can be tested without the real one, down to the moment and order of each call.
 *
 * Toy file: 1024 bytes of JSON {library, version, pages, space}, padded with spaces; then one block of
 * 10,000 bytes per page, its text padded with spaces. A query is a list of page numbers, "3 1": the
 * answer holds those pages in that order and needs their blocks. "trap" traps the core; "too much"
 * makes it run out of memory; "stuck" asks for the same byte forever. A block that begins with "!" does
 * not match its checksum. An encoder table is the JSON {"space": …} in 1024 bytes.
 *
 * Memory moves on every call, as growing WASM memory does: an old view of it reads zeros.
 */
export const HEAD = 1024;
export const BLOCK = 10_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function makeFile({ library = 'kiln', version = '1.0', pages = 8, space = '', stamp = 'first', damaged = [] } = {}) {
  const bytes = new Uint8Array(HEAD + pages * BLOCK).fill(0x20);
  bytes.set(encoder.encode(JSON.stringify({ library, version, pages, space })));
  for (let i = 0; i < pages; i++) bytes.set(encoder.encode(`page ${i} of ${version}, ${stamp}`), HEAD + i * BLOCK);
  for (const i of damaged) bytes[HEAD + i * BLOCK] = 0x21;
  return bytes;
}

export function makeTable(space) {
  const bytes = new Uint8Array(HEAD).fill(0x20);
  bytes.set(encoder.encode(JSON.stringify({ space })));
  return bytes;
}

/** Writes messages as wasm/module.d.ts describes them. */
export class Writer {
  bytes = [];
  u8(value) {
    this.bytes.push(value);
    return this;
  }
  varint(value) {
    while (value >= 128) {
      this.bytes.push((value % 128) + 128);
      value = Math.floor(value / 128);
    }
    this.bytes.push(value);
    return this;
  }
  f32(value) {
    this.bytes.push(...new Uint8Array(new Float32Array([value]).buffer));
    return this;
  }
  string(value) {
    const utf8 = encoder.encode(value);
    this.varint(utf8.length);
    this.bytes.push(...utf8);
    return this;
  }
  list(items, write) {
    this.varint(items.length);
    for (const item of items) write(this, item);
    return this;
  }
  done() {
    return Uint8Array.from(this.bytes);
  }
}

export const answer = () => new Writer().u8(0);
export const needs = (ranges) => new Writer().u8(1).list(ranges, (w, r) => w.u8(r.source).varint(r.offset).varint(r.length));
export const failure = (code, message) => new Writer().u8(2).u8(code).string(message);

export function writeHit(w, hit) {
  const marks = (list) => w.list(list, (v, h) => v.varint(h.start).varint(h.length));
  w.varint(hit.page).varint(hit.passage).f32(hit.score).string(hit.title);
  w.list(hit.place, (v, s) => v.string(s));
  w.string(hit.url).string(hit.source).string(hit.anchor);
  w.list(hit.headings, (v, s) => v.string(s))
    .varint(hit.firstLine)
    .varint(hit.lastLine)
    .u8(['heading', 'code', 'text'].indexOf(hit.kind))
    .string(hit.snippet);
  marks(hit.highlights);
  marks(hit.titleHighlights);
  marks(hit.headingHighlights);
  w.list(Object.entries(hit.meta ?? {}), (v, [key, value]) => v.string(key).string(value));
  const { symbol } = hit;
  w.u8(symbol ? 1 : 0);
  if (symbol)
    w.u8(2)
      .u8(symbol.deprecated ? 1 : 0)
      .string(symbol.name)
      .string(symbol.signature); // a function
  const e = hit.explanation;
  w.u8(e ? 1 : 0);
  if (!e) return;
  for (const value of [e.keywordRaw, e.keyword, e.cosine, e.semantic, e.semanticWeight, e.coverage, e.pageBonus]) w.f32(value);
  w.list(e.terms, (v, t) => {
    v.string(t.word).string(t.term).u8(['exact', 'stem', 'part', 'joined', 'prefix', 'typo', 'wording'].indexOf(t.kind));
    for (const value of [t.idf, t.weight, t.frequency, t.score]) v.f32(value);
  });
}

export function hitOf(page, title) {
  return {
    page,
    passage: page * 2,
    score: 1 / (page + 1),
    title,
    place: [],
    url: `/p${page}`,
    source: `p${page}.md`,
    anchor: '',
    headings: [],
    firstLine: 1,
    lastLine: 2,
    kind: 'text',
    snippet: title,
    highlights: [{ start: 0, length: 4 }],
    titleHighlights: [],
    headingHighlights: [],
  };
}

/** A module with a log of the calls to its cores, and the number of live cores. */
export function makeFakeModule() {
  const cores = new Map();
  const module = { memory: { buffer: new ArrayBuffer(64) }, log: [], live: 0, exhausted: false };
  const bytes = () => new Uint8Array(module.memory.buffer);

  /** Moves the memory: old views keep their length and lose their contents. */
  function place(content, size = content.length) {
    const next = new Uint8Array(size + 64);
    next.set(content, 32);
    bytes().fill(0);
    module.memory.buffer = next.buffer;
    return 32;
  }

  class FakeCore {
    #sources = [undefined, undefined];
    #staged = new Uint8Array(0);
    #room = false; // staged bytes are in memory, not yet read
    #address = 0;
    #info;
    #deleted = false;

    constructor() {
      module.live++;
    }

    setSource(source, size) {
      this.#check('setSource', source, size);
      this.#sources[source] = { size, bytes: new Uint8Array(size), have: new Uint8Array(size) };
      if (source === 0) this.#info = undefined;
      return this.#reply(answer());
    }
    stage(size) {
      this.#check('stage', size);
      this.#staged = new Uint8Array(size);
      this.#room = true;
      return place(new Uint8Array(0), size);
    }
    supply(source, offset) {
      const given = this.#taken();
      this.#check('supply', source, offset, given.length);
      const held = this.#sources[source];
      if (offset + given.length > held.size) return this.#reply(failure(10, 'past the end'));
      held.bytes.set(given, offset);
      held.have.fill(1, offset, offset + given.length);
      return this.#reply(answer());
    }
    open() {
      this.#check('open');
      const head = this.#head(0);
      if (head.reply) return this.#reply(head.reply);
      const info = head.json;
      this.#info = info;
      return this.#reply(
        answer()
          .string(info.library)
          .string(info.version)
          .string('{"title":"Kiln"}')
          .varint(info.pages)
          .varint(info.pages * 2)
          .varint(99)
          .varint(info.space ? 4 : 0)
          .varint(info.space ? 8 : 0)
          .u8(0)
          .string(info.space)
          .varint(this.#sources[0].size)
          .string(''),
      );
    }
    openEncoder() {
      this.#check('openEncoder');
      const head = this.#head(1);
      if (head.reply) return this.#reply(head.reply);
      if (head.json.space !== this.#info.space) return this.#reply(failure(40, `the encoder is of space ${head.json.space}`));
      return this.#reply(answer().string(head.json.space));
    }
    search(mode, topK, flags, weight, dimensions, chosen) {
      const given = this.#taken();
      const vector = dimensions > 0 ? Array.from(new Float32Array(given.buffer, 0, dimensions)) : undefined;
      const selection = decoder.decode(given.subarray(4 * dimensions, 4 * dimensions + chosen));
      const text = decoder.decode(given.subarray(4 * dimensions + chosen));
      this.#check('search', text, mode, topK, flags, weight, selection, ...(vector ? [vector] : []));
      if (!this.#info) return this.#reply(failure(90, 'search before open'));
      module.exhausted = text === 'too much';
      if (module.exhausted || text === 'trap') throw new WebAssembly.RuntimeError('unreachable');
      if (text === 'stuck') return this.#reply(needs([{ source: 0, offset: 0, length: 1 }]));
      const pages = text
        .split(' ')
        .filter((word) => /^\d+$/.test(word))
        .map(Number)
        .slice(0, topK);
      const missing = pages.filter((page) => !this.#has(0, HEAD + page * BLOCK, BLOCK));
      if (missing.length > 0) return this.#reply(needs(missing.map((page) => ({ source: 0, offset: HEAD + page * BLOCK, length: BLOCK }))));
      if (pages.some((page) => this.#text(page).startsWith('!')))
        return this.#reply(failure(24, 'a block does not match its checksum; the file is damaged, fetch it again'));
      const message = answer()
        .varint(pages.length)
        .varint(0)
        .u8(1)
        .u8(vector ? 1 : 0)
        .u8(0)
        .varint(0);
      message.list(pages, (w, page) => writeHit(w, hitOf(page, this.#text(page)))).string(flags & 32 ? 'author\tAnne\t2\n' : '');
      return this.#reply(message);
    }
    embed() {
      const text = decoder.decode(this.#taken());
      this.#check('embed', text);
      return this.#reply(answer().list([0.5, -0.25, text.length], (w, value) => w.f32(value)));
    }
    page(id) {
      this.#check('page', id);
      if (id >= this.#info.pages) return this.#reply(failure(50, `there is no page ${id}`));
      const offset = HEAD + id * BLOCK;
      if (!this.#has(0, offset, BLOCK)) return this.#reply(needs([{ source: 0, offset, length: BLOCK }]));
      const half = (part, text) => (w) =>
        w
          .varint(id * 2 + part)
          .varint(id)
          .string('')
          .varint(0)
          .varint(0)
          .varint(0)
          .string(text);
      return this.#reply(
        answer()
          .varint(id)
          .string(`Page ${id}`)
          .string(`/p${id}`)
          .string(`p${id}.md`)
          .string('')
          .string('2024-06-01')
          .list([half(0, 'one '), half(1, this.#text(id))], (w, write) => write(w)),
      );
    }
    findPage() {
      const name = decoder.decode(this.#taken());
      this.#check('findPage', name);
      const match = /^\/?p(\d+)(\.md)?$/.exec(name);
      return this.#reply(match ? answer().varint(Number(match[1])) : failure(50, `no page is called ${name}`));
    }
    passage(id) {
      this.#check('passage', id);
      return this.#reply(
        answer()
          .varint(id)
          .varint(id >> 1)
          .string('top')
          .list(['A', 'B'], (w, s) => w.string(s))
          .varint(3)
          .varint(4)
          .string('text'),
      );
    }
    verify() {
      this.#check('verify');
      const { size } = this.#sources[0];
      if (!this.#has(0, 0, size)) return this.#reply(needs([{ source: 0, offset: 0, length: size }]));
      return this.#reply(answer().varint(size / 256));
    }
    messageAddress() {
      return this.#address;
    }
    destroy() {
      this.#check('destroy');
      this.#deleted = true;
      module.live--;
    }

    #check(...call) {
      if (this.#deleted) throw new Error('called after destroy');
      module.log.push(call);
    }
    /** The staged bytes. The first call that needs them reads them, because the next call moves memory. */
    #taken() {
      if (this.#room) this.#staged = bytes().slice(32, 32 + this.#staged.length);
      this.#room = false;
      return this.#staged;
    }
    #reply(writer) {
      const message = writer.done();
      this.#address = place(message);
      return message.length;
    }
    #has(source, offset, length) {
      return this.#sources[source].have.subarray(offset, offset + length).every((byte) => byte === 1);
    }
    #head(source) {
      if (this.#sources[source].size < HEAD) return { reply: failure(23, 'the file ends within its head') };
      if (!this.#has(source, 0, HEAD)) return { reply: needs([{ source, offset: 0, length: HEAD }]) };
      try {
        return { json: JSON.parse(decoder.decode(this.#sources[source].bytes.subarray(0, HEAD))) };
      } catch {
        return { reply: failure(20, 'this is not a toy file') };
      }
    }
    #text(page) {
      const offset = HEAD + page * BLOCK;
      return decoder.decode(this.#sources[0].bytes.subarray(offset, offset + BLOCK)).trim();
    }
  }

  module.create = () => {
    cores.set(cores.size + 1, new FakeCore());
    return cores.size;
  };
  for (const name of Object.getOwnPropertyNames(FakeCore.prototype).filter((each) => each !== 'constructor')) {
    module[name] = (core, ...args) => cores.get(core)[name](...args);
  }
  module.outOfMemory = () => (module.exhausted ? 1 : 0);
  return module;
}
