#include "packer/pipeline/prepare_file.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "packer/base/charset.h"
#include "packer/base/paths.h"
#include "packer/base/printable.h"
#include "packer/base/read_file.h"
#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/document/page_facets.h"
#include "packer/document/records.h"
#include "packer/parse/parse.h"
#include "packer/pipeline/link_address.h"
#include "packer/pipeline/page_language.h"
#include "packer/source/unread.h"
#include "text/analyzer.h"

namespace sheaf::packer {
namespace {

bool IsBlankText(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// Lines of the converter's page become those of the file.
void AddConversion(const Conversion& said, Document* document) {
  for (Block& block : document->blocks) {
    for (uint32_t* line : {&block.first_line, &block.last_line}) {
      if (*line > 0) *line = said.lines.empty() ? 0 : said.lines[std::min<size_t>(*line, said.lines.size()) - 1];
    }
    block.last_line = std::max(block.first_line, block.last_line);
  }
  document->warnings.insert(document->warnings.begin(), said.warnings.begin(), said.warnings.end());
}

// Pins the page, or its part with an anchor.
void Pin(const PageRules& rules, PageInput* page, std::vector<std::string>* warnings) {
  for (const auto& [anchor, term] : rules.pins) {
    PassageInput* part = &page->passages[0];
    for (PassageInput& passage : page->passages) {
      if (!anchor.empty() && passage.anchor == anchor) {
        part = &passage;
        break;
      }
    }
    if (!anchor.empty() && part->anchor != anchor) {
      warnings->push_back("has no passage with the anchor '#" + PrintablePath(anchor) +
                          "' that the rules pin; the whole page is pinned");
    }
    if (!(part->weight > 0)) {
      warnings->push_back("is pinned by the rules, but has weight 0, so no words find it; give it a weight");
    }
    part->pins.push_back(term);
  }
}

// What the owner's weights see of a page.
WeighedPage WeighedOf(const PageDraft& draft, const SourceFile& file, const std::string& version) {
  WeighedPage page{.path = file.relative, .versions = {}, .date = draft.last_modified};
  for (const auto& [key, value] : draft.facets.filters) {
    if (key == "version") page.versions.push_back(value);
  }
  if (page.versions.empty()) page.versions.push_back(version);
  for (const auto& [key, value] : draft.facets.sorts) {
    if (key == "date" && page.date.empty()) page.date = value;
  }
  return page;
}

PageInput ToInput(PageDraft draft, const SourceFile& file, const PageRules& rules, const std::string& version,
                  std::set<uint32_t>* weights) {
  const std::vector<WeightRule>& weighing = rules.all->weights;
  const float of_page = WeightOfPage(weighing, WeighedOf(draft, file, version), weights);
  PageInput page;
  page.title = std::move(draft.title);
  page.source = file.source;
  if (draft.place) page.place = RenameCrumbs(std::move(*draft.place), rules.all);
  page.description = std::move(draft.description);
  page.last_modified = std::move(draft.last_modified);
  page.text = std::move(draft.text);
  page.targets = std::move(draft.targets);
  page.passages.reserve(draft.passages.size());
  for (PassageDraft& passage : draft.passages) {
    const float weight = passage.record == Record::kNone ? 1.0f : kRecordWeight;
    std::vector<SymbolKind> kinds;
    for (const SymbolInput& symbol : passage.symbols) kinds.push_back(symbol.kind);
    const float of_owner = of_page * WeightOfKinds(weighing, kinds, weights);
    page.passages.push_back({passage.end,
                             std::move(passage.headings),
                             std::move(passage.anchor),
                             passage.first_line,
                             passage.last_line,
                             std::move(passage.prose),
                             std::move(passage.code),
                             std::min(passage.weight * of_owner, kMaxWeight),
                             std::move(passage.terms),
                             weight,
                             passage.inner_headings,
                             std::move(passage.symbols),
                             {}});
  }
  page.facets = std::move(draft.facets);
  return page;
}

Result<PreparedFilePtr> Prepare(std::string bytes, const SourceFile& file, const IncludeRoots& roots,
                                const UrlMapper& urls, const FileOptions& options, const Survey& survey,
                                const PageRules& rules, const Analyzer& analyzer, const StaticEncoder* encoder) {
  auto prepared = std::make_shared<PreparedFile>();
  const std::string path = PathForParser(file);
  IncludeFiles includes(roots, file.path);
  const bool is_converted = !file.conversion.empty();  // the converter has resolved its includes
  Result<Document> document = ParseFile(
      bytes, path, is_converted ? nullptr : &includes,
      [&](std::string_view href) { return AddressOf(href, file.relative, urls); }, &survey.titles, rules.all->parts);
  prepared->looked_at = includes.used();
  prepared->included = includes.Hash();
  if (is_converted) {
    const Conversion said = ReadConversion(file.conversion);
    if (document.ok()) AddConversion(said, &*document);
    prepared->looked_at = {file.conversion};
    prepared->included = said.hash;
  }
  if (!document.ok()) {
    // Remarks are printed with the path anyway.
    std::string reason = document.error().message;
    if (reason.starts_with(path + ": ")) reason.erase(0, path.size() + 2);
    // README.pdf and the like were taken by name, as a guess; a wrong guess is not a failure.
    if (file.kind != FileKind::kReadme) return Error{document.code(), reason};
    prepared->left_out = std::move(reason);
    return prepared;
  }
  prepared->language = LanguageOfPage(std::string_view(bytes).substr(0, kHeadBytes), file.kind);
  bytes = std::string();
  if (options.honor_noindex && document->no_index) {
    prepared->left_out = "it asks not to be indexed (noindex)";
    return prepared;
  }
  if (!document->forwards_to.empty()) {
    prepared->left_out = "it only forwards to " + document->forwards_to;
    return prepared;
  }
  prepared->undrawn = std::move(document->left_out);
  prepared->ignored_parts = std::move(document->ignored_parts);
  prepared->body_mark = document->body_mark;
  prepared->frame_blocks = survey.Apply(file, &*document);
  ChunkOptions chunking;
  chunking.target_characters = options.passage_characters;
  chunking.path = file.source;
  PageDraft draft = MakePage(std::move(*document), chunking);
  prepared->warnings = std::move(draft.warnings);
  if (draft.passages.empty() || IsBlankText(draft.text)) {
    prepared->left_out = "it holds no text";
    return prepared;
  }
  prepared->stated_url = urls.FromPage(draft.url);
  prepared->links = ResolveLinks(file.relative, draft.links, urls.base());
  prepared->states_place = draft.place.has_value();
  prepared->text_bytes = draft.text.size();
  prepared->text_hash = Hash64(AsBytes(draft.text), Hash64(AsBytes(draft.title)));
  prepared->passages = draft.passages.size();
  prepared->has_vectors = encoder != nullptr;
  PageInput page = ToInput(std::move(draft), file, rules, options.version, &prepared->weights);
  Pin(rules, &page, &prepared->warnings);
  SHEAF_ASSIGN_OR_RETURN(prepared->page, PreparePage(std::move(page), analyzer, encoder, rules.synonyms));
  return prepared;
}

}  // namespace

Result<PreparedFilePtr> PrepareFile(std::string bytes, const SourceFile& file, const IncludeRoots& roots,
                                    const UrlMapper& urls, const FileOptions& options, const Survey& survey,
                                    const PageRules& rules, const Analyzer& analyzer, const StaticEncoder* encoder) {
  return Guarded(
      [&] { return Prepare(std::move(bytes), file, roots, urls, options, survey, rules, analyzer, encoder); });
}

Survey SurveyOf(SourceList* list, const std::function<bool()>& cancelled, const std::vector<PartSelector>& ignored) {
  const IncludeRoots roots{list->includes_from, list->root};
  const auto parse = [&](const SourceFile& file) {
    return Guarded([&]() -> Result<Document> {
      SHEAF_ASSIGN_OR_RETURN(const std::string bytes, ReadListedFile(file, file.size));
      IncludeFiles includes(roots, file.path);
      return ParseFile(bytes, PathForParser(file), &includes, {}, nullptr, ignored);
    });
  };
  Survey survey = TakeSurvey(list, parse, cancelled);
  for (const SourceFile& file : list->files) {
    if (file.kind != FileKind::kRst || (cancelled && cancelled())) continue;
    const Result<std::string> bytes = ReadListedFile(file, file.size);
    if (!bytes.ok()) continue;  // packing reports it
    const Result<DecodedText> decoded = DecodeText(*bytes, file.source);
    if (decoded.ok()) CollectRstTitles(decoded->text, file.source, &survey.titles);
  }
  return survey;
}

std::string PathForParser(const SourceFile& file) {
  if (!file.conversion.empty()) {
    // Where a page has no title, its name is one.
    const std::string_view page = CompressedPage(file.source);
    if (!page.empty() && KindOf(NameOf(page)) == file.kind) return std::string(page);
    return (page.empty() ? file.source : std::string(page)) + ExtensionOf(file.kind);
  }
  if (file.kind == FileKind::kRst) return std::string(WithoutExtension(file.source)) + ".rst";
  return file.kind == FileKind::kReadme ? file.source + ".md" : file.source;
}

Result<std::string> ReadListedFile(const SourceFile& file, uint64_t max_bytes) {
  return Guarded([&]() -> Result<std::string> {
    Result<std::string> read = ReadFileBytes(file.path, max_bytes);
    if (read.code() == ErrorCode::kNotFound) return Error{read.code(), "cannot be read: it is no longer there"};
    return read;
  });
}

}  // namespace sheaf::packer
