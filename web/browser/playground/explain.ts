/** A hit's ingredients as a picture: what its words, its meaning and its page added to its score. */
import type { Explanation, MatchKind } from '../client/types.js';
import { h } from './dom.js';

/** Of a score from 0 to 1. */
export interface Share {
  kind: 'words' | 'meaning' | 'page';
  name: string;
  value: number;
}

/** Pure. */
export function sharesOf({ keyword, semantic, semanticWeight, pageBonus }: Explanation): Share[] {
  return [
    { kind: 'words', name: 'words', value: keyword * (1 - semanticWeight) },
    { kind: 'meaning', name: 'meaning', value: semantic * semanticWeight },
    { kind: 'page', name: 'page', value: pageBonus },
  ];
}

const FOUND: Readonly<Record<MatchKind, string>> = {
  exact: 'as it is',
  stem: 'in another form',
  part: 'as a part of a name',
  joined: 'joined',
  prefix: 'unfinished',
  typo: 'mistyped',
  wording: 'in another wording',
  synonym: 'by your synonym',
  pinned: 'by your pin',
};

export function drawExplanation(explanation: Explanation, score: number): HTMLElement {
  const shares = sharesOf(explanation).filter(({ value }) => value > 0.0005);
  const bar = h('div', { className: 'bar', role: 'img', label: `Score ${score.toFixed(2)}: ${told(shares)}` });
  for (const { kind, value } of shares) {
    const part = h('span', { className: kind });
    part.style.width = `${Math.min(100, value * 100)}%`;
    bar.append(part);
  }
  const terms = [...explanation.terms].sort((a, b) => b.score - a.score);
  const most = Math.max(...terms.map(({ score: each }) => each), 1e-9);
  const list = h('ul', { className: 'terms' });
  for (const { word, term, kind, score: each, idf, frequency } of terms) {
    const meter = h('span', { className: 'meter' });
    meter.style.width = `${(each / most) * 4}em`;
    const isRule = kind === 'synonym' || kind === 'pinned';
    const name = h('b', {}, word);
    const how = h(
      'span',
      { className: isRule ? 'rule' : '' },
      ` ${FOUND[kind]}${!isRule && term !== word ? `: ${term}` : ''}`,
    );
    list.append(
      h(
        'li',
        { title: `rarity ${idf.toFixed(2)}, frequency ${frequency.toFixed(2)}, adds ${each.toFixed(2)}` },
        meter,
        ' ',
        name,
        how,
      ),
    );
  }
  const numbers = `${told(shares)}; share of meaning ${percent(explanation.semanticWeight)}, cosine ${explanation.cosine.toFixed(2)}, words found ${percent(explanation.coverage)}`;
  return h('div', { className: 'explanation' }, bar, h('p', { className: 'numbers' }, numbers), list);
}

function told(shares: readonly Share[]): string {
  return shares.map(({ name, value }) => `${name} ${value.toFixed(2)}`).join(', ');
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
