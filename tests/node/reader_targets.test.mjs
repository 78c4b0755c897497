/** The properties of the TypeScript readers (tests/fuzz/readers/targets.mjs) over their seeds and mutations of them. */
import { it } from 'node:test';
import { mutated, numbers } from '../fuzz/readers/mutate.mjs';
import { SEEDS, TARGETS } from '../fuzz/readers/targets.mjs';

for (const [name, check] of Object.entries(TARGETS))
  it(`The property "${name}" holds for seeds and what resembles them`, () => {
    const below = numbers(7);
    for (const seed of ['', ...SEEDS[name]]) {
      check(seed);
      for (let round = 0; round < 200; round++) {
        const text = mutated(seed, below, SEEDS[name][below(SEEDS[name].length)]);
        try {
          check(text);
        } catch (error) {
          throw new Error(`${JSON.stringify(text)}: ${error.stack}`, { cause: error });
        }
      }
    }
  });
