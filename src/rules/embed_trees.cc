// A build tool, not part of the program: parses the rule files that are compiled in and writes
// EmbeddedRuleTree() of builtin_files.h, with one byte array per file.
//   profgauge_embed_trees OUT.cc FOLDER PATH…      (paths relative to FOLDER)
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

constexpr std::string_view kBegin =
    "// Written by profgauge_embed_trees.\n"
    "#include <string_view>\n\n"
    "namespace profgauge::rules {\n"
    "std::string_view EmbeddedRuleTree(std::string_view path);\n"
    "namespace {\n";

/// Adds the array of a file's tree and its line in the function. False if the file has errors.
bool AddFile(const std::string& folder, const std::string& path, std::size_t index,
             std::string& arrays, std::string& lines) {
  std::ifstream in(folder + "/" + path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  Errors errors;
  const auto document = ParseYaml(text, path, errors);
  for (const Error& error : errors) {
    fmt::print(stderr, "{}:{}:{}: error: {}\n", path, error.where.line, error.where.column,
               error.message);
  }
  if (!document || !errors.empty()) return false;
  const std::string bytes = EncodeYamlTree(document->root);
  arrays += fmt::format("const unsigned char kTree{}[] = {{", index);
  for (const char byte : bytes) arrays += fmt::format("{},", static_cast<unsigned char>(byte));
  arrays += "};\n";
  lines += fmt::format(
      "  if (path == \"{}\") return {{reinterpret_cast<const char*>(kTree{}), sizeof kTree{}}};\n",
      path, index, index);
  return true;
}

int Main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::string arrays(kBegin), lines;
  for (int i = 3; i < argc; ++i) {
    if (!AddFile(argv[2], argv[i], static_cast<std::size_t>(i), arrays, lines)) return 1;
  }
  std::ofstream out(argv[1], std::ios::binary);
  out << arrays << "}  // namespace\n\nstd::string_view EmbeddedRuleTree(std::string_view path) {\n"
      << lines << "  return {};\n}\n}  // namespace profgauge::rules\n";
  out.close();
  return out ? 0 : 1;
}

}  // namespace
}  // namespace profgauge::rules

int main(int argc, char** argv) { return profgauge::rules::Main(argc, argv); }
