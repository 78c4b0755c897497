#include "packer/pipeline/link_address.h"

#include <gtest/gtest.h>

#include <string>

namespace sheaf::packer {
namespace link_address_test {

std::string Address(std::string_view href, std::string_view base = "https://e.org/docs/",
                    std::string_view page = "guide/a.html", UrlStyle style = UrlStyle::kClean) {
  return AddressOf(href, page, *UrlMapper::Create(base, style));
}

TEST(AddressOf, LeadsToThePageAsItsReadersKnowIt) {
  EXPECT_EQ(Address("b.html"), "https://e.org/docs/guide/b");
  EXPECT_EQ(Address("./b.html#part"), "https://e.org/docs/guide/b#part");
  EXPECT_EQ(Address("../api/c.html?x=1#y"), "https://e.org/docs/api/c#y");
  EXPECT_EQ(Address("../"), "https://e.org/docs/");
  EXPECT_EQ(Address("../api/index.html"), "https://e.org/docs/api/");
  EXPECT_EQ(Address("/docs/guide/b.html"), "https://e.org/docs/guide/b");
  EXPECT_EQ(Address("b.html", "https://e.org/docs/", "guide/a.html", UrlStyle::kKeep),
            "https://e.org/docs/guide/b.html");
  EXPECT_EQ(Address("b%20c.html"), "https://e.org/docs/guide/b%20c");
}

TEST(AddressOf, IsRelativeToTheRootWithoutABaseUrl) {
  EXPECT_EQ(Address("../api/c.html#d", "", "guide/a.html", UrlStyle::kKeep), "api/c.html#d");
  EXPECT_EQ(Address("/elsewhere", ""), "/elsewhere");
}

TEST(AddressOf, KeepsTheAddressesOfOthers) {
  EXPECT_EQ(Address("https://other.org/a?b=c#d"), "https://other.org/a?b=c#d");
  EXPECT_EQ(Address("//other.org/a"), "https://other.org/a");
  EXPECT_EQ(Address("/download"), "https://e.org/download");
}

TEST(AddressOf, LeadsNowhereWithinThePageAndAboveTheRoot) {
  for (const char* href : {"", " ", "#part", "?x", "a.html", "./a.html#part", "../../../etc/passwd", "../../x.html"}) {
    EXPECT_EQ(Address(href), "") << href;
  }
  EXPECT_EQ(Address("https://other.org/" + std::string(600, 'x')), "");
}

TEST(AddressOf, NeverHasAnotherScheme) {
  for (const char* href : {"javascript:alert(1)", " JavaScript:alert(1)", "java\nscript:alert(1)", "\x01javascript:x",
                           "data:text/html,x", "vbscript:x", "mailto:a@b.org", "file:///etc/passwd", "https:x"}) {
    EXPECT_EQ(Address(href), "") << href;
    EXPECT_EQ(Address(href, ""), "") << href;
  }
  for (const char* href : {"./javascript:alert(1)", "%6Aavascript:x", "../javascript:alert(1)", "javascript%3Ax"}) {
    for (const char* page : {"a.html", "guide/a.html"}) {
      const std::string address = Address(href, "", page);
      EXPECT_EQ(address.find(':'), std::string::npos) << address;
    }
  }
}

TEST(AddressOf, HoldsNothingThatEndsALink) {
  const std::string address = Address("https://other.org/a(b)[c] <d>|`e\\\"\xC3\xA9");
  EXPECT_EQ(address.find_first_of(" ()[]<>|`\\\xC3"), std::string::npos) << address;
  EXPECT_TRUE(address.starts_with("https://other.org/a%28b%29")) << address;
}

}  // namespace link_address_test
}  // namespace sheaf::packer
