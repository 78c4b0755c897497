#include "packer/source/unread.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/result.h"
#include "packer/base/read_file.h"
#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr size_t kHead = 4096;
constexpr uint64_t kMaxConversion = uint64_t(64) << 20;
constexpr size_t kMaxWarnings = 100;
constexpr std::string_view kGzipMark = "\x1f\x8b";

struct Format {
  UnreadFormat format;
  const char* name;
  std::string_view word;
  FileKind converted;
};
constexpr std::array<Format, 7> kFormats = {{
    {UnreadFormat::kAsciiDoc, "AsciiDoc", "asciidoc", FileKind::kHtml},
    {UnreadFormat::kOpenApi, "OpenAPI", "openapi", FileKind::kMarkdown},
    {UnreadFormat::kPdf, "PDF", "pdf", FileKind::kHtml},
    {UnreadFormat::kManual, "manual pages", "man", FileKind::kHtml},
    {UnreadFormat::kGzip, "compressed pages", "gzip", FileKind::kOther},  // of their own kinds
    {UnreadFormat::kTexinfo, "Texinfo", "", FileKind::kOther},
    {UnreadFormat::kInfo, "Info", "", FileKind::kOther},
}};

struct Extension {
  std::string_view extension;
  UnreadFormat format;
};
constexpr std::array<Extension, 11> kExtensions = {{
    {"adoc", UnreadFormat::kAsciiDoc},
    {"asciidoc", UnreadFormat::kAsciiDoc},
    {"asc", UnreadFormat::kAsciiDoc},
    {"json", UnreadFormat::kOpenApi},
    {"yaml", UnreadFormat::kOpenApi},
    {"yml", UnreadFormat::kOpenApi},
    {"pdf", UnreadFormat::kPdf},
    {"texi", UnreadFormat::kTexinfo},
    {"texinfo", UnreadFormat::kTexinfo},
    {"txi", UnreadFormat::kTexinfo},
    {"info", UnreadFormat::kInfo},
}};

const Format* Find(UnreadFormat format) {
  const auto* found =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& each) { return each.format == format; });
  return found == kFormats.end() ? nullptr : found;
}

// `1`, `3pm`, `3ssl`, `n`: of sections of a manual.
bool IsSection(std::string_view extension) {
  if (extension == "n") return true;
  return !extension.empty() && extension[0] >= '1' && extension[0] <= '9' && extension.size() <= 8 &&
         std::all_of(extension.begin() + 1, extension.end(), IsAlpha);
}

// Whether `name`, as a key at the beginning of a line or in quotes, has a value that begins with `value`.
bool HasKey(std::string_view head, std::string_view name, std::string_view value) {
  for (size_t at = head.find(name); at != head.npos; at = head.find(name, at + 1)) {
    const bool is_quoted = at > 0 && (head[at - 1] == '"' || head[at - 1] == '\'');
    if (at > 0 && !is_quoted && head[at - 1] != '\n') continue;
    std::string_view rest = head.substr(at + name.size());
    if (is_quoted) rest.remove_prefix(std::min<size_t>(1, rest.size()));
    const auto skip_blanks = [&] {
      while (!rest.empty() && (IsSpace(rest[0]) || rest[0] == '\r')) rest.remove_prefix(1);
    };
    skip_blanks();
    if (!rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    skip_blanks();
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    if (rest.starts_with(value)) return true;
  }
  return false;
}

// Whether a line of roff begins the text: a comment, a title, or `.so`, which names the page to read instead.
bool IsManual(std::string_view head) {
  if (head.starts_with(kGzipMark)) return true;  // by gzip; the converter sees what is in it
  for (size_t begin = 0; begin < head.size();) {
    const size_t end = std::min(head.find('\n', begin), head.size());
    const std::string_view line = head.substr(begin, end - begin);
    begin = end + 1;
    for (const std::string_view macro : {".TH", ".Dd", ".so", ".SH", ".Sh"}) {
      if (line.starts_with(macro) && line.size() > 3 && IsSpace(line[3])) return true;
    }
    const bool is_roff = line.empty() || line[0] == '.' || line.starts_with("'\\\"") || line.starts_with("\\\"");
    if (!is_roff) return false;
  }
  return false;
}

}  // namespace

UnreadFormat UnreadFormatOf(std::string_view file_name) {
  const size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return UnreadFormat::kNone;
  const std::string extension = Lower(file_name.substr(dot + 1));
  for (const Extension& each : kExtensions) {
    if (each.extension == extension) return each.format;
  }
  if (IsSection(extension)) return UnreadFormat::kManual;
  if (extension != "gz") return UnreadFormat::kNone;
  const std::string_view inner = file_name.substr(0, dot);
  if (KindOf(inner) != FileKind::kOther) return UnreadFormat::kGzip;
  const size_t inner_dot = inner.rfind('.');
  if (inner_dot == std::string_view::npos || inner_dot == 0) return UnreadFormat::kNone;
  const std::string_view inner_extension = inner.substr(inner_dot + 1);
  if (IsSection(inner_extension)) return UnreadFormat::kManual;
  return inner_extension == "info" || inner_extension.starts_with("info-") ? UnreadFormat::kInfo : UnreadFormat::kNone;
}

std::string_view CompressedPage(std::string_view path) {
  if (!path.ends_with('z') && !path.ends_with('Z')) return {};                             // asked of every link
  if (UnreadFormatOf(path.substr(path.rfind('/') + 1)) != UnreadFormat::kGzip) return {};  // npos + 1 is 0
  return path.substr(0, path.rfind('.'));
}

bool BeginsAs(UnreadFormat format, const std::string& path) {
  if (format != UnreadFormat::kOpenApi && format != UnreadFormat::kManual && format != UnreadFormat::kAsciiDoc &&
      format != UnreadFormat::kGzip)
    return format != UnreadFormat::kNone;
  const std::string head = ReadBeginning(path, kHead);
  if (format == UnreadFormat::kGzip) return head.starts_with(kGzipMark);
  if (format == UnreadFormat::kManual) return IsManual(head);
  if (format == UnreadFormat::kAsciiDoc) return !head.starts_with("-----BEGIN PGP");  // .asc is a signature's, too
  return HasKey(head, "openapi", "3") || HasKey(head, "swagger", "2");
}

const char* FormatName(UnreadFormat format) {
  const Format* found = Find(format);
  return found != nullptr ? found->name : "";
}

std::string_view FormatWord(UnreadFormat format) {
  const Format* found = Find(format);
  return found != nullptr ? found->word : std::string_view();
}

FileKind ConvertedKind(UnreadFormat format, std::string_view file_name) {
  if (format == UnreadFormat::kGzip) {
    const FileKind kind = KindOf(CompressedPage(file_name));
    return kind == FileKind::kReadme ? FileKind::kMarkdown : kind;
  }
  const Format* found = Find(format);
  return found != nullptr ? found->converted : FileKind::kOther;
}

const char* ExtensionOf(FileKind converted) {
  switch (converted) {
    case FileKind::kMarkdown: return ".md";
    case FileKind::kMdx: return ".mdx";
    case FileKind::kRst: return ".rst";
    case FileKind::kText: return ".txt";
    case FileKind::kNotebook: return ".ipynb";
    default: return ".html";
  }
}

std::string Advice(UnreadFormat format) {
  if (FormatWord(format).empty()) return "not read; pack the HTML that makeinfo makes of it";
  return "not read by sheaf-pack; the command `sheaf pack` reads it";
}

Conversion ReadConversion(const std::string& path) {
  Conversion said;
  const Result<std::string> text = ReadFileBytes(path, kMaxConversion);
  if (!text.ok()) return said;
  said.hash = Hash64(AsBytes(*text));
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return said;
  const auto take = [&](const char* name, std::string* into) {
    if (const auto found = json.find(name); found != json.end() && found->is_string())
      *into = found->get<std::string>();
  };
  take("problem", &said.problem);
  take("leftOut", &said.left_out);
  if (const auto found = json.find("warnings"); found != json.end() && found->is_array()) {
    for (const auto& each : *found) {
      if (each.is_string() && said.warnings.size() < kMaxWarnings) said.warnings.push_back(each.get<std::string>());
    }
  }
  if (const auto found = json.find("lines"); found != json.end() && found->is_array()) {
    for (const auto& each : *found) said.lines.push_back(each.is_number_unsigned() ? each.get<uint32_t>() : 0);
  }
  return said;
}

}  // namespace sheaf::packer
