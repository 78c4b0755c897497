#include "search/engine.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/gather.h"
#include "search/bundle_view.h"
#include "search/candidates.h"
#include "search/grouping.h"
#include "search/hits.h"
#include "search/query_encoder.h"
#include "search/ranking.h"
#include "search/search_context.h"
#include "search/signals.h"
#include "text/analyzer.h"

namespace sheaf {
namespace {

Passage MakePassage(StoredPassage stored, uint32_t id, uint32_t page) {
  Passage passage;
  passage.id = id;
  passage.page = page;
  passage.anchor = std::move(stored.anchor);
  passage.headings = std::move(stored.headings);
  passage.first_line = stored.first_line;
  passage.last_line = stored.last_line;
  passage.text = std::move(stored.text);
  return passage;
}

// Checks a query as far as possible without reading anything for it.
Status Check(const SearchContext& search) {
  const Query& query = search.query;
  if (query.text.size() > kMaxQueryBytes) {
    return Error{ErrorCode::kTooLarge, "the query has " + std::to_string(query.text.size()) + " bytes, at most " +
                                           std::to_string(kMaxQueryBytes) + " are searched; shorten it"};
  }
  if (std::isnan(query.semantic_weight) || query.semantic_weight > 1) {
    return Error{ErrorCode::kInvalidArgument, "the semantic weight must be 0..1, or negative for the default"};
  }
  if (search.mode() == Mode::kSemantic) return search.bundle.RequireVectors();
  if (!query.text.empty()) SHEAF_RETURN_IF_ERROR(search.bundle.RequireAnalysis());
  return {};
}

// Flags the pages that Answer::facets counts, before the filters: the count of a value covers the pages that
// pass the filters of the other keys.
std::vector<uint32_t> PagesToCount(const SearchContext& search, const KeywordScores& keywords) {
  std::vector<uint32_t> pages(search.bundle.settings().pages, search.query.text.empty());
  for (uint32_t passage : keywords.matching) pages[search.bundle.PageOf(passage)] = 1;
  return pages;
}

}  // namespace

struct Engine::Impl {
  std::unique_ptr<BundleView> bundle;
  QueryEncoder encoder;
  std::optional<Analyzer> analyzer;
  Ranking ranking;

  Container* ContainerOf(uint8_t source) {
    if (source == kBundleSource) return bundle ? &bundle->container() : nullptr;
    return encoder.table();
  }

  void BeginCall() {
    for (uint8_t source = 0; source < kSourceCount; ++source) {
      if (Container* container = ContainerOf(source)) container->BeginCall();
    }
  }

  // The ranges that reads of this call lacked.
  Needs TakeNeeds() {
    Needs needs;
    for (uint8_t source = 0; source < kSourceCount; ++source) {
      if (Container* container = ContainerOf(source)) {
        for (const MissingRange& range : container->TakeNeeds()) {
          needs.push_back({source, range.offset, range.length});
        }
      }
    }
    return needs;
  }

  // A result as the host sees it: missing bytes become ranges.
  template <typename T>
  Outcome<T> Reply(Result<T>&& result) {
    if (result.ok()) return std::move(result).value();
    if (!LacksBytes(result)) return result.error();
    Needs needs = TakeNeeds();
    if (needs.empty()) return Error{ErrorCode::kInternal, "bytes are missing but none were asked for"};
    return needs;
  }

  Status OpenBundle() {
    if (!bundle) return Error{ErrorCode::kInvalidArgument, "no bundle: declare one with SetSource first"};
    SHEAF_RETURN_IF_ERROR(bundle->Open());
    if (!analyzer) {
      analyzer.emplace(LanguageOf(bundle->settings().language));
    }
    return {};
  }

  Result<Answer> Search(const Query& query) {
    SHEAF_RETURN_IF_ERROR(OpenBundle());
    SearchContext search{*bundle, encoder, *analyzer, ranking, query};
    SHEAF_RETURN_IF_ERROR(Check(search));
    Answer answer;
    Signals signals;
    SHEAF_RETURN_IF_ERROR(ReadSignals(&search, &signals));
    std::vector<uint32_t> counted;
    if (query.facets) counted = PagesToCount(search, signals.keywords);
    DropFiltered(search, &signals.keywords);
    answer.used_keyword = signals.by_keyword;
    answer.used_semantic = signals.by_meaning();
    answer.matching_passages = uint32_t(signals.keywords.matching.size());
    answer.ignored_words = signals.words.ignored;
    if (search.top_k() > 0) {
      const Blend blend = Weigh(search, signals);
      std::vector<Candidate> candidates;
      // One round trip brings symbols and vectors. Words alone find candidates before it, so texts come with the symbols.
      Gather gather;
      SHEAF_RETURN_IF_ERROR(gather.Note(FindSymbols(search, &signals)));
      SHEAF_RETURN_IF_ERROR(gather.Note(FindCandidates(search, signals, &candidates)));
      AddSymbols(search, signals, &candidates);
      std::vector<PageGroup> groups = Rank(search, blend, search.top_k(), &candidates);
      SHEAF_RETURN_IF_ERROR(gather.Note(MakeHits(search, signals, blend, std::move(groups), &answer.hits)));
      SHEAF_RETURN_IF_ERROR(gather.status());
      answer.weak = IsWeak(search, signals, blend, candidates) && !answer.hits.empty();
    }
    if (query.facets) {
      for (const Hit& hit : answer.hits) counted[hit.page] = 1;
      answer.facets = bundle->facets().Count(counted);
    }
    answer.corrections = std::move(signals.words.corrections);
    return answer;
  }

  Result<BundleInfo> Open() {
    SHEAF_RETURN_IF_ERROR(OpenBundle());
    BundleInfo info;
    SHEAF_ASSIGN_OR_RETURN(info.manifest, bundle->Manifest());
    const Settings& s = bundle->settings();
    info.library = s.library;
    info.version = s.version;
    info.pages = s.pages;
    info.passages = s.passages;
    info.terms = s.terms;
    info.dimensions = s.dimensions;
    info.vector_bits = s.vector_bits;
    info.has_graph = bundle->container().Find(SectionId::kGraph) != nullptr;
    info.space = s.space;
    info.file_size = bundle->container().file_size();
    info.language = s.language;
    return info;
  }

  Result<std::string> OpenEncoder() {
    SHEAF_RETURN_IF_ERROR(encoder.Open(bundle.get()));
    return encoder.space();
  }

  Result<std::vector<float>> Embed(std::string_view text) {
    SHEAF_RETURN_IF_ERROR(encoder.Open(bundle.get()));
    if (text.size() > kMaxQueryBytes) {
      return Error{ErrorCode::kTooLarge, "at most " + std::to_string(kMaxQueryBytes) + " bytes are embedded"};
    }
    // The encoder splits words alike in every language, so any analyzer serves.
    const Analyzer fallback;
    return encoder.Embed(text, analyzer ? *analyzer : fallback);
  }

  Result<uint32_t> KnowsWord(std::string_view word) {
    SHEAF_RETURN_IF_ERROR(encoder.Open(bundle.get()));
    SHEAF_ASSIGN_OR_RETURN(const bool known, encoder.KnowsWord(word));
    return uint32_t(known);
  }

  Result<Page> GetPage(uint32_t id) {
    SHEAF_RETURN_IF_ERROR(OpenBundle());
    SHEAF_RETURN_IF_ERROR(bundle->RequirePage(id));
    Page page;
    page.id = id;
    Gather gather;
    for (uint32_t passage = bundle->FirstPassage(id); passage < bundle->EndPassage(id); ++passage) {
      StoredPassage stored;
      SHEAF_RETURN_IF_ERROR(gather.Take(bundle->ReadPassage(passage), &stored));
      if (!gather.complete()) continue;
      if (stored.page_begins) {
        page.title = stored.title;
        page.url = stored.url;
        page.source = stored.source;
        page.description = stored.description;
        page.last_modified = stored.last_modified;
      }
      page.passages.push_back(MakePassage(std::move(stored), passage, id));
    }
    SHEAF_RETURN_IF_ERROR(gather.status());
    return page;
  }

  Result<uint32_t> FindPage(std::string_view url_or_source) {
    SHEAF_RETURN_IF_ERROR(OpenBundle());
    return bundle->FindPage(url_or_source);
  }

  Status RequirePassage(uint32_t id) {
    SHEAF_RETURN_IF_ERROR(OpenBundle());
    if (id < bundle->passages()) return {};
    return Error{ErrorCode::kNotFound, "no passage " + std::to_string(id) + ": the bundle has passages 0.." +
                                           std::to_string(bundle->passages() - 1)};
  }

  Result<std::vector<PassageTerms>> Terms(uint32_t first, uint32_t count) {
    SHEAF_RETURN_IF_ERROR(RequirePassage(first));
    std::vector<PassageTerms> all(std::min(count, bundle->passages() - first));
    for (size_t i = 0; i < all.size(); ++i)
      all[i].begins_page = bundle->FirstPassage(bundle->PageOf(first + uint32_t(i))) == first + i;
    Status status;
    std::vector<Posting> postings;
    const auto visit = [&](const TermLeaf& leaf, std::string_view stem, const TermLeaf::Form& form) {
      const TermEntry entry = leaf.Entry(form);
      postings.clear();
      status = bundle->ReadPostings(entry, &postings);
      for (const Posting& posting : postings) {
        if (posting.passage >= first && posting.passage - first < all.size()) {
          all[posting.passage - first].terms.push_back(
              {std::string(stem), entry.term, posting.level, uint8_t(posting.role)});
        }
      }
      return status.ok();
    };
    SHEAF_RETURN_IF_ERROR(bundle->lexicon().Scan(bundle.get(), {}, visit));
    SHEAF_RETURN_IF_ERROR(status);
    return all;
  }

  Result<std::vector<TermGroup>> Groups() {
    SHEAF_RETURN_IF_ERROR(OpenBundle());
    std::vector<TermGroup> groups;
    // By page: the last term, and the last group, that it was counted for.
    std::vector<uint32_t> of_term(bundle->settings().pages), of_group(bundle->settings().pages);
    uint32_t terms = 0;
    Status status;
    std::vector<Posting> postings;
    const auto visit = [&](const TermLeaf& leaf, std::string_view stem, const TermLeaf::Form& form) {
      if (groups.empty() || groups.back().stem != stem) groups.emplace_back().stem = stem;
      TermGroup& group = groups.back();
      const TermEntry entry = leaf.Entry(form);
      postings.clear();
      status = bundle->ReadPostings(entry, &postings);
      ++terms;
      uint32_t pages = 0;
      for (const Posting& posting : postings) {
        const uint32_t found = bundle->PageOf(posting.passage);
        pages += of_term[found] != terms;
        of_term[found] = terms;
        group.pages += of_group[found] != groups.size();
        of_group[found] = uint32_t(groups.size());
      }
      group.terms.emplace_back(entry.term, pages);
      return status.ok();
    };
    SHEAF_RETURN_IF_ERROR(bundle->lexicon().Scan(bundle.get(), {}, visit));
    SHEAF_RETURN_IF_ERROR(status);
    return groups;
  }

  Result<Passage> GetPassage(uint32_t id) {
    SHEAF_RETURN_IF_ERROR(RequirePassage(id));
    SHEAF_ASSIGN_OR_RETURN(StoredPassage stored, bundle->ReadPassage(id));
    return MakePassage(std::move(stored), id, bundle->PageOf(id));
  }

  Result<std::vector<float>> GetVector(uint32_t passage) {
    SHEAF_RETURN_IF_ERROR(RequirePassage(passage));
    SHEAF_ASSIGN_OR_RETURN(const VectorTable* table, bundle->Vectors());
    const int8_t* codes = table->row(passage);
    std::vector<float> vector(codes, codes + table->dimensions());
    for (float& v : vector) v *= table->inverse_norm(passage);
    return vector;
  }

  Result<uint32_t> Verify() {
    SHEAF_RETURN_IF_ERROR(OpenBundle());
    SHEAF_ASSIGN_OR_RETURN(const uint32_t blocks, bundle->container().VerifyBlocks());
    SHEAF_RETURN_IF_ERROR(bundle->VerifyContents());
    SHEAF_RETURN_IF_ERROR(bundle->facets().Prepare(&bundle->container(), bundle->settings().pages, {}, true));
    return blocks;
  }
};

Engine::Engine() : impl_(std::make_unique<Impl>()) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

Status Engine::SetSource(uint8_t source, uint64_t size) {
  if (source >= kSourceCount)
    return Error{ErrorCode::kInvalidArgument,
                 "no source " + std::to_string(source) + ": 0 is the bundle, 1 the encoder table"};
  if (size > (uint64_t(1) << 40))
    return Error{ErrorCode::kTooLarge,
                 "a file of " + std::to_string(size) + " bytes is beyond the 1 TiB that the format allows"};
  if (source == kBundleSource) {
    impl_->analyzer.reset();
    impl_->bundle = std::make_unique<BundleView>(size);
  } else {
    impl_->encoder.SetSource(size);
  }
  return {};
}

Status Engine::SupplyOwned(uint8_t source, uint64_t offset, std::vector<uint8_t> bytes) {
  Container* container = source < kSourceCount ? impl_->ContainerOf(source) : nullptr;
  if (!container)
    return Error{ErrorCode::kInvalidArgument,
                 "no source " + std::to_string(source) + ": declare it with SetSource first"};
  return container->Supply(offset, std::move(bytes));
}

Status Engine::Supply(uint8_t source, uint64_t offset, ByteSpan bytes) {
  return SupplyOwned(source, offset, {bytes.begin(), bytes.end()});
}

Outcome<BundleInfo> Engine::Open() {
  impl_->BeginCall();
  return impl_->Reply(impl_->Open());
}

Outcome<std::string> Engine::OpenEncoder() {
  impl_->BeginCall();
  return impl_->Reply(impl_->OpenEncoder());
}

Outcome<Answer> Engine::Search(const Query& query) {
  impl_->BeginCall();
  return impl_->Reply(impl_->Search(query));
}

Outcome<std::vector<float>> Engine::Embed(std::string_view text) {
  impl_->BeginCall();
  return impl_->Reply(impl_->Embed(text));
}

Outcome<uint32_t> Engine::KnowsWord(std::string_view word) {
  impl_->BeginCall();
  return impl_->Reply(impl_->KnowsWord(word));
}

Outcome<Page> Engine::GetPage(uint32_t id) {
  impl_->BeginCall();
  return impl_->Reply(impl_->GetPage(id));
}

Outcome<uint32_t> Engine::FindPage(std::string_view url_or_source) {
  impl_->BeginCall();
  return impl_->Reply(impl_->FindPage(url_or_source));
}

Outcome<Passage> Engine::GetPassage(uint32_t id) {
  impl_->BeginCall();
  return impl_->Reply(impl_->GetPassage(id));
}

Outcome<std::vector<float>> Engine::GetVector(uint32_t passage) {
  impl_->BeginCall();
  return impl_->Reply(impl_->GetVector(passage));
}

Outcome<std::vector<PassageTerms>> Engine::GetTerms(uint32_t first, uint32_t count) {
  impl_->BeginCall();
  return impl_->Reply(impl_->Terms(first, count));
}

Outcome<std::vector<TermGroup>> Engine::GetGroups() {
  impl_->BeginCall();
  return impl_->Reply(impl_->Groups());
}

Outcome<uint32_t> Engine::Verify() {
  impl_->BeginCall();
  return impl_->Reply(impl_->Verify());
}

void Engine::set_ranking(const Ranking& ranking) { impl_->ranking = ranking; }

}  // namespace sheaf
