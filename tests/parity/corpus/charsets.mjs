/** HTML pages in the old encodings: each declares one and holds every character that it can write, and some it cannot. */

const ONE_BYTE = [
  'ibm866',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-8-i',
  'iso-8859-9',
  'iso-8859-10',
  'iso-8859-11',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'x-mac-roman',
  'windows-874',
  'tis-620',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'x-mac-cyrillic',
  'cp1252',
  'latin1',
  'l1',
  'us-ascii',
  'ascii',
  'csisolatin2',
  'cp866',
  'cp1251',
  'x-cp1250',
  'iso8859-1',
  'iso_8859-5',
  'koi',
  'arabic',
]; // prettier-ignore

const TWO_BYTES = [
  'gbk',
  'gb2312',
  'x-gbk',
  'chinese',
  'gb18030',
  'big5',
  'big5-hkscs',
  'cn-big5',
  'euc-jp',
  'x-euc-jp',
  'shift_jis',
  'sjis',
  'shift-jis',
  'x-sjis',
  'windows-31j',
  'ms_kanji',
  'euc-kr',
  'korean',
  'ks_c_5601-1987',
  'windows-949',
]; // prettier-ignore

/** Not read: unknown ones, and those in which ASCII bytes mean something else. */
const REFUSED = [
  'iso-2022-jp',
  'iso-2022-kr',
  'hz-gb-2312',
  'utf-7',
  'ibm037',
  'cp437',
  'scsu',
  'bocu-1',
  'x-user-defined',
  'utf-32',
  'ebcdic-cp-us',
  'no-such-charset',
  'imap-mailbox-name',
  'lmbcs-1',
  'iscii,version=1',
  'utf-16',
  'utf-16le',
  'cesu-8',
]; // prettier-ignore

/** `stride`: of the two-byte characters, every how manieth is written. */
export function charsetPages({ stride }) {
  return [
    ...[...ONE_BYTE, ...REFUSED].map((name) => [`one/${fileName(name)}.html`, page(name, oneByteWords())]),
    ...TWO_BYTES.map((name) => [`two/${fileName(name)}.html`, page(name, twoByteWords(stride))]),
    ['two/jis-x-0212.html', page('euc-jp', threeByteWords(0x8f, stride))],
    ['two/gb18030-four.html', page('gb18030', fourByteWords(stride))],
    ...utf16Pages(),
    ['undeclared.txt', Buffer.from('caf\xe9 \x93quoted\x94 \x80 na\xefve\n', 'latin1')],
    ['undeclared.md', Buffer.from('# Caf\xe9\n\ngar\xe7on \x81\x8d\n', 'latin1')],
    ['marked.rst', Buffer.from('\ufeffTitle\n=====\n\nwith a mark\n')],
    ['marks.txt', Buffer.from('\ufeff\ufeff\ufefftwice marked\n')],
    ['utf32.txt', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
  ];
}

const fileName = (charset) => charset.replaceAll(/[^a-z0-9]/g, '-');

function page(charset, body) {
  const ascii = (text) => Buffer.from(text, 'latin1');
  return Buffer.concat([
    ascii(`<html><head><meta charset="${charset}"><title>${charset}</title></head><body><h1>${charset} `),
    body.subarray(0, 24),
    ascii('</h1><p>'),
    body,
    ascii('</p></body></html>'),
  ]);
}

/** Words of eight letters, of all bytes from 0x80 on. */
function oneByteWords() {
  const bytes = [];
  for (let byte = 0x80; byte <= 0xff; byte++) bytes.push(...(byte % 8 ? [byte] : [0x20, byte]));
  return Buffer.from(bytes);
}

/** Words of two characters, of all pairs of a lead and a trail byte, possible or not. */
function twoByteWords(stride) {
  const bytes = [];
  let count = 0;
  for (let lead = 0x81; lead <= 0xfe; lead++)
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      if (trail === 0x5c || trail === 0x60 || trail === 0x7f || count++ % stride) continue;
      bytes.push(lead, trail);
      if (bytes.length % 5 === 4) bytes.push(0x20);
    }
  return Buffer.from(bytes);
}

function threeByteWords(first, stride) {
  const bytes = [];
  let count = 0;
  for (let lead = 0xa1; lead <= 0xfe; lead++)
    for (let trail = 0xa1; trail <= 0xfe; trail++) if (count++ % stride === 0) bytes.push(first, lead, trail, 0x20);
  return Buffer.from(bytes);
}

/** GB 18030's characters of four bytes: lead, digit, lead, digit. */
function fourByteWords(stride) {
  const bytes = [];
  let count = 0;
  for (let first = 0x81; first <= 0x99; first++)
    for (let second = 0x30; second <= 0x39; second++)
      for (let third = 0x81; third <= 0xfe; third += 5)
        if (count++ % stride === 0) bytes.push(first, second, third, 0x30 + (count % 10), 0x20);
  return Buffer.from(bytes);
}

function utf16Pages() {
  const text = '\ufeff<title>UTF-16 größe</title><h1>日本語</h1><p>𐐀 surrogates 👍 and a lone \ud800 one</p>';
  const little = Buffer.from(text, 'utf16le');
  const big = Buffer.from(little).swap16();
  return [
    ['sixteen/little.html', little],
    ['sixteen/big.html', big],
    ['sixteen/little.md', Buffer.from('\ufeff# Ünï\n\nline\r\nline\n', 'utf16le')],
    ['sixteen/odd.txt', little.subarray(0, little.length - 1)],
  ];
}
