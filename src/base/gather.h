// Several reads in one round trip: the caller tries all of them before it gives up.
//
// Idea: when a read's bytes have not arrived, the read notes the missing range and returns kNeedsBytes
// (result.h). A function that gave up at the first such read would cost its host one round trip per read.
// So it tries every read it can foresee and passes each outcome to a `Gather`, which remembers missing
// bytes and returns every other error:
//
//     Gather gather;
//     for (const Location& at : locations) {
//       ByteSpan piece;
//       SHEAF_RETURN_IF_ERROR(gather.Take(container.Piece(section, at.offset, at.length), &piece));
//       if (!gather.complete()) continue;  // the next call reads it again
//       Use(piece);
//     }
//     return gather.status();
//
// Invariants
//  1. An error other than kNeedsBytes is returned at once: damage is reported even while other bytes are missing.
//  2. status() is kNeedsBytes when a read lacked bytes, else ok. A read that lacked bytes assigns no value.
//
// Cost: one byte, and one comparison per read.
#ifndef SHEAF_BASE_GATHER_H_
#define SHEAF_BASE_GATHER_H_

#include <utility>

#include "base/result.h"

namespace sheaf {

// The error a read returns after noting which bytes it lacks.
inline Error NeedsBytes() { return Error{ErrorCode::kNeedsBytes, {}}; }
// The read can succeed once the host has brought the missing bytes. True for a Status or Result.
template <typename Read>
bool LacksBytes(const Read& read) {
  return read.code() == ErrorCode::kNeedsBytes;
}

class Gather {
 public:
  // Ok when `read` succeeded or lacks bytes, which is remembered; else its error, for the caller to return.
  // `read` is a Status or a Result, whose value does not matter.
  template <typename Read>
  Status Note(const Read& read) {
    return read.ok() ? Status() : Judge(read.error());
  }
  // The same, and the value of a read that succeeded is moved to `value`.
  template <typename T, typename U>
  Status Take(Result<T>&& read, U* value) {
    if (!read.ok()) return Judge(read.error());
    *value = std::move(read).value();
    return {};
  }

  // No read so far lacked bytes.
  bool complete() const { return complete_; }
  // Ok when complete, else kNeedsBytes.
  Status status() const;

 private:
  Status Judge(const Error& error);

  bool complete_ = true;
};

}  // namespace sheaf

#endif  // SHEAF_BASE_GATHER_H_
