/** stdout belongs to the protocol. */
import { Writable } from 'node:stream';

/**
 * Reserves stdout for the protocol: from here on, anything that console.log or a dependency prints goes
 * to stderr. Returns the only remaining way to the real stdout.
 */
export function claimStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => void write(chunk, (error) => done(error)),
  });
}
