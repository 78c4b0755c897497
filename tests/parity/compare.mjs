/** What must be equal of two packings of one input, and where it is not. */

/** The report without what may differ: times, and the number of threads. */
export function comparable({ status, report, said }) {
  const timing = /seconds|PerSecond|^jobs$|^spilledBytes$|^output$/i;
  return { status, said, report: Object.fromEntries(Object.entries(report).filter(([key]) => !timing.test(key))) };
}

/** A sentence. */
export function firstDifference(got, want) {
  if (got.equals(want)) return 'the same bytes';
  const at = want.findIndex((byte, i) => byte !== got[i]);
  return `bundles of ${got.length} and ${want.length} bytes differ from byte ${at < 0 ? want.length : at} on`;
}
