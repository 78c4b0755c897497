// Attaches vectors to pages: builds texts, asks the cache, tokenizes, runs the encoder.
//
// Idea: a passage's vector depends only on its text and the encoder. So the cache is asked first, by
// content, and only new texts go to the encoder. Its answers are stored at once, batch by batch. Equal
// texts are embedded once.
//
//     page -> EmbeddingText -> key -> [ cache ] -> vector
//                                  `-> tokens or text -> PassageEncoder -> vector -> cache
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
#include "packer/embed/embedding_stats.h"
#include "packer/embed/passage_encoder.h"
#include "packer/embed/vector_cache.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {

// Number of passages that are sorted by length and embedded together.
inline constexpr size_t kEmbeddingWindow = 1024;

struct PageToEmbed {
  PreparedPage* prepared = nullptr;
  std::string name;  // for messages
};

// Passages of a page that the encoder could not embed; they have zero vectors.
struct PageFailure {
  size_t page = 0, passages = 0;
  std::string reason;  // of the first
};

class PassageEmbedder {
 public:
  // Opens the cache unless `cache_folder` is empty. `note` receives problems that do not stop the work: an unusable
  // cache, an encoder that does not end cleanly. Error: a vocabulary that cannot be read.
  static Result<std::unique_ptr<PassageEmbedder>> Open(std::unique_ptr<PassageEncoder> encoder,
                                                       const std::string& cache_folder,
                                                       std::function<void(const std::string&)> note);

  const EncoderInfo& info() const { return encoder_->info(); }
  DocumentEncoder document_encoder() const;

  // Attaches a vector to every passage. `progress` is called a few times a second with the number of passages done and
  // the total, and returns whether to go on. Errors: those of PassageEncoder::Embed.
  Result<std::vector<PageFailure>> Embed(std::span<const PageToEmbed> pages,
                                         const std::function<bool(size_t, size_t)>& progress);

  // May be called while Embed runs.
  EmbeddingStats stats() const;
  // Lets the encoder end; reports to `note` if it does not end cleanly.
  void Finish();

 private:
  struct Window;
  using Clock = std::chrono::steady_clock;
  PassageEmbedder(std::unique_ptr<PassageEncoder> encoder, std::function<void(const std::string&)> note)
      : note_(std::move(note)), encoder_(std::move(encoder)) {}
  Status ReadVocabulary();
  void OpenCache(const std::string& folder);
  std::string Identity() const;
  EmbeddingItem ItemOf(std::string text) const;
  Status EmbedNew(Window* window, const GoOn& go_on);

  std::function<void(const std::string&)> note_;
  std::unique_ptr<PassageEncoder> encoder_;
  std::optional<WordPiece> tokenizer_;
  uint64_t vocabulary_hash_ = 0;
  std::unique_ptr<VectorCache> cache_;
  EmbeddingStats stats_;
  std::optional<Clock::time_point> waiting_since_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_PASSAGES_H_
