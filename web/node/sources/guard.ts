/** The guard of host/guarded_http.ts with the error messages of `sheaf add`. */
import { Guard as AddressGuard } from '../net/guarded_http.js';
import { SourceError } from './source.js';

export class Guard extends AddressGuard {
  /** `own`: an address that the user typed. `fromInside`: it is one of the user's settings, and may be a private name. */
  constructor(allowPrivate: boolean, own?: string | URL, fromInside = false) {
    super({ allowPrivate, own, fromInside, refuse });
  }
}

function refuse(url: URL, address: string | undefined): SourceError {
  if (address === undefined)
    return new SourceError('failed', `${url.href} is refused: only http and https addresses are followed.`);
  return new SourceError(
    'failed',
    `${url.origin} is refused: ${address} is an address of this machine or a private network. If that is meant, add --allow-private.`,
  );
}
