#include "lexical/postings_accumulator_builder.h"

#include <algorithm>
#include <tuple>

namespace sheaf {
namespace {

// Hash node, string and vector of one term, and its entry when terms are sorted, about.
constexpr uint64_t kTermOverhead = 176;
constexpr size_t kRunPart = 1 << 20;  // bytes of a run that are written at once

// Reads a run term by term: s stem · s term · v size · bytes.
class RunCursor {
 public:
  RunCursor(const PostingsAccumulator::Read* read, uint64_t offset, uint64_t size)
      : read_(read), offset_(offset), end_(offset + size) {}
  explicit RunCursor(std::vector<uint8_t> bytes) : buffer_(std::move(bytes)) {}

  // False at the end.
  Result<bool> Next() {
    for (;;) {
      ByteReader r(ByteSpan(buffer_).subspan(at_));
      const std::string_view stem = r.String(), term = r.String();
      const uint64_t size = r.Varint();
      const ByteSpan bytes = r.ok() ? r.Bytes(size_t(size)) : ByteSpan();
      if (r.ok() && at_ < buffer_.size()) {
        stem_ = stem;
        term_ = term;
        bytes_.assign(bytes.begin(), bytes.end());
        at_ += r.position();
        return true;
      }
      if (offset_ == end_) return false;
      buffer_.erase(buffer_.begin(), buffer_.begin() + ptrdiff_t(at_));
      at_ = 0;
      const size_t take = size_t(std::min<uint64_t>(end_ - offset_, std::max<size_t>(256 * 1024, buffer_.size())));
      const size_t held = buffer_.size();
      buffer_.resize(held + take);
      SHEAF_RETURN_IF_ERROR((*read_)(offset_, take, buffer_.data() + held));
      offset_ += take;
    }
  }
  const std::string& stem() const { return stem_; }
  const std::string& term() const { return term_; }
  ByteSpan bytes() const { return bytes_; }

 private:
  const PostingsAccumulator::Read* read_ = nullptr;
  uint64_t offset_ = 0, end_ = 0;
  std::vector<uint8_t> buffer_;
  size_t at_ = 0;
  std::string stem_, term_;
  std::vector<uint8_t> bytes_;
};

}  // namespace

PostingsAccumulator::PostingsAccumulator(Bm25Params params, StemOf stem_of)
    : params_(params), stem_of_(std::move(stem_of)) {}

void PostingsAccumulator::SetSpill(uint64_t memory_limit, Append append, Read read) {
  memory_limit_ = memory_limit;
  append_ = std::move(append);
  read_ = std::move(read);
}

void PostingsAccumulator::WeighUnlessSet(uint32_t passage, float weight) {
  if (weights_.size() <= passage) weights_.resize(size_t(passage) + 1, 1.0f);
  if (weights_[passage] == 1) weights_[passage] = weight;
}

Status PostingsAccumulator::Add(const std::vector<TermCounts>& terms, const std::array<uint32_t, kFieldCount>& lengths,
                                float weight, float body_weight) {
  const uint32_t passage = passages();
  if (weight != 1) WeighUnlessSet(passage, weight);
  if (body_weight != 1) {
    body_weights_.resize(size_t(passage) + 1, 1.0f);
    body_weights_[passage] = body_weight;
  }
  std::array<uint16_t, kFieldCount> capped{};
  for (size_t f = 0; f < kFieldCount; ++f) capped[f] = uint16_t(std::min<uint32_t>(lengths[f], UINT16_MAX));
  lengths_.push_back(capped);
  memory_ += sizeof(capped);
  for (const TermCounts& t : terms) {
    auto [it, fresh] = lists_.try_emplace(t.term);
    List& list = it->second;
    const size_t before = list.bytes.capacity();
    // Few terms have a role: a bit says whether one follows.
    AppendVarint((passage + 1 - list.last) << 1 | uint32_t(t.role != NameRole::kNone), &list.bytes);
    if (t.role != NameRole::kNone) list.bytes.push_back(uint8_t(t.role));
    for (uint16_t count : t.counts) AppendVarint(count, &list.bytes);
    list.last = passage + 1;
    memory_ += list.bytes.capacity() - before + (fresh ? kTermOverhead + t.term.size() : 0);
  }
  // Lengths stay in memory even after a spill. If they counted here, they alone would eventually make every
  // passage a run.
  if (append_ && memory_ - lengths_.size() * sizeof(capped) > memory_limit_) return Flush();
  return {};
}

Status PostingsAccumulator::WriteRun(const Append& append) {
  std::vector<std::tuple<std::string, const std::string*, const List*>> order;
  order.reserve(lists_.size());
  for (const auto& [term, list] : lists_) order.emplace_back(stem_of_(term), &term, &list);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const int c = std::get<0>(a).compare(std::get<0>(b));
    return c != 0 ? c < 0 : *std::get<1>(a) < *std::get<1>(b);
  });
  ByteWriter w;
  for (const auto& [stem, term, list] : order) {
    w.String(stem);
    w.String(*term);
    w.Varint(list->bytes.size());
    w.Bytes(list->bytes);
    if (w.size() >= kRunPart) SHEAF_RETURN_IF_ERROR(append(w.Take()));
  }
  SHEAF_RETURN_IF_ERROR(append(w.Take()));
  lists_.clear();
  memory_ = lengths_.size() * sizeof(lengths_[0]);
  return {};
}

Status PostingsAccumulator::Flush() {
  uint64_t size = 0;
  SHEAF_RETURN_IF_ERROR(WriteRun([&](ByteSpan bytes) {
    size += bytes.size();
    return append_(bytes);
  }));
  runs_.push_back({spilled_, size});
  spilled_ += size;
  return {};
}

Status PostingsAccumulator::Finish(const Emit& emit) {
  float average[kFieldCount] = {};
  for (const auto& lengths : lengths_) {
    for (size_t f = 0; f < kFieldCount; ++f) average[f] += float(lengths[f]) / float(lengths_.size());
  }

  std::vector<RunCursor> cursors;
  if (runs_.empty()) {
    std::vector<uint8_t> run;
    SHEAF_RETURN_IF_ERROR(WriteRun([&](ByteSpan bytes) -> Status {
      run.insert(run.end(), bytes.begin(), bytes.end());
      return {};
    }));
    cursors.emplace_back(std::move(run));
  } else {
    SHEAF_RETURN_IF_ERROR(Flush());
    for (const Run& run : runs_) cursors.emplace_back(&read_, run.offset, run.size);
  }
  std::vector<size_t> live;
  for (size_t i = 0; i < cursors.size(); ++i) {
    SHEAF_ASSIGN_OR_RETURN(const bool more, cursors[i].Next());
    if (more) live.push_back(i);
  }

  std::vector<Posting> postings;
  while (!live.empty()) {
    const auto key = [&](size_t i) { return std::tie(cursors[i].stem(), cursors[i].term()); };
    size_t first = live[0];
    for (size_t i : live) {
      if (key(i) < key(first)) first = i;
    }
    const std::string stem = cursors[first].stem(), term = cursors[first].term();
    // Runs lie in order of passage, so joining equal terms by run keeps postings ascending. A list's
    // first advance counts from passage 0, whichever run it is in.
    postings.clear();
    std::vector<size_t> still;
    for (size_t i : live) {
      if (cursors[i].stem() != stem || cursors[i].term() != term) {
        still.push_back(i);
        continue;
      }
      ByteReader r(cursors[i].bytes());
      uint32_t next = 0;
      while (r.ok() && r.remaining()) {
        const uint32_t advance = r.Varint32();
        next += advance >> 1;
        const NameRole role = advance & 1 ? NameRole(r.U8()) : NameRole::kNone;
        const float body = next - 1 < body_weights_.size() ? body_weights_[next - 1] : 1.0f;
        float x = 0;
        for (size_t f = 0; f < kFieldCount; ++f) {
          const float count = float(r.Varint32());
          const float frequency =
              FieldFrequency(count, float(lengths_[next - 1][f]), average[f], params_.weight[f], params_.b[f]);
          x += f == kProse || f == kCode ? frequency * body : frequency;
        }
        if (next - 1 < weights_.size()) x *= weights_[next - 1];
        postings.push_back({next - 1, LevelOf(x), role});
      }
      SHEAF_ASSIGN_OR_RETURN(const bool more, cursors[i].Next());
      if (more) still.push_back(i);
    }
    live = std::move(still);
    emit(stem, term, postings);
  }
  return {};
}

}  // namespace sheaf
