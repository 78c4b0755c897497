#include "bundle/passage_store_builder.h"

#include <algorithm>

#include "base/columns.h"

namespace sheaf {
namespace {

// From a quarter megabyte of text on, a dictionary saves more than it costs. Every reader fetches it, so it is
// small: 16 KiB take 4 to 7 kB; twice the size would save 2 % of the text.
constexpr size_t kDictionaryText = 8 << 20;
constexpr size_t kDictionaryFrom = 256 << 10;
constexpr size_t kDictionaryBytes = 16 << 10;
// The bounds of a decoded piece.
constexpr size_t kMinPiece = 1536, kMaxPiece = 8 << 10;
// The ratio that documentation compresses to, about, and the number of samples that measure it better.
constexpr double kUsualRatio = 3;
constexpr size_t kRatioSamples = 64;

uint64_t ZigZag(int64_t v) { return (uint64_t(v) << 1) ^ uint64_t(v >> 63); }

}  // namespace

void PassageStoreBuilder::Add(std::vector<StoredPassage> page) {
  for (StoredPassage& passage : page) {
    text_bytes_ += passage.text.size();
    if (pieces_) {
      Write(passage);
    } else {
      waiting_.push_back(std::move(passage));
    }
  }
  if (!pieces_ && text_bytes_ >= kDictionaryText) Begin();
}

void PassageStoreBuilder::Begin() {
  // The text that waits is cut twice: first into samples, then into pieces.
  ratio_ = kUsualRatio;
  for (const StoredPassage& passage : waiting_) Write(passage);
  ClosePiece();
  if (text_bytes_ >= kDictionaryFrom) {
    dictionary_ = TrainDictionary(samples_, kDictionaryBytes, level_);
  }
  const int level = dictionary_.empty() ? TightLevel(level_) : level_;
  pieces_ = std::make_unique<SectionBuilder>(SectionId::kPassages, Codec::kZstdDictionaryPieces, kMaxPieceBytes, level,
                                             &dictionary_);
  MeasureRatio();
  samples_ = {};
  for (const StoredPassage& passage : waiting_) Write(passage);
  waiting_.clear();
  waiting_.shrink_to_fit();
}

// How well it compresses: a few samples from all over.
void PassageStoreBuilder::MeasureRatio() {
  uint64_t raw = 0, stored = 0;
  const size_t count = samples_.sizes.size(), step = (count + kRatioSamples - 1) / kRatioSamples;
  for (size_t i = 0, at = 0; i < count; at += samples_.sizes[i++]) {
    if (i % step != 0) continue;
    const std::string_view sample = std::string_view(samples_.bytes).substr(at, samples_.sizes[i]);
    raw += sample.size();
    stored += pieces_->Sample(AsBytes(sample));
  }
  ratio_ = stored ? double(raw) / double(stored) : 1;
}

double PieceStoredBytes(size_t pieces) {
  constexpr double kUsual = 900, kMostTimes = 3;
  constexpr size_t kManyPieces = 16384;
  return kUsual * std::clamp(double(pieces) / kManyPieces, 1.0, kMostTimes);
}

void PassageStoreBuilder::Write(const StoredPassage& p) {
  // A piece is closed before the passage that would make it too large, and at a page's begin when the
  // page would soon be cut.
  const size_t size = heads_.size() + texts_.size();
  const size_t target = std::clamp(size_t(PieceStoredBytes(counts_.size()) * ratio_), kMinPiece, kMaxPiece);
  if (count_ && (count_ == kMaxPassagesPerPiece || size + p.text.size() > target + target / 4 || size >= target ||
                 (p.page_begins && size >= target - target / 4))) {
    ClosePiece();
  }
  const bool fresh = p.page_begins || count_ == 0;
  const std::vector<std::string> no_path;
  const std::vector<std::string>& path = fresh ? no_path : last_.headings;
  const bool new_path = p.headings != path;
  const bool new_anchor = fresh ? !p.anchor.empty() : p.anchor != last_.anchor;
  if (count_ == 0) last_.place.clear();
  const bool new_place = fresh && p.place != last_.place;
  uint32_t flags = 0;
  if (fresh) flags |= p.page_begins ? kPageBegins : kPageContinues;
  if (fresh && !p.entries.empty()) flags |= kPageEntries;
  if (new_path) flags |= kNewPath;
  if (new_anchor) flags |= kNewAnchor;
  if (new_place) flags |= kNewPlace;
  heads_.Varint(flags);
  if (fresh) {
    for (const std::string* text : {&p.title, &p.url, &p.source}) heads_.String(*text);
    if (p.page_begins) {
      heads_.String(p.description);
      heads_.String(p.last_modified);
    }
    if (new_place) WritePath(last_.place, p.place);
    if (!p.entries.empty()) {
      const size_t count = std::min<size_t>(p.entries.size(), kMaxPageEntries);
      heads_.Varint(count);
      for (size_t i = 0; i < count; ++i) {
        heads_.String(p.entries[i].first);
        heads_.String(p.entries[i].second);
      }
    }
  }
  if (new_path) WritePath(path, p.headings);
  if (new_anchor) heads_.String(p.anchor);
  heads_.Varint(ZigZag(int64_t(p.first_line) - (fresh ? 0 : int64_t(last_.first_line))));
  heads_.Varint(p.last_line - p.first_line);
  heads_.Varint(p.text.size());
  texts_ += p.text;
  ++count_;
  if (fresh) last_.place = p.place;
  last_.headings = p.headings;
  last_.anchor = p.anchor;
  last_.first_line = p.first_line;
}

// As it differs from the one before.
void PassageStoreBuilder::WritePath(const std::vector<std::string>& before, const std::vector<std::string>& path) {
  const size_t kept =
      size_t(std::mismatch(before.begin(), before.end(), path.begin(), path.end()).first - before.begin());
  heads_.Varint(kept);
  heads_.Varint(path.size() - kept);
  for (size_t i = kept; i < path.size(); ++i) heads_.String(path[i]);
}

void PassageStoreBuilder::ClosePiece() {
  if (count_ == 0) return;
  heads_.Bytes(AsBytes(texts_));
  if (pieces_) {
    counts_.push_back(count_);
    lengths_.push_back(uint32_t(pieces_->AddPiece(heads_.bytes())));
    // Neighbouring pages are alike, so the next piece will compress as the last ones did.
    ratio_ = (ratio_ + double(heads_.size()) / lengths_.back()) / 2;
  } else {
    samples_.bytes.append(heads_.bytes().begin(), heads_.bytes().end());
    samples_.sizes.push_back(heads_.size());
  }
  heads_ = ByteWriter();
  texts_.clear();
  count_ = 0;
}

void PassageStoreBuilder::Finish() {
  if (!pieces_) Begin();
  ClosePiece();
}

std::vector<uint8_t> PassageStoreBuilder::Index() const {
  ByteWriter w;
  w.Varint(counts_.size());
  WriteNumbers(counts_, &w);
  WriteNumbers(lengths_, &w);
  return w.Take();
}

}  // namespace sheaf
