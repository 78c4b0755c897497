/** Limits of the core that the JavaScript side reports or respects. */

/** Most hits of a search; kMaxTopK of src/search/query.h. */
export const MAX_TOP_K = 1000;
