#include "packer/parse/html/html_tree.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <ctime>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace sheaf::packer {
namespace {

// Seconds of CPU that this thread has used; other work on the machine does not count.
double ThreadSeconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
#else
  return double(std::clock()) / CLOCKS_PER_SEC;
#endif
}

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr uint32_t kAllocationsPerLook = 512;

enum Failure : int { kNone = 0, kMemory = 1, kTime = 2 };

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; }

bool StartsWithName(std::string_view text, std::string_view name) {
  if (text.size() < name.size()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (Lower(text[i]) != name[i]) return false;
  }
  return text.size() == name.size() || !IsLetter(text[name.size()]);
}

// Elements that open a level wherever they stand and are always closed by hand.
constexpr std::array<std::string_view, 10> kNesting = {"div", "span", "section", "article", "blockquote",
                                                       "ul",  "ol",   "dl",      "table",   "main"};
// Elements whose content is text, however much it looks like tags.
constexpr std::array<std::string_view, 4> kRawText = {"script", "style", "textarea", "title"};

template <size_t N>
int IndexOfName(const std::array<std::string_view, N>& names, std::string_view text) {
  for (size_t i = 0; i < N; ++i) {
    if (StartsWithName(text, names[i])) return int(i);
  }
  return -1;
}

}  // namespace

struct HtmlTree::Arena {
  std::vector<std::unique_ptr<char[]>> chunks;
  size_t left = 0;
  char* at = nullptr;
  size_t total = 0;
  uint32_t until_look = kAllocationsPerLook;
  double deadline = 0;
  std::jmp_buf escape;

  // Gumbo frees little before its end (a tenth), so nothing is ever given back.
  static void* Allocate(void* self, size_t size) {
    Arena* arena = static_cast<Arena*>(self);
    size = std::max<size_t>((size + 15) & ~size_t{15}, 16);
    if (size > kMaxTreeBytes - arena->total) std::longjmp(arena->escape, kMemory);
    if (--arena->until_look == 0) {
      arena->until_look = kAllocationsPerLook;
      if (ThreadSeconds() > arena->deadline) std::longjmp(arena->escape, kTime);
    }
    arena->total += size;
    if (size > arena->left && !arena->Grow(size)) std::longjmp(arena->escape, kMemory);
    void* memory = arena->at;
    arena->at += size;
    arena->left -= size;
    return memory;
  }
  static void Free(void*, void*) {}

  bool Grow(size_t size) {
    const size_t bytes = std::max(size, kChunkBytes);
    std::unique_ptr<char[]> chunk(new (std::nothrow) char[bytes]);
    if (chunk == nullptr) return false;
    at = chunk.get();
    left = bytes;
    chunks.push_back(std::move(chunk));
    return true;
  }

  // Kept apart so that no local object lives across setjmp.
  Failure Run(std::string_view source, const GumboNode** root) {
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = &Allocate;
    options.deallocator = &Free;
    options.userdata = this;
    options.max_errors = 0;  // each error keeps a copy of all open elements
    deadline = ThreadSeconds() + kMaxParseSeconds;
    const int jumped = setjmp(escape);
    if (jumped != 0) return Failure(jumped);
    const GumboOutput* output = gumbo_parse_with_options(&options, source.data(), source.size());
    *root = output->root;
    return kNone;
  }
};

HtmlTree::HtmlTree(std::unique_ptr<Arena> arena) : arena_(std::move(arena)) {}
HtmlTree::HtmlTree(HtmlTree&&) noexcept = default;
HtmlTree& HtmlTree::operator=(HtmlTree&&) noexcept = default;
HtmlTree::~HtmlTree() = default;

Result<HtmlTree> HtmlTree::Parse(std::string_view source, std::string_view path) {
  const auto too_large = [&](std::string what) {
    return Error{ErrorCode::kTooLarge,
                 std::string(path) + ": " + std::move(what) + ": split the page or exclude it"};
  };
  if (source.size() > kMaxHtmlBytes) {
    return too_large("the page has " + std::to_string(source.size()) + " bytes; expected at most " +
                     std::to_string(kMaxHtmlBytes));
  }
  if (const size_t depth = MeasureNesting(source); depth > kMaxNesting) {
    return too_large("elements are nested " + std::to_string(depth) + " deep; expected at most " +
                     std::to_string(kMaxNesting));
  }
  HtmlTree tree(std::make_unique<Arena>());
  switch (tree.arena_->Run(source, &tree.root_)) {
    case kMemory:
      return too_large("the tree of elements takes more than " + std::to_string(kMaxTreeBytes >> 20) +
                       " MiB");
    case kTime:
      return too_large("the markup is so tangled that parsing takes more than " +
                       std::to_string(int(kMaxParseSeconds)) + " s");
    case kNone: break;
  }
  if (tree.root_ == nullptr) {
    return Error{ErrorCode::kInternal, std::string(path) + ": the HTML parser gave no document"};
  }
  return tree;
}

size_t MeasureNesting(std::string_view source) {
  std::vector<int> open;
  std::array<size_t, kNesting.size()> open_by_name{};
  size_t deepest = 0;
  for (size_t at = source.find('<'); at != std::string_view::npos; at = source.find('<', at)) {
    ++at;
    std::string_view rest = source.substr(at);
    if (rest.starts_with("!--")) {
      at = source.find("-->", at + 1);
      if (at == std::string_view::npos) break;
      continue;
    }
    const bool closes = rest.starts_with('/');
    if (closes) rest.remove_prefix(1);
    if (rest.empty() || !IsLetter(rest[0])) continue;
    if (const int raw = closes ? -1 : IndexOfName(kRawText, rest); raw >= 0) {
      const std::string_view name = kRawText[size_t(raw)];
      do {
        at = source.find("</", at + 1);
      } while (at != std::string_view::npos && !StartsWithName(source.substr(at + 2), name));
      if (at == std::string_view::npos) break;
      continue;
    }
    const int name = IndexOfName(kNesting, rest);
    if (name < 0) continue;
    if (!closes) {
      open.push_back(name);
      ++open_by_name[size_t(name)];
      deepest = std::max(deepest, open.size());
    } else {
      while (open_by_name[size_t(name)] > 0) {
        const int top = open.back();
        open.pop_back();
        --open_by_name[size_t(top)];
        if (top == name) break;
      }
    }
  }
  return deepest;
}

// Gumbo's own lookup compares without regard to case, but it stores names in lower case already.
static const GumboAttribute* Find(const GumboNode* node, std::string_view name) {
  if (!IsElement(node)) return nullptr;
  const GumboVector& attributes = node->v.element.attributes;
  for (unsigned i = 0; i < std::min<size_t>(attributes.length, kMaxAttributes); ++i) {
    const auto* attribute = static_cast<const GumboAttribute*>(attributes.data[i]);
    if (name == attribute->name) return attribute;
  }
  return nullptr;
}

std::string_view Attribute(const GumboNode* node, const char* name) {
  const GumboAttribute* attribute = Find(node, name);
  return attribute != nullptr ? attribute->value : std::string_view();
}

bool HasAttribute(const GumboNode* node, const char* name) { return Find(node, name) != nullptr; }

bool HasClass(const GumboNode* node, std::string_view name) {
  return AnyClass(node, [&](std::string_view token) { return token == name; });
}

}  // namespace sheaf::packer
