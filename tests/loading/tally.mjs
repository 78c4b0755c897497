/**
 * What a list of requests amounts to: bytes by kind, and how deep the requests depend on each other. Pure.
 *
 * Bytes: `body` is what the answers carried as sent (brotli where it was), code and data apart.
 *
 * Trips: requests fall into waves by time. A request begun after the first answer of the current wave was
 * complete may depend on that answer, so it begins a new wave; one begun earlier cannot. The number of waves is
 * an upper bound of the longest chain of dependent requests, and exact when each answer is held back longer than a
 * page needs to send what it could send at once (`delay` of counting_server.mjs).
 */

/** A request as the server notes it: {path, status, range, body, begun, ended}; times in milliseconds. */
export function kindOf(path) {
  if (/\.(m?js|css|wasm)$/.test(path) || /\/wasm\.[\w-]+\.pagefind$/.test(path)) return 'code';
  if (/\/minilm[^/]*\.(sheaf$|pieces\/)/.test(path)) return 'table';
  return 'index';
}

export const KINDS = ['code', 'index', 'table'];

export function waves(requests) {
  let count = 0;
  let boundary = -Infinity;
  for (const { begun, ended } of [...requests].sort((a, b) => a.begun - b.begun)) {
    if (begun > boundary) {
      count++;
      boundary = ended;
    } else {
      boundary = Math.min(boundary, ended);
    }
  }
  return count;
}

export function tally(requests) {
  const sums = { requests: requests.length, body: 0, code: 0, index: 0, table: 0, trips: waves(requests), dataTrips: 0 };
  for (const request of requests) {
    sums.body += request.body;
    sums[kindOf(request.path)] += request.body;
  }
  sums.dataTrips = waves(requests.filter(({ path }) => kindOf(path) !== 'code'));
  return sums;
}

/** Of a list of numbers: the value that `share` of them do not exceed (nearest rank). */
export function quantile(values, share) {
  if (values.length === 0) throw new RangeError('quantile: expected at least one value, got none');
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) throw new RangeError('median: expected at least one value, got none');
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
};

export const summary = (values) => ({ median: Math.round(median(values)), p95: quantile(values, 0.95), max: Math.max(...values) });
