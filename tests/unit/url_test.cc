#include "packer/source/url.h"

#include <gtest/gtest.h>

namespace sheaf::packer {
namespace url_test {

UrlMapper Mapper(std::string_view base, UrlStyle style = UrlStyle::kDefault) {
  Result<UrlMapper> mapper = UrlMapper::Create(base, style);
  EXPECT_TRUE(mapper.ok()) << base;
  return mapper.ok() ? std::move(*mapper) : UrlMapper();
}

TEST(Url, MapsPathsInTheHtmlStyleByDefault) {
  const UrlMapper urls = Mapper("https://example.org/docs/");
  EXPECT_EQ(urls.FromPath("guide/install.md"), "https://example.org/docs/guide/install.html");
  EXPECT_EQ(urls.FromPath("guide/install.mdx"), "https://example.org/docs/guide/install.html");
  EXPECT_EQ(urls.FromPath("a.rst"), "https://example.org/docs/a.html");
  EXPECT_EQ(urls.FromPath("a.adoc"), "https://example.org/docs/a.html");
  EXPECT_EQ(urls.FromPath("README.adoc"), "https://example.org/docs/");
  EXPECT_EQ(urls.FromPath("man1/ls.1"), "https://example.org/docs/man1/ls.1.html");
  EXPECT_EQ(urls.FromPath("man1/ls.1.gz"), "https://example.org/docs/man1/ls.1.html");
  EXPECT_EQ(urls.FromPath("guide/a.htm.gz"), "https://example.org/docs/guide/a.htm");
  EXPECT_EQ(urls.FromPath("guide/README.gz"), "https://example.org/docs/guide/");
  EXPECT_EQ(urls.FromPath("guide.pdf"), "https://example.org/docs/guide.pdf");
  EXPECT_EQ(urls.FromPath("api.json"), "https://example.org/docs/api.json");
  EXPECT_EQ(urls.FromPath("modules/ROOT/pages/a.adoc"), "https://example.org/docs/a.html");
  EXPECT_EQ(urls.FromPath("x/modules/api/pages/b/c.adoc"), "https://example.org/docs/x/api/b/c.html");
  EXPECT_EQ(urls.FromPath("modules/api/pages/a.md"), "https://example.org/docs/modules/api/pages/a.html");
  EXPECT_EQ(urls.FromPath("a.ipynb"), "https://example.org/docs/a.html");
  EXPECT_EQ(urls.FromPath("a.TXT"), "https://example.org/docs/a.html");
  EXPECT_EQ(urls.FromPath("api/run.html"), "https://example.org/docs/api/run.html");
  EXPECT_EQ(urls.FromPath("api/run.htm"), "https://example.org/docs/api/run.htm");
  EXPECT_EQ(urls.FromPath("v1.2/notes.v3.md"), "https://example.org/docs/v1.2/notes.v3.html");
}

TEST(Url, GivesIndexAndReadmeTheAddressOfTheirFolder) {
  const UrlMapper urls = Mapper("https://example.org/docs/");
  EXPECT_EQ(urls.FromPath("index.html"), "https://example.org/docs/");
  EXPECT_EQ(urls.FromPath("guide/index.md"), "https://example.org/docs/guide/");
  EXPECT_EQ(urls.FromPath("README.md"), "https://example.org/docs/");
  EXPECT_EQ(urls.FromPath("README"), "https://example.org/docs/");
  EXPECT_EQ(urls.FromPath("lodash/Readme.md"), "https://example.org/docs/lodash/");
  EXPECT_EQ(urls.FromPath("README.md", /*as_file=*/true), "https://example.org/docs/README.html");
  EXPECT_EQ(urls.FromPath("readmes.md"), "https://example.org/docs/readmes.html");
  EXPECT_EQ(urls.FromPath("reindex.md"), "https://example.org/docs/reindex.html");
}

TEST(Url, BelievesPagesOnlyWithinTheFolderThatTheyAreToStayIn) {
  UrlMapper urls = Mapper("https://e.org/k/");
  urls.StayIn("docs/1.9 a/");
  EXPECT_EQ(urls.FromPage("https://e.org/k/docs/1.9%20a/fire"), "https://e.org/k/docs/1.9%20a/fire");
  EXPECT_EQ(urls.FromPage("/k/docs/1.9%20a/"), "https://e.org/k/docs/1.9%20a/");
  for (const char* elsewhere : {"https://e.org/k/docs/2.0/fire", "https://e.org/k/docs/1.9%20ab", "/docs/1.9%20a/x",
                                "https://x.org/k/docs/1.9%20a/", ""}) {
    EXPECT_EQ(urls.FromPage(elsewhere), "") << elsewhere;
  }
  EXPECT_EQ(urls.FromPath("docs/1.9 a/fire.html"), "https://e.org/k/docs/1.9%20a/fire.html");
}

TEST(Url, MapsPathsInTheOtherStyles) {
  const UrlMapper clean = Mapper("https://e.org", UrlStyle::kClean);
  EXPECT_EQ(clean.FromPath("a/b.md"), "https://e.org/a/b");
  EXPECT_EQ(clean.FromPath("a/b.html"), "https://e.org/a/b");
  EXPECT_EQ(clean.FromPath("a/index.html"), "https://e.org/a/");
  const UrlMapper dir = Mapper("https://e.org", UrlStyle::kDir);
  EXPECT_EQ(dir.FromPath("a/b.md"), "https://e.org/a/b/");
  EXPECT_EQ(dir.FromPath("index.md"), "https://e.org/");
  const UrlMapper keep = Mapper("https://github.com/o/r/blob/main/", UrlStyle::kKeep);
  EXPECT_EQ(keep.FromPath("docs/index.md"), "https://github.com/o/r/blob/main/docs/index.md");
  EXPECT_EQ(keep.FromPath("README.md"), "https://github.com/o/r/blob/main/README.md");
}

TEST(Url, WithoutABaseIsThePathItself) {
  EXPECT_EQ(Mapper("").FromPath("guide/index.md"), "guide/index.md");
  EXPECT_EQ(Mapper("", UrlStyle::kClean).FromPath("guide/a.md"), "guide/a");
  EXPECT_EQ(Mapper("", UrlStyle::kHtml).FromPath("index.md"), "./");
}

TEST(Url, TakesTheBaseAsAFolder) {
  EXPECT_EQ(Mapper("https://example.org").FromPath("a.html"), "https://example.org/a.html");
  EXPECT_EQ(Mapper("https://example.org/docs").FromPath("a.html"), "https://example.org/docs/a.html");
  EXPECT_EQ(Mapper("/docs").FromPath("a.html"), "/docs/a.html");
  EXPECT_EQ(Mapper("HTTPS://example.org:8080/x/").FromPath("a.html"), "https://example.org:8080/x/a.html");
  EXPECT_EQ(Mapper("file:///srv/docs").FromPath("a.html"), "file:///srv/docs/a.html");
}

TEST(Url, PercentEncodesWhatAPathSegmentCannotHold) {
  const UrlMapper urls = Mapper("https://e.org/");
  EXPECT_EQ(urls.FromPath("a b/c#d?e%f.html"), "https://e.org/a%20b/c%23d%3Fe%25f.html");
  EXPECT_EQ(urls.FromPath("\xC3\xA9.html"), "https://e.org/%C3%A9.html");
  EXPECT_EQ(urls.FromPath("\xFF\n\".html"), "https://e.org/%FF%0A%22.html");
  EXPECT_EQ(Mapper("").FromPath("javascript:alert.md"), "javascript%3Aalert.md");
  EXPECT_EQ(urls.FromPath("fn.a+b@c,d;e=f!.html"), "https://e.org/fn.a+b@c,d;e=f!.html");
}

TEST(Url, BelievesAPagesOwnAddressWhenItIsAbsolute) {
  const UrlMapper urls = Mapper("https://example.org/docs/");
  EXPECT_EQ(urls.FromPage("https://other.org/x"), "https://other.org/x");
  EXPECT_EQ(urls.FromPage("http://other.org/x?y=1#part"), "http://other.org/x?y=1");
  EXPECT_EQ(urls.FromPage("HTTP://other.org/x"), "http://other.org/x");
  EXPECT_EQ(urls.FromPage("/start/"), "https://example.org/start/");
  EXPECT_EQ(urls.FromPage("  /a b  "), "https://example.org/a%20b");
  EXPECT_EQ(urls.FromPage("https://e.org/%C3%A9/\xC3\xA9"), "https://e.org/%C3%A9/%C3%A9");
  EXPECT_EQ(Mapper("").FromPage("/start/"), "/start/");
  EXPECT_EQ(Mapper("/docs/").FromPage("/start/"), "/start/");
}

TEST(Url, DoesNotBelieveAnythingElseAPageSays) {
  const UrlMapper urls = Mapper("https://example.org/docs/");
  for (const char* stated :
       {"", "guide/x", "../x", "javascript:alert(1)", "JavaScript://x", "data:text/html,x", "//evil.org/x",
        "/\\evil.org", "https://", "https:///x", "https://a\nb", "ftp://a/b", "#top", "mailto:a@b"}) {
    EXPECT_EQ(urls.FromPage(stated), "") << stated;
  }
  EXPECT_EQ(urls.FromPage("https://e.org/" + std::string(kMaxUrlBytes, 'a')), "");
}

TEST(Url, NeverLetsQuotesOrTagsThrough) {
  const std::string url = Mapper("").FromPage("https://e.org/\"><script>'");
  EXPECT_EQ(url, "https://e.org/%22%3E%3Cscript%3E%27");
}

TEST(Url, RefusesBasesToWhichNoPathCanBeAdded) {
  for (const char* base : {"example.org/docs", "https://", "https:///x", "https://e.org/?q=", "https://e.org/#x",
                           "javascript://x", "//e.org/", "https://e.org/\n", "docs/"}) {
    const Result<UrlMapper> mapper = UrlMapper::Create(base, UrlStyle::kDefault);
    ASSERT_FALSE(mapper.ok()) << base;
    EXPECT_EQ(mapper.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(mapper.error().message.find("https://example.org/docs/"), std::string::npos);
  }
}

TEST(Url, KnowsReadmesByTheirName) {
  for (const char* path : {"README", "README.md", "a/readme.RST", "Readme.txt", "README.Debian"})
    EXPECT_TRUE(IsReadme(path)) << path;
  for (const char* path : {"readmes.md", "README-dev.md", "a/README/b.md", "", "readme.html", "a/README.HTM"})
    EXPECT_FALSE(IsReadme(path)) << path;
}

}  // namespace url_test
}  // namespace sheaf::packer
