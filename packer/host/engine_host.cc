#include "packer/host/engine_host.h"

#include <vector>

#include "base/gather.h"

namespace sheaf::packer {

Status EngineHost::Attach(Source source, const std::string& path) {
  SHEAF_ASSIGN_OR_RETURN(RangeFile file, RangeFile::Open(path));
  SHEAF_RETURN_IF_ERROR(engine_.SetSource(source, file.size()));
  if (!lazy_) {
    SHEAF_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, file.Read(0, file.size()));
    SHEAF_RETURN_IF_ERROR(engine_.SupplyOwned(source, 0, std::move(bytes)));
  }
  files_[source].emplace(std::move(file));
  return {};
}

Status EngineHost::Bring(const Needs& needs) {
  ++traffic_.round_trips;
  for (const Range& range : needs) {
    if (range.source >= kSourceCount || !files_[range.source]) {
      return Error{ErrorCode::kInternal, "the core asks for bytes of a file that is not open"};
    }
    SHEAF_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, files_[range.source]->Read(range.offset, range.length));
    ++traffic_.requests;
    traffic_.bytes += bytes.size();
    SHEAF_RETURN_IF_ERROR(engine_.SupplyOwned(range.source, range.offset, std::move(bytes)));
  }
  return {};
}

Status ReadContainer(const RangeFile& file, Container* container, const std::function<Status(Container*)>& use) {
  constexpr int kMaxRounds = 1000;
  for (int round = 0; round < kMaxRounds; ++round) {
    container->BeginCall();
    Status status = use(container);
    if (!LacksBytes(status)) return status;
    for (const MissingRange& range : container->TakeNeeds()) {
      SHEAF_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, file.Read(range.offset, range.length));
      SHEAF_RETURN_IF_ERROR(container->Supply(range.offset, std::move(bytes)));
    }
  }
  return Error{ErrorCode::kInternal, "the core asks for more bytes without end"};
}

}  // namespace sheaf::packer
