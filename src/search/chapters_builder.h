// How chapters are numbered, in the languages that documentation is most written in. Native only.
//
// Idea: numbers order chapters, they do not name them: "Kapitel 7. Mit GIMP malen" is called "Mit GIMP malen". The list
// has the words that DocBook and LaTeX put before a number; Chinese, Japanese and Korean ones stand behind it.
//
// Cost: a comparison for each word of a list of fifty.
#ifndef SHEAF_SEARCH_CHAPTERS_BUILDER_H_
#define SHEAF_SEARCH_CHAPTERS_BUILDER_H_

#include <cstddef>
#include <string_view>

namespace sheaf {

// Bytes of "Chapter ", "kapitel ", "Глава " at the beginning, with the white space behind it; 0: there is none.
size_t ChapterWordAt(std::string_view text);

// Bytes of "第7章 ", "第 十二 章 ", "7장. " at the beginning, with the white space behind it; 0: there is none.
size_t OrdinalChapterAt(std::string_view text);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_CHAPTERS_BUILDER_H_
