/** The page of the playground and its looks; web/browser/playground brings it to life. */
export const PLAYGROUND_PAGE: string = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; worker-src 'self'">
<title>Playground</title>
<link rel="stylesheet" href="playground.css">
<script type="module" src="dist/browser/playground/main.js"></script>
<body data-state="packing">
<header>
  <h1><span id="title">Playground</span></h1>
  <label id="collections" hidden>Pages <select id="collection"></select></label>
  <p id="status" role="status">Loading …</p>
</header>
<main>
  <section aria-labelledby="search-name">
    <h2 id="search-name">Search</h2>
    <input id="query" type="search" aria-label="Search" placeholder="Type what a reader would" autocomplete="off" spellcheck="false" autofocus>
    <p id="nothing" hidden>No page has that.</p>
    <ol id="hits"></ol>
  </section>
  <div>
    <section aria-labelledby="rules-name">
      <h2 id="rules-name">Rules</h2>
      <p id="problem" role="alert"></p>
      <h3>Synonyms</h3>
      <div id="synonyms"></div>
      <h3>Pinned pages</h3>
      <div id="pins"></div>
      <h3>Weights</h3>
      <div id="weights"></div>
      <p><button type="button" id="save" class="main">Save sheaf.search.yaml</button></p>
      <p class="note">Put the file beside your site, and build again. Exclusions, the start list and crumbs of the file stay; its comments do not.</p>
    </section>
    <section aria-labelledby="questions-name">
      <h2 id="questions-name">Questions</h2>
      <textarea id="questions-text" rows="5" aria-label="Questions with their pages" spellcheck="false" placeholder="how to install =&gt; guide/install.html"></textarea>
      <p class="actions">
        <label class="file">Load <input type="file" id="load-questions" accept=".jsonl,.txt,.json"></label>
        <button type="button" id="save-questions">Save for sheaf eval</button>
      </p>
      <div class="wide" id="judged" hidden>
        <table>
          <thead><tr><th scope="col">question</th><th scope="col">first right</th><th scope="col">nDCG@10</th><th scope="col">change</th></tr></thead>
          <tbody id="judged-rows"></tbody>
        </table>
      </div>
    </section>
  </div>
</main>
</html>
`;

/** Colours, and hits as hits.ts draws them: those of the page in docs/try, too. */
export const HIT_LOOKS: string = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1a1c1e, #e4e6e8);
  --quiet: light-dark(#5a5f66, #a3a9b0);
  --line: light-dark(#d5d9de, #3b4046);
  --field: light-dark(#fff, #1b1e21);
  --ground: light-dark(#f6f7f9, #121416);
  --words: light-dark(#2563c9, #6ea2f5);
  --meaning: light-dark(#b4540a, #f0a35e);
  --page: light-dark(#5b6470, #98a1ac);
  --better: light-dark(#14713a, #66cf90);
  --worse: light-dark(#b3261e, #f58b83);
}
.legend, .note, .path, .numbers { color: var(--quiet); font-size: .87em }
.legend span { display: inline-block; margin-inline-end: .8em }
.legend i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-inline-end: .35em }
#hits { padding: 0; list-style: none }
#hits > li { padding: .8em 0; border-top: 1px solid var(--line) }
#hits h3 { margin: 0 }
#hits p, .path { overflow-wrap: anywhere }
.bar { display: flex; height: .7em; margin: .5em 0 .2em; border-radius: 3px; overflow: hidden; background: var(--line) }
.words { background: var(--words) }
.meaning { background: var(--meaning) }
.page { background: var(--page) }
.terms { list-style: none; margin: .3em 0; padding: 0; font-size: .87em; display: flex; flex-wrap: wrap; gap: 0 1.2em }
.meter { display: inline-block; height: .55em; background: var(--words); border-radius: 2px }
.rule { color: var(--meaning) }
.better { color: var(--better); font-weight: 600 }
.worse { color: var(--worse); font-weight: 600 }
h3 .better, h3 .worse { font-size: .85em }
`;

export const PLAYGROUND_LOOKS: string = `${HIT_LOOKS}
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
header { display: flex; flex-wrap: wrap; gap: 0 1.5em; align-items: baseline; padding: .75em 1.25em; border-bottom: 1px solid var(--line) }
h1 { font-size: 1.15em; margin: 0 }
h2 { font-size: 1.05em; margin: 0 0 .5em }
h3 { font-size: 1em; margin: 1em 0 .3em }
p { margin: .3em 0 }
#status { margin: 0; color: var(--quiet) }
main { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.5em; padding: 1.25em; max-width: 90em; margin: auto }
section + section { margin-top: 2em }
input, textarea, select, button { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: 6px; padding: .35em .6em; min-width: 0 }
input, textarea { width: 100% }
#query { font-size: 1.1em; padding: .5em .75em }
button { cursor: pointer }
button.main { background: var(--words); border-color: var(--words); color: light-dark(#fff, #0c1420); padding: .45em .9em }
button.link { background: none; border: 0; padding: 0; text-align: start; text-decoration: underline }
:focus-visible { outline: 2px solid var(--words); outline-offset: 1px }
.actions { display: flex; flex-wrap: wrap; gap: .5em; align-items: center }
.actions button, .file { font-size: .87em; padding: .2em .6em }
.file input { width: auto; border: 0; background: none; padding: 0 }
.row { display: flex; gap: .4em; margin-bottom: .4em }
.row input[type=number] { flex: 0 0 6em }
.row button { flex: none; padding: .35em .7em }
#problem { color: var(--worse); white-space: pre-line; overflow-wrap: anywhere }
#problem:empty { display: none }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: start; padding: .3em .6em; border-bottom: 1px solid var(--line); white-space: nowrap }
tbody th { white-space: normal; font-weight: 400; color: var(--text); min-width: 9em }
td { color: var(--text) }
tr.better .change { color: var(--better) }
tr.worse .change { color: var(--worse) }
body[data-state=packing] #hits { opacity: .55 }
@media (max-width: 50em) {
  main { grid-template-columns: minmax(0, 1fr); padding: 1em }
  th, td { padding: .3em .35em }
  tbody th { min-width: 6em }
  .row { flex-wrap: wrap }
  .row input { flex: 1 1 8em }
}
`;
