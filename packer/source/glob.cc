// Thompson's construction by hand: the parser emits instructions in pattern order and patches the
// branches of braces when they close. Run keeps the set of live instructions per character.
#include "packer/source/glob.h"

#include "text/utf8.h"

namespace sheaf::packer {
namespace {

// The next character of `text` from `*at` on. A byte that does not begin a well-formed sequence
// becomes a character beyond Unicode, so that it equals only itself.
uint32_t NextCharacter(std::string_view text, size_t* at) {
  const Decoded character = DecodeUtf8(text, *at);
  if (character.valid) {
    *at += character.size;
    return character.code_point;
  }
  return 0x110000 + uint8_t(text[(*at)++]);
}

}  // namespace

bool HasGlobCharacters(std::string_view text) { return text.find_first_of("*?[{") != std::string_view::npos; }

// ---- parsing --------------------------------------------------------------------------------

class GlobParser {
 public:
  explicit GlobParser(std::string_view pattern) : pattern_(pattern) {}

  Result<Glob> Parse() {
    if (pattern_.size() > kMaxGlobBytes) {
      return Error{ErrorCode::kTooLarge, "pattern of " + std::to_string(pattern_.size()) + " bytes: at most " +
                                             std::to_string(kMaxGlobBytes) + " are taken; split it into several"};
    }
    while (at_ < pattern_.size()) {
      Status status = One();
      if (!status.ok()) return status.error();
    }
    if (!braces_.empty()) return Refuse("'{' is never closed");
    Emit(Glob::Op::kMatch);
    return std::move(glob_);
  }

 private:
  using Op = Glob::Op;
  struct Brace {
    uint32_t split;                 // leads to this alternative or, by y, to the next
    std::vector<uint32_t> leaving;  // jumps to behind the brace
  };

  Error Refuse(const std::string& why) const {
    return Error{ErrorCode::kInvalidArgument, "pattern '" + std::string(pattern_) + "': " + why +
                                                  "; put a backslash before it to mean the "
                                                  "character itself"};
  }

  uint32_t Here() const { return uint32_t(glob_.program_.size()); }
  uint32_t Emit(Op op, uint32_t x = 0, uint32_t y = 0) {
    glob_.program_.push_back({op, x, y});
    return Here() - 1;
  }

  Status One() {
    switch (pattern_[at_]) {
      case '*': Stars(); return {};
      case '?':
        ++at_;
        Emit(Op::kAnyInSegment);
        return {};
      case '[': return SetOfCharacters();
      case '{': return OpenBrace();
      case ',':
        if (braces_.empty()) break;
        ++at_;
        NextAlternative();
        return {};
      case '}':
        if (braces_.empty()) break;
        ++at_;
        CloseBrace();
        return {};
      case '\\':
        if (at_ + 1 < pattern_.size()) ++at_;
        break;
      default: break;
    }
    Emit(Op::kCharacter, NextCharacter(pattern_, &at_));
    return {};
  }

  void Repeat(Op op) {
    const uint32_t split = Emit(Op::kSplit, Here() + 1);
    Emit(op);
    Emit(Op::kJump, split);
    glob_.program_[split].y = Here();
  }

  void Stars() {
    const size_t begin = at_;
    while (at_ < pattern_.size() && pattern_[at_] == '*') ++at_;
    const bool in_brace = !braces_.empty();
    const char before = begin == 0 ? '/' : pattern_[begin - 1];
    const char after = at_ == pattern_.size() ? '/' : pattern_[at_];
    const bool whole = at_ - begin == 2 && (before == '/' || (in_brace && (before == '{' || before == ','))) &&
                       (after == '/' || (in_brace && (after == '}' || after == ',')));
    if (!whole) return Repeat(Op::kAnyInSegment);
    if (at_ == pattern_.size() || after != '/') {
      // The rest of the path, which must not be empty.
      Emit(Op::kAny);
      return Repeat(Op::kAny);
    }
    // "**/": nothing, or anything up to a slash.
    ++at_;
    const uint32_t split = Emit(Op::kSplit, Here() + 1);
    Repeat(Op::kAny);
    Emit(Op::kCharacter, '/');
    glob_.program_[split].y = Here();
  }

  Status SetOfCharacters() {
    Glob::Set set;
    size_t at = at_ + 1;
    if (at < pattern_.size() && (pattern_[at] == '!' || pattern_[at] == '^')) {
      set.negated = true;
      ++at;
    }
    const auto member = [&] {
      if (pattern_[at] == '\\' && at + 1 < pattern_.size()) ++at;
      return NextCharacter(pattern_, &at);
    };
    for (bool first = true;; first = false) {
      if (at >= pattern_.size()) return Refuse("'[' is never closed");
      if (pattern_[at] == ']' && !first) break;
      const uint32_t low = member();
      uint32_t high = low;
      if (at + 1 < pattern_.size() && pattern_[at] == '-' && pattern_[at + 1] != ']') {
        ++at;
        high = member();
      }
      set.ranges.emplace_back(low, high);
    }
    at_ = at + 1;
    glob_.sets_.push_back(std::move(set));
    Emit(Op::kSet, uint32_t(glob_.sets_.size() - 1));
    return {};
  }

  Status OpenBrace() {
    if (braces_.size() == kMaxGlobDepth) {
      return Refuse("braces nest deeper than " + std::to_string(kMaxGlobDepth));
    }
    ++at_;
    braces_.push_back({Emit(Op::kSplit, Here() + 1), {}});
    return {};
  }

  void NextAlternative() {
    Brace& brace = braces_.back();
    brace.leaving.push_back(Emit(Op::kJump));
    glob_.program_[brace.split].y = Here();
    brace.split = Emit(Op::kSplit, Here() + 1);
  }

  void CloseBrace() {
    Brace& brace = braces_.back();
    glob_.program_[brace.split].op = Op::kJump;  // the last alternative has no next one
    for (uint32_t jump : brace.leaving) glob_.program_[jump].x = Here();
    braces_.pop_back();
  }

  std::string_view pattern_;
  size_t at_ = 0;
  Glob glob_;
  std::vector<Brace> braces_;
};

Result<Glob> Glob::Parse(std::string_view pattern) { return GlobParser(pattern).Parse(); }

// ---- matching -------------------------------------------------------------------------------

struct Glob::States {
  explicit States(size_t size) : present(size, false) {}
  void Clear() {
    for (uint32_t state : list) present[state] = false;
    list.clear();
  }
  std::vector<uint32_t> list;  // each state at most once
  std::vector<bool> present;
  std::vector<uint32_t> pending;  // scratch of Follow
};

bool Glob::Consumes(const Instruction& instruction, uint32_t character) const {
  switch (instruction.op) {
    case Op::kCharacter: return instruction.x == character;
    case Op::kAnyInSegment: return character != '/';
    case Op::kAny: return true;
    case Op::kSet: {
      if (character == '/') return false;
      const Set& set = sets_[instruction.x];
      for (const auto& [low, high] : set.ranges) {
        if (low <= character && character <= high) return !set.negated;
      }
      return set.negated;
    }
    case Op::kSplit:
    case Op::kJump:
    case Op::kMatch: return false;
  }
  return false;
}

void Glob::Follow(uint32_t state, States* states) const {
  states->pending.assign(1, state);
  while (!states->pending.empty()) {
    const uint32_t next = states->pending.back();
    states->pending.pop_back();
    if (states->present[next]) continue;
    states->present[next] = true;
    states->list.push_back(next);
    const Instruction& instruction = program_[next];
    if (instruction.op == Op::kSplit) states->pending.push_back(instruction.y);
    if (instruction.op == Op::kSplit || instruction.op == Op::kJump) {
      states->pending.push_back(instruction.x);
    }
  }
}

void Glob::Run(std::string_view text, States* states) const {
  States next(program_.size());
  Follow(0, states);
  for (size_t at = 0; at < text.size() && !states->list.empty();) {
    const uint32_t character = NextCharacter(text, &at);
    next.Clear();
    for (uint32_t state : states->list) {
      if (Consumes(program_[state], character)) Follow(state + 1, &next);
    }
    std::swap(states->list, next.list);
    std::swap(states->present, next.present);
  }
}

bool Glob::Matches(std::string_view path) const {
  States states(program_.size());
  Run(path, &states);
  return states.present[program_.size() - 1];
}

bool Glob::MayMatchBelow(std::string_view folder) const {
  States states(program_.size());
  std::string text(folder);
  if (!text.empty()) text += '/';
  Run(text, &states);
  for (uint32_t state : states.list) {
    const Op op = program_[state].op;
    if (op != Op::kMatch && op != Op::kSplit && op != Op::kJump) return true;
  }
  return false;
}

}  // namespace sheaf::packer
