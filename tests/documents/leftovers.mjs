/**
 * Finds in passages what no reader should meet: marks of generators and templates that were not read, and page
 * furniture. A passage is judged as it is shown: by its blocks (blocks.ts), of which code and code spans are left alone.
 *
 * Each kind is one defect of packing. `leftovers` judges one passage; `repeatedBlocks` and `sharedAffixes` judge a set.
 */

/** Stands for a code span, so that marks around it can be seen. */
const CODE = '\u0000';

const HTML =
  'a|abbr|b|big|blockquote|br|button|center|code|dd|del|details|div|dl|dt|em|figure|font|form|h[1-6]|hr|i|iframe|img|input|kbd|li|ol|p|pre|script|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|th|thead|tr|tt|u|ul|video';

/** The entities that people write; any other name between & and ; may be a variable. */
const ENTITIES =
  'amp|lt|gt|quot|apos|nbsp|[nm]dash|hellip|copy|reg|trade|[lr]aquo|[lr][sd]quo|[lurdh]arr|[lrh]Arr|times|divide|deg|plusmn|middot|bull|para|sect|shy|zwn?j|e[nm]sp|thinsp|check|cross|quest|excl|num|colon|semi|comma|period|lpar|rpar|[lr]s?qb|[lr]c?ub|lbrac[ek]|rbrac[ek]|vert|verbar|bsol|sol|ast|lowbar|grave|equals|dollar|percnt|commat|minus|infin|ne|le|ge|asymp|[a-zA-Z](?:acute|grave|circ|uml|tilde|cedil|ring|slash|caron)|szlig|[aA][eE]lig|iexcl|iquest|euro|pound|yen|cent|micro|frac\\d\\d|sup[123]';

/** Regular expressions are linear: each repetition is bounded or stops at a character of its own. */
const KINDS = {
  template: [/\{\{[<%#~-]?\s{0,9}[\w./@"'{$]/, /\{%-?\s{0,9}\w/, /(?:^|\n)<%[=#-]?\s/],
  attribute: [/\{:\s?[^}\n]{1,200}\}/, /(?<![{$])\{\s?[#.][A-Za-z][\w-]*(?:[^}\n]{0,120})\}/],
  role: [
    new RegExp(`(?:^|[\\s(,])~?:[A-Za-z][\\w+.-]{0,30}(?::[\\w+.-]{1,30}){0,2}:${CODE}`),
    new RegExp(`\\{[A-Za-z][\\w:-]{0,30}\\}${CODE}`),
    /(?:^|[\s(,]):(?:ref|doc|class|func|meth|mod|attr|term|option|envvar|setting|ticket|kbd|file|samp|command):`/,
    new RegExp(`${CODE}__?(?=[\\s.,;)]|$)`),
  ],
  directive: [/(?:^|\n)\s{0,20}\.\. (?:[\w:.+-]{1,60}::|_[^\n]{1,120}:\s*(?:\n|$)|\|[^|\n]{1,80}\|)/],
  container: [/(?:^|\n)\s{0,20}(?::{3,}|!{3}\s|\?{3}\+?\s|={3}\+?!?\s")/, /^\[!\w{1,20}\]/],
  wiki: [/(?<![\w\]])!?\[\[[^\]\n]{1,200}\]\]/],
  asciidoc: [
    /(?:^|\n)\[(?:source|NOTE|TIP|WARNING|IMPORTANT|CAUTION|cols|subs|horizontal|quote|discrete|%)[^\]\n]{0,200}\]/,
    /(?:^|\n)(?:image::|include::|ifdef::|ifndef::|ifeval::|endif::|\|===|toc::)/,
    /(?:^|\s)(?:xref|link):[^\s[\]]{1,200}\[/,
    /<<[\w#./:-]{1,120}(?:,[^>\n]{0,120})?>>/,
  ],
  roff: [/(?:^|\n)\.(?:SH|SS|TH|PP|LP|TP|IP|BR|RS|RE|nf|fi|Dd|Dt|Sh|Ss|Nm|Pp|It|Bl|El)\b/, /\\f[BIRP]/],
  jsx: [
    /(?:^|\n)import\s[^\n]{1,200}\sfrom\s{0,3}\\?['"]/,
    /(?:^|\n)export (?:const|default|function)\s/,
    /(?<![\w)])<\/?[A-Z][\w.]{0,60}(?:\s{1,9}[\w-]{1,40}=|\s{0,9}\/>)/,
    /(?<![\w)])<\/[A-Z][\w.]{0,60}>/,
    /\{\/\*/,
  ],
  tag: [new RegExp(`<(?:${HTML})(?:\\s{1,9}[\\w:-]{1,40}\\s?=|\\s{0,3}/>)`, 'i'), new RegExp(`</(?:${HTML})>`, 'i'), /<!--/],
  entity: [new RegExp(`&(?:#\\d{2,6}|#x[\\da-fA-F]{2,6}|${ENTITIES});`)],
  permalink: [/¶|🔗|\b(?:Permalink|Link) to this (?:heading|headline|definition|section|term|table|image|code)/, /.\s#$/],
};

/** Words of buttons and of links to sources, where they end a heading, make a block, or end one. */
const CONTROLS = {
  heading: /\s(?:collapse|\[src\]|\[[−+-]\]|↑|⚓︎?|#)$/,
  block:
    /^(?:# ?)?(?:click to toggle source|view source|show source|copy(?: to clipboard| item path)?|edit (?:this page|on github)|skip to (?:main )?content|back to top|toggle navigation|collapse all|expand all)$/i,
  tail: /:: [^\n]{1,400} Source(?=\s|$)|\s(?:More\.\.\.|Read more)$/,
};

/** Kinds that `leftovers` may report, besides `repeated`, which only a whole set shows. */
export const LEFTOVERS = [...Object.keys(KINDS), 'control', 'numbers', 'codeLines', 'repeated'];

/** A block's words, code spans as one character. */
function prose({ runs }) {
  return runs.map(({ text, looks }) => (looks.includes('code') ? CODE : text)).join('');
}

/** A block's words as shown. */
export function wordsOf({ runs }) {
  return runs
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether six or more numbers in a row count upwards by one: line numbers of a listing. */
function hasLineNumbers(text) {
  let run = 0;
  let last = Number.NaN;
  for (const word of text.split(/\s+/)) {
    const number = /^\d{1,6}$/.test(word) ? Number(word) : Number.NaN;
    run = number === last + 1 ? run + 1 : Number.isNaN(number) ? 0 : 1;
    last = number;
    if (run >= 6) return true;
  }
  return false;
}

const isCodeLine = (block) =>
  block.kind === 'paragraph' &&
  block.runs.length > 0 &&
  (block.runs.every(({ looks, text }) => looks.includes('code') || text.trim() === '') ||
    /^[^.!?]*(?:;|(?<![{}%])[{}])$/.test(wordsOf(block)));

/** Formulas: their braces are no template. */
const FORMULA = /\$\$?[^$\n]{1,400}\$\$?|\\[([][^\n]{1,400}?\\[)\]]|\\(?:frac|begin|left|mathbf|sum|sqrt)\b/g;

/** What is left in one passage: `{ kind, sample }`, each kind once. */
export function leftovers(blocks) {
  const found = new Map();
  const note = (kind, sample) => found.has(kind) || found.set(kind, sample.slice(0, 240));
  let codeLines = 0;
  for (const block of blocks) {
    if (block.kind === 'code') {
      codeLines = 0;
      continue;
    }
    codeLines = isCodeLine(block) ? codeLines + 1 : 0;
    if (codeLines === 4) note('codeLines', wordsOf(block));
    const text = prose(block).replace(FORMULA, ' ');
    for (const [kind, patterns] of Object.entries(KINDS)) {
      if (kind === 'permalink' && block.kind === 'cell') continue;
      const match = patterns.map((pattern) => pattern.exec(text)).find(Boolean);
      if (match)
        note(
          kind,
          text
            .slice(Math.max(0, match.index - 60))
            .replaceAll(CODE, '`…`')
            .replace(/\s+/g, ' '),
        );
    }
    const control = block.kind === 'heading' ? CONTROLS.heading : CONTROLS.block;
    if (control.test(text.trim()) || CONTROLS.tail.test(text)) note('control', text);
    if (block.kind !== 'cell' && hasLineNumbers(text)) note('numbers', text);
  }
  return [...found].map(([kind, sample]) => ({ kind, sample }));
}

/** A set below this number of pages has no block that can be said to stand on most of them. */
const FEWEST = 12;

/**
 * The blocks of words that stand on more than half of the pages: menus, footers, buttons. `pages` are lists of blocks.
 * Headings, cells and code are not judged: reference pages share them rightly. A short block counts only as one of
 * three in a row, since a label ("Returns:") may well stand on most pages.
 */
export function repeatedBlocks(pages) {
  if (pages.length < FEWEST) return new Set();
  const counts = new Map();
  for (const blocks of pages) {
    const words = new Set(blocks.filter(judged).map(wordsOf));
    for (const each of words) counts.set(each, (counts.get(each) ?? 0) + 1);
  }
  return new Set([...counts].filter(([words, count]) => words !== '' && count > pages.length / 2).map(([words]) => words));
}

const judged = ({ kind }) => kind === 'paragraph' || kind === 'item' || kind === 'quote';

/** The first repeated block of a passage that is furniture, or undefined. */
export function repeatedIn(blocks, repeated) {
  let row = 0;
  for (const block of blocks) {
    const words = judged(block) ? wordsOf(block) : '';
    row = repeated.has(words) ? row + 1 : 0;
    if (row > 0 && (row >= 3 || words.length >= 24)) return words;
  }
  return undefined;
}

/**
 * Files that generators write besides documentation: listings of sources, indexes, lists of members, searches. A page
 * counts by its path, so that the scanner judges a packer's choice by another rule than the packer has.
 */
const GENERATED =
  /(?:^|\/)(?:genindex(?:-\w+)?|py-modindex|search|_modules\/.*|_sources\/.*|src-html\/.*|class-use\/.*|index-all|index-files\/.*|allclasses(?:-\w+)?|allpackages-index|overview-tree|package-tree|package-use|constant-values|serialized-form|deprecated-list|help-doc|.*_source|.*-members|annotated|classes|hierarchy|inherits|files|globals(?:_\w+)?|functions(?:_\w+)?|namespacemembers(?:_\w+)?|namespaces|dir_[\da-f]{8,}|graph_legend|doxygen_crawl|src\/.*|all|class_list|method_list|file_list|top-level-namespace|_index|frames|doc-index(?:-\w+)?|mini_.*|table_of_contents|api-reference|404)\.(?:x?html?|txt)$/i;

export const isGenerated = (source) => GENERATED.test(source);

/** How many titles begin or end with words that most titles of the set share, and these words. */
export function sharedAffix(titles) {
  const counts = new Map();
  for (const title of titles) {
    const parts = title.split(/\s*(?:\s[-–—|·:]{1,2}\s|::|(?<=\w):\s|(?=\())\s*/);
    if (parts.length < 2) continue;
    for (const each of new Set([`${parts[0]} …`, `… ${parts.at(-1)}`])) counts.set(each, (counts.get(each) ?? 0) + 1);
  }
  const [affix, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  return titles.length >= FEWEST && count > titles.length / 2 ? { affix, count } : { affix: '', count: 0 };
}
