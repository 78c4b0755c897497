#include "packer/parse/html/html_tree.h"

#include <algorithm>
#include <csetjmp>
#include <ctime>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/charset.h"

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

constexpr uint64_t kStepsPerLook = uint64_t{1} << 22;  // some milliseconds

enum TreeFailure : int { kNone, kMemory, kTime, kSteps, kNesting };

}  // namespace

struct HtmlTree::Arena {
  std::vector<std::unique_ptr<char[]>> chunks;
  size_t left = 0;
  char* at = nullptr;
  size_t total = 0;
  uint32_t allocations_until_look = kAllocationsPerLook;
  uint64_t steps = 0, max_steps = 0;
  uint64_t look_at_step = kStepsPerLook;
  double deadline = 0;
  std::jmp_buf escape;

  // Gumbo frees only a tenth before it ends, so the arena never reuses memory.
  static void* Allocate(void* self, size_t size) {
    Arena* arena = static_cast<Arena*>(self);
    size = std::max<size_t>((size + 15) & ~size_t{15}, 16);
    if (size > kMaxTreeBytes - arena->total) std::longjmp(arena->escape, kMemory);
    if (--arena->allocations_until_look == 0) {
      arena->allocations_until_look = kAllocationsPerLook;
      arena->LookAtTheClock();
    }
    arena->total += size;
    if (size > arena->left && !arena->Grow(size)) std::longjmp(arena->escape, kMemory);
    void* memory = arena->at;
    arena->at += size;
    arena->left -= size;
    return memory;
  }
  static void Free(void*, void*) {}

  void LookAtTheClock() {
    if (ThreadSeconds() > deadline) std::longjmp(escape, kTime);
  }

  void Spend(uint64_t more) {
    steps += more;
    if (steps > max_steps) std::longjmp(escape, kSteps);
    if (steps < look_at_step) return;
    look_at_step = steps + kStepsPerLook;
    LookAtTheClock();
  }

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
  TreeFailure Run(std::string_view source, const GumboNode** root) {
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = &Allocate;
    options.deallocator = &Free;
    options.userdata = this;
    options.max_errors = 0;  // each error keeps a copy of all open elements
    deadline = ThreadSeconds() + kMaxParseSeconds;
    const int jumped = setjmp(escape);
    if (jumped != 0) return TreeFailure(jumped);
    const GumboOutput* output = gumbo_parse_with_options(&options, source.data(), source.size());
    *root = output->root;
    return kNone;
  }
};

uint64_t HtmlTree::steps() const { return arena_->steps; }

void HtmlTree::SpendSteps(void* arena, size_t steps) { static_cast<Arena*>(arena)->Spend(steps); }

void HtmlTree::CheckNesting(void* arena, size_t open_elements) {
  if (open_elements > kMaxNesting) std::longjmp(static_cast<Arena*>(arena)->escape, kNesting);
}

HtmlTree::HtmlTree(std::unique_ptr<Arena> arena) : arena_(std::move(arena)) {}
HtmlTree::HtmlTree(HtmlTree&&) noexcept = default;
HtmlTree& HtmlTree::operator=(HtmlTree&&) noexcept = default;
HtmlTree::~HtmlTree() = default;

Result<HtmlTree> HtmlTree::Parse(std::string_view source, std::string_view path, uint64_t max_steps) {
  const auto too_large = [&](std::string what) {
    return Error{ErrorCode::kTooLarge, std::string(path) + ": " + std::move(what) + ": split the page or exclude it"};
  };
  if (source.size() > kMaxHtmlBytes) {
    return too_large("the page has " + std::to_string(source.size()) + " bytes; expected at most " +
                     std::to_string(kMaxHtmlBytes));
  }
  HtmlTree tree(std::make_unique<Arena>());
  tree.arena_->max_steps = max_steps;
  switch (tree.arena_->Run(source, &tree.root_)) {
    case kMemory:
      return too_large("the tree of elements takes more than " + std::to_string(kMaxTreeBytes >> 20) + " MiB");
    case kTime:
      return too_large("the markup is so tangled that parsing takes more than " +
                       std::to_string(int(kMaxParseSeconds)) + " s");
    case kSteps: return too_large("the markup is so tangled that parsing takes too long");
    case kNesting: return too_large("elements are nested more than " + std::to_string(kMaxNesting) + " deep");
    case kNone: break;
  }
  if (tree.root_ == nullptr) {
    return Error{ErrorCode::kInternal, std::string(path) + ": the HTML parser gave no document"};
  }
  return tree;
}

void HtmlTree::Ignore(const GumboNode* element) {
  static const GumboAttribute ignore = [] {
    GumboAttribute made{};
    made.name = "data-sheaf-ignore";
    made.value = "";
    return made;
  }();
  if (!IsElement(element) || HasAttribute(element, ignore.name)) return;
  GumboVector& attributes = const_cast<GumboNode*>(element)->v.element.attributes;  // this tree's own
  auto more = std::make_unique<void*[]>(attributes.length + 1);
  more[0] = const_cast<GumboAttribute*>(&ignore);  // first, since the last of too many are not read
  std::copy_n(attributes.data, attributes.length, &more[1]);
  attributes.data = more.get();
  attributes.capacity = ++attributes.length;
  attributes_.push_back(std::move(more));
}

bool HasClass(const GumboNode* node, std::string_view name) {
  return AnyClass(node, [&](std::string_view token) { return token == name; });
}

std::string TextOf(const GumboNode* node, size_t limit, size_t most_nodes) {
  std::string text;
  WalkTree(
      node,
      [&](const GumboNode* child) {
        if (most_nodes == 0) return false;
        --most_nodes;
        if (IsText(child) && text.size() < limit) text += child->v.text.text;
        return text.size() < limit;
      },
      [](const GumboNode*) {});
  return IsCleanText(text) ? text : CleanText(text);
}

}  // namespace sheaf::packer

extern "C" void SheafGumboSpendSteps(void* budget, size_t steps) { sheaf::packer::HtmlTree::SpendSteps(budget, steps); }
extern "C" void SheafGumboCheckNesting(void* budget, size_t open_elements) {
  sheaf::packer::HtmlTree::CheckNesting(budget, open_elements);
}
