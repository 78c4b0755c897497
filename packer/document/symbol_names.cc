#include "packer/document/symbol_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "packer/base/paths.h"
#include "packer/base/text_scan.h"
#include "search/name_roles_builder.h"
#include "search/symbols.h"

namespace sheaf::packer {
namespace {

using Kind = SymbolKind;

constexpr size_t kMaxSignature = 400;  // bytes
constexpr size_t kMaxAlternatives = 8;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsNameByte(char c) { return IsWordByte(c) || c == '$'; }

// "join" of "os.path.join", "#each" and "std::iter::Iterator::next": behind the last joint.
std::string_view LastPart(std::string_view name) {
  const size_t joint = name.find_last_of(".:#/\\");
  return joint == name.npos || joint + 1 == name.size() ? name : name.substr(joint + 1);
}

// "os.path" of "os.path.join".
std::string_view Parent(std::string_view name) { return name.substr(0, name.size() - LastPart(name).size()); }

std::vector<std::string_view> Split(std::string_view text, char border) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(border), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string Join(const std::vector<std::string_view>& parts, std::string_view joint) {
  std::string joined;
  for (const std::string_view part : parts) {
    if (!joined.empty()) joined += joint;
    joined += part;
  }
  return joined;
}

// Letters, digits and `joints`, and no joint at an end.
bool IsPath(std::string_view text, std::string_view joints) {
  if (text.empty() || !IsNameByte(text.front()) || !IsNameByte(text.back()) || IsDigit(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return IsNameByte(c) || joints.find(c) != joints.npos; });
}

bool IsPascal(std::string_view name) {
  const std::string_view last = LastPart(name);
  return !last.empty() && IsUpper(last[0]) && std::any_of(last.begin(), last.end(), IsLower);
}

// A word that is written as names in code are, and not as words are: max_size, maxSize, os.path, --save, print().
bool LooksLikeCode(std::string_view name) {
  if (name.find_first_of("_.$:#()/\\-") != name.npos) return true;
  for (size_t i = 1; i < name.size(); ++i) {
    if (IsUpper(name[i]) && IsLower(name[i - 1])) return true;
  }
  return false;
}

bool EndsWithOneOf(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

Kind KindOfClass(std::string_view name) {
  return EndsWithOneOf(name, {"Exception", "Error", "Warning"}) ? Kind::kError : Kind::kClass;
}

bool IsFile(std::string_view name) {
  return EndsWithOneOf(Lower(name), {".md", ".txt", ".html", ".json", ".js", ".py", ".yml", ".yaml", ".toml", ".xml"});
}

// ---- pages --------------------------------------------------------------------------------------

// What the entries of a page belong to.
struct Scope {
  enum class Generator : uint8_t {
    kNone,
    kRustdoc,
    kJavadoc,
    kScaladoc,
    kDoxygen,
    kTypeDoc,
    kOwner
  } generator = Generator::kNone;
  std::string name;          // whole; empty: nothing
  std::optional<Kind> kind;  // none: the page is no symbol
  std::string joint;         // to its entries
};

// "std::collections::HashMap" of std/collections/struct.HashMap.html.
std::optional<Scope> RustItem(std::string_view path) {
  static constexpr std::pair<std::string_view, Kind> kItems[] = {
      {"struct", Kind::kClass},      {"enum", Kind::kType},       {"trait", Kind::kType},   {"fn", Kind::kFunction},
      {"macro", Kind::kMacro},       {"type", Kind::kType},       {"union", Kind::kType},   {"primitive", Kind::kType},
      {"constant", Kind::kProperty}, {"static", Kind::kProperty}, {"derive", Kind::kMacro}, {"attr", Kind::kMacro},
      {"keyword", Kind::kOperator},  {"traitalias", Kind::kType}};
  std::vector<std::string_view> parts = Split(path, '/');
  if (parts.empty() || !parts.back().ends_with(".html")) return std::nullopt;
  std::string_view file = parts.back().substr(0, parts.back().size() - 5);
  const size_t point = file.find('.');
  if (point == file.npos) return std::nullopt;
  for (const auto& [word, kind] : kItems) {
    if (file.substr(0, point) != word) continue;
    parts.back() = file.substr(point + 1);
    Scope scope{Scope::Generator::kRustdoc, Join(parts, "::"), kind, "::"};
    if (word == "primitive" || word == "keyword") scope.name = parts.back();
    return scope;
  }
  return std::nullopt;
}

// Behind the first of these words that `title` begins with.
std::optional<std::pair<std::string_view, std::string_view>> KindWord(std::string_view title) {
  for (const std::string_view word : {"Annotation Interface ",
                                      "Annotation Type ",
                                      "Enum Class ",
                                      "Record Class ",
                                      "Class: ",
                                      "Module: ",
                                      "Exception: ",
                                      "Class ",
                                      "Interface ",
                                      "Enum ",
                                      "Record ",
                                      "Exception ",
                                      "Error ",
                                      "class ",
                                      "module ",
                                      "Module ",
                                      "Crate ",
                                      "Package ",
                                      "interface ",
                                      "Trait ",
                                      "Struct ",
                                      "Namespace "}) {
    if (title.starts_with(word)) return std::pair(word, Trim(title.substr(word.size())));
  }
  return std::nullopt;
}

// The name at the beginning, without parameters.
std::string_view NameAt(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && (IsNameByte(text[end]) || text[end] == '.' || text[end] == ':')) ++end;
  while (end > 0 && !IsNameByte(text[end - 1])) --end;
  return text.substr(0, end);
}

// TypeDoc's folders, the words above its pages, and what those define; its plugin for Markdown says some differently.
struct TypeDocFolder {
  std::string_view name, title;
  Kind kind;
};
constexpr TypeDocFolder kTypeDocFolders[] = {
    {"classes", "Class", Kind::kClass},         {"interfaces", "Interface", Kind::kType},
    {"enums", "Enumeration", Kind::kType},      {"enumerations", "Enumeration", Kind::kType},
    {"types", "Type Alias", Kind::kType},       {"type-aliases", "Type Alias", Kind::kType},
    {"functions", "Function", Kind::kFunction}, {"variables", "Variable", Kind::kProperty},
    {"modules", "Module", Kind::kModule},       {"modules", "Namespace", Kind::kModule},
    {"namespaces", "Namespace", Kind::kModule}};

// "Tools.cut" of functions/Tools.cut.html and of namespaces/Tools/functions/cut.md, whose page is about "Function cut"
// or "Function: cut()".
std::optional<Scope> TypeDocItem(std::string_view path, std::string_view title) {
  std::vector<std::string_view> parts = Split(path, '/');
  std::string_view stem = parts.empty() ? "" : WithoutExtension(parts.back());
  if (!parts.empty()) parts.pop_back();
  if (stem == "README" || stem == "index") {  // of a namespace
    if (parts.empty()) return std::nullopt;
    stem = parts.back();
    parts.pop_back();
  }
  if (parts.empty()) return std::nullopt;
  if (title.starts_with("Abstract ")) title.remove_prefix(9);
  for (const auto& [folder, word, kind] : kTypeDocFolders) {
    if (parts.back() != folder || !title.starts_with(word)) continue;
    std::string_view name = title.substr(word.size());
    if (!name.starts_with(' ') && !name.starts_with(": ")) continue;
    name = NameAt(Trim(name.substr(1)));
    // Names that differ in case alone end with a number.
    const std::string_view last = LastPart(name);
    if (last.empty() || !LastPart(stem).starts_with(last.substr(0, std::min(last.find('$'), last.size())))) continue;
    std::string whole;
    for (size_t i = 0; i + 2 < parts.size(); ++i) {
      if (parts[i] == "namespaces") whole += std::string(parts[++i]) + '.';
    }
    whole += std::string(Parent(stem)) + std::string(last);
    return Scope{Scope::Generator::kTypeDoc, whole, kind == Kind::kClass ? KindOfClass(whole) : kind, "."};
  }
  return std::nullopt;
}

// What TypeDoc lists below the heading of a group.
std::optional<Kind> KindOfGroup(std::string_view heading) {
  static constexpr std::pair<std::string_view, Kind> kGroups[] = {
      {"constructors", Kind::kMethod}, {"properties", Kind::kProperty},          {"accessors", Kind::kProperty},
      {"methods", Kind::kMethod},      {"enumeration members", Kind::kProperty}, {"events", Kind::kProperty}};
  for (const auto& [word, kind] : kGroups) {
    if (heading == word) return kind;
  }
  return std::nullopt;
}

// "GET /pets/{id}", also behind its summary: "Find a pet: GET /pets/{id}". Else empty.
std::string_view EndpointOf(std::string_view title) {
  if (const size_t summary = title.rfind(": "); summary != title.npos) title.remove_prefix(summary + 2);
  for (const std::string_view verb :
       {"GET /", "POST /", "PUT /", "PATCH /", "DELETE /", "HEAD /", "OPTIONS /", "TRACE /"}) {
    if (title.starts_with(verb) && title.find(' ', verb.size()) == title.npos) return title;
  }
  return {};
}

// Of a folder path, the package: without what stands above it, such as the module `java.base` or the folder `api`.
std::string PackageOf(std::string_view path) {
  std::vector<std::string_view> parts = Split(path, '/');
  parts.pop_back();
  size_t first = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (part.find('.') != part.npos || part == "api" || part == "apidocs" || part == "javadoc" || part == "docs") {
      first = i + 1;
    }
  }
  parts.erase(parts.begin(), parts.begin() + ptrdiff_t(first));
  return Join(parts, ".");
}

// Behind the name of an entry of Scaladoc: "map" of "map[B](f:A=>B):List[B]" leaves "[B](f:A=>B):List[B]".
std::string_view BehindName(std::string_view anchor, std::string_view name) {
  return !name.empty() && anchor.starts_with(name) ? anchor.substr(name.size()) : std::string_view();
}

// What Scaladoc writes behind the name of a value, a method and an alias of a type. Classes and objects, which have
// pages of their own, are none.
std::optional<Kind> KindOfScala(std::string_view behind) {
  if (behind.starts_with(':')) return Kind::kProperty;
  size_t depth = 0, at = 0;
  bool parameters = false;
  for (; at < behind.size(); ++at) {
    const char c = behind[at];
    if (c == '[' || c == '(') {
      ++depth;
      parameters = parameters || c == '(';
    } else if (c == ']' || c == ')') {
      if (depth > 0) --depth;
    } else if (depth == 0) {
      break;
    }
  }
  if (at == behind.size() || behind[at] == 'e') return std::nullopt;  // "extendsAnyRef"
  if (behind[at] == '=' && !parameters) return Kind::kType;
  return behind[at] == ':' && at > 0 ? std::optional(Kind::kMethod) : std::nullopt;
}

// ---- a page -------------------------------------------------------------------------------------

class NamingPage {
 public:
  NamingPage(const Document& document, std::string_view path)
      : document_(document), path_(path), about_(Lower(document.title) + '\n' + Lower(path)) {}

  std::vector<SymbolName> Read() {
    ReadScope();
    const std::vector<Block>& blocks = document_.blocks;
    for (size_t i = 0; i < blocks.size() && symbols_.size() < kMaxSymbols; ++i) {
      if (blocks[i].record == Record::kLog) continue;
      if (blocks[i].kind == BlockKind::kHeading) {
        ReadHeading(i);
      } else if (!blocks[i].term.empty()) {
        ReadTerm(i);
      }
    }
    return std::move(symbols_);
  }

 private:
  // ---- the page itself --------------------------------------------------------------------------

  void ReadScope() {
    std::string_view title = document_.title;
    std::string signature;
    size_t block = 0;
    const std::vector<Block>& blocks = document_.blocks;
    for (size_t i = 0; i < std::min<size_t>(blocks.size(), 8); ++i) {
      if (blocks[i].kind != BlockKind::kHeading) continue;
      block = i;
      if (blocks[i].level <= 2 && (KindWord(blocks[i].title) || TypeDocItem(path_, blocks[i].title)))
        title = blocks[i].title;
      break;
    }
    if (std::optional<Scope> item = RustItem(path_)) {
      scope_ = std::move(*item);
    } else if (std::optional<Scope> item = TypeDocItem(path_, title)) {
      scope_ = std::move(*item);
      signature = SignatureOf(block, LastPart(scope_.name));
      title = signature;
    } else if (const size_t end = std::min(title.find(" Class Template Reference"), title.find(" Class Reference"));
               end != title.npos || title.find(" Struct Reference") != title.npos ||
               title.find(" Namespace Reference") != title.npos ||
               title.find(" Struct Template Reference") != title.npos) {
      const std::string_view name = NameAt(title);
      const bool space = title.find(" Namespace ") != title.npos;
      scope_ = {Scope::Generator::kDoxygen, std::string(name), space ? Kind::kModule : Kind::kClass, "::"};
    } else if (const auto kind = KindWord(title)) {
      ReadKindWord(kind->first, kind->second);
    } else if (const size_t signature = ScalaSignature(); signature != blocks.size()) {
      block = signature;
      title = blocks[signature].title;
      ReadScalaPage();
    } else if (HasAnchor([](std::string_view anchor) {
                 return (anchor.starts_with("v:") || anchor.starts_with("t:")) && anchor.size() > 2;
               })) {  // Haddock; ExDoc's types
      scope_ = {Scope::Generator::kOwner, std::string(NameAt(title)), Kind::kModule, "."};
    } else if (HasAnchor(IsArity)) {  // ExDoc, Erlang
      std::string_view name = title;
      if (name.starts_with("Erlang -- ")) name.remove_prefix(10);
      scope_ = {Scope::Generator::kOwner, std::string(NameAt(name)), Kind::kModule,
                !name.empty() && IsLower(name[0]) ? ":" : "."};
    } else if (HasAnchor([](std::string_view anchor) {
                 return anchor.starts_with("method-i-") || anchor.starts_with("method-c-") ||
                        anchor.ends_with("-instance_method") || anchor.ends_with("-class_method");
               })) {
      std::vector<std::string_view> parts = Split(WithoutExtension(path_), '/');
      std::erase_if(parts, [](std::string_view part) { return part.empty() || !IsUpper(part[0]); });
      scope_ = {Scope::Generator::kOwner, Join(parts, "::"), Kind::kClass, "#"};
    } else {
      ReadManual(title);
    }
    if (!scope_.name.empty() && scope_.kind) Add(block, scope_.name, "", *scope_.kind, title);
  }

  void ReadKindWord(std::string_view word, std::string_view name) {
    const bool package = word == "Package " || word == "Module " || word == "Crate " || word == "Namespace ";
    const size_t folder = path_.rfind('/');
    const std::string_view file = path_.substr(folder == path_.npos ? 0 : folder + 1);
    name = NameAt(name);
    if (name.empty()) return;
    const std::string_view stem = WithoutExtension(file);
    if (package) {
      if (file != "index.html" && file != "package-summary.html" && stem != name) return;
      std::string whole(name);
      if (file == "index.html" && folder != path_.npos) {  // rustdoc
        const std::vector<std::string_view> parts = Split(path_.substr(0, folder), '/');
        if (!parts.empty() && parts.back() == LastPart(name)) whole = Join(parts, "::");
      }
      scope_ = {Scope::Generator::kOwner, whole, Kind::kModule, "::"};
      return;
    }
    // RDoc and YARD name the whole class, Javadoc its own part.
    const bool ruby = word == "class " || word == "module " || word.ends_with(": ");
    if (ruby) {
      scope_ = {Scope::Generator::kOwner, std::string(name),
                word[0] == 'm' || word[0] == 'M' ? Kind::kModule : Kind::kClass, "#"};
    } else if (stem == name) {
      const std::string package_name = folder == path_.npos ? "" : PackageOf(path_);
      const bool type = word != "Class " && word != "Exception " && word != "Error " && word != "Struct ";
      scope_ = {Scope::Generator::kJavadoc,
                package_name.empty() ? std::string(name) : package_name + "." + std::string(name),
                type ? Kind::kType : KindOfClass(name), "."};
    }
  }

  // The heading in which Scaladoc declares what the page is about; as many as there are blocks: it is no such page.
  size_t ScalaSignature() const {
    const std::vector<Block>& blocks = document_.blocks;
    const auto is = [](const Block& block) { return block.kind == BlockKind::kHeading && block.anchor == "signature"; };
    const auto is_member = [](const Block& block) {
      const std::string_view behind = BehindName(block.anchor, block.title);
      return block.kind == BlockKind::kHeading && (behind.starts_with(':') || behind.starts_with('[') ||
                                                   behind.starts_with('(') || behind.starts_with("extends"));
    };
    const auto found = std::find_if(blocks.begin(), blocks.end(), is);
    if (found == blocks.end() ||
        (found->title.find(" extends ") == std::string::npos && std::none_of(found, blocks.end(), is_member))) {
      return blocks.size();
    }
    return size_t(found - blocks.begin());
  }

  // "cats.Eval" of cats/Eval.html and of cats/Eval$.html, its object; "cats.Eval.Leaf" of cats/Eval$$Leaf.html.
  void ReadScalaPage() {
    const std::string_view stem = NameOf(WithoutExtension(path_));
    const bool package = stem == "index" || stem == "package";
    const bool object = stem.ends_with('$');
    std::string name = PackageOf(path_);
    if (!package) {
      std::vector<std::string_view> parts = Split(stem, '$');
      std::erase(parts, "package");
      if (!name.empty()) parts.insert(parts.begin(), name);
      name = Join(parts, ".");
    }
    scope_ = {Scope::Generator::kScaladoc, name, package || object ? Kind::kModule : KindOfClass(name), "."};
  }

  // "grep(1)", and pages of commands.
  void ReadManual(std::string_view title) {
    const size_t open = title.find('(');
    if (open != title.npos && open > 0 && open + 2 < title.size() && IsDigit(title[open + 1]) &&
        title.find(')', open) <= open + 4 && title.find(' ') > open) {
      const char section = title[open + 1];
      const auto kind = section == '1' || section == '8' || section == '6' ? std::optional(Kind::kCommand)
                        : section == '2' || section == '3'                 ? std::optional(Kind::kFunction)
                                                                           : std::nullopt;
      scope_ = {Scope::Generator::kNone, std::string(title.substr(0, open)), kind, " "};
      return;
    }
    if (path_.find("commands/") == path_.npos) return;
    const std::vector<std::string_view> words = Split(title, ' ');
    const bool command =
        !words.empty() && words.size() <= 3 && std::all_of(words.begin(), words.end(), [](std::string_view w) {
          return std::all_of(w.begin(), w.end(),
                             [](char c) { return IsUpper(c) || IsDigit(c) || c == '.' || c == '_' || c == '-'; });
        });
    if (command) scope_ = {Scope::Generator::kNone, std::string(title), Kind::kCommand, " "};
  }

  template <typename Test>
  bool HasAnchor(Test&& test) const {
    return std::any_of(document_.blocks.begin(), document_.blocks.end(), [&](const Block& block) {
      return block.kind == BlockKind::kHeading && test(std::string_view(block.anchor));
    });
  }

  // "map/2", "c:init/1", "map-2".
  static bool IsArity(std::string_view anchor) {
    size_t digits = anchor.size();
    while (digits > 0 && IsDigit(anchor[digits - 1])) --digits;
    return digits < anchor.size() && digits > 1 && anchor[digits - 1] == '/';
  }

  // ---- headings ---------------------------------------------------------------------------------

  void ReadHeading(size_t i) {
    const Block& block = document_.blocks[i];
    headings_.resize(std::min<size_t>(headings_.size(), size_t(std::max(block.level - 1, 0))));
    headings_.resize(size_t(std::max(block.level - 1, 0)));
    headings_.push_back(Lower(block.title));
    entry_ = entry_ && block.level > entry_level_;
    const size_t before = symbols_.size();
    // Other headings of Scaladoc are classes, which have pages of their own, those of TypeDoc comments.
    bool told = Endpoint(i) || Directive(i) || ByAnchor(i);
    if (scope_.generator == Scope::Generator::kNone) {
      for (const std::string& alias : block.aliases) {
        const std::string_view title = BareName(block.title);
        told = BySphinx(i, alias, title, SignatureOf(i, LastPart(title))) || told;
      }
    }
    if (!told && scope_.generator != Scope::Generator::kScaladoc && scope_.generator != Scope::Generator::kTypeDoc) {
      ByLooks(i);
    }
    if (symbols_.size() > before && IsEntryKind(symbols_.back().kind)) {
      entry_ = true;
      entry_level_ = block.level;
    }
  }

  // Of these, terms are parameters.
  static bool IsEntryKind(Kind kind) {
    return kind == Kind::kFunction || kind == Kind::kMethod || kind == Kind::kClass || kind == Kind::kMacro ||
           kind == Kind::kError || kind == Kind::kEndpoint;
  }

  // An operation of a web service: by its method and path, and by the identifier that OpenAPI gives it.
  bool Endpoint(size_t i) {
    const Block& block = document_.blocks[i];
    const std::string_view title = Trim(block.title), name = EndpointOf(title);
    if (name.empty() || (name != title && !IsCodeHeading(block))) return false;
    Add(i, std::string(name), block.anchor, Kind::kEndpoint, name);
    const std::vector<Block>& blocks = document_.blocks;
    const bool stated = i + 1 < blocks.size() && blocks[i + 1].text.starts_with("Operation `");
    const std::string_view id = stated ? std::string_view(blocks[i + 1].code) : std::string_view(block.anchor);
    // An anchor that is made of the heading has a hyphen.
    if (IsPath(id, stated ? "._:/-" : "._:")) Add(i, std::string(id), block.anchor, Kind::kEndpoint, name);
    return true;
  }

  // A directive of a server, with its syntax below the heading: as nginx and httpd write it, or as its modules do
  // ("**syntax:** *lua_code_cache on | off*").
  bool Directive(size_t i) {
    const std::vector<Block>& blocks = document_.blocks;
    if (i + 1 >= blocks.size()) return false;
    std::string_view name = Trim(blocks[i].title);
    if (name.ends_with(" Directive")) name.remove_suffix(10);
    if (name.starts_with('<') && name.ends_with('>')) name = name.substr(1, name.size() - 2);
    if (!IsPath(name, "._-")) return false;
    const Block& next = blocks[i + 1];
    if (next.kind == BlockKind::kCode) {
      if (!next.code.starts_with("Syntax: ")) return false;
      Add(i, std::string(name), blocks[i].anchor, Kind::kSetting, TrimEnd(next.code));
      return true;
    }
    std::string_view syntax = next.text;
    if (next.kind != BlockKind::kText || !Lower(syntax.substr(0, 11)).starts_with("**syntax:**")) return false;
    syntax = syntax.substr(11, std::min(syntax.find('\n'), syntax.size()) - 11);
    while (!syntax.empty() && (syntax[0] == ' ' || syntax[0] == '*' || syntax[0] == '`')) syntax.remove_prefix(1);
    while (!syntax.empty() && (syntax.back() == ' ' || syntax.back() == '*' || syntax.back() == '`'))
      syntax.remove_suffix(1);
    const bool call = syntax.find(std::string(LastPart(name)) + "(") != syntax.npos;
    Add(i, std::string(name), blocks[i].anchor, call ? Kind::kFunction : Kind::kSetting, syntax);
    return true;
  }

  // Whether the anchor says that the heading is an entry, and adds it.
  bool ByAnchor(size_t i) {
    const Block& block = document_.blocks[i];
    std::string_view anchor = block.anchor;
    const std::string_view title = BareName(block.title);
    if (anchor.empty() || title.empty()) return false;
    const std::string signature = SignatureOf(i, LastPart(title));
    const auto add = [&](std::string name, Kind kind) {
      Add(i, std::move(name), block.anchor, kind, signature);
      return true;
    };
    if (scope_.generator == Scope::Generator::kRustdoc) {
      for (const auto& [prefix, kind] : {std::pair<std::string_view, Kind>{"method.", Kind::kMethod},
                                         {"tymethod.", Kind::kMethod},
                                         {"variant.", Kind::kProperty},
                                         {"structfield.", Kind::kProperty},
                                         {"associatedconstant.", Kind::kProperty},
                                         {"associatedtype.", Kind::kType}}) {
        if (!anchor.starts_with(prefix)) continue;
        std::string_view name = anchor.substr(prefix.size());
        name = name.substr(0, std::min(name.find_first_of(".-"), name.size()));
        return name.empty() ? false : add(scope_.name + "::" + std::string(name), kind);
      }
      return false;
    }
    if (scope_.generator == Scope::Generator::kJavadoc) {
      const size_t end = std::min(anchor.find_first_of("(-"), anchor.find("%28"));
      std::string_view name = anchor.substr(0, end);
      const bool constructor = name.starts_with('<') || name.starts_with("%3C") || title == LastPart(scope_.name);
      if (constructor && end != anchor.npos) {
        return add(scope_.name + "." + std::string(LastPart(scope_.name)), Kind::kMethod);
      }
      if (name != title) return false;
      return add(scope_.name + "." + std::string(name), end != anchor.npos ? Kind::kMethod : Kind::kProperty);
    }
    if (scope_.generator == Scope::Generator::kTypeDoc) {
      if (headings_.size() < 2) return false;
      const std::string& group = headings_[headings_.size() - 2];
      const std::optional<Kind> kind = KindOfGroup(group);
      std::string_view name = BehindKind(title);  // "Readonly"
      if (name.ends_with('?')) name.remove_suffix(1);
      if (!kind || !IsPath(name, "")) return false;
      if (group == "constructors") name = LastPart(scope_.name);
      Add(i, scope_.name + "." + std::string(name), block.anchor, *kind, SignatureOf(i, name));
      return true;
    }
    if (scope_.generator == Scope::Generator::kScaladoc) {
      const std::optional<Kind> kind = KindOfScala(BehindName(anchor, block.title));
      return kind && add(scope_.name.empty() ? block.title : scope_.name + "." + block.title, *kind);
    }
    if (anchor.size() > 32 && (anchor[0] == 'a' || anchor.starts_with("ga")) &&
        anchor.find_first_not_of("0123456789abcdefg_") == anchor.npos) {  // Doxygen
      const bool call = signature.find('(') != signature.npos;
      const bool member = scope_.generator == Scope::Generator::kDoxygen;
      std::string name(title);
      if (member && name.find("::") == name.npos) name = scope_.name + "::" + name;
      const Kind kind = signature.starts_with("#define")                                               ? Kind::kMacro
                        : signature.find("typedef") != signature.npos || signature.starts_with("enum") ? Kind::kType
                        : !call                                                                        ? Kind::kProperty
                        : member && scope_.kind == Kind::kClass                                        ? Kind::kMethod
                                                                : Kind::kFunction;
      return add(std::move(name), kind);
    }
    for (const auto& [prefix, kind, joint] :
         {std::tuple<std::string_view, Kind, std::string_view>{"method-i-", Kind::kMethod, "#"},
          {"method-c-", Kind::kMethod, "."},
          {"attribute-i-", Kind::kProperty, "#"},
          {"v:", Kind::kFunction, "."},
          {"t:", Kind::kType, "."},
          {"c:", Kind::kFunction, "."}}) {
      if (anchor.starts_with(prefix) && scope_.generator == Scope::Generator::kOwner) {
        return add(scope_.name + std::string(joint) + std::string(Bare(title)), kind);
      }
    }
    for (const auto& [suffix, kind, joint] :
         {std::tuple<std::string_view, Kind, std::string_view>{"-instance_method", Kind::kMethod, "#"},
          {"-class_method", Kind::kMethod, "."},
          {"-constant", Kind::kProperty, "::"}}) {
      if (anchor.ends_with(suffix) && scope_.generator == Scope::Generator::kOwner) {
        return add(scope_.name + std::string(joint) + std::string(Bare(title)), kind);
      }
    }
    if (scope_.generator == Scope::Generator::kOwner && IsArity(anchor)) {
      return add(scope_.name + scope_.joint + std::string(title), Kind::kFunction);
    }
    return BySphinx(i, anchor, title, signature);
  }

  // A name of Ruby has its own joint before it.
  static std::string_view Bare(std::string_view title) {
    while (!title.empty() && (title[0] == '#' || title[0] == '.' || title[0] == ':')) title.remove_prefix(1);
    return title;
  }

  // Sphinx' domains, in HTML and as rst_objects.h makes their anchors; mkdocstrings and others do likewise.
  bool BySphinx(size_t i, std::string_view anchor, std::string_view title, const std::string& signature) {
    const Block& block = document_.blocks[i];
    const auto add = [&](std::string_view name, Kind kind) {
      Add(i, std::string(name), block.anchor, kind, signature);
      return true;
    };
    if (anchor.starts_with("module-") && IsPath(anchor.substr(7), ".")) return add(anchor.substr(7), Kind::kModule);
    if (anchor.starts_with("cmdoption-") || anchor.starts_with("option-")) {
      if (title[0] != '-' && anchor.starts_with("option-")) return false;
      return AddAlternatives(i, block.title, block.anchor, Kind::kOption, ProgramOf(anchor, title));
    }
    if (anchor.starts_with("envvar-")) return add(title, Kind::kVariable);
    for (const auto& [prefix, kind] : {std::pair<std::string_view, Kind>{"std-setting-", Kind::kSetting},
                                       {"setting-", Kind::kSetting},
                                       {"std:setting-", Kind::kSetting},
                                       {"confval-", Kind::kSetting},
                                       {"std-templatetag-", Kind::kOperator},
                                       {"std:templatetag-", Kind::kOperator},
                                       {"std-templatefilter-", Kind::kOperator},
                                       {"std:templatefilter-", Kind::kOperator},
                                       {"std-fieldlookup-", Kind::kOperator},
                                       {"std:fieldlookup-", Kind::kOperator},
                                       {"django-admin-", Kind::kCommand},
                                       {"directive-", Kind::kOperator},
                                       {"role-", Kind::kOperator},
                                       {"opcode-", Kind::kOperator}}) {
      if (!anchor.starts_with(prefix)) continue;
      // A heading may say less than the anchor, or more: "KEY_PREFIX" of CACHES-KEY_PREFIX, "exact, same_as".
      const std::string_view name = anchor.substr(prefix.size());
      const bool whole = title.find(' ') == title.npos;
      if (IsPath(name, ".-") && !SameName(name, title)) add(name, kind);
      return whole && add(title, kind);
    }
    // CMake.
    for (const auto& [prefix, kind] : {std::pair<std::string_view, Kind>{"command:", Kind::kCommand},
                                       {"variable:", Kind::kSetting},
                                       {"envvar:", Kind::kVariable},
                                       {"module:", Kind::kModule},
                                       {"policy:", Kind::kSetting},
                                       {"genex:", Kind::kOperator},
                                       {"generator:", Kind::kSetting}}) {
      if (anchor.starts_with(prefix)) return add(anchor.substr(prefix.size()), kind);
    }
    if (anchor.starts_with("prop_") && anchor.find(':') != anchor.npos) {
      return add(anchor.substr(anchor.find(':') + 1), Kind::kProperty);
    }
    const bool c = anchor.starts_with("c.") && IsPath(anchor.substr(2), ".");
    const bool cpp = anchor.starts_with("_CPPv");
    if (c || cpp) {
      const std::string_view name = c ? anchor.substr(2) : title;
      const Kind kind = signature.starts_with("type ") || signature.starts_with("struct ") ||
                                signature.starts_with("enum ") || signature.starts_with("union ")
                            ? Kind::kType
                        : signature.starts_with("class ")       ? Kind::kClass
                        : signature.find('(') != signature.npos ? Kind::kFunction
                        : IsShouted(LastPart(name))             ? Kind::kMacro
                                                                : Kind::kProperty;
      return add(name, kind);
    }
    // "format: str = 'BMP'", "RAW = 0".
    title = title.substr(0, std::min(title.find(" = "), title.find(": ")));
    if (!IsPath(anchor, ".") || LastPart(anchor) != LastPart(BehindKind(title))) return false;
    const bool dotted = anchor.find('.') != anchor.npos;
    if (!dotted && !(IsCodeHeading(block) && signature.size() > anchor.size())) return false;
    return add(anchor, KindBySignature(anchor, signature));
  }

  // As an anchor writes a name.
  static bool SameName(std::string_view anchor, std::string_view title) {
    const auto plain = [](std::string_view text) {
      std::string name = Lower(text);
      std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
      return name;
    };
    return plain(anchor) == plain(title);
  }

  // "cmdoption-git-commit-m" of "-m" is of "git commit".
  static std::string ProgramOf(std::string_view anchor, std::string_view title) {
    std::string_view option = title.substr(0, title.find_first_of(" =,[<"));
    while (option.starts_with('-')) option.remove_prefix(1);
    std::string_view program = anchor.substr(anchor.find('-') + 1);
    if (option.empty() || !program.ends_with(option)) return {};
    program.remove_suffix(option.size());
    while (program.ends_with('-')) program.remove_suffix(1);
    std::string words(program);
    if (words == "arg") return {};
    std::replace(words.begin(), words.end(), '-', ' ');
    return words;
  }

  // "class Foo", "async open", "@decorator": without what says the kind.
  static std::string_view BehindKind(std::string_view title) {
    const size_t space = title.rfind(' ');
    if (space != title.npos) title.remove_prefix(space + 1);
    if (title.starts_with('@')) title.remove_prefix(1);
    return title;
  }

  Kind KindBySignature(std::string_view name, std::string_view signature) {
    std::string_view words = signature;
    for (const std::string_view word : {"abstract ", "final ", "static ", "async ", "classmethod ", "staticmethod "}) {
      if (words.starts_with(word)) words.remove_prefix(word.size());
    }
    if (words.starts_with("exception ")) return Kind::kError;
    if (words.starts_with("class ") || words.starts_with("interface ")) {
      classes_.insert(std::string(name));
      return KindOfClass(name);
    }
    if (words.starts_with("type ") || words.starts_with("enum ")) return Kind::kType;
    if (words.starts_with("property ")) return Kind::kProperty;
    const std::string_view parent = Parent(name);
    const std::string_view owner = parent.empty() ? parent : LastPart(parent.substr(0, parent.size() - 1));
    const bool member = !parent.empty() && (classes_.contains(std::string(parent.substr(0, parent.size() - 1))) ||
                                            (!owner.empty() && IsUpper(owner[0])));
    const size_t call = words.find('(');
    if (call == words.npos || words.find(" = ") < call || words.find(": ") < call) {
      return words.starts_with("@") ? Kind::kFunction : Kind::kProperty;
    }
    return member ? Kind::kMethod : Kind::kFunction;
  }

  static bool IsCodeHeading(const Block& block) { return block.text.find('`') != std::string::npos; }

  // A heading that is one name, as names in code are written.
  void ByLooks(size_t i) {
    const Block& block = document_.blocks[i];
    std::string_view title = Trim(block.title);
    if (i == 0 && scope_.kind) return;
    const bool code = IsCodeHeading(block);
    if (title.starts_with('-') && title.size() > 2) {
      AddAlternatives(i, title, block.anchor, Kind::kOption);
      return;
    }
    const std::string_view name = BareName(title);
    if (name.empty() || name.find(' ') != name.npos || !IsPath(name, ".:#/\\-")) return;
    if (!code && !LooksLikeCode(title) && !IsShouted(name)) return;
    // "README.md" and "e.g." are no names; "A/B" and "read-only" are words.
    if (!code && (name.find_first_of("/-") != name.npos || IsFile(name))) return;
    if (!code && IsShouted(name) && name.find('_') == name.npos) return;
    if (!code && !HasText(i)) return;  // of a list of contents
    const std::string signature = SignatureOf(i, LastPart(name));
    std::optional<Kind> kind = KindByLooks(title, name, signature);
    if (!kind && !Parent(name).empty()) kind = Kind::kProperty;  // "stats.size": of an object
    if (kind) Add(i, std::string(name), block.anchor, *kind, signature);
  }

  bool HasText(size_t heading) const {
    const std::vector<Block>& blocks = document_.blocks;
    return heading + 1 < blocks.size() &&
           (blocks[heading + 1].kind != BlockKind::kHeading || blocks[heading + 1].level > blocks[heading].level);
  }

  bool Mentions(std::initializer_list<std::string_view> words) const {
    const auto has = [&](std::string_view text) {
      return std::any_of(words.begin(), words.end(),
                         [&](std::string_view word) { return text.find(word) != text.npos; });
    };
    return has(about_) || std::any_of(headings_.begin(), headings_.end(), has);
  }

  // None: nothing tells.
  std::optional<Kind> KindByLooks(std::string_view whole, std::string_view name, std::string_view signature) const {
    if (whole.find('(') != whole.npos) {
      const std::string_view parent = Parent(name);
      return !parent.empty() && IsPascal(parent.substr(0, parent.size() - 1)) ? Kind::kMethod : Kind::kFunction;
    }
    if (whole.starts_with('<')) return Kind::kClass;                                               // a component
    if (headings_.size() > 1 && headings_[headings_.size() - 2] == "schemas") return Kind::kType;  // of OpenAPI
    if (Mentions({"environment"}) && IsShouted(name)) return Kind::kVariable;
    if (Mentions({"setting", "config", "directive", "option", "propert", "parameter", "variable"}))
      return Kind::kSetting;
    if (Mentions({"command", "cli"})) return Kind::kCommand;
    if (IsShouted(name)) return Kind::kSetting;
    if (IsPascal(name)) return KindOfClass(name);
    const std::string call = std::string(LastPart(name)) + "(";
    if (signature.find(call) != signature.npos || Mentions({"function", "hook", "api"})) return Kind::kFunction;
    return std::nullopt;
  }

  // ---- terms ------------------------------------------------------------------------------------

  void ReadTerm(size_t i) {
    const Block& block = document_.blocks[i];
    std::string_view term = Trim(block.term);
    if (term.empty() || term.size() > kMaxSymbolName) return;
    if (term.starts_with('-')) {
      if (term.size() > 1 && (IsWordByte(term[1]) || (term.size() > 2 && term[1] == '-' && IsWordByte(term[2])))) {
        AddAlternatives(i, term, block.anchor, Kind::kOption);
      }
      return;
    }
    const std::string_view name = BareName(term);
    if (!block.anchor.empty() && BySphinx(i, block.anchor, name, std::string(term))) return;
    if (entry_ || scope_.generator == Scope::Generator::kScaladoc || scope_.generator == Scope::Generator::kTypeDoc)
      return;  // parameters of a function
    if (!headings_.empty() && headings_.back() == "see also") return;
    // A value in quotes is defined elsewhere.
    if (term.front() == '\'' && LastPart(name) != name) return;
    const bool shouted = IsShouted(name);
    const bool looks = LooksLikeCode(name) || (shouted && Mentions({"environment"}));
    if (name.find(' ') != name.npos || !IsPath(name, ".:_-") || !looks || name.size() < 3) return;
    if (!shouted && block.text.find('`') == std::string::npos) return;
    if (const std::optional<Kind> kind = KindByLooks(term, name, ""))
      Add(i, std::string(name), block.anchor, *kind, term);
  }

  // "-m MESSAGE, --message=MESSAGE".
  bool AddAlternatives(size_t i, std::string_view names, const std::string& anchor, Kind kind,
                       const std::string& program = {}) {
    const std::string_view all = names;
    for (size_t n = 0; n < kMaxAlternatives && !names.empty(); ++n) {
      const size_t end = std::min(names.find(", "), names.size());
      std::string_view one = Trim(names.substr(0, end));
      one = one.substr(0, std::min(one.find_first_of(" =[<("), one.size()));
      if (!one.empty() && (one[0] == '-' || n == 0) && one.size() > 1) {
        Add(i, program.empty() ? std::string(one) : program + " " + std::string(one), anchor, kind, all);
      }
      names.remove_prefix(std::min(end + 1, names.size()));
    }
    return true;
  }

  // ---- all --------------------------------------------------------------------------------------

  // The signature of an entry: in the code behind its heading, the line with its name and what its brackets enclose;
  // else the heading.
  std::string SignatureOf(size_t i, std::string_view last) const {
    const std::vector<Block>& blocks = document_.blocks;
    size_t next = i + 1;
    // Several headings have one block of signatures.
    while (next < blocks.size() && next < i + 8 && blocks[next].kind == BlockKind::kHeading &&
           blocks[next].level == blocks[i].level) {
      ++next;
    }
    if (next >= blocks.size() || blocks[next].kind != BlockKind::kCode) return blocks[i].title;
    const std::string_view code = blocks[next].code;
    const size_t at = code.find(last);
    if (at == code.npos || at > 4096) return blocks[i].title;
    const size_t line = code.rfind('\n', at);
    const size_t begin = line == code.npos ? 0 : line + 1;
    int depth = 0;
    size_t end = begin;
    for (; end < code.size() && end < begin + kMaxSignature; ++end) {
      const char c = code[end];
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (c == '\n' && depth <= 0) break;
    }
    const std::string_view found = TrimEnd(code.substr(begin, end - begin));
    return found.find(last) == found.npos ? blocks[i].title : std::string(found);
  }

  void Add(size_t block, std::string name, std::string anchor, Kind kind, std::string_view signature) {
    if (name.size() > kMaxSymbolName) return;
    if (!seen_.insert(name + '\n' + anchor).second) return;
    SymbolName& symbol = symbols_.emplace_back();
    symbol.block = block;
    symbol.name = std::move(name);
    symbol.anchor = std::move(anchor);
    symbol.kind = kind;
    symbol.signature = signature.substr(0, kMaxSignature);
    symbol.deprecated = IsDeprecated(block);
  }

  // The text of the entry begins with the word.
  bool IsDeprecated(size_t block) const {
    const std::vector<Block>& blocks = document_.blocks;
    for (size_t i = block + 1; i < std::min(blocks.size(), block + 4); ++i) {
      if (blocks[i].kind == BlockKind::kHeading) break;
      if (blocks[i].kind == BlockKind::kCode) continue;
      return blocks[i].prose.starts_with("Deprecated");
    }
    return false;
  }

  const Document& document_;
  const std::string_view path_;
  const std::string about_;  // its title and path, folded
  Scope scope_;
  std::vector<SymbolName> symbols_;
  std::set<std::string> seen_;
  std::set<std::string> classes_;
  std::vector<std::string> headings_;  // open ones, folded
  bool entry_ = false;                 // within the entry of a function or class
  int entry_level_ = 0;
};

}  // namespace

bool IsShouted(std::string_view name) {
  return name.size() > 1 && IsUpper(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsUpper(c) || IsDigit(c) || c == '_'; });
}

std::vector<SymbolName> NameSymbols(const Document& document, std::string_view path) {
  return NamingPage(document, path).Read();
}

}  // namespace sheaf::packer
