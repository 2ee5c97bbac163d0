#include "analysis/neuron/source_lines.h"

#include <filesystem>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/files.h"

namespace profgauge::analysis::neuron {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::size_t kMostFiles = 256;
constexpr std::size_t kMostColumns = 200;

// Returns the file below `root` with the longest tail of the path `file` that exists. For
// "/home/a/kernels/mm.py" below "src", it tries "src/home/a/kernels/mm.py" first, then shorter
// tails, e.g. "src/kernels/mm.py".
fs::path FindBelow(const fs::path& root, std::string_view file) {
  std::vector<fs::path> parts;
  for (const fs::path& part : fs::path(std::string(file)).relative_path()) {
    if (part == "..") return {};  // Nothing from outside of the folder.
    if (part != ".") parts.push_back(part);
  }
  for (std::size_t skip = 0; skip < parts.size(); ++skip) {
    fs::path candidate = root;
    for (std::size_t i = skip; i < parts.size(); ++i) candidate /= parts[i];
    std::error_code code;
    if (fs::is_regular_file(candidate, code) && fs::file_size(candidate, code) <= kMostBytes) {
      return candidate;
    }
  }
  return {};
}

}  // namespace

// Each file is read once; a missing one is cached as empty, so that it is searched only once. At
// most kMostFiles files are opened.
const std::vector<std::string>& SourceLines::FileLines(std::string_view file) {
  static const std::vector<std::string> kNone;
  if (root_.empty()) return kNone;
  const auto found = files_.find(file);
  if (found != files_.end()) return found->second;
  if (files_.size() >= kMostFiles) return kNone;
  std::vector<std::string>& lines = files_[std::string(file)];
  const fs::path path = FindBelow(root_, file);
  if (path.empty()) return lines;
  std::istringstream stream(ReadSmallFile(path, kMostBytes).value_or(""));
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

std::string SourceLines::Line(std::string_view file, std::int64_t line) {
  if (line <= 0) return {};
  const std::vector<std::string>& lines = FileLines(file);
  if (static_cast<std::size_t>(line) > lines.size()) return {};
  const std::string& text = lines[static_cast<std::size_t>(line) - 1];
  const auto end = text.find_last_not_of(" \t\r");
  if (end == std::string::npos) return {};
  std::size_t length = end + 1;
  const bool is_cut = length > kMostColumns;
  if (is_cut) length = kMostColumns;
  while (is_cut && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    --length;  // Not inside a character.
  }
  std::string shown;
  for (const char c : std::string_view(text).substr(0, length)) {
    // A tab is as wide as four blanks wherever the line is shown.
    if (c == '\t')
      shown += "    ";
    else
      shown += c;
  }
  return is_cut ? shown + "…" : shown;
}

}  // namespace profgauge::analysis::neuron
