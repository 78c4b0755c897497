/**
 * The skill that ships with the package (skills/sheaf/SKILL.md), served as the protocol's extension for skills has it
 * (SEP-2640, `io.modelcontextprotocol/skills`): one skill of one file, listed by `skills/list`, described by `skills/get`,
 * and read as a resource. Its text is about the default tools, so it is served with them alone (sets.ts).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
export const SKILL_FILE = fileURLToPath(new URL('../../../skills/sheaf/SKILL.md', import.meta.url));
export const SKILL_URI = 'skill://sheaf/SKILL.md';

/** As `skills/list` has it. */
export interface SkillEntry {
  uri: string;
  frontmatter: Record<string, string>;
  resources: { uri: string; digest: string; size: number }[];
  [key: string]: unknown;
}

export interface Skill {
  entry: SkillEntry;
  text: string;
}

/** Error: the file is missing, or has no front matter. */
export async function readSkill(): Promise<Skill> {
  const bytes = await readFile(SKILL_FILE);
  const text = bytes.toString('utf8');
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return {
    text,
    entry: {
      uri: SKILL_URI,
      frontmatter: frontmatterOf(text),
      resources: [{ uri: SKILL_URI, digest, size: bytes.length }],
    },
  };
}

/** Lines of `key: text`, which is all that ours has. */
function frontmatterOf(text: string): Record<string, string> {
  const block = /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '';
  const lines = [...block.matchAll(/^([\w-]+): (.+)$/gm)].map(([, key = '', value = '']) => [key, value] as const);
  return Object.fromEntries(lines);
}
