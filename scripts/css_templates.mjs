// An esbuild plugin: the component's style sheets (templates of Lit's `css` in dist/browser/ui/views/styles.js and styles/) without
// insignificant white space. esbuild itself does not minify templates.
import fs from "node:fs";

/** Those without values and escapes in them; others stay. */
const TEMPLATE = /\bcss\s*`([^`$\\]*)`/g;

export const cssTemplates = {
  name: "css-templates",
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /[\\/]ui[\\/]views[\\/]styles(?:\.js|[\\/]\w+\.js)$/ }, async ({ path }) => {
      const text = await fs.promises.readFile(path, "utf8");
      const found = [...text.matchAll(TEMPLATE)];
      if (found.length === 0) throw new Error(`${path} has no template of css; see scripts/css_templates.mjs.`);
      const sheets = await Promise.all(
        found.map(([, css]) => esbuild.transform(css, { loader: "css", minifyWhitespace: true })),
      );
      return { contents: text.replace(TEMPLATE, () => `css\`${sheets.shift().code.trim()}\``) };
    });
  },
};
