/** How a server says no to a request. */
export type Headers = Readonly<Record<string, string>>;

/** Ends a request with a status other than success. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Headers = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}
