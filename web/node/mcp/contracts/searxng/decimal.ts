/**
 * Exact decimal numbers for the statistics answerer: 0.1 + 0.2 is 0.3, and a half is rounded to even,
 * as in the Decimal and Babel that SearXNG computes with.
 */

/** The value is digits / 10^scale. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

/** As an English reader writes it: `1,000.5`, `-2`, `.5`, `1e3`. Undefined for anything else. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i.exec(text.replaceAll(',', ''));
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: scaled(a, scale) + scaled(b, scale), scale };
}

export function negate(a: Decimal): Decimal {
  return { digits: -a.digits, scale: a.scale };
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** To 28 decimals beyond those of `a`, far more than are shown. */
export function divide(a: Decimal, by: number): Decimal {
  return { digits: (a.digits * 10n ** 28n) / BigInt(by), scale: a.scale + 28 };
}

export function less(a: Decimal, b: Decimal): boolean {
  const scale = Math.max(a.scale, b.scale);
  return scaled(a, scale) < scaled(b, scale);
}

// A number format takes numbers as text since ES2023, which the compiler's ES2022 library does not know.
const ENGLISH = new Intl.NumberFormat('en', {
  maximumFractionDigits: 3,
  roundingMode: 'halfEven',
} as Intl.NumberFormatOptions);
const formatText = ENGLISH.format as unknown as (value: string) => string;

/** Groups of three, at most three decimals: `1,234.568`. Undefined for numbers too long to show. */
export function formatDecimal({ digits, scale }: Decimal): string | undefined {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  if (text.length > 1000) return undefined;
  const plain = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  return formatText(digits < 0n ? `-${plain}` : plain);
}

function scaled(a: Decimal, scale: number): bigint {
  return a.digits * 10n ** BigInt(scale - a.scale);
}
