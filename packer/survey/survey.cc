#include "packer/survey/survey.h"

#include <algorithm>
#include <vector>

#include "packer/survey/generated_pages.h"
#include "packer/survey/twins.h"

namespace sheaf::packer {
namespace {

constexpr size_t kLeastSampled = 12, kMostSampled = 96;  // of a family of formats
constexpr size_t kSampledOneIn = 12;

// Pages of one family are read by one parser and may share a frame.
bool IsHtmlFile(const SourceFile& file) { return file.kind == FileKind::kHtml; }

// Of the files of `least` bytes or more, spread over the list, and so over its folders. The longest quarter costs more
// and shows no more.
std::vector<const SourceFile*> Sample(const std::vector<SourceFile>& files, bool html, uint64_t least) {
  std::vector<const SourceFile*> all;
  std::vector<uint64_t> sizes;
  for (const SourceFile& file : files) {
    if (IsHtmlFile(file) != html || file.size < least) continue;
    all.push_back(&file);
    sizes.push_back(file.size);
  }
  if (sizes.size() < kFewestPages) return {};
  std::sort(sizes.begin(), sizes.end());
  std::erase_if(all, [&](const SourceFile* file) { return file->size > sizes[sizes.size() * 3 / 4]; });
  const size_t count = std::min(all.size(), std::clamp(all.size() / kSampledOneIn, kLeastSampled, kMostSampled));
  std::vector<const SourceFile*> sample;
  for (size_t i = 0; i < count; ++i) sample.push_back(all[i * all.size() / count]);
  return sample;
}

std::string FolderOfAll(const std::vector<SourceFile>& files) {
  if (files.empty()) return {};
  std::string_view shared = files.front().relative;
  for (const SourceFile& file : files) {
    size_t same = 0;
    while (same < shared.size() && same < file.relative.size() && shared[same] == file.relative[same]) ++same;
    shared = shared.substr(0, same);
  }
  return std::string(shared.substr(0, shared.rfind('/') + 1));  // npos + 1 is 0
}

// The folder at the top that the page lies in; empty for none.
std::string TopFolder(std::string_view path, const std::string& shared) {
  if (!path.starts_with(shared)) return {};
  path.remove_prefix(shared.size());
  const size_t slash = path.find('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

}  // namespace

uint64_t Survey::Apply(const SourceFile& file, Document* document) const {
  std::vector<const PageFrame*> frames;
  const std::string folder = TopFolder(file.relative, shared_);
  for (const std::string& name : {folder, std::string()}) {
    const auto found = frames_.find({IsHtmlFile(file), name});
    if (found != frames_.end() && (frames.empty() || !folder.empty())) frames.push_back(&found->second);
  }
  if (file.is_list) {
    for (Block& block : document->blocks) {
      if (block.kind != BlockKind::kHeading && block.record == Record::kNone) block.record = Record::kList;
    }
  }
  if (frames.empty()) return 0;
  return RemoveFrames(frames, file.relative, document);
}

Survey TakeSurvey(SourceList* list, const ParsePage& parse, const std::function<bool()>& cancelled) {
  LeaveOutGenerated(list);
  LeaveOutTwins(list);
  Survey survey;
  survey.shared_ = FolderOfAll(list->files);
  for (const bool html : {false, true}) {
    FrameCount whole;
    std::map<std::string, FrameCount> folders;
    // Redirects are short and may be most of the files: they must not be most of the sample.
    for (uint64_t least = 0;;) {
      const std::vector<const SourceFile*> sample = Sample(list->files, html, least);
      size_t forwards = 0;
      whole = {};
      folders.clear();
      for (const SourceFile* file : sample) {
        if (cancelled && cancelled()) return {};
        const Result<Document> document = parse(*file);
        if (!document.ok()) continue;
        if (!document->forwards_to.empty()) {
          ++forwards;
          least = std::max(least, file->size + 1);
          continue;
        }
        whole.Add(file->relative, *document);
        if (const std::string folder = TopFolder(file->relative, survey.shared_); !folder.empty())
          folders[folder].Add(file->relative, *document);
      }
      if (forwards == 0 || sample.size() - forwards >= std::max(kFewestPages, forwards)) break;
    }
    if (PageFrame frame = whole.Find(); !frame.empty()) survey.frames_[{html, ""}] = std::move(frame);
    for (const auto& [folder, count] : folders) {
      if (PageFrame frame = count.Find(); !frame.empty()) survey.frames_[{html, folder}] = std::move(frame);
    }
  }
  return survey;
}

}  // namespace sheaf::packer
