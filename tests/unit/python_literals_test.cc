#include "packer/base/python_literals.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/processor_time.h"

namespace sheaf::packer {
namespace python_literals_test {

using Kind = PythonValue::Kind;

PythonValue Of(const std::string& source, const std::string& name = "x") {
  const auto values = ReadPythonLiterals(source);
  const auto found = values.find(name);
  return found == values.end() ? PythonValue() : found->second;
}

TEST(PythonLiterals, StringsAreReadInEveryQuotation) {
  EXPECT_EQ(Of("x = 'a'").text, "a");
  EXPECT_EQ(Of("x = \"\"\"\n.. |a| replace:: b\n\"\"\"  # NOQA\n").text, "\n.. |a| replace:: b\n");
  EXPECT_EQ(Of("x = r'\\d' \"\\n\"").text, "\\d\n");
  EXPECT_EQ(Of("x: str = ('a'\n     'b')\n").text, "ab");
  EXPECT_EQ(Of("y = '''\nx = 'no'\n'''\n").kind, Kind::kOther);
}

TEST(PythonLiterals, ListsAndTablesAreReadThroughComments) {
  const PythonValue list = Of("x = [\n  'a',  # one, 'two'\n  \"b\",\n]\n");
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[1].text, "b");
  const PythonValue table = Of("x = {'issue': ('https://e.org/%s', 'issue %s'), name: other(1, 'a'),}");
  ASSERT_EQ(table.kind, Kind::kTable);
  ASSERT_EQ(table.keys, (std::vector<std::string>{"issue", ""}));
  EXPECT_EQ(table.items[0].items[1].text, "issue %s");
  EXPECT_EQ(table.items[1].kind, Kind::kOther);
}

TEST(PythonLiterals, AComputedValueIsNoLiteral) {
  for (const char* source :
       {"x = 'a' + b\n", "x = f()\n", "  x = 'a'\n", "x == 'a'\n", "x += ['a']\n", "x = ['a'] + y\n"}) {
    EXPECT_EQ(Of(source).kind, Kind::kOther) << source;
  }
  EXPECT_EQ(Of("x = 'a'\nx = 'b'\n").text, "b");
}

TEST(PythonLiterals, ABrokenOrDeepFileEnds) {
  for (const char* source : {"x = [", "x = {'a'", "x = '", "x = \"\"\"a", "x = {'a': [", "x =", "x = 'a\\"})
    (void)Of(source);
  const std::string open = "x = " + std::string(1'000'000, '[');
  EXPECT_EQ(Of(open).kind, Kind::kOther);
  EXPECT_LT(test::SecondsOf([&] { (void)Of(open); }), 20);
}

}  // namespace python_literals_test
}  // namespace sheaf::packer
