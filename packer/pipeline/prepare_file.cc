#include "packer/pipeline/prepare_file.h"

#include <utility>

#include "packer/base/read_file.h"
#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/document/records.h"
#include "packer/parse/parse.h"
#include "packer/pipeline/link_address.h"
#include "packer/pipeline/page_language.h"
#include "text/analyzer.h"

namespace sheaf::packer {
namespace {

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

PageInput ToInput(PageDraft draft, const SourceFile& file) {
  PageInput page;
  page.title = std::move(draft.title);
  page.source = file.source;
  if (draft.place) page.place = std::move(*draft.place);
  page.description = std::move(draft.description);
  page.last_modified = std::move(draft.last_modified);
  page.text = std::move(draft.text);
  page.targets = std::move(draft.targets);
  page.passages.reserve(draft.passages.size());
  for (PassageDraft& passage : draft.passages) {
    const float weight = passage.record == Record::kNone ? 1.0f : kRecordWeight;
    page.passages.push_back({passage.end, std::move(passage.headings), std::move(passage.anchor), passage.first_line,
                             passage.last_line, std::move(passage.prose), std::move(passage.code), passage.weight,
                             std::move(passage.terms), weight, passage.inner_headings});
  }
  page.facets = std::move(draft.facets);
  return page;
}

Result<PreparedFilePtr> Prepare(std::string bytes, const SourceFile& file, const IncludeRoots& roots,
                                const UrlMapper& urls, const FileOptions& options, const Analyzer& analyzer,
                                const StaticEncoder* encoder) {
  auto prepared = std::make_shared<PreparedFile>();
  const std::string path = PathForParser(file);
  IncludeFiles includes(roots, file.path);
  Result<Document> document =
      ParseFile(bytes, path, &includes, [&](std::string_view href) { return AddressOf(href, file.relative, urls); });
  prepared->looked_at = includes.used();
  prepared->included = includes.Hash();
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
  prepared->body_mark = document->body_mark;
  ChunkOptions chunking;
  chunking.target_characters = options.passage_characters;
  PageDraft draft = MakePage(std::move(*document), chunking);
  prepared->warnings = std::move(draft.warnings);
  if (draft.passages.empty() || IsBlank(draft.text)) {
    prepared->left_out = "it holds no text";
    return prepared;
  }
  prepared->stated_url = urls.FromPage(draft.url);
  prepared->links = ResolveLinks(file.relative, draft.links, urls.base());
  prepared->states_place = draft.place.has_value();
  prepared->text_bytes = draft.text.size();
  prepared->passages = draft.passages.size();
  prepared->has_vectors = encoder != nullptr;
  SHEAF_ASSIGN_OR_RETURN(prepared->page, PreparePage(ToInput(std::move(draft), file), analyzer, encoder));
  return prepared;
}

}  // namespace

Result<PreparedFilePtr> PrepareFile(std::string bytes, const SourceFile& file, const IncludeRoots& roots,
                                    const UrlMapper& urls, const FileOptions& options, const Analyzer& analyzer,
                                    const StaticEncoder* encoder) {
  return Guarded([&] { return Prepare(std::move(bytes), file, roots, urls, options, analyzer, encoder); });
}

std::string PathForParser(const SourceFile& file) {
  if (file.kind == FileKind::kRst) return file.source.substr(0, file.source.rfind('.')) + ".rst";
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
