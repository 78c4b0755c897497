/*
 * mandoc's border to JavaScript: one manual page in, the HTML of its content out. web/browser/convert/man.ts calls it.
 *
 * Idea: mandoc prints to stdout and keeps state in globals, and ends the process when it is lost. So an instance of the
 * module converts one page and is dropped; `/out.html` in its own file system is what it printed.
 */
#include "config.h"

#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// mandoc wants this order.
// clang-format off
#include "mandoc.h"
#include "roff.h"
#include "mdoc.h"
#include "man.h"
#include "mandoc_parse.h"
#include "manconf.h"
#include "main.h"
// clang-format on

static char title[512];

/* What it was taken for: 0 nothing, 1 man, 2 mdoc. The title is "NAME(SECTION)". */
EMSCRIPTEN_KEEPALIVE int sheaf_convert(void) {
  mandoc_msg_setmin(MANDOCERR_MAX);
  mchars_alloc();
  struct mparse* parser = mparse_alloc(MPARSE_UTF8 | MPARSE_LATIN1 | MPARSE_VALIDATE, MANDOC_OS_OTHER, NULL);
  const int file = mparse_open(parser, "/in");
  if (file == -1) return 0;
  mparse_readfd(parser, file, "/in");
  struct roff_meta* meta = mparse_result(parser);
  const int is_mdoc = meta->macroset == MACROSET_MDOC;
  if (meta->sodest != NULL || meta->first == NULL || (!is_mdoc && !meta->hasbody)) return 0; /* known of man alone */
  snprintf(title, sizeof title, "%s(%s)", meta->title != NULL ? meta->title : "", meta->msec != NULL ? meta->msec : "");
  if (freopen("/out.html", "w", stdout) == NULL) return 0;
  struct manoutput options;
  memset(&options, 0, sizeof options);
  options.fragment = 1;
  void* html = html_alloc(&options);
  if (is_mdoc)
    html_mdoc(html, meta);
  else
    html_man(html, meta);
  html_free(html);
  fflush(stdout);
  return is_mdoc ? 2 : 1;
}

EMSCRIPTEN_KEEPALIVE const char* sheaf_title(void) { return title; }
