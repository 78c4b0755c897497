// The border of sheaf-text: what the core makes of texts, as pure functions. Translation only; the conventions stand in
// text.d.ts, which declares exactly what is exported here.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "border.h"
#include "lexical/edit_distance.h"
#include "text/stored_markdown.h"

namespace {
std::string staged, answer;
}  // namespace

SHEAF_EXPORT(stage) char* Stage(size_t size) {
  std::string().swap(staged);
  staged.resize(std::min(size, size_t(INT32_MAX)));
  return staged.data();
}
SHEAF_EXPORT(answerAddress) const char* AnswerAddress() { return answer.data(); }

SHEAF_EXPORT(edits) int Edits(size_t size, int limit) {
  const std::string_view both = staged;
  size = std::min(size, both.size());
  return sheaf::EditDistance(both.substr(0, size), both.substr(size), std::clamp(limit, 0, 3));
}

SHEAF_EXPORT(blocks) size_t Blocks(size_t size, int is_code) {
  const std::string_view both = staged;
  size = std::min(size, both.size());
  const sheaf::Blocks read = sheaf::ReadBlocks(both.substr(size), sheaf::MarkupOf(both.substr(0, size)), is_code != 0);
  sheaf::ByteWriter out;
  out.Varint(read.links.size());
  for (const std::string_view link : read.links) out.String(link);
  out.Varint(read.blocks.size());
  for (const sheaf::Block& block : read.blocks) {
    out.U8(uint8_t(block.kind));
    out.U8(block.depth);
    out.String(block.label);
    out.Varint(block.runs.size());
    for (const sheaf::TextRun& run : block.runs) {
      out.U8(run.looks);
      out.Varint(run.link);
      out.String(run.text);
    }
  }
  answer = sheaf::AsText(out.bytes());
  return answer.size();
}
