// Scratch space on disk for postings that do not fit in a builder's memory.
#ifndef SHEAF_PACKER_OUTPUT_SPILL_FILE_H_
#define SHEAF_PACKER_OUTPUT_SPILL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf::packer {

// An unnamed file that disappears when the process ends, however it ends. Created on first use.
class SpillFile {
 public:
  // `folder` should be the bundle's: if the disk has no room for one of the two, it has none for both.
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

#endif  // SHEAF_PACKER_OUTPUT_SPILL_FILE_H_
