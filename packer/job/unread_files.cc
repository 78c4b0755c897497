#include "packer/job/unread_files.h"

#include <nlohmann/json.hpp>

#include "packer/base/printable.h"

namespace sheaf::packer {

Result<std::string> UnreadFiles(const std::vector<std::string>& inputs, const SourceOptions& options,
                                const std::function<bool()>& cancelled) {
  SourceOptions without = options;
  without.converted.clear();
  SHEAF_ASSIGN_OR_RETURN(const SourceList list, FindSources(inputs, without, cancelled));
  nlohmann::ordered_json json = {{"ok", true}, {"root", list.root}, {"includesFrom", list.includes_from}};
  nlohmann::ordered_json& files = json["files"] = nlohmann::ordered_json::array();
  for (const UnreadFile& file : list.unread) {
    if (PrintablePath(file.relative) != file.relative) continue;
    files.push_back({{"path", file.relative},
                     {"file", file.path},
                     {"format", std::string(FormatWord(file.format))},
                     {"size", file.size}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace sheaf::packer
