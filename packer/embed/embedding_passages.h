// Attaches vectors to pages: builds texts, asks the cache, tokenizes, runs the process.
//
// Idea: a passage's vector depends only on its text and the encoder. So the cache is asked first, by
// content, and only new texts go to the process. Its answers are stored at once, batch by batch. Equal
// texts are embedded once.
//
//     page -> EmbeddingText -> key -> [ cache ] -> vector
//                                  `-> tokens or text -> EmbeddingClient -> vector -> cache
//
// Threads: one. Memory: the tokens of about a thousand passages; the vectors of the given pages.
#ifndef SHEAF_PACKER_EMBED_EMBEDDING_PASSAGES_H_
#define SHEAF_PACKER_EMBED_EMBEDDING_PASSAGES_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "encode/wordpiece.h"
#include "packer/embed/embedding_client.h"
#include "packer/embed/vector_cache.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {

// Number of passages that are sorted by length and embedded together.
inline constexpr size_t kEmbeddingWindow = 1024;

struct EmbeddingStats {
  uint64_t embedded = 0;  // by the process
  uint64_t cached = 0;    // from the cache, or with the same text as an embedded one
  uint64_t failed = 0;    // left without a vector
  double seconds = 0;     // waiting for the process
};

struct PageToEmbed {
  PreparedPage* prepared = nullptr;
  std::string name;  // for messages
};

// Passages of a page that the process could not embed; they have zero vectors.
struct PageFailure {
  size_t page = 0, passages = 0;
  std::string reason;  // of the first
};

class PassageEmbedder {
 public:
  // Starts the process, and opens the cache unless `cache_folder` is empty. `note` receives what
  // does not stop the work: a restart, an unusable cache. Errors: those of
  // EmbeddingClient::Start, and a vocabulary that cannot be read.
  static Result<std::unique_ptr<PassageEmbedder>> Open(EncoderCommand command, const std::string& cache_folder,
                                                       std::function<void(const std::string&)> note);

  const EncoderInfo& info() const { return client_->info(); }
  DocumentEncoder document_encoder() const;

  // Attaches a vector to every passage. `progress` is called a few times a second with the number
  // of passages done and the total. Error: kInternal, the process failed twice.
  Result<std::vector<PageFailure>> Embed(std::span<const PageToEmbed> pages,
                                         const std::function<void(size_t, size_t)>& progress);

  // May be called while Embed runs.
  EmbeddingStats stats() const;
  // Lets the process end; reports to `note` if it does not end cleanly.
  void Finish();

 private:
  struct Window;
  using Clock = std::chrono::steady_clock;
  explicit PassageEmbedder(std::function<void(const std::string&)> note) : note_(std::move(note)) {}
  Status ReadVocabulary();
  void OpenCache(const std::string& folder);
  std::string Identity() const;
  EmbeddingItem ItemOf(std::string text) const;
  Status EmbedNew(Window* window, const std::function<void()>& idle);

  std::function<void(const std::string&)> note_;
  std::unique_ptr<EmbeddingClient> client_;
  std::optional<WordPiece> tokenizer_;
  uint64_t vocabulary_hash_ = 0;
  std::unique_ptr<VectorCache> cache_;
  EmbeddingStats stats_;
  std::optional<Clock::time_point> waiting_since_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_PASSAGES_H_
