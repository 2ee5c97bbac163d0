// Part of the build, not of the program: generates C++ constants from rules/knowledge/.
//   profgauge_make_knowledge SOURCE OUT      (SOURCE: rules/knowledge; OUT: where headers go)
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "knowledge/generator/source.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const bool tables = profgauge::knowledge::WriteTables(argv[1], argv[2]);
    return profgauge::knowledge::WriteThresholds(argv[1], argv[2]) && tables ? 0 : 1;
  } catch (const std::exception& error) {  // From the file system or yaml-cpp.
    fmt::print(stderr, "profgauge_make_knowledge: {}\n", error.what());
    return 1;
  }
}
