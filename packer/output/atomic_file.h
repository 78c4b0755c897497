// Files that appear whole or not at all.
//
// Idea: bytes go to a hidden temporary file in the target's folder, are synced, then take the
// target's name in one step. A process that has the old bundle open keeps reading it; opening the
// name gives either the old one or the new one. The temporary file is removed on every exit, also
// by SIGINT, SIGTERM and SIGHUP (base/signals.h). (SIGKILL or a power cut may leave a file
// `.sheaf-XXXXXX.tmp` behind, which no program reads.)
//
// Invariant: at most one temporary file exists at a time in the process.
#ifndef SHEAF_PACKER_OUTPUT_ATOMIC_FILE_H_
#define SHEAF_PACKER_OUTPUT_ATOMIC_FILE_H_

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf::packer {

// Resolves `path` to the file to write: follows links, so that the file behind a link is replaced;
// in a folder, uses `default_name`. Errors: kInvalidArgument when the folder is missing or not
// writable, or the path is something that cannot be replaced (a device).
Result<std::string> ResolveOutput(const std::string& path, const std::string& default_name);

// Replaces or creates the file at `path` as described above. A replaced file's permissions are
// kept. Errors: kInvalidArgument with the system's reason (disk full, no permission).
Status WriteFileAtomically(const std::string& path, ByteSpan bytes);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_OUTPUT_ATOMIC_FILE_H_
