// Files that appear whole or not at all, names of bundles, and room on disk for the builder.
//
// Idea: bytes go to a hidden temporary file in the target's folder, are synced, then take the
// target's name in one step. Whoever reads the old bundle keeps it; whoever opens the name sees the
// old one or the new one. On every way out, SIGINT, SIGTERM and SIGHUP among them, the temporary
// file is removed. (SIGKILL and a power cut may leave a file `.sheaf-XXXXXX.tmp` behind, which
// nothing reads.)
//
// Invariant: at most one temporary file exists at a time in the process; the signal handler knows
// its name.
#ifndef SHEAF_PACKER_OUTPUT_OUTPUT_H_
#define SHEAF_PACKER_OUTPUT_OUTPUT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf::packer {

// ---- names ----------------------------------------------------------------------------------

// A library is a name as package registries have them: segments of ASCII letters, digits and
// `. _ - +`, each beginning with a letter, digit or '_', joined by '/'; the first may begin with
// '@' (`@vue/runtime-core`). At most 128 bytes. Case counts.
Status CheckLibraryName(std::string_view name);
// A version is free text without '/', '\', control characters and outer spaces, in valid UTF-8, at
// most 64 bytes.
Status CheckVersion(std::string_view version);

// LIBRARY@VERSION.sheaf, with each '/' of the library as '~': "@vue~runtime-core@3.4.21.sheaf".
// Libraries hold no '~' and '@' only in front, so the first '@' after the first character divides
// the two, and the name can be read back. REQUIRES: both have passed their check.
std::string BundleFileName(std::string_view library, std::string_view version);

// ---- writing --------------------------------------------------------------------------------

// Where `path` leads: links are followed, so that the file behind a link is the one replaced; a
// folder gets `default_name` inside. Errors: kInvalidArgument when the folder is missing or not
// writable, or the path is something that cannot be replaced (a device).
Result<std::string> ResolveOutput(const std::string& path, const std::string& default_name);

// Replaces or creates the file at `path` as described above. A replaced file's permissions are
// kept. Errors: kInvalidArgument with the system's reason (disk full, no permission).
Status WriteFileAtomically(const std::string& path, ByteSpan bytes);

// Removes the temporary file and ends the process group below on SIGINT, SIGTERM and SIGHUP, then
// dies of the signal.
void InstallSignalHandlers();
// The group of a child that must not outlive this process; 0: none. One at a time.
void KillGroupOnSignal(int group);

// ---- spill ----------------------------------------------------------------------------------

// A nameless file that is gone when the process ends, however it ends. Created on first use.
class SpillFile {
 public:
  // `folder` should be where the bundle goes: if there is no room for one, there is none for both.
  explicit SpillFile(std::string folder) : folder_(std::move(folder)) {}
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  Status Append(ByteSpan bytes);
  Status Read(uint64_t offset, size_t size, uint8_t* out) const;
  uint64_t size() const { return size_; }

 private:
  Status Open();

  std::string folder_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_OUTPUT_OUTPUT_H_
