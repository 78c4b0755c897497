/** Texts that resemble a seed: what breaks readers is put in, doubled, removed or moved. The same numbers give the same texts. */

export function numbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  ...['\n', '\r', '\u2028', '\t', ' ', '\u0000', '\ud800', '\udc41', '\u202e', '\u{e0041}', '\ufeff', '\u00ad', 'é', '中'],
  ...['"', "'", '`', '```', '~~~', '<', '>', '</', '<!--', '-->', '[', ']', '{', '}', '(', ')', '\\', '/', '//', '/*', '*/'],
  ...[':', '# ', '- ', '  ', '=', '==', '"""', ',', ';', '@', '#', '&', '%', '..', '__proto__', 'constructor', 'null', 'true'],
  ...['0', '-1', '1e999', '99999999999999999999', 'http://', 'https://x/', 'javascript:', '../', '?', '|', '*', '$', '(No good match'],
];

/** `other` is a text to splice with. */
export function mutated(text, below, other = '') {
  let out = text;
  for (let edits = 1 + below(4); edits > 0; edits--) {
    const at = below(out.length + 1);
    const piece = PIECES[below(PIECES.length)];
    const kind = below(7);
    if (kind === 0) out = out.slice(0, at) + piece + out.slice(at);
    else if (kind === 1) out = out.slice(0, at) + out.slice(at + 1 + below(4));
    else if (kind === 2) out = out.slice(0, at) + piece.repeat(1 + below(30)) + out.slice(at);
    else if (kind === 3) out = out.slice(0, at) + out.slice(at + below(out.length - at + 1));
    else if (kind === 4) out = out.slice(0, at) + out.slice(below(at + 1), at) + out.slice(at);
    else if (kind === 5) out = out.slice(0, at) + piece + out.slice(at + piece.length);
    else out = out.slice(0, at) + other.slice(below(other.length + 1));
  }
  return out.slice(0, 8192);
}
