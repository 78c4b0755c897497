// Reads files of documentation; every reader uses it.
#ifndef SHEAF_PACKER_BASE_READ_FILE_H_
#define SHEAF_PACKER_BASE_READ_FILE_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sheaf::packer {

// The bytes of a regular file. Errors: kTooLarge (more than `max_bytes`), kNotFound,
// kInvalidArgument (not a regular file, unreadable). Messages have no path: the caller has it.
Result<std::string> ReadFileBytes(const std::string& path, uint64_t max_bytes);

// The first bytes of a regular file, at most `bytes`; empty if it cannot be read.
std::string ReadBeginning(const std::string& path, size_t bytes);

// The kind of a special file, in words: "a pipe".
const char* KindOfSpecial(mode_t mode);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_READ_FILE_H_
