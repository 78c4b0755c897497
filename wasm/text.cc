// The border of sheaf-text: what the core makes of texts, as pure functions. Translation only; the conventions stand in
// text.d.ts, which declares exactly what is exported here.
#include <algorithm>
#include <string>
#include <string_view>

#include "border.h"
#include "lexical/edit_distance.h"

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
