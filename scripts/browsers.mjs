// `node scripts/browsers.mjs`: the site's tests in Chromium, Firefox and WebKit, all of them alike (tests/browser/browsers.test.mjs),
// and the button in pages of all themes (tests/browser/themes.test.mjs).
// `npm test` has a short set of them, with Chromium's headless shell; this takes the browser that readers have.
//
//   node scripts/browsers.mjs --test-name-pattern=offline     what follows is for node --test
import { spawnSync } from "node:child_process";
import { bootstrap } from "./bootstrap.mjs";
import { main, root } from "./support.mjs";

main(import.meta.url, async () => {
  await bootstrap("browsers");
  const args = [
    "--test",
    "--test-reporter=spec",
    ...process.argv.slice(2),
    "tests/browser/browsers.test.mjs",
    "tests/browser/themes.test.mjs",
  ];
  const env = { CHROMIUM: "/usr/bin/chromium", ...process.env, SHEAF_BROWSERS: "all" };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status ?? 1;
});
