#include "packer/embed/embedding_passages.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/checksum.h"
#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/base/read_file.h"
#include "packer/embed/embedding_text.h"

namespace sheaf::packer {

// ---- opening ----------------------------------------------------------------------------------

Result<std::unique_ptr<PassageEmbedder>> PassageEmbedder::Open(std::unique_ptr<PassageEncoder> encoder,
                                                               const std::string& cache_folder,
                                                               std::function<void(const std::string&)> note) {
  std::unique_ptr<PassageEmbedder> embedder(new PassageEmbedder(std::move(encoder), std::move(note)));
  if (Status read = embedder->ReadVocabulary(); !read.ok())
    return Error{read.code(), embedder->encoder_->Named() + ": " + read.error().message};
  if (!cache_folder.empty()) embedder->OpenCache(cache_folder);
  return embedder;
}

Status PassageEmbedder::ReadVocabulary() {
  if (!info().takes_tokens) return {};
  const auto failed = [&](const Error& error) {
    return Error{error.code, "its vocabulary " + PrintablePath(info().vocabulary) + ": " + error.message};
  };
  Result<std::string> bytes = ReadFileBytes(info().vocabulary, kMaxVocabularyBytes);
  if (bytes.code() == ErrorCode::kNotFound) return failed({bytes.code(), "there is no such file"});
  if (!bytes.ok()) return failed(bytes.error());
  vocabulary_hash_ = Hash64(AsBytes(*bytes));
  WordPieceOptions options;
  options.lowercase = info().lowercase;
  options.strip_accents = info().strip_accents;
  options.split_cjk = info().split_cjk;
  Result<WordPiece> tokenizer = WordPiece::Create(std::move(*bytes), options);
  if (!tokenizer.ok()) return failed(tokenizer.error());
  tokenizer_ = std::move(*tokenizer);
  return {};
}

// Everything that a vector depends on, apart from its text.
std::string PassageEmbedder::Identity() const {
  const EncoderInfo& i = info();
  const nlohmann::ordered_json identity = {{"encoder", i.name},
                                           {"hash", i.hash},
                                           {"precision", i.precision},
                                           {"space", i.space},
                                           {"dimensions", i.dimensions},
                                           {"input", i.takes_tokens ? "tokens" : "text"},
                                           {"vocabulary", vocabulary_hash_},
                                           {"lowercase", i.lowercase},
                                           {"stripAccents", i.strip_accents},
                                           {"splitCjk", i.split_cjk},
                                           {"maxTokens", i.max_tokens},
                                           {"prefix", i.prefix}};
  return identity.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void PassageEmbedder::OpenCache(const std::string& folder) {
  Result<std::unique_ptr<VectorCache>> cache =
      VectorCache::Open(folder, info().name + "-" + info().precision, Identity(), info().dimensions);
  if (cache.ok())
    cache_ = std::move(*cache);
  else
    note_("vectors are not cached: " + cache.error().message);
}

DocumentEncoder PassageEmbedder::document_encoder() const {
  return {info().name, info().hash, info().precision, info().space, info().dimensions};
}

EmbeddingStats PassageEmbedder::stats() const {
  EmbeddingStats stats = stats_;
  if (waiting_since_) stats.seconds += std::chrono::duration<double>(Clock::now() - *waiting_since_).count();
  return stats;
}

void PassageEmbedder::Finish() {
  const std::string wrong = encoder_->Finish();
  if (!wrong.empty()) note_(wrong);
}

// ---- embedding --------------------------------------------------------------------------------

// The passages under way.
struct PassageEmbedder::Window {
  struct PassageNumber {
    size_t page = 0, passage = 0;
  };
  std::span<const PageToEmbed> pages;
  std::vector<std::vector<float>> rows;  // of each page, zero until they come
  std::map<size_t, PageFailure> failures;
  size_t done = 0, total = 0;

  // New texts, each with all the passages that share it.
  std::vector<EmbeddingItem> items;
  std::vector<VectorKey> keys;
  std::vector<std::vector<PassageNumber>> shared_by;
  std::unordered_map<VectorKey, uint32_t, VectorKeyHash> known;

  void Put(const PassageNumber& passage, std::span<const float> row) {
    std::copy(row.begin(), row.end(), rows[passage.page].begin() + ptrdiff_t(passage.passage * row.size()));
    ++done;
  }
  void Forget() {
    items.clear();
    keys.clear();
    shared_by.clear();
    known.clear();
  }
};

EmbeddingItem PassageEmbedder::ItemOf(std::string text) const {
  if (!info().prefix.empty()) text.insert(0, info().prefix);
  if (!tokenizer_) return TextItem(std::move(text), info().max_tokens);
  EmbeddingItem item;
  tokenizer_->Encode(text, info().max_tokens, &item.ids);
  item.ids.shrink_to_fit();
  item.cost = uint32_t(item.ids.size());
  return item;
}

Result<std::vector<PageFailure>> PassageEmbedder::Embed(std::span<const PageToEmbed> pages,
                                                        const std::function<bool(size_t, size_t)>& progress) {
  Window window;
  window.pages = pages;
  for (const PageToEmbed& page : pages) {
    const size_t passages = InputOf(*page.prepared).passages.size();
    window.rows.emplace_back(passages * info().dimensions);
    window.total += passages;
  }
  const auto tell = [&] { return progress(window.done, window.total); };
  for (size_t p = 0; p < pages.size(); ++p) {
    const PageInput& page = InputOf(*pages[p].prepared);
    for (size_t i = 0; i < page.passages.size(); ++i) {
      std::string text = EmbeddingText(page, i);
      const VectorKey key = KeyOfText(text);
      if (cache_) {
        if (const std::optional<std::vector<float>> row = cache_->Find(key)) {
          window.Put({p, i}, *row);
          ++stats_.cached;
          continue;
        }
      }
      const auto [at, is_new] = window.known.emplace(key, uint32_t(window.items.size()));
      if (is_new) {
        window.items.push_back(ItemOf(std::move(text)));
        window.keys.push_back(key);
        window.shared_by.emplace_back();
      }
      window.shared_by[at->second].push_back({p, i});
      if (window.items.size() == kEmbeddingWindow) SHEAF_RETURN_IF_ERROR(EmbedNew(&window, tell));
    }
  }
  SHEAF_RETURN_IF_ERROR(EmbedNew(&window, tell));
  if (!tell()) return Aborted();
  std::vector<PageFailure> failures;
  for (auto& [page, failure] : window.failures) failures.push_back(std::move(failure));
  for (size_t p = 0; p < pages.size(); ++p)
    SHEAF_RETURN_IF_ERROR(SetVectors(pages[p].prepared, window.rows[p], info().dimensions));
  return failures;
}

Status PassageEmbedder::EmbedNew(Window* window, const GoOn& go_on) {
  if (window->items.empty()) return {};
  const size_t dimensions = info().dimensions;
  EmbeddingCalls calls;
  calls.go_on = go_on;
  calls.page_of = [&](uint32_t item) { return window->pages[window->shared_by[item].front().page].name; };
  calls.answered = [&](std::span<const uint32_t> items, std::span<const float> rows) {
    std::vector<VectorKey> keys;
    for (size_t i = 0; i < items.size(); ++i) {
      const std::vector<Window::PassageNumber>& shared_by = window->shared_by[items[i]];
      for (const Window::PassageNumber& passage : shared_by)
        window->Put(passage, rows.subspan(i * dimensions, dimensions));
      ++stats_.embedded;
      stats_.cached += shared_by.size() - 1;
      keys.push_back(window->keys[items[i]]);
    }
    if (cache_) {
      if (const Status stored = cache_->Store(keys, rows); !stored.ok())
        note_("vectors are not cached: " + stored.error().message);
    }
    go_on();  // shows that some are done; a no is said again to the encoder
  };
  calls.failed = [&](uint32_t item, const std::string& reason) {
    for (const Window::PassageNumber& passage : window->shared_by[item]) {
      PageFailure& failure =
          window->failures.try_emplace(passage.page, PageFailure{passage.page, 0, reason}).first->second;
      ++failure.passages;
      ++stats_.failed;
      ++window->done;
    }
  };
  waiting_since_ = Clock::now();
  const Status embedded = encoder_->Embed(window->items, calls);
  stats_ = stats();
  waiting_since_.reset();
  window->Forget();
  return embedded;
}

}  // namespace sheaf::packer
