// What gumbo does with every letter, inlined into its tokenizer and parser for the plain ones: of ASCII, no controls.
// The others go to gumbo's own functions, so that positions, line ends and errors stay as they are.
#ifndef SHEAF_PACKER_PARSE_HTML_GUMBO_LETTERS_H_
#define SHEAF_PACKER_PARSE_HTML_GUMBO_LETTERS_H_

#include <stdbool.h>

#include <gumbo.h>
#include <string_buffer.h>
#include <utf8.h>

static inline bool IsPlainLetter(char c) { return c >= 0x20 && c < 0x7F; }

static inline void NextLetter(Utf8Iterator* input) {
  const char* next = input->_start + input->_width;
  if (input->_current < 0x20 || next >= input->_end || !IsPlainLetter(*next)) {
    utf8iterator_next(input);
    return;
  }
  input->_pos.offset += (unsigned int)input->_width;
  ++input->_pos.column;
  input->_start = next;
  input->_width = 1;
  input->_current = *next;
}

static inline int CurrentLetter(const Utf8Iterator* input) { return input->_current; }

static inline void AppendLetter(struct GumboInternalParser* parser, int c, GumboStringBuffer* buffer) {
  if (c < 0 || c > 0x7F || buffer->length >= buffer->capacity) {
    gumbo_string_buffer_append_codepoint(parser, c, buffer);
    return;
  }
  buffer->data[buffer->length++] = (char)c;
}

#define utf8iterator_next NextLetter
#define utf8iterator_current CurrentLetter
#define gumbo_string_buffer_append_codepoint AppendLetter

#endif  // SHEAF_PACKER_PARSE_HTML_GUMBO_LETTERS_H_
