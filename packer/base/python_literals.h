// The literals that a Python file assigns to names: `source_suffix = ".txt"` of a conf.py. No code is run.
//
// Idea: one pass over the file. An assignment at the margin whose value consists of strings, lists, tuples and tables
// is read; any other value is kOther. A later assignment replaces an earlier one. Conditions, calls and `+=` are not
// understood, so a value may be missing; none is ever guessed.
//
// Bounds: values nest at most kMaxPythonDepth deep, deeper ones are kOther. Cost: linear in the file.
#ifndef SHEAF_PACKER_BASE_PYTHON_LITERALS_H_
#define SHEAF_PACKER_BASE_PYTHON_LITERALS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::packer {

inline constexpr int kMaxPythonDepth = 8;

struct PythonValue {
  enum Kind { kOther, kText, kList, kTable } kind = kOther;
  std::string text;                // kText
  std::vector<PythonValue> items;  // kList (also of a tuple), kTable: its values
  std::vector<std::string> keys;   // kTable: of each item; empty where the key is no string
};

// By name. `source` is UTF-8 or any other bytes.
std::map<std::string, PythonValue, std::less<>> ReadPythonLiterals(std::string_view source);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_PYTHON_LITERALS_H_
