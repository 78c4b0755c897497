// sheaf-pack inspect: shows a bundle or an encoder table, section by section. Reads only
// the directory and the small sections, however large the file is.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bundle/container.h"
#include "bundle/settings.h"
#include "encode/static_encoder.h"
#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/cli/commands.h"
#include "packer/host/engine_host.h"
#include "packer/host/range_file.h"

namespace sheaf::packer {
namespace {

using Json = nlohmann::ordered_json;

struct Inspection {
  std::string path;
  ContainerKind kind = ContainerKind::kBundle;
  uint64_t bytes = 0;
  uint64_t content_hash = 0;
  std::vector<SectionInfo> sections;
  Settings settings;     // bundles
  std::string manifest;  // JSON text
  std::string space;     // tables
  uint32_t dimensions = 0, words = 0;
};

const char* CodecName(Codec codec) {
  switch (codec) {
    case Codec::kRaw: return "raw";
    case Codec::kZstd: return "zstd";
    case Codec::kZstdDictionary: return "zstd+dictionary";
    case Codec::kRawPieces: return "raw pieces";
    case Codec::kZstdPieces: return "zstd pieces";
    case Codec::kZstdDictionaryPieces: return "zstd+dictionary pieces";
  }
  return "unknown";  // unreachable: the switch names every value
}

std::string Hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// Requests everything at once, so that one more round fetches it all.
Status LookInto(Container* container, Inspection* inspection) {
  SHEAF_RETURN_IF_ERROR(container->Open(inspection->kind));
  inspection->content_hash = container->content_hash();
  inspection->sections = container->sections();
  Result<std::vector<uint8_t>> manifest = std::vector<uint8_t>();
  if (const SectionInfo* section = container->Find(SectionId::kManifest)) manifest = container->ReadAll(*section);
  if (inspection->kind == ContainerKind::kBundle) {
    SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container->Require(SectionId::kSettings));
    SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> settings, container->ReadAll(*section));
    SHEAF_ASSIGN_OR_RETURN(inspection->settings, ReadSettings(settings));
  } else {
    SHEAF_ASSIGN_OR_RETURN(const StaticEncoder encoder, StaticEncoder::Open(container));
    inspection->space = encoder.space();
    inspection->dimensions = encoder.dimensions();
    inspection->words = encoder.words();
  }
  if (!manifest.ok()) return manifest.error();
  inspection->manifest = std::string(AsText(*manifest));
  return {};
}

Result<Inspection> InspectFile(const std::string& path) {
  SHEAF_ASSIGN_OR_RETURN(const RangeFile file, RangeFile::Open(path));
  Inspection inspection;
  inspection.path = path;
  inspection.bytes = file.size();
  Status status;
  for (ContainerKind kind : {ContainerKind::kBundle, ContainerKind::kEncoderTable}) {
    inspection.kind = kind;
    Container container(file.size());
    status = ReadContainer(file, &container, [&](Container* c) { return LookInto(c, &inspection); });
    if (status.code() != ErrorCode::kWrongKind) break;
  }
  if (!status.ok()) return Error{status.code(), PrintablePath(path) + ": " + status.error().message};
  return inspection;
}

// The manifest as JSON. Becomes a JSON string if it is not JSON, or if it nests deeper than any packer
// would write: that could exhaust the stack later.
Json ParseManifest(const std::string& text) {
  constexpr int kMaxDepth = 32;
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  Json manifest = Json::parse(text, watch, /*allow_exceptions=*/false);
  return manifest.is_discarded() || too_deep ? Json(text) : manifest;
}

// The document encoder as stated: its kind comes from the settings, its name and the rest from the manifest.
struct DocumentEncoderSaid {
  std::string encoder, precision, hash;
};

DocumentEncoderSaid WhoMadeVectors(const Inspection& i) {
  if (i.settings.vector_bits == 0) return {};
  if (i.settings.document_encoder == kStaticTableEncoder) return {"static", "", Hex(i.settings.encoder_hash)};
  DocumentEncoderSaid said{"unnamed transformer", "", Hex(i.settings.encoder_hash)};
  const Json manifest = ParseManifest(i.manifest);
  const Json vectors = manifest.is_object() && manifest.contains("vectors") ? manifest["vectors"] : Json();
  const auto take = [&](const char* name, std::string* out) {
    if (vectors.is_object() && vectors.contains(name) && vectors[name].is_string())
      *out = vectors[name].get<std::string>();
  };
  take("encoder", &said.encoder);
  take("precision", &said.precision);
  take("encoder_hash", &said.hash);
  return said;
}

// The language of the pages if the encoder does not know it; empty otherwise. The encoders that Sheaf brings or knows
// by name know English. Twin: web/node/store/other_language.ts.
std::string UnencodedLanguage(const Inspection& i) {
  const std::string& space = i.settings.space;
  if (space != "minilm-l6-256" && space != "bge-small-en-v1-5" && space != "mpnet-base-256") return {};
  const Json manifest = ParseManifest(i.manifest);
  if (!manifest.is_object() || !manifest.contains("language") || !manifest["language"].is_string()) return {};
  const std::string tag = manifest["language"].get<std::string>();
  return tag == "none" || tag == "en" || tag.starts_with("en-") ? std::string() : tag;
}

// ---- JSON -----------------------------------------------------------------------------------

Json InspectionJson(const Inspection& i) {
  const bool bundle = i.kind == ContainerKind::kBundle;
  Json json = {{"ok", true},
               {"file", i.path},
               {"kind", bundle ? "bundle" : "encoder table"},
               {"format", kFormatVersion},
               {"bytes", i.bytes},
               {"contentHash", Hex(i.content_hash)}};
  if (bundle) {
    const Settings& s = i.settings;
    json["library"] = s.library;
    json["version"] = s.version;
    json["pages"] = s.pages;
    json["passages"] = s.passages;
    json["terms"] = s.terms;
    json["bytesPerPage"] = double(i.bytes) / std::max(s.pages, 1u);
    json["dimensions"] = s.dimensions;
    json["vectorBits"] = s.vector_bits;
    json["space"] = s.space;
    json["hasGraph"] = std::any_of(i.sections.begin(), i.sections.end(),
                                   [](const SectionInfo& x) { return x.id == SectionId::kGraph; });
    const DocumentEncoderSaid said = WhoMadeVectors(i);
    json["encoder"] = said.encoder.empty() ? Json() : Json(said.encoder);
    json["precision"] = said.precision.empty() ? Json() : Json(said.precision);
    json["encoderHash"] = said.hash.empty() ? Json() : Json(said.hash);
  } else {
    json["space"] = i.space;
    json["dimensions"] = i.dimensions;
    json["words"] = i.words;
  }
  Json sections = Json::array();
  for (const SectionInfo& s : i.sections) {
    Json section = {{"id", uint16_t(s.id)},   {"name", SectionName(s.id)}, {"codec", CodecName(s.codec)},
                    {"flags", s.flags},       {"offset", s.offset},        {"storedBytes", s.stored_size},
                    {"rawBytes", s.raw_size}, {"blocks", s.block_count},   {"blockBytes", s.block_size}};
    if (bundle) section["bytesPerPage"] = double(s.stored_size) / std::max(i.settings.pages, 1u);
    sections.push_back(std::move(section));
  }
  json["sections"] = std::move(sections);
  json["manifest"] = ParseManifest(i.manifest);
  return json;
}

// ---- text -----------------------------------------------------------------------------------

void PrintSections(const Inspection& i) {
  const bool bundle = i.kind == ContainerKind::kBundle;
  const double pages = std::max(i.settings.pages, 1u);
  uint64_t stored = 0;
  std::printf("\n%-12s %14s %7s %10s %14s %6s %7s  %s\n", "section", "bytes", "share", bundle ? "a page" : "",
              "decoded", "ratio", "blocks", "codec");
  const auto row = [&](const char* name, uint64_t bytes) {
    std::printf("%-12s %14s %6.1f%% ", name, FormatCount(bytes).c_str(),
                100.0 * double(bytes) / double(std::max<uint64_t>(i.bytes, 1)));
    if (bundle)
      std::printf("%10.1f ", double(bytes) / pages);
    else
      std::printf("%10s ", "");
  };
  for (const SectionInfo& s : i.sections) {
    stored += s.stored_size;
    row(SectionName(s.id), s.stored_size);
    if (HasPieces(s.codec)) {
      std::printf("%14s %6s %7s  %s\n", "", "", "", CodecName(s.codec));
      continue;
    }
    std::printf("%14s %6.2f %7s  %s, %s blocks\n", FormatCount(s.raw_size).c_str(),
                s.stored_size > 0 ? double(s.raw_size) / double(s.stored_size) : 0.0,
                FormatCount(s.block_count).c_str(), CodecName(s.codec), FormatBytes(s.block_size).c_str());
  }
  row("directory", i.bytes - std::min(stored, i.bytes));
  std::printf("\n");
  row("total", i.bytes);
  std::printf("\n");
}

void PrintValue(const std::string& name, const Json& value) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, inner] : value.items()) {
      const std::string text =
          inner.is_string() ? inner.get<std::string>() : inner.dump(-1, ' ', false, Json::error_handler_t::replace);
      std::printf("  %-24s %s\n", TerminalText(name + "." + key).c_str(), TerminalText(text).c_str());
    }
    return;
  }
  const std::string text =
      value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::printf("  %-24s %s\n", TerminalText(name).c_str(), TerminalText(text).c_str());
}

void PrintText(const Inspection& i) {
  if (i.kind == ContainerKind::kBundle) {
    const Settings& s = i.settings;
    std::printf("%s  %s %s\n", TerminalText(i.path).c_str(), TerminalText(s.library).c_str(),
                TerminalText(s.version).c_str());
    std::printf("bundle, format %u, %s bytes, content %s\n", unsigned(kFormatVersion), FormatCount(i.bytes).c_str(),
                Hex(i.content_hash).c_str());
    std::printf("%s pages, %s passages, %s terms; %s bytes a page\n", FormatCount(s.pages).c_str(),
                FormatCount(s.passages).c_str(), FormatCount(s.terms).c_str(),
                FormatCount(i.bytes / std::max(s.pages, 1u)).c_str());
    if (s.vector_bits == 0) {
      std::printf("no vectors\n");
    } else {
      const bool graph = std::any_of(i.sections.begin(), i.sections.end(),
                                     [](const SectionInfo& x) { return x.id == SectionId::kGraph; });
      std::printf("vectors of %u × %u bits in %s, %s graph\n", s.dimensions, unsigned(s.vector_bits),
                  TerminalText(s.space).c_str(), graph ? "with a" : "no");
      const DocumentEncoderSaid said = WhoMadeVectors(i);
      std::printf("made by %s%s, hash %s\n", TerminalText(said.encoder).c_str(),
                  said.precision.empty() ? "" : TerminalText(" " + said.precision).c_str(),
                  TerminalText(said.hash).c_str());
      const std::string language = UnencodedLanguage(i);
      if (!language.empty())
        std::printf(
            "the encoder knows English, the pages are in '%s': other words are found as words, not by meaning\n",
            TerminalText(language).c_str());
    }
  } else {
    std::printf("%s  %s\n", TerminalText(i.path).c_str(), TerminalText(i.space).c_str());
    std::printf("encoder table, format %u, %s bytes, content %s\n", unsigned(kFormatVersion),
                FormatCount(i.bytes).c_str(), Hex(i.content_hash).c_str());
    std::printf("%s words × %u\n", FormatCount(i.words).c_str(), i.dimensions);
  }
  PrintSections(i);
  const Json manifest = ParseManifest(i.manifest);
  std::printf("\nmanifest\n");
  if (!manifest.is_object()) {
    std::printf("  %s\n", TerminalText(i.manifest).c_str());
    return;
  }
  for (const auto& [key, value] : manifest.items()) PrintValue(key, value);
}

int Inspect(const std::string& path, bool json) {
  const Result<Inspection> inspection = InspectFile(path);
  if (!inspection.ok()) return ReportError(inspection.error(), json);
  if (json) {
    std::printf("%s\n", InspectionJson(*inspection).dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    PrintText(*inspection);
  }
  return kExitOk;
}

}  // namespace

void AddInspectCommand(CLI::App* app, RunFunction* run) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* inspect =
      app->add_subcommand("inspect", "Show the sections, sizes and settings of a bundle or encoder table");
  inspect->add_option("file", options->file, "A .sheaf file")->required()->option_text(" ");
  inspect->add_flag("--json", options->json, "Print it as JSON");
  inspect->footer(
      "Example:\n"
      "  sheaf-pack inspect fastapi@0.115.0.sheaf --json\n"
      "\n"
      "Checks only the parts that it reads; `sheaf-pack verify` checks everything.");
  inspect->callback([=] { *run = [=] { return Inspect(options->file, options->json); }; });
}

}  // namespace sheaf::packer
