#include "packer/template/expand_templates.h"

#include <array>
#include <optional>
#include <utility>

#include "packer/base/text_scan.h"
#include "packer/template/code_ranges.h"
#include "packer/template/content_tabs.h"
#include "packer/template/hugo.h"
#include "packer/template/liquid.h"
#include "packer/template/obsidian.h"
#include "packer/template/shortcode_tags.h"
#include "packer/template/template_files.h"
#include "packer/template/values.h"
#include "packer/template/vue.h"

namespace sheaf::packer {
namespace {

enum class Generator : uint8_t { kHugo, kJekyll, kSphinx, kObsidian, kMkDocs, kVitePress, kGitBook, kOther };

// Files and folders that a generator's sites have; of one folder's, the first decides.
constexpr std::array<std::pair<std::string_view, Generator>, 25> kMarks = {{
    {"hugo.toml", Generator::kHugo},
    {"hugo.yaml", Generator::kHugo},
    {"hugo.yml", Generator::kHugo},
    {"hugo.json", Generator::kHugo},
    {"layouts/shortcodes", Generator::kHugo},
    {"layouts/_shortcodes", Generator::kHugo},
    {"config/_default", Generator::kHugo},
    {"mkdocs.yml", Generator::kMkDocs},
    {"docusaurus.config.js", Generator::kOther},
    {"docusaurus.config.ts", Generator::kOther},
    {".vitepress", Generator::kVitePress},
    {"astro.config.mjs", Generator::kOther},
    {"astro.config.ts", Generator::kOther},
    {"book.toml", Generator::kOther},
    {"conf.py", Generator::kSphinx},
    {"myst.yml", Generator::kSphinx},
    {"_quarto.yml", Generator::kHugo},
    {"antora.yml", Generator::kOther},
    {".eleventy.js", Generator::kOther},
    {"zensical.toml", Generator::kMkDocs},
    {".obsidian", Generator::kObsidian},
    {"_toc.yml", Generator::kSphinx},  // of Jupyter Book, which has a _config.yml, too
    {"_config.yml", Generator::kJekyll},
    {"_config.yaml", Generator::kJekyll},
    {"_layouts", Generator::kJekyll},
}};

// Whether a folder at or above the page says which generator reads it.
std::optional<Generator> GeneratorOf(IncludeFiles* files) {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const auto& [name, generator] : kMarks) all.push_back(name);
    return all;
  }();
  const std::optional<size_t> found = files->NearestOf(names);
  if (!found) return std::nullopt;
  return kMarks[*found].second;
}

// The target of a link is prose, wherever a stray backtick may stand.
bool StandsInProse(std::string_view text, const std::vector<ShortcodeTag>& tags, const CodeRanges& code) {
  for (const ShortcodeTag& tag : tags) {
    if (!code.Holds(tag.begin) || text.substr(0, tag.begin).ends_with("](")) return true;
  }
  return false;
}

// A tag outside code that none but GitBook has: one that closes a pair.
bool HasGitBookTag(std::string_view text, const CodeRanges& code) {
  for (size_t at = 0; (at = text.find("{%", at)) != text.npos; at += 2) {
    const std::string_view words = Trim(text.substr(at + 2, 30));
    for (const std::string_view name : {"endhint", "endtabs", "endcontent-ref", "endcode", "endstepper", "endembed"}) {
      if (words.starts_with(name) && !code.Holds(at)) return true;
    }
  }
  return false;
}

// A tag outside code that none but Jekyll has, in a page with front matter: others have no Liquid.
bool HasLiquidInProse(std::string_view text, const CodeRanges& code) {
  if (!text.starts_with("---")) return false;
  for (size_t at = 0; (at = text.find("{%", at)) != text.npos; at += 2) {
    const std::string_view words = Trim(text.substr(at + 2 + (text.substr(at + 2, 1) == "-" ? 1 : 0), 30));
    for (const std::string_view name : {"raw", "endraw", "highlight ", "link ", "post_url ", "include "}) {
      if (words.starts_with(name) && !code.Holds(at)) return true;
    }
  }
  return false;
}

// The front matter has what Obsidian alone asks for.
bool IsNote(std::string_view text) {
  const std::string_view head = text.substr(0, FrontMatterBytes(text));
  for (const char* key : {"\naliases:", "\ncssclasses:", "\npublish:"}) {
    if (head.find(key) != head.npos) return true;
  }
  return false;
}

Values SiteValues(TemplateFiles* files, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const IncludedFile* file = files->Probe(name);
    if (file == nullptr) continue;
    return file->path.ends_with(".toml") ? ReadTomlValues(file->text) : ReadYamlValues(file->text);
  }
  return {};
}

void AddUnder(const std::string& prefix, const Values& values, Values* all) {
  for (const auto& [name, value] : values) all->emplace(prefix + name, value);
}

TemplateText Finish(std::string_view text, const NumberedText& expanded, TemplateFiles* files) {
  TemplateText result;
  result.missing = std::move(files->missing());
  result.left_out = std::move(files->left_out());
  if (expanded.text() == text) {
    result.text = text;
    return result;
  }
  result.text = expanded.text();
  result.lines = expanded.lines();
  return result;
}

}  // namespace

TemplateText ExpandTemplates(std::string_view text, IncludeFiles* files, const RstAsMarkdown& rst) {
  const TemplateText unchanged{std::string(text), {}, {}, {}};
  const bool may_be_hugo = text.find("{{<") != text.npos || text.find("{{%") != text.npos;
  const bool may_be_liquid = text.find("{%") != text.npos || text.find("{{") != text.npos;
  const bool may_be_myst = text.find("```{") != text.npos || text.find(":::{") != text.npos ||
                           text.find("}`") != text.npos || text.find(")=\n") != text.npos;
  const bool may_be_obsidian = text.find("[[") != text.npos || text.find("%%") != text.npos;
  const bool has_tabs = text.starts_with("=== \"") || text.find("\n=== \"") != text.npos ||
                        text.find(" === \"") != text.npos || text.find("\n::: ") != text.npos ||
                        text.find("# ::: ") != text.npos || text.find("???+ ") != text.npos;
  if (!may_be_hugo && !may_be_liquid && !may_be_myst && !may_be_obsidian && !has_tabs) return unchanged;
  TemplateFiles template_files(files);
  std::optional<Generator> generator = GeneratorOf(files);
  if (!generator) {
    const CodeRanges code(text);
    if (may_be_hugo && StandsInProse(text, FindShortcodes(text), code))
      generator = Generator::kHugo;
    else if (may_be_liquid && HasLiquidInProse(text, code))
      generator = Generator::kJekyll;
    else if (may_be_liquid && HasGitBookTag(text, code))
      generator = Generator::kGitBook;
    else if (may_be_myst && HasMystDirective(text))
      generator = Generator::kSphinx;
    else if (may_be_obsidian && (HasWikiLink(text, &template_files) || IsNote(text)))
      generator = Generator::kObsidian;
    else if (has_tabs)
      generator = Generator::kMkDocs;
  }
  if (generator == Generator::kMkDocs && has_tabs)
    return Finish(text, ExpandContentTabs(text, &template_files), &template_files);
  if (generator == Generator::kVitePress && may_be_liquid)
    return Finish(text, ExpandVue(text, FrontMatterBytes(text), &template_files), &template_files);
  if (!generator || generator == Generator::kOther || generator == Generator::kVitePress ||
      generator == Generator::kMkDocs)
    return unchanged;

  const size_t front_matter = FrontMatterBytes(text);
  if (generator == Generator::kObsidian)
    return Finish(text, ExpandObsidian(text, front_matter, &template_files), &template_files);
  Values page = ReadPageValues(text);
  if (generator == Generator::kSphinx) {
    if (text.find("{{") != text.npos) {
      if (const IncludedFile* conf = template_files.Probe("conf.py")) page.merge(MystSubstitutions(conf->text));
    }
    return Finish(text, ExpandMyst(text, front_matter, page, rst, &template_files), &template_files);
  }
  if (generator == Generator::kHugo) {
    if (!may_be_hugo) return unchanged;
    const std::vector<ShortcodeTag> tags = FindShortcodes(text);
    if (tags.empty()) return unchanged;
    Values site;
    if (text.find("param") != text.npos)
      site = SiteValues(&template_files, {"/hugo.toml", "/hugo.yaml", "/hugo.yml", "/config.toml", "/config.yaml",
                                          "/config.yml", "/config/_default/hugo.toml", "/config/_default/hugo.yaml"});
    return Finish(text, Hugo(&template_files, page, site).Expand(text, tags), &template_files);
  }
  if (generator == Generator::kGitBook)
    return Finish(text, Liquid(&template_files, {}, /*evaluates=*/false).Expand(text, front_matter), &template_files);
  Values values;
  AddUnder("page.", page, &values);
  if (text.find("site.") != text.npos)
    AddUnder("site.", SiteValues(&template_files, {"/_config.yml", "/_config.yaml"}), &values);
  // Jekyll reads the front matter before Liquid.
  return Finish(text, Liquid(&template_files, std::move(values)).Expand(text, front_matter), &template_files);
}

}  // namespace sheaf::packer
