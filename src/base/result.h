// The one error vocabulary of Sheaf.
//
// Idea: a function that reads bytes it did not write returns `Result<T>`: a value, or an
// `Error` made of a stable code and a sentence. The sentence names the thing, says the
// expected and the found value, and ends with the way out. No exception is thrown by the core.
//
// Invariants
//  1. Codes are pinned once published, and grouped by tens: 1x argument, 2x file, 3x limit,
//     4x encoder, 5x lookup, 6x the caller's will, 9x defect. `web/browser/client/errors.ts` is the twin
//     of this list and a test compares the two.
//  2. `kNeedsBytes` is the core's inner signal that a read touched bytes the host has not
//     brought yet. It never crosses the border: `search/engine.h` turns it into a list of ranges.
//
// Cost: an ok result is the value and one byte; the message is built on the failing path only.
#ifndef SHEAF_BASE_RESULT_H_
#define SHEAF_BASE_RESULT_H_

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace sheaf {

enum class ErrorCode : uint8_t {
  kOk = 0,
  kInvalidArgument = 10,     // a parameter is out of its documented range
  kNotABundle = 20,          // the magic number is missing: some other kind of file
  kUnsupportedVersion = 21,  // a newer format, or a reserved bit that this reader does not know
  kWrongKind = 22,           // a Sheaf container, but a table where a bundle was asked for
  kTruncated = 23,           // the file ends before its header says it does
  kChecksumMismatch = 24,    // stored bytes differ from those that were written
  kCorrupt = 25,             // checksums hold but the contents contradict themselves
  kUnknownAnalysis = 26,     // sound, but its words were cut or stemmed in a way that this reader does not have
  kTooLarge = 30,            // beyond a documented cap
  kSpaceMismatch = 40,       // query encoder and bundle live in different vector spaces
  kNoEncoder = 41,           // semantic search was asked for without a query encoder
  kNoVectors = 42,           // semantic search was asked of a bundle without vectors
  kNotFound = 50,            // no such page, passage or section
  kAborted = 60,             // the caller called the work off
  kInternal = 90,            // a defect of Sheaf itself
  kNeedsBytes = 99,          // inner signal, see above
};

// Stable, readable name of a code as JavaScript sees it, for example "CHECKSUM_MISMATCH".
inline const char* ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk: return "OK";
    case ErrorCode::kInvalidArgument: return "INVALID_ARGUMENT";
    case ErrorCode::kNotABundle: return "NOT_A_BUNDLE";
    case ErrorCode::kUnsupportedVersion: return "UNSUPPORTED_VERSION";
    case ErrorCode::kWrongKind: return "WRONG_KIND";
    case ErrorCode::kTruncated: return "TRUNCATED";
    case ErrorCode::kChecksumMismatch: return "CHECKSUM_MISMATCH";
    case ErrorCode::kCorrupt: return "CORRUPT";
    case ErrorCode::kUnknownAnalysis: return "UNKNOWN_ANALYSIS";
    case ErrorCode::kTooLarge: return "TOO_LARGE";
    case ErrorCode::kSpaceMismatch: return "SPACE_MISMATCH";
    case ErrorCode::kNoEncoder: return "NO_ENCODER";
    case ErrorCode::kNoVectors: return "NO_VECTORS";
    case ErrorCode::kNotFound: return "NOT_FOUND";
    case ErrorCode::kAborted: return "ABORTED";
    case ErrorCode::kInternal: return "INTERNAL";
    case ErrorCode::kNeedsBytes: return "NEEDS_BYTES";
  }
  return "UNKNOWN";
}

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok()
  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() {
    assert(ok());
    return &*value_;
  }
  const T* operator->() const {
    assert(ok());
    return &*value_;
  }

  // REQUIRES: !ok()
  const Error& error() const {
    assert(!ok());
    return error_;
  }
  ErrorCode code() const { return ok() ? ErrorCode::kOk : error_.code; }

 private:
  std::optional<T> value_;
  Error error_;
};

// A result without a value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  // REQUIRES: !ok()
  const Error& error() const {
    assert(!ok());
    return *error_;
  }
  ErrorCode code() const { return ok() ? ErrorCode::kOk : error_->code; }

 private:
  std::optional<Error> error_;
};

#define SHEAF_CONCAT_INNER(a, b) a##b
#define SHEAF_CONCAT(a, b) SHEAF_CONCAT_INNER(a, b)

// Returns the error of `expr` (a Status or Result) to the caller, if it has one.
#define SHEAF_RETURN_IF_ERROR(expr)                      \
  do {                                                   \
    auto sheaf_status = (expr);                          \
    if (!sheaf_status.ok()) return sheaf_status.error(); \
  } while (0)

// Declares `lhs` as the value of `expr`, or returns its error to the caller.
#define SHEAF_ASSIGN_OR_RETURN(lhs, expr)                                                                \
  auto SHEAF_CONCAT(sheaf_result_, __LINE__) = (expr);                                                   \
  if (!SHEAF_CONCAT(sheaf_result_, __LINE__).ok()) return SHEAF_CONCAT(sheaf_result_, __LINE__).error(); \
  lhs = std::move(SHEAF_CONCAT(sheaf_result_, __LINE__)).value()

}  // namespace sheaf

#endif  // SHEAF_BASE_RESULT_H_
