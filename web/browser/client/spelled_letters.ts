/** Made by scripts/unicode_tables.mjs; edit that. What the index has for letters that Unicode does not take apart. */
export const SPELLED: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  þ: 'th',
  ŧ: 't',
  ي: 'ی',
  ى: 'ی',
  ك: 'ک',
};
