/** Of an owner's rules of the search, in or beside a site or a folder of documents (docs/rules.md). */
export const RULES_FILE = 'sheaf.search.yaml';
