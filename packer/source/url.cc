#include "packer/source/url.h"

#include "packer/base/paths.h"
#include "packer/base/text_scan.h"
#include "packer/source/ignore.h"
#include "packer/source/unread.h"

namespace sheaf::packer {
namespace {

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

void AppendPercent(char c, std::string* out) {
  constexpr char kHex[] = "0123456789ABCDEF";
  *out += '%';
  *out += kHex[uint8_t(c) >> 4];
  *out += kHex[uint8_t(c) & 15];
}

int Digit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = LowerAscii(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Keeps RFC 3986 pchar and '/'. Encodes a colon too: in the first segment of a relative URL it would
// look like a scheme.
std::string EncodePath(std::string_view path) {
  std::string out;
  for (char c : path) {
    const bool plain = IsAlphanumeric(c) || std::string_view("-._~!$&()*+,;=@/").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      AppendPercent(c, &out);
  }
  return out;
}

// A URL as someone wrote it: keeps what URLs may hold, '%' included, and encodes the rest.
std::string EncodeUrl(std::string_view url) {
  std::string out;
  for (char c : url) {
    const bool plain = c > ' ' && c < 0x7f && std::string_view("\"'<>\\^`{|}").find(c) == std::string_view::npos;
    if (plain)
      out += c;
    else
      AppendPercent(c, &out);
  }
  return out;
}

bool HasControlCharacters(std::string_view text) {
  for (char c : text) {
    if (uint8_t(c) < 0x20 || c == 0x7f) return true;
  }
  return false;
}

// The scheme in lower case, without ':', if "//" follows it in `url`; else empty.
std::string SchemeOf(std::string_view url) {
  const size_t colon = url.find("://");
  if (colon == std::string_view::npos || colon == 0 || colon > 16) return {};
  std::string scheme;
  for (char c : url.substr(0, colon)) {
    if (!IsAlphanumeric(c) && c != '+' && c != '-' && c != '.') return {};
    scheme += c >= 'A' && c <= 'Z' ? char(c + 32) : c;
  }
  return scheme;
}

// Antora publishes `modules/api/pages/run.adoc` as `api/run`, and a page of the module ROOT without its name.
std::string WithoutAntoraFolders(std::string_view path) {
  constexpr std::string_view kModules = "modules/", kPages = "pages/", kRoot = "ROOT/";
  const size_t at = path.starts_with(kModules) ? 0 : path.find("/modules/") + 1;  // npos + 1 is 0
  const bool is_asciidoc = UnreadFormatOf(path.substr(path.rfind('/') + 1)) == UnreadFormat::kAsciiDoc;
  if (!is_asciidoc || !path.substr(at).starts_with(kModules)) return std::string(path);
  const std::string_view below = path.substr(at + kModules.size());
  const size_t end = below.find('/');
  if (end == below.npos || !below.substr(end + 1).starts_with(kPages)) return std::string(path);
  const std::string_view module = below.substr(0, end + 1);
  return std::string(path.substr(0, at))
      .append(module == kRoot ? "" : module)
      .append(below.substr(end + 1 + kPages.size()));
}

}  // namespace

std::string DecodePercent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && Digit(text[i + 1]) >= 0 && Digit(text[i + 2]) >= 0;
    out += escape ? char(Digit(text[i + 1]) * 16 + Digit(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return out;
}

bool IsReadme(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  if (KindOf(name) == FileKind::kHtml) return false;
  name = WithoutExtension(name);
  if (name.size() != 6) return false;
  for (size_t i = 0; i < 6; ++i) {
    if ((name[i] | 0x20) != "readme"[i]) return false;
  }
  return true;
}

bool IsFolderIndex(std::string_view path) {
  if (const std::string_view page = CompressedPage(path); !page.empty()) path = page;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string_view stem = WithoutExtension(name);
  return stem == "index" || stem == "_index" || IsReadme(path);
}

Result<UrlMapper> UrlMapper::Create(std::string_view base_url, UrlStyle style) {
  UrlMapper mapper;
  if (style == UrlStyle::kDefault) style = base_url.empty() ? UrlStyle::kKeep : UrlStyle::kHtml;
  mapper.style_ = style;
  if (base_url.empty()) return mapper;

  const auto refuse = [&](const char* why) {
    return Error{ErrorCode::kInvalidArgument, "base URL '" + std::string(base_url) + "' " + why +
                                                  "; expected one such as https://example.org/docs/ "
                                                  "or /docs/"};
  };
  if (base_url.size() > kMaxUrlBytes) return refuse("is too long");
  if (HasControlCharacters(base_url)) return refuse("holds control characters");
  if (base_url.find_first_of("?#") != std::string_view::npos) {
    return refuse("has a query or a fragment, to which no path can be added");
  }
  const std::string scheme = SchemeOf(base_url);
  const bool path_only = base_url.starts_with('/') && !base_url.starts_with("//");
  if (!path_only) {
    if (scheme != "http" && scheme != "https" && scheme != "file") {
      return refuse("has no scheme that is known here (http, https, file)");
    }
    const size_t host = scheme.size() + 3;
    const size_t path = base_url.find('/', host);
    if (scheme != "file" && (path == host || base_url.size() == host)) return refuse("names no host");
    mapper.origin_ = scheme + EncodeUrl(base_url.substr(scheme.size(), path - scheme.size()));
    mapper.base_ = mapper.origin_;
    if (path != std::string_view::npos) mapper.base_ += EncodeUrl(base_url.substr(path));
  } else {
    mapper.base_ = EncodeUrl(base_url);
  }
  if (!mapper.base_.ends_with('/')) mapper.base_ += '/';
  return mapper;
}

std::string UrlMapper::FromPath(std::string_view given, bool as_file) const {
  if (style_ == UrlStyle::kKeep) return base_ + EncodePath(given);
  if (const std::string_view page = CompressedPage(given); !page.empty()) return FromPath(page, as_file);
  const std::string published = WithoutAntoraFolders(given);
  const std::string_view path = published;
  const size_t name_at = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string_view folder = path.substr(0, name_at);
  std::string_view stem = path.substr(name_at);
  const FileKind kind = KindOf(stem);
  const UnreadFormat format = kind == FileKind::kOther ? UnreadFormatOf(stem) : UnreadFormat::kNone;
  if (format == UnreadFormat::kPdf || format == UnreadFormat::kOpenApi) return base_ + EncodePath(path);
  std::string_view extension;
  const size_t dot = stem.rfind('.');
  if (kind != FileKind::kReadme && kind != FileKind::kOther) {
    extension = stem.substr(dot);
    stem = stem.substr(0, dot);
  }
  if (format == UnreadFormat::kAsciiDoc || (format == UnreadFormat::kManual && stem.ends_with(".gz")))
    stem = stem.substr(0, dot);
  if (!as_file && (stem == "index" || stem == "_index" || IsReadme(path))) {
    const std::string mapped = base_ + EncodePath(folder);
    return mapped.empty() ? "./" : mapped;
  }
  std::string mapped = base_ + EncodePath(folder) + EncodePath(stem);
  switch (style_) {
    case UrlStyle::kHtml: return mapped + (kind == FileKind::kHtml ? std::string(extension) : ".html");
    case UrlStyle::kDir: return mapped + "/";
    default: return mapped;
  }
}

void UrlMapper::StayIn(std::string_view folder) {
  within_ = base_ + EncodePath(folder);
  if (!within_.ends_with('/')) within_ += '/';
}

std::string UrlMapper::FromPage(std::string_view stated) const {
  const std::string url = ReadStated(stated);
  return url.starts_with(within_) ? url : std::string();
}

std::string UrlMapper::ReadStated(std::string_view stated) const {
  const size_t fragment = stated.find('#');
  if (fragment != std::string_view::npos) stated = stated.substr(0, fragment);
  while (stated.starts_with(' ')) stated.remove_prefix(1);
  while (stated.ends_with(' ')) stated.remove_suffix(1);
  if (stated.empty() || stated.size() > kMaxUrlBytes || HasControlCharacters(stated)) return {};
  if (stated.starts_with('/')) {
    // "//host/x" and "/\host" name another host.
    if (stated.size() > 1 && (stated[1] == '/' || stated[1] == '\\')) return {};
    return origin_ + EncodeUrl(stated);
  }
  const std::string scheme = SchemeOf(stated);
  if (scheme != "http" && scheme != "https") return {};
  const std::string_view rest = stated.substr(scheme.size() + 3);
  if (rest.empty() || rest.starts_with('/') || rest.starts_with('\\')) return {};
  return scheme + "://" + EncodeUrl(rest);
}

}  // namespace sheaf::packer
