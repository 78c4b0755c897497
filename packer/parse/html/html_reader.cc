#include "packer/parse/html/html_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/parse/html/html_anchors.h"
#include "packer/parse/html/html_code.h"
#include "packer/parse/html/html_elements.h"
#include "packer/parse/html/html_entry.h"
#include "packer/parse/html/html_furniture.h"
#include "packer/parse/html/html_grid.h"
#include "packer/parse/html/html_open.h"
#include "packer/parse/html/html_table.h"
#include "packer/parse/html/html_tree.h"
#include "packer/parse/shared/block_writer.h"

namespace sheaf::packer {
namespace {

using Role = HtmlRole;

constexpr size_t kMaxAltBytes = 1000;
constexpr size_t kMaxHeadingBytes = 100;  // of words that are a heading by their looks alone

bool IsHtmlBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }
bool IsLetterOrDigit(char c) { return uint8_t(c) >= 0x80 || IsDigit(c) || IsAlpha(c); }

// Signatures of API entries. Several may share one description: all their headings come first, then all the
// signatures as code, so that no heading is separated from its text.
class Signatures {
 public:
  void Add(const std::string& words, LineSpan lines) {
    text_ += words + "\n";
    lines_ = lines;
  }
  bool pending() const { return !text_.empty(); }
  void Write(std::string_view language, BlockWriter* out) {
    out->Code(language, text_, lines_);
    text_.clear();
  }

 private:
  std::string text_;
  LineSpan lines_;
};

class Reader {
 public:
  Reader(const HtmlContent& content, FacetCollector* facets, LinkTargets* links, const LinkAddress& address,
         std::vector<Block>* blocks)
      : content_(content), blocks_(blocks), out_(blocks), weights_(facets), links_(links), address_(address) {}

  void Read(const GumboNode* root) {
    root_ = root;
    weights_.Begin(root);
    out_.set_weight(weights_.weight());
    WalkTree(
        root,
        [this](const GumboNode* node) {
          const bool down = Enter(node);
          if (down) weights_.Enter(node, blocks_->size());
          out_.set_weight(weights_.weight());
          if (down || (TagOf(node) == GUMBO_TAG_IMG && !IsFurniture(node))) NoteAttributes(node);
          return down;
        },
        [this](const GumboNode* node) {
          Leave(node);
          WriteAttributes();
          weights_.Leave(node, blocks_->size(), !sink()->empty() || InPre());
          out_.set_weight(weights_.weight());
        });
    Flush();
  }

  std::vector<std::string> Losses() const {
    if (long_alts_ == 0) return {};
    return {std::to_string(long_alts_) + " texts of images (alt) are left out: they are longer than " +
            std::to_string(kMaxAltBytes) + " bytes"};
  }

 private:
  bool InPre() const { return open_.In(Role::kPre); }

  // ---- text -----------------------------------------------------------------------------------

  // Where words go.
  InlineText* sink() {
    if (open_.InHeading()) return &heading_;
    return open_.In(Role::kCell) ? table_.cell() : &paragraph_;
  }

  void AddText(const GumboNode* node) {
    const GumboText& text = node->v.text;
    std::string_view words = text.text;
    std::string cleaned;
    if (!IsCleanText(words)) words = cleaned = CleanText(words);  // an entity may name anything
    if (InPre()) {
      if (!IsBetweenLines(node, words)) AddPreText(words);
      return;
    }
    // man2html's answer to a web server, saved with its page.
    if (blocks_->empty() && paragraph_.empty() && words.starts_with("Content-type: text/html") && words.size() < 80)
      return;
    InlineText* const to = sink();
    if (std::exchange(after_alt_, false) && !words.empty() && IsLetterOrDigit(words.front())) to->Space();
    const bool begins = to == &paragraph_ && paragraph_.empty() && !content_.has_headings;
    if (begins) paragraph_anchor_ = anchors_.noted();
    to->Text(words);
    if (open_.In(Role::kStrong)) strong_letters_ += CountLetters(words);
    if (open_.In(Role::kLink)) to->links.letters += CountLetters(words);
    const std::string_view source(text.original_text.data, text.original_text.length);
    const size_t first = source.find_first_not_of(" \t\n\r\f");
    if (first == std::string_view::npos) return;
    const size_t last = source.find_last_not_of(" \t\n\r\f");
    const auto line_of = [&](size_t at) {
      return text.start_pos.line + uint32_t(std::count(source.begin(), source.begin() + ptrdiff_t(at), '\n'));
    };
    to->lines.Add(line_of(first));
    to->lines.Add(line_of(last));
    // A space that does not break, as man2html puts it into its anchors, is no text.
    const bool blank = words.find_first_not_of(" \t\n\r\f\xC2\xA0") == std::string_view::npos;
    if (to == &paragraph_ && !paragraph_.empty() && !blank) anchors_.Forget();
  }

  // White space between the elements that are lines.
  bool IsBetweenLines(const GumboNode* text, std::string_view words) const {
    if (words.find_first_not_of(" \t\n\r\f") != std::string_view::npos) return false;
    switch (TagOf(text->parent)) {
      case GUMBO_TAG_TABLE:
      case GUMBO_TAG_THEAD:
      case GUMBO_TAG_TBODY:
      case GUMBO_TAG_TR: return true;
      case GUMBO_TAG_DIV:
      case GUMBO_TAG_LI: return listing_ == Listing::kLines && ListingOf(text->parent) == Listing::kLines;
      default: return false;
    }
  }

  void AddPreText(std::string_view words) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (listing_ == Listing::kBreaks && IsHtmlBlank(words[i])) {
        if (!pre_.empty() && pre_.back() != '\n' && !std::exchange(collapsed_, true)) pre_ += ' ';
        continue;
      }
      collapsed_ = false;
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

  // Adds attributes that are read as text; those of headings and of <pre> content come after the block.
  void NoteAttributes(const GumboNode* element) {
    const std::string values = IndexedAttributes(element);
    if (values.empty()) return;
    attributes_ += values;
    attributes_line_ = element->v.element.start_pos.line;
    WriteAttributes();
  }
  void WriteAttributes() {
    if (attributes_.empty() || InPre() || open_.InHeading()) return;
    InlineText* const to = sink();
    to->Space();
    to->Text(attributes_);
    to->Space();
    to->lines.Add(attributes_line_);
    attributes_.clear();
  }

  // Ends the paragraph. A label waits for the paragraph that it belongs to, unless `force`.
  void Flush(bool force = true) {
    if (!open_.InFlow()) {
      sink()->Space();
      return;
    }
    if (!force && label_size_ > 0 && paragraph_.text().size() == label_size_) return;
    label_size_ = 0;
    if (!paragraph_.empty() && !WriteWordsAsHeading()) WriteParagraph();
    strong_letters_ = 0;
    prose_links_.clear();
    paragraph_ = InlineText();
  }

  // On a page without any heading, a short line in bold or large letters is one.
  bool WriteWordsAsHeading() {
    if (content_.has_headings || strong_letters_ == 0 || out_.in_list() || open_.In(Role::kQuote)) return false;
    const std::string& words = paragraph_.plain();
    if (words.size() > kMaxHeadingBytes || words.find_first_of(".;,") == words.size() - 1) return false;
    if (paragraph_.text().find('\n') != std::string::npos || strong_letters_ < CountLetters(words)) return false;
    out_.Heading(2, &paragraph_, {}, paragraph_anchor_);
    anchors_.Forget();
    return true;
  }

  void WriteParagraph() {
    const size_t before = blocks_->size();
    const bool is_prose = paragraph_.links.letters * 2 <= CountLetters(paragraph_.plain()) && !open_.In(Role::kTerm);
    for (const std::string_view href : prose_links_) {
      if (is_prose) links_->Add(href, true);
    }
    if (continues_term_) {
      out_.Continuation(&paragraph_);
    } else {
      out_.Text(&paragraph_);
    }
    continues_term_ = false;
    term_written_ = open_.In(Role::kTerm) && blocks_->size() > before;
    // A term that is a link is explained where it leads.
    const LinkTally& links = paragraph_.links;
    if (term_written_ && links.letters * 2 <= CountLetters(paragraph_.plain())) {
      blocks_->back().term = paragraph_.plain();
      blocks_->back().anchor = term_anchor_;
    }
  }

  // The content root is a frame, unless it is a section of the book itself.
  void NoteAnchor(const GumboNode* element) {
    if (!open_.InFlow() || (element == root_ && !IsNamedSection(element))) return;
    anchors_.Note(element, !paragraph_.empty());
  }

  // ---- entering -------------------------------------------------------------------------------

  bool Enter(const GumboNode* node) {
    if (IsText(node)) {
      AddText(node);
      return false;
    }
    if (!IsElement(node)) return false;
    if (node != root_ &&
        (IsFurniture(node) || (content_.whole_body && node != content_.header && IsSiteHeader(node)))) {
      return false;
    }
    if (IsMath(node)) {
      AddMath(node);
      return false;
    }
    const GumboTag tag = TagOf(node);
    if (InPre()) return EnterInPre(node, tag);
    if (IsBlockTag(tag)) return open_.InFlow() ? EnterBlock(node, tag) : EnterNested(node, tag);
    return EnterInline(node, tag);
  }

  void AddMath(const GumboNode* math) {
    const std::string words = TextOfMath(math);
    InPre() ? AddPreText(words) : sink()->Text(words);
  }

  bool EnterInPre(const GumboNode* node, GumboTag tag) {
    if (tag == GUMBO_TAG_BR) {
      pre_ += '\n';
      return false;
    }
    if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH) {
      if (!pre_.empty() && !IsHtmlBlank(pre_.back())) pre_ += ' ';
    } else if (IsBlockTag(tag)) {
      if (listing_ == Listing::kLines && ChildCount(node) == 0) pre_ += '\n';
      open_.Push(node, Role::kPreLine);
    }
    return true;
  }

  bool EnterListing(const GumboNode* node, Listing listing) {
    Flush();
    pre_.clear();
    listing_ = listing;
    open_.Push(node, Role::kPre);
    return true;
  }

  bool EnterInline(const GumboNode* node, GumboTag tag) {
    if (IsCodeTag(tag)) {
      NoteAnchor(node);
      if (open_.InFlow() && ListingOf(node) == Listing::kBreaks) return EnterListing(node, Listing::kBreaks);
      if (IsBadge(node)) sink()->Space();
      sink()->BeginCode();
      open_.Push(node, Role::kCode);
      return true;
    }
    switch (tag) {
      case GUMBO_TAG_BR: open_.InFlow() ? sink()->Break() : sink()->Space(); return false;
      case GUMBO_TAG_IMG:
      case GUMBO_TAG_IMAGE: AddAlt(node); return false;
      case GUMBO_TAG_SUP:
        if (IsExponent(node)) sink()->Text("^");
        return true;
      case GUMBO_TAG_Q:
        sink()->Text("\xE2\x80\x9C");
        open_.Push(node, Role::kQuotation);
        return true;
      case GUMBO_TAG_B:
      case GUMBO_TAG_STRONG:
      case GUMBO_TAG_BIG:
      case GUMBO_TAG_FONT:
        if (!content_.has_headings && open_.InFlow() && IsStrong(node, tag)) open_.Push(node, Role::kStrong);
        return true;
      case GUMBO_TAG_COLGROUP: return false;
      default: break;
    }
    if (tag == GUMBO_TAG_SPAN && HasClass(node, "stab")) sink()->Space();  // rustdoc: a badge beside a name
    if (tag == GUMBO_TAG_SPAN && open_.InFlow()) {
      if (IsAdmonitionTitle(node)) return EnterLabel(node);
      if (IsEntry(node)) {
        Flush();
        return EnterEntry(node, section_level_ + 1);
      }
    }
    NoteAnchor(node);
    if (tag == GUMBO_TAG_A) NoteLink(Attribute(node, "href"));
    if (tag == GUMBO_TAG_A && HasAttribute(node, "href") && !weights_.stated()) {
      if (!open_.In(Role::kLink)) {
        ++sink()->links.links;
        if (address_ && !open_.InHeading() && !open_.In(Role::kLabel) && !InPre())
          sink()->BeginLink(address_(Attribute(node, "href")));
      }
      open_.Push(node, Role::kLink);
    }
    return true;
  }

  // TypeDoc: "Readonly", beside a name.
  static bool IsBadge(const GumboNode* code) { return HasClass(code, "tsd-tag"); }

  // A link that begins its paragraph is a label; whether the others stand in prose is seen once the paragraph ends.
  void NoteLink(std::string_view href) {
    links_->Add(href);
    if (sink() == &paragraph_ && !InPre() && !paragraph_.empty()) prose_links_.push_back(href);
  }

  static bool IsStrong(const GumboNode* node, GumboTag tag) {
    if (tag != GUMBO_TAG_FONT) return true;
    const std::string_view size = Attribute(node, "size");
    return size.starts_with('+') || (size.size() == 1 && size[0] >= '4' && size[0] <= '7');
  }

  // 2<sup>32</sup> is 2^32; a footnote's number is not an exponent.
  bool IsExponent(const GumboNode* sup) {
    if (ChildCount(sup) != 1 || !IsText(Child(sup, 0)) || sink()->empty()) return false;
    const std::string_view digits = Child(sup, 0)->v.text.text;
    const char before = sink()->last_char();
    return !digits.empty() && digits.size() <= 4 && (IsLetterOrDigit(before) || before == ')') &&
           digits.find_first_not_of("0123456789-+n") == std::string_view::npos && TagOf(sup->parent) != GUMBO_TAG_A;
  }

  void AddAlt(const GumboNode* image) {
    const std::string_view alt = Attribute(image, "alt");
    if (alt.size() > kMaxAltBytes) ++long_alts_;
    if (alt.empty() || alt.size() > kMaxAltBytes || IsLogo(alt)) return;
    const std::string clean = IsCleanText(alt) ? std::string(alt) : CleanText(alt);
    // A picture stands apart from the words beside it.
    if (IsLetterOrDigit(sink()->last_char()) && IsLetterOrDigit(clean.front())) sink()->Space();
    sink()->Text(clean);
    after_alt_ = IsLetterOrDigit(clean.back());
    sink()->lines.Add(image->v.element.start_pos.line);
  }

  static bool IsLogo(std::string_view alt) {
    if (alt.size() > 40) return false;
    const std::string words = Lower(CollapseSpace(alt));
    return words == "logo" || words.ends_with(" logo");
  }

  // A block inside a heading, cell or label.
  bool EnterNested(const GumboNode* node, GumboTag tag) {
    sink()->Space();
    if (IsPreTag(tag)) sink()->BeginCode();
    open_.Push(node, IsPreTag(tag) ? Role::kInlinePre : Role::kSpace);
    return true;
  }

  bool EnterBlock(const GumboNode* node, GumboTag tag) {
    // A label joins the next paragraph, however deep it is nested.
    Flush(!(tag == GUMBO_TAG_P || tag == GUMBO_TAG_DIV));
    if (IsAdmonitionTitle(node)) return EnterLabel(node);
    if (IsHeadingTag(tag)) return EnterHeading(node, int(tag) - int(GUMBO_TAG_H1) + 1);
    if (tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_P || tag == GUMBO_TAG_LI) {
      if (IsPageTitle(node)) return EnterHeading(node, 1);
      if (IsEntry(node)) return EnterEntry(node, section_level_ + 1);
      const Listing listing = ListingOf(node);
      if (listing == Listing::kWords) {
        Flush();
        BeginHeading(node, Role::kProto, 0, true);
        return true;
      }
      if (listing != Listing::kNone) return EnterListing(node, listing);
    }
    NoteAnchor(node);
    if (tag == GUMBO_TAG_TR && directive_ && !FactOfDirective(node).empty()) return false;
    if (tag != GUMBO_TAG_P && tag != GUMBO_TAG_DIV && tag != GUMBO_TAG_DD) continues_term_ = false;
    if (tag == GUMBO_TAG_HR) return false;
    if (tag == GUMBO_TAG_DL) return EnterDefinitions(node);
    if (tag == GUMBO_TAG_DT) return EnterTerm(node);
    open_.Push(node, Open(node, tag));
    return true;
  }

  // Begins the block of an element and returns its role.
  Role Open(const GumboNode* node, GumboTag tag) {
    if (IsPreTag(tag)) {
      pre_.clear();
      listing_ = Listing::kNone;
      return Role::kPre;
    }
    if (tag == GUMBO_TAG_DIV) return OpenGridPart(node);
    switch (tag) {
      case GUMBO_TAG_UL:
      case GUMBO_TAG_MENU:
      case GUMBO_TAG_DIR:
        if (IsArrangement(node)) return Role::kBlock;
        out_.OpenList(false, 1);
        return Role::kList;
      case GUMBO_TAG_OL: out_.OpenList(true, StartOfList(node)); return Role::kList;
      case GUMBO_TAG_LI:
        if (IsArrangement(node->parent) || HasAttribute(node, "fullcomment")) return Role::kBlock;
        out_.OpenItem();
        return Role::kItem;
      case GUMBO_TAG_DD:
        signatures_.Write(DomainOfDefinitions(node->parent), &out_);
        if (InTermList()) continues_term_ = std::exchange(term_written_, false);
        return Role::kDefinition;
      case GUMBO_TAG_BLOCKQUOTE:
        if (IsInset(node)) return Role::kBlock;
        out_.OpenQuote();
        return Role::kQuote;
      case GUMBO_TAG_TABLE:
        if (content_.listing_tables.contains(node)) {
          pre_.clear();
          listing_ = Listing::kLines;
          return Role::kPre;
        }
        if (directive_ = IsDirectiveTable(node); directive_) WriteDirective(node);
        table_.BeginTable();
        return content_.layout_tables.contains(node) ? Role::kBlock : Role::kTable;
      case GUMBO_TAG_TR:
        if (!open_.In(Role::kTable)) return OpenMember(node);
        table_.BeginRow();
        return Role::kRow;
      case GUMBO_TAG_TD:
      case GUMBO_TAG_TH:
        if (!open_.In(Role::kRow) && !open_.In(Role::kMember)) return Role::kBlock;
        if (HasClass(node, "mdescLeft")) return Role::kBlock;  // Doxygen: white space
        table_.AddCell(tag == GUMBO_TAG_TH);
        return Role::kCell;
      default: return Role::kBlock;
    }
  }

  // The facts of a directive as its signature, below its heading.
  void WriteDirective(const GumboNode* table) {
    LineSpan lines;
    lines.Add(table->v.element.start_pos.line);
    if (const std::string name = NameOfDirective(table); !name.empty()) {
      InlineText title;
      title.BeginCode();
      title.Text(name);
      title.EndCode();
      title.lines = lines;
      out_.Heading(std::min(6, section_level_ + 1), &title, name, anchors_.noted());
    }
    std::string facts;
    WalkUntil(table, [&](const GumboNode* node) {
      if (TagOf(node) != GUMBO_TAG_TR) return Walk::kInto;
      if (const std::string fact = FactOfDirective(node); !fact.empty()) facts += fact + '\n';
      return Walk::kPast;
    });
    if (facts.empty()) return;
    out_.Code("", facts, lines);
    anchors_.Forget();
  }

  // A part of a table that is made of <div>.
  Role OpenGridPart(const GumboNode* node) {
    const GridPart part = GridPartOf(node);
    if (part == GridPart::kNone) return Role::kBlock;
    if (part == GridPart::kTable) {
      if (open_.In(Role::kTable) || content_.layout_tables.contains(node)) return Role::kBlock;
      table_.BeginTable();
      return Role::kTable;
    }
    if (!open_.In(Role::kTable)) return Role::kBlock;
    if (part == GridPart::kRow) {
      if (open_.In(Role::kRow)) return Role::kBlock;
      table_.BeginRow();
      return Role::kRow;
    }
    if (!open_.In(Role::kRow) && !table_.in_row()) table_.BeginRow();
    table_.AddCell(part == GridPart::kHeaderCell);
    return Role::kCell;
  }

  // Doxygen lists members in a table that holds headings too: a member's row, then one with its description.
  Role OpenMember(const GumboNode* row) {
    bool member = false, description = false;
    AnyClass(row, [&](std::string_view token) {
      member = token.starts_with("memitem:");
      description = token.starts_with("memdesc:");
      return member || description;
    });
    if (!description || !table_.in_row()) EndRow(row);
    if (!member && !description) return Role::kBlock;
    if (!table_.in_row()) table_.BeginRow();
    return Role::kMember;
  }

  void EndRow(const GumboNode* row) {
    if (!table_.in_row()) return;
    table_.EndRow(TagOf(row->parent) == GUMBO_TAG_THEAD, &out_);
    anchors_.Forget();
  }

  bool EnterLabel(const GumboNode* node) {
    Flush();
    open_.Push(node, Role::kLabel);
    return true;
  }

  bool EnterHeading(const GumboNode* node, int level) {
    bool words = false, member = false;
    AnyClass(node, [&](std::string_view token) {
      // A card's title links to the page that it names; Erlang's labels stand inside an entry.
      words = words || token.starts_with("cardTitle") || token == "func-types-title" || token == "tag_title";
      member = member || token == "memtitle";  // Doxygen: below its group, which is an <h2> as well
      return false;
    });
    if (words || (entry_ != nullptr && IsTitleOfSpecs(node))) {
      open_.Push(node, Role::kBlock);
      return true;
    }
    if (IsSignatureHeading(node)) {
      return EnterEntry(node, level > 1 ? level : section_level_ + 1);
    }
    if (member) ++level;
    if (entry_ != nullptr) level = std::min(6, std::max(level, entry_level_ + 1));
    const bool code = HasClass(node, "code-header") || HasClass(node, "fn") || HasClass(node, "in-band");
    BeginHeading(node, code ? Role::kSignature : Role::kHeading, level, code);
    return true;
  }

  bool EnterEntry(const GumboNode* signature, int level) {
    entry_ = ScopeOfEntry(signature);
    entry_level_ = std::min(6, level);
    BeginHeading(signature, Role::kEntry, entry_level_, true);
    return true;
  }

  void BeginHeading(const GumboNode* node, Role role, int level, bool code) {
    heading_ = InlineText();
    open_.Push(node, role, level);
    if (code) heading_.BeginCode();
  }

  // ---- definitions ----------------------------------------------------------------------------

  bool EnterDefinitions(const GumboNode* list) {
    if (TermsAreSections(list) && !out_.in_list()) {
      open_.Push(list, Role::kSections);
    } else {
      out_.OpenList(false, 1);
      open_.Push(list, Role::kTerms);
    }
    return true;
  }

  bool InTermList() const { return open_.innermost_list() == Role::kTerms; }

  bool EnterTerm(const GumboNode* term) {
    const size_t depth = open_.Count(Role::kSections);
    if (InTermList() || depth == 0) {
      out_.OpenItem();
      open_.Push(term, Role::kTerm);
      term_anchor_ = HasClass(term, "sig") ? AnchorOfTerm(term) : std::string_view();
      return true;
    }
    const bool code = HasClass(term, "sig");
    if (!AnchorOfTerm(term).empty() && (code || !JoinsTermAbove(term))) {
      BeginHeading(term, Role::kTermHeading, std::min(6, section_level_ + int(std::min<size_t>(depth, 6))), code);
    } else {
      open_.Push(term, Role::kBlock);
    }
    return true;
  }

  // ---- leaving --------------------------------------------------------------------------------

  void Leave(const GumboNode* node) {
    if (node == entry_) entry_ = nullptr;
    if (!open_.IsTop(node)) return;
    Close(open_.top());
    open_.Pop();
  }

  // Ends the parts that the element began; it is still open.
  void Close(const OpenElement& open) {
    switch (open.role) {
      case Role::kNone:
      case Role::kStrong: break;
      case Role::kBlock:
        Flush();
        if (TagOf(open.node) == GUMBO_TAG_TABLE) {
          EndRow(open.node);
          out_.EndTable();
        }
        break;
      case Role::kSpace: sink()->Space(); break;
      case Role::kCode:
        sink()->EndCode();
        if (IsBadge(open.node)) sink()->Space();
        break;
      case Role::kInlinePre:
        sink()->EndCode();
        sink()->Space();
        break;
      case Role::kQuotation: sink()->Text("\xE2\x80\x9D"); break;
      case Role::kLink:
        if (open_.Count(Role::kLink) == 1) sink()->EndLink();
        break;
      case Role::kPreLine:
        if (!pre_.empty() && pre_.back() != '\n') pre_ += '\n';
        break;
      case Role::kPre: ClosePre(open.node); break;
      case Role::kHeading:
      case Role::kSignature:
      case Role::kTermHeading:
      case Role::kEntry: CloseHeading(open); break;
      case Role::kProto: CloseProto(open.node); break;
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
        signatures_.Write(DomainOfDefinitions(open.node), &out_);
        break;
      case Role::kTerm: Flush(); break;
      case Role::kDefinition:
        Flush();
        continues_term_ = false;
        break;
      case Role::kQuote:
        Flush();
        out_.CloseQuote();
        break;
      case Role::kLabel: CloseLabel(); break;
      case Role::kTable:
        Flush();
        EndRow(open.node);
        out_.EndTable();
        table_.BeginTable();
        break;
      case Role::kRow: EndRow(open.node); break;
      case Role::kMember: break;
      case Role::kCell:
        if (!open_.In(Role::kRow) && !open_.In(Role::kMember) && EndsLooseRow(open.node)) EndRow(open.node);
        break;
    }
  }

  void ClosePre(const GumboNode* node) {
    const GumboElement& element = node->v.element;
    LineSpan lines;
    lines.Add(element.start_pos.line);
    lines.Add(std::max(element.start_pos.line, element.end_pos.line));
    const bool numbers = IsPreTag(TagOf(node)) && IsLineNumbers(node, pre_);
    if (!numbers) {
      out_.Code(LanguageOfPre(node), pre_, lines);
      anchors_.Forget();
    }
    pre_.clear();
    listing_ = Listing::kNone;
  }

  void CloseProto(const GumboNode* node) {
    heading_.Finish();
    std::string words = heading_.plain();
    if (!words.empty() && HasClass(node, "memproto")) {
      // Doxygen's cells: "int f ( int x , int y )".
      for (const auto& [from, to] :
           {std::pair<std::string_view, std::string_view>{" (", "("}, {"( ", "("}, {" )", ")"}}) {
        size_t at = words.find(from);
        if (at != std::string::npos) words.replace(at, from.size(), to);
      }
    }
    if (!words.empty()) {
      if (HasClass(node, "memproto") && !std::exchange(member_titled_, false)) WriteMemberHeading(words);
      out_.Code(LanguageOfPre(node), words, heading_.lines);
      anchors_.Forget();
    }
    heading_ = InlineText();
  }

  // Of a member that an older Doxygen gave none: the name before the parameters.
  void WriteMemberHeading(std::string_view words) {
    std::string_view name = words.substr(0, words.find('('));
    if (const size_t space = name.rfind(' '); space != std::string_view::npos) name.remove_prefix(space + 1);
    if (name.empty()) return;
    InlineText title;
    title.BeginCode();
    title.Text(name);
    title.lines = heading_.lines;
    out_.Heading(std::min(6, section_level_ + 1), &title, {}, anchors_.noted());
  }

  void CloseHeading(const OpenElement& open) {
    heading_.Finish();
    if (heading_.empty() && !HasClass(open.node, "sig")) heading_.Text(WordsOfHeading(open.node));
    heading_.Finish();
    if (!heading_.empty()) {
      WriteHeading(open);
      KeepAliases(open.node);
      anchors_.Forget();
    }
    heading_ = InlineText();
  }

  // The other ids of the heading that was written last; code may follow it.
  void KeepAliases(const GumboNode* node) {
    for (size_t i = blocks_->size(); i > 0; --i) {
      Block& block = (*blocks_)[i - 1];
      if (block.kind != BlockKind::kHeading) continue;
      for (std::string& id : anchors_.AllOf(node)) {
        const bool known = id == block.anchor || std::count(block.aliases.begin(), block.aliases.end(), id) > 0;
        if (!known) block.aliases.push_back(std::move(id));
      }
      return;
    }
  }

  void WriteHeading(const OpenElement& open) {
    const std::string words = heading_.plain();
    const bool term = open.role == Role::kTermHeading, entry = open.role == Role::kEntry;
    if (!term && !entry && entry_ == nullptr) section_level_ = open.level;
    member_titled_ = HasClass(open.node, "memtitle");
    std::string name;
    if (entry) {
      name = NameOfEntry(open.node, words);
    } else if (term || (open.role == Role::kSignature && !words.starts_with("impl"))) {
      name = NameOfSignature(open.node, words);
    }
    std::string anchor(term || entry ? AnchorOfTerm(open.node) : std::string_view());
    if (anchor.empty() && TagOf(open.node) == GUMBO_TAG_SPAN) anchor = anchors_.noted();
    if (anchor.empty()) anchor = anchors_.Of(open.node);
    if (entry && anchor.empty() && signatures_.pending() && !blocks_->empty()) anchor = blocks_->back().anchor;
    const bool signature = !name.empty() && name != words && (!term || HasClass(open.node, "sig"));
    if (!signature) {
      out_.Heading(open.level, &heading_, name, anchor);
      return;
    }
    signatures_.Add(words, heading_.lines);
    // Several signatures of one name have one heading.
    const Block* const last = blocks_->empty() ? nullptr : &blocks_->back();
    const bool repeated = (term || entry) && last != nullptr && last->kind == BlockKind::kHeading &&
                          last->title == name && last->anchor == anchor;
    if (!repeated) {
      InlineText title;
      title.BeginCode();
      title.Text(name);
      title.EndCode();
      title.lines = heading_.lines;
      out_.Heading(open.level, &title, name, anchor);
    }
    if (entry && !SharesItsEntry(open.node)) signatures_.Write("", &out_);
    if (open.role == Role::kSignature) signatures_.Write(HasClass(open.node, "fn") ? "" : "rust", &out_);
  }

  static std::string NameOfSignature(const GumboNode* node, const std::string& words) {
    if (HasClass(node, "cpp") || HasClass(node, "c")) {
      if (std::string name = MarkedName(node); !name.empty()) return name;
    }
    std::string name = CollapseSpace(std::string_view(words).substr(0, words.find('(')));
    // Texinfo: ": [n, d] = rat (x)" defines rat. "fn extend<I: Iterator<Item = T>>(" defines no T.
    if (const size_t result = name.rfind("= ");
        result != std::string::npos && name.size() < words.size() && name.find('<') > result) {
      name.erase(0, result + 2);
    }
    if (name.starts_with(": ")) name.erase(0, 2);
    return name;
  }

  void CloseLabel() {
    if (paragraph_.empty()) return;
    const char last = paragraph_.text().empty() ? ' ' : paragraph_.text().back();
    if (last != '.' && last != ':' && last != '!' && last != '?') paragraph_.Text(":");
    paragraph_.Space();
    label_size_ = paragraph_.text().size();
  }

  const HtmlContent& content_;
  std::vector<Block>* const blocks_;
  BlockWriter out_;
  WeightStack weights_;
  LinkTargets* links_;
  const LinkAddress& address_;
  const GumboNode* root_ = nullptr;
  OpenElements open_;

  // The innermost part of each kind, as far as it was read.
  InlineText paragraph_, heading_;
  std::string pre_;
  HtmlTableRows table_;
  HtmlAnchors anchors_;
  std::string_view term_anchor_;  // of the entry whose term is open
  Signatures signatures_;
  std::string attributes_;
  uint32_t attributes_line_ = 0;

  // State that the next block depends on.
  Listing listing_ = Listing::kNone;           // of the code that is open
  std::vector<std::string_view> prose_links_;  // of the paragraph, behind its first words
  bool collapsed_ = false;                     // the last of its characters is white space that more joins
  std::string paragraph_anchor_;               // noted before the paragraph, on a page without headings
  bool after_alt_ = false;                     // the last words are a picture's
  size_t strong_letters_ = 0;                  // of the paragraph, in bold
  const GumboNode* entry_ = nullptr;           // the element around the open entry, whose headings stand below it
  int entry_level_ = 1;
  bool directive_ = false;       // the table is a directive's, whose facts are written
  bool member_titled_ = false;   // the last heading is the title of a member, whose signature follows
  size_t label_size_ = 0;        // bytes of the paragraph that are a label; 0: none waits
  bool term_written_ = false;    // the last block is a term, which its definition joins
  bool continues_term_ = false;  // the next paragraph does
  int section_level_ = 1;        // of the last heading that is no term

  size_t long_alts_ = 0;
};

}  // namespace

std::vector<std::string> ReadBlocks(const HtmlContent& content, FacetCollector* facets, LinkTargets* links,
                                    const LinkAddress& address, std::vector<Block>* blocks) {
  Reader reader(content, facets, links, address, blocks);
  for (const GumboNode* root : content.roots) reader.Read(root);
  return reader.Losses();
}

}  // namespace sheaf::packer
