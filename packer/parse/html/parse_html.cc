// HTML pages: the tree of a real HTML5 parser, written out in the light Markdown of document.h.
//
// Idea: html_tree.h parses, html_content.h says where the author's text is; the reader below
// walks it once. Words flow into one InlineText, the sink, until an element ends the paragraph;
// then they leave as a block. Headings, table cells and admonition titles borrow the sink, and
// whatever blocks stand inside them become spaces.
//
// Choices worth knowing
//  - A heading's anchor is its own id, else that of its link to itself, of an anchor inside it,
//    of the section that it opens (DocBook, Sphinx), or of an <a name> just before it.
//  - A definition list whose terms have ids (API entries, settings, glossaries) is read as small
//    sections: each term is a heading one level below the one above, so a reader can be sent to
//    it. Other definition lists are lists. A signature is titled by what stands before "(" and
//    follows its heading as code.
//  - Code keeps its white space and stands at the left margin, also inside lists.
//
// Caps (kTooLarge): see html_tree.h.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/document/document.h"
#include "packer/parse/html/html_content.h"
#include "packer/parse/html/html_elements.h"
#include "packer/parse/html/html_facets.h"
#include "packer/parse/html/html_tree.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/block_writer.h"
#include "packer/parse/shared/title.h"

namespace sheaf::packer {
namespace {

// What the reader has to undo or finish when it leaves an element.
enum class Role : uint8_t {
  kBlock,  // ends a paragraph on both sides
  kSpace,  // a block where no block can be
  kCode,   // inline code
  kPre,
  kPreLine,    // a block inside <pre>: ends a line
  kInlinePre,  // <pre> in a cell or heading
  kHeading,
  kSignature,    // a heading that is code all over
  kTermHeading,  // a <dt> with an id
  kList,
  kItem,
  kTerms,     // <dl> as a list
  kSections,  // <dl> as sections
  kTerm,
  kDefinition,
  kQuote,
  kLabel,  // an admonition's title
  kTable,
  kRow,
  kCell,
  kQuotation,  // <q>
  kLink,
};

constexpr size_t kMaxAltBytes = 1000;
constexpr size_t kWholeText = size_t(-1);

bool IsLetterOrDigit(char c) { return uint8_t(c) >= 0x80 || IsDigit(c) || IsAlpha(c); }

class Reader {
 public:
  Reader(const HtmlContent& content, Document* document, FacetCollector* facets)
      : content_(content), document_(document), out_(&document->blocks), weights_(facets) {}

  void Read(const GumboNode* root) {
    root_ = root;
    weights_.Begin(root);
    out_.set_weight(weights_.weight());
    WalkTree(
        root,
        [this](const GumboNode* node) {
          const bool down = Enter(node);
          if (down) weights_.Enter(node, document_->blocks.size());
          out_.set_weight(weights_.weight());
          if (down || (TagOf(node) == GUMBO_TAG_IMG && !IsFurniture(node))) NoteAttributes(node);
          return down;
        },
        [this](const GumboNode* node) {
          Leave(node);
          WriteAttributes();
          weights_.Leave(node, document_->blocks.size(), !sink_->empty() || in_pre_);
          out_.set_weight(weights_.weight());
        });
    Flush();
  }

  // What is not in the text though it is the author's.
  void NoteLosses(std::vector<std::string>* warnings) const {
    if (long_alts_ == 0) return;
    warnings->push_back(std::to_string(long_alts_) + " texts of images (alt) are left out: they are longer than " +
                        std::to_string(kMaxAltBytes) + " bytes");
  }

 private:
  struct Open {
    const GumboNode* node;
    Role role;
    int level = 0;  // kHeading, kTermHeading
  };

  // ---- text -----------------------------------------------------------------------------------

  void AddText(const GumboNode* node) {
    const GumboText& text = node->v.text;
    std::string_view words = text.text;
    std::string cleaned;
    if (!IsCleanText(words)) words = cleaned = CleanText(words);  // an entity may name anything
    if (in_pre_) {
      AddPreText(words);
      return;
    }
    sink_->Text(words);
    if (open_links_ > 0) sink_->links.letters += CountLetters(words);
    const std::string_view source(text.original_text.data, text.original_text.length);
    const size_t first = source.find_first_not_of(" \t\n\r\f");
    if (first == std::string_view::npos) return;
    const size_t last = source.find_last_not_of(" \t\n\r\f");
    const auto line_of = [&](size_t at) {
      return text.start_pos.line + uint32_t(std::count(source.begin(), source.begin() + ptrdiff_t(at), '\n'));
    };
    sink_->lines.Add(line_of(first));
    sink_->lines.Add(line_of(last));
    if (sink_ == &paragraph_) ForgetAnchors();
  }

  void AddPreText(std::string_view words) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (words.substr(i, 2) == "\xC2\xA0") {  // stands for a space that HTML would collapse
        pre_ += ' ';
        ++i;
      } else if (words.substr(i, 3) == "\xE2\x80\x8B") {
        i += 2;
      } else {
        pre_ += words[i];
      }
    }
  }

  // Attributes that are to be read as text; those of headings and of what stands in <pre> follow these.
  void NoteAttributes(const GumboNode* element) {
    const std::string values = IndexedAttributes(element);
    if (values.empty()) return;
    attributes_ += values;
    attributes_line_ = element->v.element.start_pos.line;
    WriteAttributes();
  }
  void WriteAttributes() {
    if (attributes_.empty() || in_pre_ || sink_ == &heading_) return;
    sink_->Space();
    sink_->Text(attributes_);
    sink_->Space();
    sink_->lines.Add(attributes_line_);
    attributes_.clear();
  }

  bool flowing() const { return sink_ == &paragraph_ && !in_label_; }

  // Ends the paragraph. A label waits for the paragraph that it belongs to, unless `force`.
  void Flush(bool force = true) {
    if (!flowing()) {
      sink_->Space();
      return;
    }
    if (!force && label_size_ > 0 && paragraph_.text().size() == label_size_) return;
    label_size_ = 0;
    if (paragraph_.empty()) {
      paragraph_ = InlineText();
      return;
    }
    const size_t before = document_->blocks.size();
    if (continues_term_) {
      out_.Continuation(&paragraph_);
    } else {
      out_.Text(&paragraph_);
    }
    continues_term_ = false;
    term_written_ = in_term_ && document_->blocks.size() > before;
    paragraph_ = InlineText();
  }

  // ---- anchors --------------------------------------------------------------------------------

  void ForgetAnchors() {
    section_anchor_.clear();
    mark_anchor_.clear();
  }

  // Remembers the id of an element that a heading may follow in or after.
  void NoteAnchor(const GumboNode* element, GumboTag tag) {
    if (!flowing() || (element == root_ && !IsNamedSection(element))) return;
    std::string_view id = Attribute(element, "id");
    if (tag == GUMBO_TAG_A && id.empty()) id = Attribute(element, "name");
    if (id.empty() || HasClass(element, "indexterm")) return;
    if (tag == GUMBO_TAG_A || tag == GUMBO_TAG_SPAN) {
      if (paragraph_.empty() && mark_anchor_.empty()) mark_anchor_ = CleanAnchor(id);
    } else if (tag == GUMBO_TAG_SECTION || tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_ARTICLE ||
               tag == GUMBO_TAG_DETAILS || tag == GUMBO_TAG_HEADER) {
      section_anchor_ = CleanAnchor(id);
      mark_anchor_.clear();
    }
  }

  // The content root is a frame, unless it is a section of the book itself (DocBook).
  static bool IsNamedSection(const GumboNode* element) {
    return AnyClass(element, [](std::string_view token) {
      return token == "refentry" || token == "chapter" || token == "section" || token.starts_with("sect");
    });
  }

  static std::string CleanAnchor(std::string_view id) {
    if (id.size() > 1024 || id.find_first_of(" \t\n") != std::string_view::npos || !IsCleanText(id))
      return {};
    return std::string(id);
  }

  // The anchor of a heading or term. REQUIRES: what was noted before it has not been forgotten
  std::string AnchorOf(const GumboNode* heading) const {
    if (std::string own = CleanAnchor(Attribute(heading, "id")); !own.empty()) return own;
    std::string link, inner;
    size_t steps = 0;
    WalkTree(
        heading,
        [&](const GumboNode* node) {
          if (!IsElement(node) || ++steps > 64) return false;
          const bool anchor = TagOf(node) == GUMBO_TAG_A;
          const std::string_view href = anchor ? Attribute(node, "href") : std::string_view();
          if (node != heading && IsFurniture(node)) {
            if (link.empty() && href.size() > 1 && href[0] == '#') link = CleanAnchor(href.substr(1));
            return false;
          }
          if (inner.empty() && !HasClass(node, "indexterm")) {
            inner = CleanAnchor(Attribute(node, "id"));
            if (inner.empty() && anchor) inner = CleanAnchor(Attribute(node, "name"));
          }
          return true;
        },
        [](const GumboNode*) {});
    if (!link.empty()) return link;
    if (!inner.empty()) return inner;
    return !section_anchor_.empty() ? section_anchor_ : mark_anchor_;
  }

  // ---- elements -------------------------------------------------------------------------------

  bool Enter(const GumboNode* node) {
    if (IsText(node)) {
      AddText(node);
      return false;
    }
    if (!IsElement(node)) return false;
    if (node != root_ && (IsFurniture(node) || (content_.whole_body && IsSiteHeader(node)))) return false;
    const GumboTag tag = TagOf(node);
    if (node->v.element.tag_namespace == GUMBO_NAMESPACE_MATHML && node->v.element.tag == GUMBO_TAG_MATH) {
      return EnterMath(node);
    }
    if (in_pre_) return EnterInPre(node, tag);
    if (IsCodeTag(tag)) {
      NoteAnchor(node, tag);
      sink_->BeginCode();
      Push(node, Role::kCode);
      return true;
    }
    switch (tag) {
      case GUMBO_TAG_BR: flowing() ? sink_->Break() : sink_->Space(); return false;
      case GUMBO_TAG_IMG:
      case GUMBO_TAG_IMAGE: AddAlt(node); return false;
      case GUMBO_TAG_SUP:
        if (IsExponent(node)) sink_->Text("^");
        return true;
      case GUMBO_TAG_Q:
        sink_->Text("\xE2\x80\x9C");
        Push(node, Role::kQuotation);
        return true;
      case GUMBO_TAG_COLGROUP: return false;
      default: break;
    }
    if (IsBlockTag(tag)) return flowing() ? EnterBlock(node, tag) : EnterNested(node, tag);
    if (tag == GUMBO_TAG_SPAN && HasClass(node, "stab")) sink_->Space();  // rustdoc: a badge beside a name
    if (tag == GUMBO_TAG_SPAN && flowing() && IsAdmonitionTitle(node)) return EnterLabel(node);
    NoteAnchor(node, tag);
    if (tag == GUMBO_TAG_A && HasAttribute(node, "href") && !weights_.stated()) {
      if (open_links_++ == 0) ++sink_->links.links;
      Push(node, Role::kLink);
    }
    return true;
  }

  void Push(const GumboNode* node, Role role, int level = 0) {
    open_.push_back({node, role, level});
    if (IsList(role)) lists_.push_back(role);
  }

  static bool IsList(Role role) { return role == Role::kList || role == Role::kTerms || role == Role::kSections; }

  bool EnterMath(const GumboNode* math) {
    std::string words(Attribute(math, "alttext"));
    if (words.empty()) {
      WalkTree(
          math,
          [&](const GumboNode* node) {
            if (!words.empty()) return false;
            if (IsElement(node) && HasAttribute(node, "encoding") &&
                Attribute(node, "encoding") == "application/x-tex") {
              words = TextOf(node, kWholeText);
              return false;
            }
            return true;
          },
          [](const GumboNode*) {});
    }
    if (words.empty()) words = TextOf(math, kWholeText);
    if (!IsCleanText(words)) words = CleanText(words);
    in_pre_ ? AddPreText(words) : sink_->Text(words);
    return false;
  }

  bool EnterInPre(const GumboNode* node, GumboTag tag) {
    if (tag == GUMBO_TAG_BR) {
      pre_ += '\n';
      return false;
    }
    if (IsBlockTag(tag)) Push(node, Role::kPreLine);
    return true;
  }

  // 2<sup>32</sup> is 2^32; a footnote's number is not an exponent.
  bool IsExponent(const GumboNode* sup) const {
    if (ChildCount(sup) != 1 || !IsText(Child(sup, 0)) || sink_->empty()) return false;
    const std::string_view digits = Child(sup, 0)->v.text.text;
    const char before = sink_->last_char();
    return !digits.empty() && digits.size() <= 4 && (IsLetterOrDigit(before) || before == ')') &&
           digits.find_first_not_of("0123456789-+n") == std::string_view::npos &&
           TagOf(sup->parent) != GUMBO_TAG_A;
  }

  void AddAlt(const GumboNode* image) {
    const std::string_view alt = Attribute(image, "alt");
    if (alt.size() > kMaxAltBytes) ++long_alts_;
    if (alt.empty() || alt.size() > kMaxAltBytes) return;
    const std::string clean = IsCleanText(alt) ? std::string(alt) : CleanText(alt);
    sink_->Text(clean);
    sink_->lines.Add(image->v.element.start_pos.line);
  }

  // A block inside a heading, cell or label.
  bool EnterNested(const GumboNode* node, GumboTag tag) {
    if (IsPreTag(tag)) {
      sink_->Space();
      sink_->BeginCode();
      Push(node, Role::kInlinePre);
      return true;
    }
    sink_->Space();
    Push(node, Role::kSpace);
    return true;
  }

  bool EnterBlock(const GumboNode* node, GumboTag tag) {
    // A label joins the paragraph after it, however deep that one stands.
    Flush(!(tag == GUMBO_TAG_P || tag == GUMBO_TAG_DIV));
    if (IsAdmonitionTitle(node)) return EnterLabel(node);
    if (IsHeadingTag(tag)) return EnterHeading(node, int(tag) - int(GUMBO_TAG_H1) + 1);
    NoteAnchor(node, tag);
    if (tag != GUMBO_TAG_P && tag != GUMBO_TAG_DIV && tag != GUMBO_TAG_DD) continues_term_ = false;
    if (IsPreTag(tag)) {
      pre_.clear();
      in_pre_ = true;
      Push(node, Role::kPre);
      return true;
    }
    switch (tag) {
      case GUMBO_TAG_UL:
      case GUMBO_TAG_MENU:
      case GUMBO_TAG_DIR:
        out_.OpenList(false, 1);
        Push(node, Role::kList);
        return true;
      case GUMBO_TAG_OL:
        out_.OpenList(true, StartOf(node));
        Push(node, Role::kList);
        return true;
      case GUMBO_TAG_LI:
        out_.OpenItem();
        Push(node, Role::kItem);
        return true;
      case GUMBO_TAG_DL: return EnterDefinitions(node);
      case GUMBO_TAG_DT: return EnterTerm(node);
      case GUMBO_TAG_DD:
        WriteSignatures(DomainOf(node->parent));
        if (InTermList()) continues_term_ = std::exchange(term_written_, false);
        Push(node, Role::kDefinition);
        return true;
      case GUMBO_TAG_BLOCKQUOTE:
        out_.OpenQuote();
        Push(node, Role::kQuote);
        return true;
      case GUMBO_TAG_TABLE:
        if (content_.layout_tables.contains(node)) break;
        in_table_ = first_row_ = true;
        Push(node, Role::kTable);
        return true;
      case GUMBO_TAG_TR:
        if (in_table_) return EnterRow(node);
        break;
      case GUMBO_TAG_TD:
      case GUMBO_TAG_TH:
        if (in_row_) return EnterCell(node, tag);
        break;
      case GUMBO_TAG_HR: return false;
      default: break;
    }
    Push(node, Role::kBlock);
    return true;
  }

  static uint64_t StartOf(const GumboNode* list) {
    const std::string_view start = Attribute(list, "start");
    uint64_t value = 0;
    if (start.empty() || start.size() > 6) return 1;
    for (const char c : start) {
      if (c < '0' || c > '9') return 1;
      value = value * 10 + uint64_t(c - '0');
    }
    return value;
  }

  bool EnterLabel(const GumboNode* node) {
    Flush();
    in_label_ = true;
    Push(node, Role::kLabel);
    return true;
  }

  bool EnterHeading(const GumboNode* node, int level) {
    heading_ = InlineText();
    sink_ = &heading_;
    Push(node, Role::kHeading, level);
    if (HasClass(node, "code-header") || HasClass(node, "fn") || HasClass(node, "in-band")) {
      sink_->BeginCode();
      open_.back().role = Role::kSignature;
    }
    return true;
  }

  // ---- definitions ----------------------------------------------------------------------------

  static bool HasTermId(const GumboNode* term) {
    const std::string_view id = Attribute(term, "id");
    // "id-1.5.8" and "id3" are made up by a generator; no link to them lasts.
    return !id.empty() && id.size() <= 256 &&
           !(id.starts_with("id") && id.find_first_not_of("-.0123456789", 2) == std::string_view::npos);
  }

  bool EnterDefinitions(const GumboNode* list) {
    const GumboNode* term = nullptr;
    for (size_t i = 0; i < std::min<size_t>(ChildCount(list), 8) && term == nullptr; ++i) {
      const GumboNode* child = Child(list, i);
      if (TagOf(child) == GUMBO_TAG_DT) term = child;
    }
    const bool notes = AnyClass(list, [](std::string_view token) {
      return token == "footnote" || token == "citation" || token == "simple" || token == "field-list";
    });
    if (term != nullptr && HasTermId(term) && !notes && !out_.in_list()) {
      ++section_lists_;
      Push(list, Role::kSections);
    } else {
      out_.OpenList(false, 1);
      Push(list, Role::kTerms);
    }
    return true;
  }

  bool InTermList() const { return !lists_.empty() && lists_.back() == Role::kTerms; }

  // Sphinx writes <dl class="py function">.
  static std::string_view DomainOf(const GumboNode* list) {
    for (const std::string_view domain : {"c", "cpp", "js"}) {
      if (HasClass(list, domain)) return domain;
    }
    return HasClass(list, "py") ? "python" : "";
  }

  bool EnterTerm(const GumboNode* term) {
    const bool code = HasClass(term, "sig");
    if (!InTermList() && section_lists_ > 0) {
      if (HasTermId(term) || code) {
        heading_ = InlineText();
        sink_ = &heading_;
        Push(term, Role::kTermHeading,
             std::min(6, section_level_ + int(std::min<size_t>(section_lists_, 6))));
        if (code) sink_->BeginCode();
        return true;
      }
      Push(term, Role::kBlock);
      return true;
    }
    out_.OpenItem();
    in_term_ = true;
    Push(term, Role::kTerm);
    return true;
  }

  // ---- tables ---------------------------------------------------------------------------------

  bool EnterRow(const GumboNode* row) {
    cells_.clear();
    header_cells_ = 0;
    in_row_ = true;
    Push(row, Role::kRow);
    return true;
  }

  bool EnterCell(const GumboNode* cell, GumboTag tag) {
    header_cells_ += tag == GUMBO_TAG_TH;
    cells_.emplace_back();
    sink_ = &cells_.back();
    Push(cell, Role::kCell);
    return true;
  }

  void LeaveRow(const GumboNode* row) {
    in_row_ = false;
    const bool header = TagOf(row->parent) == GUMBO_TAG_THEAD || header_cells_ == cells_.size();
    out_.Row(&cells_, header && first_row_);
    first_row_ = false;
    cells_.clear();
    ForgetAnchors();
  }

  // ---- leaving --------------------------------------------------------------------------------

  void Leave(const GumboNode* node) {
    if (open_.empty() || open_.back().node != node) return;
    const Open open = open_.back();
    open_.pop_back();
    if (IsList(open.role)) lists_.pop_back();
    switch (open.role) {
      case Role::kBlock: Flush(); break;
      case Role::kSpace: sink_->Space(); break;
      case Role::kCode: sink_->EndCode(); break;
      case Role::kInlinePre:
        sink_->EndCode();
        sink_->Space();
        break;
      case Role::kQuotation: sink_->Text("\xE2\x80\x9D"); break;
      case Role::kLink: --open_links_; break;
      case Role::kPreLine:
        if (!pre_.empty() && pre_.back() != '\n') pre_ += '\n';
        break;
      case Role::kPre: LeavePre(node); break;
      case Role::kHeading:
      case Role::kSignature:
      case Role::kTermHeading: LeaveHeading(open); break;
      case Role::kList:
      case Role::kTerms:
        Flush();
        out_.CloseList();
        break;
      case Role::kItem:
        Flush();
        out_.CloseItem();
        break;
      case Role::kSections:
        Flush();
        WriteSignatures(DomainOf(node));
        --section_lists_;
        break;
      case Role::kTerm:
        Flush();
        in_term_ = false;
        break;
      case Role::kDefinition:
        Flush();
        continues_term_ = false;
        break;
      case Role::kQuote:
        Flush();
        out_.CloseQuote();
        break;
      case Role::kLabel: LeaveLabel(); break;
      case Role::kTable:
        Flush();
        out_.EndTable();
        in_table_ = false;
        break;
      case Role::kRow: LeaveRow(node); break;
      case Role::kCell: sink_ = &paragraph_; break;
    }
  }

  void LeavePre(const GumboNode* node) {
    in_pre_ = false;
    const GumboElement& element = node->v.element;
    LineSpan lines;
    lines.Add(element.start_pos.line);
    lines.Add(std::max(element.start_pos.line, element.end_pos.line));
    out_.Code(LanguageOfPre(node), pre_, lines);
    pre_.clear();
    ForgetAnchors();
  }

  void LeaveHeading(const Open& open) {
    sink_ = &paragraph_;
    heading_.Finish();
    if (heading_.empty()) return;
    const std::string words = heading_.plain();
    const bool term = open.role == Role::kTermHeading;
    std::string name;
    if (term || (open.role == Role::kSignature && !words.starts_with("impl"))) {
      name = CollapseSpace(std::string_view(words).substr(0, words.find('(')));
    }
    const bool signature = !name.empty() && name != words && (!term || HasClass(open.node, "sig"));
    if (signature) {
      InlineText title;
      title.BeginCode();
      title.Text(name);
      title.EndCode();
      title.lines = heading_.lines;
      signatures_ += words + "\n";
      signature_lines_ = title.lines;
      out_.Heading(open.level, &title, name, AnchorOf(open.node));
      if (!term) WriteSignatures("rust");
    } else {
      out_.Heading(open.level, &heading_, name, AnchorOf(open.node));
    }
    if (!term) section_level_ = open.level;
    ForgetAnchors();
  }

  // Several signatures may share one description: their headings come first, then all of them as
  // code, so that no heading is cut off from the text that it stands for.
  void WriteSignatures(std::string_view language) {
    out_.Code(language, signatures_, signature_lines_);
    signatures_.clear();
  }

  void LeaveLabel() {
    in_label_ = false;
    if (paragraph_.empty()) return;
    const char last = paragraph_.text().empty() ? ' ' : paragraph_.text().back();
    if (last != '.' && last != ':' && last != '!' && last != '?') paragraph_.Text(":");
    paragraph_.Space();
    label_size_ = paragraph_.text().size();
  }

  const HtmlContent& content_;
  Document* document_;
  BlockWriter out_;
  WeightStack weights_;
  const GumboNode* root_ = nullptr;
  std::vector<Open> open_;
  std::vector<Role> lists_;  // those of them that are lists

  InlineText paragraph_, heading_;
  InlineText* sink_ = &paragraph_;
  std::string pre_;
  bool in_pre_ = false;
  std::vector<InlineText> cells_;
  size_t header_cells_ = 0;
  bool in_table_ = false, in_row_ = false, first_row_ = false;

  size_t open_links_ = 0;  // HTML nests none, trees may
  bool in_label_ = false;
  size_t label_size_ = 0;  // bytes of the paragraph that are a label; 0: none waits
  bool in_term_ = false;
  bool term_written_ = false;  // the last block is a term, which its definition joins
  bool continues_term_ = false;
  std::string signatures_;  // of the terms above, for the code block that follows them
  LineSpan signature_lines_;
  size_t section_lists_ = 0;  // open <dl>s whose terms are headings
  int section_level_ = 1;
  std::string section_anchor_, mark_anchor_;
  std::string attributes_;
  uint32_t attributes_line_ = 0;
  size_t long_alts_ = 0;
};

// The page's own title: <title> without the site's name where the first heading tells them apart.
std::string ChooseTitle(const std::string& title, const std::vector<Block>& blocks) {
  const Block* heading = nullptr;
  for (const Block& block : blocks) {
    if (block.kind != BlockKind::kHeading) continue;
    if (heading == nullptr) heading = &block;
    if (block.level == 1) {
      heading = &block;
      break;
    }
  }
  if (heading == nullptr || title.empty()) return title;
  const std::string name = CollapseSpace(heading->title);
  if (name.empty()) return title;
  const std::string lower_title = Lower(title), lower_name = Lower(name);
  if (lower_title == lower_name) return name;
  for (const std::string_view separator :
       {" \xE2\x80\x94 ", " \xE2\x80\x93 ", " - ", " | ", " \xC2\xB7 ", " :: ", " : ", " \xC2\xBB ", " / "}) {
    const std::string before = lower_name + std::string(separator),
                      after = std::string(separator) + lower_name;
    if (lower_title.starts_with(before) || lower_title.ends_with(after)) return name;
  }
  return title;
}

}  // namespace

Result<Document> ParseHtml(std::string_view source, std::string_view path) {
  std::string cleaned;
  if (source.size() <= kMaxHtmlBytes && !IsCleanText(source)) source = cleaned = CleanText(source);
  SHEAF_ASSIGN_OR_RETURN(const HtmlTree tree, HtmlTree::Parse(source, path));
  const HtmlContent content = FindContent(tree.root());
  HtmlHead head = ReadHead(tree.root());
  Document document;
  FacetCollector facets;
  ReadFacets(tree.root(), &facets);
  Reader reader(content, &document, &facets);
  for (const GumboNode* root : content.roots) reader.Read(root);
  document.title = ChooseTitle(head.title, document.blocks);
  document.description = std::move(head.description);
  document.last_modified = std::move(head.last_modified);
  document.url = std::move(head.url);
  document.no_index = head.no_index;
  document.body_mark = content.mark;
  document.forwards_to = std::move(head.forwards_to);
  TakePageMeta(&facets.facets, &document.title, &document.description);
  document.facets = std::move(facets.facets);
  document.warnings = facets.TakeWarnings();
  reader.NoteLosses(&document.warnings);
  CompleteTitle(path, &document);
  return document;
}

}  // namespace sheaf::packer
