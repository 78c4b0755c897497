// node scripts/run_tests.mjs CONCURRENCY TIMEOUT_MS FILE…
//
// As `node --test`, but files begin in the order given. `node --test` sorts them by name, and so waited at the end for the
// longest.
import { run } from "node:test";
import { spec } from "node:test/reporters";

const [concurrency, timeout, ...files] = process.argv.slice(2);
run({ files, concurrency: Number(concurrency), timeout: Number(timeout) })
  .on("test:fail", ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(spec)
  .pipe(process.stdout);
