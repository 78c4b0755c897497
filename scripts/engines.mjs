// `node scripts/engines.mjs`: the site's tests in Chromium, Firefox and WebKit, all of them alike (tests/browser/engines.test.mjs).
// `npm test` has a short set of them in Firefox and WebKit.
//
//   node scripts/engines.mjs --test-name-pattern=offline     what follows is for node --test
import { spawnSync } from "node:child_process";
import { bootstrap } from "./bootstrap.mjs";
import { main, root } from "./support.mjs";

main(import.meta.url, async () => {
  await bootstrap("engines");
  const args = ["--test", "--test-reporter=spec", ...process.argv.slice(2), "tests/browser/engines.test.mjs"];
  const env = { ...process.env, SHEAF_ENGINES: "all" };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status ?? 1;
});
