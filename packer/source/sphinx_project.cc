#include "packer/source/sphinx_project.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/paths.h"
#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/base/python_literals.h"
#include "packer/base/read_file.h"
#include "packer/source/glob.h"

namespace sheaf::packer {
namespace {

constexpr uint64_t kMaxConfBytes = 1 << 20;
constexpr size_t kMaxPatterns = 1000;

struct Project {
  std::string folder;                  // absolute
  std::optional<bool> text_is_source;  // whether `.txt` is a suffix of pages; none: computed
  std::vector<Glob> exclude;
  size_t excluded = 0, other_texts = 0;  // files that went
};

// "name = value" with strings alone; nullopt where it is computed.
std::optional<std::vector<std::string>> Texts(const PythonValue& value) {
  if (value.kind == PythonValue::kText) return std::vector<std::string>{value.text};
  std::vector<std::string> texts;
  if (value.kind == PythonValue::kTable) {
    for (size_t i = 0; i < value.keys.size(); ++i) {
      // {".txt": "markdown"} is another parser's.
      if (value.items[i].kind == PythonValue::kText && value.items[i].text != "restructuredtext") continue;
      texts.push_back(value.keys[i]);
    }
    return texts;
  }
  if (value.kind != PythonValue::kList) return std::nullopt;
  for (const PythonValue& item : value.items) {
    if (item.kind != PythonValue::kText) return std::nullopt;
    texts.push_back(item.text);
  }
  return texts;
}

std::optional<Project> ReadProject(const std::string& folder) {
  const std::string path = folder + "/conf.py";
  struct stat info;
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const Result<std::string> source = ReadFileBytes(path, kMaxConfBytes);
  if (!source.ok()) return std::nullopt;
  const auto values = ReadPythonLiterals(*source);
  Project project;
  project.folder = folder;
  const auto suffix = values.find("source_suffix");
  if (suffix == values.end()) {
    project.text_is_source = false;  // Sphinx' default is .rst alone
  } else if (const auto texts = Texts(suffix->second)) {
    project.text_is_source = std::find(texts->begin(), texts->end(), ".txt") != texts->end();
  }
  if (const auto patterns = values.find("exclude_patterns"); patterns != values.end()) {
    for (const PythonValue& pattern : patterns->second.items) {
      if (pattern.kind != PythonValue::kText || project.exclude.size() >= kMaxPatterns) continue;
      Result<Glob> glob = Glob::Parse(pattern.text);
      if (glob.ok()) project.exclude.push_back(std::move(*glob));
    }
  }
  return project;
}

// As Sphinx matches: a pattern means a file or a folder, by its whole path below the project.
bool IsExcluded(const Project& project, std::string_view path) {
  for (size_t end = path.find('/'); !project.exclude.empty(); end = path.find('/', end + 1)) {
    const std::string_view part = path.substr(0, end);
    for (const Glob& glob : project.exclude) {
      if (glob.Matches(part)) return true;
    }
    if (end == path.npos) break;
  }
  return false;
}

}  // namespace

void FollowSphinxProjects(const std::set<std::string>& named, bool leaves_out, SourceList* list) {
  std::map<std::string, std::optional<Project>> projects;  // by absolute folder
  const auto nearest = [&](const std::string& folder) -> Project* {
    if (!IsInside(folder, list->includes_from)) return nullptr;
    for (const std::string& above : FoldersUpTo(folder, list->includes_from, 64)) {
      auto found = projects.find(above);
      if (found == projects.end()) found = projects.emplace(above, ReadProject(above)).first;
      if (found->second) return &*found->second;
    }
    return nullptr;
  };
  std::map<std::string, Project*, std::less<>> by_folder;  // of the files' folders
  const auto goes = [&](SourceFile& file) {
    if (file.kind == FileKind::kHtml || file.kind == FileKind::kReadme) return false;
    const std::string_view folder = FolderOf(file.relative);
    auto known = by_folder.find(folder);
    if (known == by_folder.end()) {
      const std::string path = list->root + "/" + std::string(folder);
      known = by_folder.emplace(folder, nearest(path.substr(0, path.find_last_not_of('/') + 1))).first;
    }
    Project* const project = known->second;
    if (project == nullptr) return false;
    if (file.kind == FileKind::kText && project->text_is_source.value_or(false)) file.kind = FileKind::kRst;
    if (!leaves_out || named.contains(file.relative)) return false;
    if (IsExcluded(*project, Below(list->root + "/" + file.relative, project->folder))) return ++project->excluded > 0;
    const bool is_other = file.kind == FileKind::kText && project->text_is_source == false;
    return is_other && ++project->other_texts > 0;
  };
  std::erase_if(list->files, goes);
  for (const auto& [folder, project] : projects) {
    if (!project || project->excluded + project->other_texts == 0) continue;
    std::string what;
    if (project->excluded > 0) what = FormatPlural(project->excluded, "file") + " by its exclude_patterns";
    if (project->other_texts > 0) {
      what += (what.empty() ? "" : ", ") + std::to_string(project->other_texts) +
              " .txt that its source_suffix does not name";
    }
    const std::string path = IsInside(folder, list->root) ? Below(folder, list->root) : folder;
    list->notes.push_back({PrintablePath((path.empty() ? "" : path + "/") + "conf.py"),
                           "left out: " + what + "; --no-ignore keeps them"});
  }
}

}  // namespace sheaf::packer
