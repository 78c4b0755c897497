/** The skill: true to the tools it is about, and served as the protocol's extension for skills has it. The server card. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, describe, it } from 'node:test';
import { GetSkillResultSchema, ListSkillsResultSchema } from '@modelcontextprotocol/core/ext/skills';
import { connect, ERAS, listen } from './mcp_client.mjs';
import { freshFolder } from './mcp_tools.mjs';
import { MAIN } from './packed.mjs';

const SKILL = readFileSync(new URL('../../skills/sheaf/SKILL.md', import.meta.url), 'utf8');
const open = new Set();
afterEach(async () => {
  for (const each of open) await each.close();
  open.clear();
});
async function server(options) {
  const made = await connect({ store: freshFolder('store'), ...options });
  open.add(made);
  return made;
}

describe('the skill', () => {
  it('The skill names each tool of the default set, and no tool or argument that there is not', async () => {
    const { tools } = await (await server()).client.listTools();
    const known = new Set(tools.flatMap(({ name, inputSchema }) => [name, ...Object.keys(inputSchema.properties ?? {})]));
    for (const { name } of tools) assert.ok(SKILL.includes(`\`${name}\``), name);
    const words = [...SKILL.matchAll(/`([a-z]+(?:_[a-z]+)*)(?:: [^`]*)?`/g)].map(([, word]) => word);
    const others = new Set(['latest', 'timeout']);
    assert.deepEqual(
      words.filter((word) => !known.has(word) && !others.has(word)),
      [],
    );
  });

  it('The skill names commands that there are', () => {
    const commands = [...SKILL.matchAll(/`sheaf ([a-z-]+)((?: --[a-z-]+| -[a-z])*)/g)];
    assert.ok(commands.length >= 4);
    for (const [, verb, flags] of commands) {
      const { status, stdout } = spawnSync(process.execPath, [MAIN, 'help', verb], { encoding: 'utf8' });
      assert.equal(status, 0, verb);
      for (const flag of flags.trim().split(' ').filter(Boolean)) assert.ok(stdout.includes(flag), `${verb} ${flag}`);
    }
  });

  it('The skill is of the standard’s form: a name as its folder, a description, and a text that is read at once', () => {
    const [, block, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(SKILL);
    assert.match(block, /^name: sheaf\ndescription: [^\n]{50,1024}$/);
    assert.ok(body.split('\n').length < 100 && body.length < 5000);
  });

  for (const era of ERAS)
    it(`A server lists, describes and serves the skill in the ${era} era of the protocol`, async () => {
      const { client } = await server({ era });
      const request = (method, params, schema) => client.request({ method, params }, schema);
      assert.deepEqual(client.getServerCapabilities().extensions, { 'io.modelcontextprotocol/skills': {} });
      const { skills } = await request('skills/list', {}, ListSkillsResultSchema);
      assert.deepEqual(
        skills.map(({ uri, frontmatter }) => [uri, frontmatter.name]),
        [['skill://sheaf/SKILL.md', 'sheaf']],
      );
      const [file] = skills[0].resources;
      const { contents } = await client.readResource({ uri: file.uri });
      assert.equal(contents[0].text, SKILL);
      assert.equal(file.digest, `sha256:${createHash('sha256').update(contents[0].text).digest('hex')}`);
      assert.equal(file.size, Buffer.byteLength(SKILL));
      const { skill } = await request('skills/get', { uri: file.uri }, GetSkillResultSchema);
      assert.deepEqual(skill, skills[0]);
      await assert.rejects(request('skills/get', { uri: 'skill://other/SKILL.md' }, GetSkillResultSchema), /no skill skill:\/\/other/);
    });

  it('A server whose tools the skill is not about has none', async () => {
    const { client } = await server({ args: ['--tools', 'searxng'] });
    assert.equal(client.getServerCapabilities().extensions, undefined);
  });
});

describe('the server card', () => {
  it('A server over HTTP says where it is before a client connects, and that it wants a token', async () => {
    for (const token of [undefined, 'secret']) {
      const http = await listen({ store: freshFolder('store'), env: token === undefined ? {} : { SHEAF_MCP_TOKEN: token } });
      open.add(http);
      const answer = await fetch(`${http.url}/server-card`);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/mcp-server-card+json');
      const card = await answer.json();
      assert.equal(card.$schema, 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json');
      assert.match(card.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
      assert.ok(card.description.length <= 100);
      assert.deepEqual(
        card.remotes.map(({ type, url, headers = [] }) => [type, url, headers.map(({ name, isSecret }) => [name, isSecret])]),
        [['streamable-http', http.url, token === undefined ? [] : [['Authorization', true]]]],
      );
      assert.equal((await fetch(`${http.url}/server-card`, { headers: { origin: 'https://evil.example' } })).status, 403);
    }
  });
});
