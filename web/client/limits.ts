/** Limits of the core that the JavaScript side tells or keeps to. */

/** Most hits of a search; kMaxTopK of src/search/query.h. */
export const MAX_TOP_K = 1000;
