// The container format, version 1: names and sizes shared by writer and reader.
// The specification for strangers is docs/format.md; this header is its mirror in code.
//
//   file      = header (64) · directory · block map · blocks of section, of section, … · pieces of section, …
//   header    = magic 8 · version u16 · kind u8 · reserved u8 · unused u32 · file size u64 ·
//               content hash u64 · directory size u32 · section count u32 · map leaf count u32 ·
//               directory checksum u32 · identity u64 · reserved u32 · header checksum u32
//   directory = section entry (40) × count · map leaf checksum u32 × map leaves
//   entry     = id u16 · codec u8 · flags u8 · block size u32 · raw size u64 · offset u64 ·
//               stored size u64 · block count u32 · first block u32
//   map leaf  = file offset of its first block u64 · (stored length u32 · checksum u32) × <= 255
//
// A section comes in one of two forms.
//
// Blocks: a virtual byte array cut into blocks of `block size` raw bytes (the last may be shorter),
// each stored, checksummed and decodable on its own. Only the block map says where a block
// lies. To read any byte: directory -> map leaf -> block.
//
// Pieces: byte strings of any length, each ending in the checksum of the bytes before it. The checksum's seed is made
// of the header's identity and the piece's offset, so a piece of another file, or from another offset, does not match.
// The block map does not list them: another section, or arithmetic, says where a piece lies, so that a reader goes to
// it at once. `block size` caps a piece's decoded length. A section without blocks has pieces.
//
// Sections follow one another without gaps in the order of the directory, those of pieces last, and fill the file.
#ifndef SHEAF_BUNDLE_FORMAT_H_
#define SHEAF_BUNDLE_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace sheaf {

// 0x89 catches 7-bit transfers, CR LF catches newline conversion (after PNG).
inline constexpr uint8_t kMagic[8] = {0x89, 'S', 'H', 'E', 'A', 'F', '\r', '\n'};
inline constexpr uint16_t kFormatVersion = 1;
inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kSectionEntryBytes = 40;
inline constexpr size_t kMaxDirectoryEnd = 16 * 1024;  // header and directory fit one small request
inline constexpr size_t kMapLeafEntries = 255;
inline constexpr size_t kMapLeafBytes = 8 + 8 * kMapLeafEntries;  // 2048
inline constexpr uint32_t kMinBlockBytes = 256;
inline constexpr uint32_t kMaxBlockBytes = 1 << 20;
inline constexpr uint32_t kMaxPieceBytes = 1 << 24;
inline constexpr size_t kPieceChecksumBytes = 4;
inline constexpr size_t kMaxSections = 64;
// The cost of a byte of the file is bounded, so that a small one cannot exhaust memory. A section of blocks decodes to
// kFreeRawBytes and kMostRatio times its stored bytes at most, a piece to kMostRatio times.
inline constexpr uint64_t kFreeRawBytes = 256 << 10;
inline constexpr uint64_t kMostRatio = 64;
static_assert(kMapLeafBytes == 2048);

enum class ContainerKind : uint8_t { kBundle = 1, kEncoderTable = 2 };

enum class Codec : uint8_t {
  kRaw = 0,                   // stored as it is
  kZstd = 1,                  // one zstd frame a block; a block that would grow is stored raw
  kZstdDictionary = 2,        // the same, with the dictionary section's zstd dictionary
  kRawPieces = 3,             // pieces, stored as they are
  kZstdPieces = 4,            // pieces of one zstd frame that states its content size
  kZstdDictionaryPieces = 5,  // the same, with the dictionary
};
constexpr bool HasPieces(Codec codec) { return codec >= Codec::kRawPieces; }
constexpr bool NeedsDictionary(Codec codec) {
  return codec == Codec::kZstdDictionary || codec == Codec::kZstdDictionaryPieces;
}

// Section flag: a reader that does not know the id or codec may skip the section. All other bits are
// reserved: a reader refuses a file that sets them.
inline constexpr uint8_t kSectionSkippable = 1;

// The seed of a piece's checksum. `offset`: of the piece in the file.
constexpr uint64_t PieceSeed(uint64_t identity, uint64_t offset) { return identity ^ offset; }

enum class SectionId : uint16_t {
  kManifest = 2,         // JSON for people and hosts
  kSettings = 3,         // fixed fields for the core
  kDictionary = 4,       // zstd dictionary
  kTermIndex = 5,        // where each leaf of the lexicon lies and begins
  kTerms = 6,            // leaves of the lexicon with their posting lists; in a table, words with their rows
  kPassageMap = 8,       // bit per passage: first of its page
  kPassageIndex = 9,     // where each piece of passages lies and begins
  kPassages = 11,        // pieces of passages: page, headings, lines and text
  kUrlIndex = 12,        // hashes of URLs and source paths
  kVectors = 13,         // partitions: passages near each other and their codes
  kGraph = 14,           // HNSW
  kSpellings = 15,       // words by length, for corrections and completions
  kPartitionIndex = 16,  // centroids
  kFacets = 18,          // filters and orders of pages
  kSymbols = 19,         // leaves of names that the documentation defines
  kWordings = 20,        // of an encoder table: how people say a thing, and how documentation does
};

// The most that a section of blocks may decode to, however large the file is.
constexpr uint64_t MaxRawBytes(SectionId id) {
  if (id == SectionId::kSettings || id == SectionId::kManifest) return 64 << 10;
  if (id == SectionId::kDictionary) return kMaxBlockBytes;
  return id == SectionId::kGraph ? 1 << 30 : 64 << 20;
}

// Human name of a section for `inspect` and messages.
constexpr const char* SectionName(SectionId id) {
  switch (id) {
    case SectionId::kManifest: return "manifest";
    case SectionId::kSettings: return "settings";
    case SectionId::kDictionary: return "dictionary";
    case SectionId::kTermIndex: return "term-index";
    case SectionId::kTerms: return "terms";
    case SectionId::kPassageMap: return "passage-map";
    case SectionId::kPassageIndex: return "passage-index";
    case SectionId::kPassages: return "passages";
    case SectionId::kUrlIndex: return "url-index";
    case SectionId::kVectors: return "vectors";
    case SectionId::kGraph: return "graph";
    case SectionId::kSpellings: return "spellings";
    case SectionId::kPartitionIndex: return "partition-index";
    case SectionId::kFacets: return "facets";
    case SectionId::kSymbols: return "symbols";
    case SectionId::kWordings: return "wordings";
  }
  return "unknown";
}

// Sections that a reader can do without; docs/format.md says at what price.
constexpr bool IsOptional(SectionId id) {
  return id == SectionId::kManifest || id == SectionId::kFacets || id == SectionId::kUrlIndex ||
         id == SectionId::kGraph || id == SectionId::kSpellings || id == SectionId::kSymbols ||
         id == SectionId::kWordings;
}

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_FORMAT_H_
