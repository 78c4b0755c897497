// A file read by ranges, as a browser reads a bundle with Range requests.
#ifndef SHEAF_PACKER_HOST_RANGE_FILE_H_
#define SHEAF_PACKER_HOST_RANGE_FILE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sheaf::packer {

class RangeFile {
 public:
  static Result<RangeFile> Open(const std::string& path);
  RangeFile(RangeFile&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}
  ~RangeFile();

  uint64_t size() const { return size_; }
  // Error: kTruncated when the file has become shorter, kInvalidArgument when reading fails.
  Result<std::vector<uint8_t>> Read(uint64_t offset, uint64_t length) const;

 private:
  RangeFile(std::string path, int fd, uint64_t size) : path_(std::move(path)), fd_(fd), size_(size) {}
  std::string path_;
  int fd_;
  uint64_t size_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_HOST_RANGE_FILE_H_
