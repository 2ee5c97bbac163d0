#include "analysis/classify/kernel_name.h"

#include <re2/re2.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"

namespace profgauge::analysis::classify {
namespace {

// An unnamed namespace in names by GCC and NVCC, Clang's demangler, MSVC and EDG.
constexpr std::string_view kNoName[] = {
    "(anonymous namespace)::", "(anonymous)::", "<unnamed>::", "{anonymous}::", "<lambda>::"};

// Length of the words for an unnamed namespace at the start of the text; 0: none.
std::size_t NoNameAt(std::string_view name) {
  for (const std::string_view words : kNoName) {
    if (name.starts_with(words)) return words.size();
  }
  return 0;
}

}  // namespace

std::string KernelHead(std::string_view name) {
  for (const std::string_view word : {"void ", "static ", "__global__ "}) {
    if (name.starts_with(word)) name.remove_prefix(word.size());
  }
  // cuBLAS: std::enable_if<!(false), void>::type internal::gemvx::kernel<…>.
  if (name.starts_with("std::enable_if<")) {
    const std::size_t type = name.find(">::type ");
    if (type != name.npos) name.remove_prefix(type + std::string_view(">::type ").size());
  }
  std::string head;
  while (!name.empty()) {
    if (const std::size_t words = NoNameAt(name)) {
      name.remove_prefix(words);
      continue;
    }
    if (name.front() == '<' || name.front() == '(') break;
    head += name.front();
    name.remove_prefix(1);
  }
  return head;
}

std::string_view WithoutArguments(std::string_view name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (const std::size_t words = NoNameAt(name.substr(i))) {
      i += words - 1;
      continue;
    }
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') depth = std::max(0, depth - 1);
  }
  return name;
}

namespace {

// A row of rules/knowledge/names.yaml: a pattern with two groups, the sizes of the tile.
struct TileName {
  std::string_view id, pattern;
};
constexpr TileName kTileNames[] = {
#include "knowledge/tiles.inc"
};

// `sizes`: the head sizes of the library's kernels, or "power" or "name" (PaddedHead()).
struct HeadName {
  std::string_view id, pattern, sizes;
};
constexpr HeadName kHeadNames[] = {
#include "knowledge/head_sizes.inc"
};

// Compiles the patterns of a table.
template <class Row, std::size_t kSize>
std::vector<std::unique_ptr<RE2>> Compiled(const Row (&rows)[kSize]) {
  std::vector<std::unique_ptr<RE2>> patterns;
  for (const Row& row : rows) patterns.push_back(std::make_unique<RE2>(row.pattern));
  return patterns;
}

// The smallest size of "64 96 128" that fits; none if all are too small.
std::optional<std::int64_t> NextOf(std::string_view sizes, std::int64_t head) {
  const char* at = sizes.data();
  const char* const end = at + sizes.size();
  while (at < end) {
    std::int64_t size = 0;
    const auto parsed = std::from_chars(at, end, size);
    if (parsed.ec != std::errc{}) return std::nullopt;
    if (size >= head) return size;
    at = parsed.ptr + (parsed.ptr < end ? 1 : 0);
  }
  return std::nullopt;
}

}  // namespace

// Uses the first pattern that gives two sizes. Tiles of 0 are ignored.
std::optional<KernelTile> TileInName(std::string_view kernel) {
  static const auto patterns = Compiled(kTileNames);
  KernelTile tile;
  for (const auto& pattern : patterns) {
    if (!RE2::PartialMatch(kernel, *pattern, &tile.first, &tile.second)) continue;
    if (tile.first > 0 && tile.second > 0) return tile;
  }
  return std::nullopt;
}

std::int64_t PartsInName(std::string_view kernel) {
  static const RE2 tensile(R"((?:_|Post)GSU(\d+)(?:_|$|\.))");
  std::int64_t parts = 1;
  return RE2::PartialMatch(kernel, tensile, &parts) && parts > 0 ? parts : 1;
}

bool NamesUnknownParts(std::string_view kernel) {
  static const RE2 split(R"((?i)split_?k)");
  return RE2::PartialMatch(kernel, split);
}

bool SharesEvenly(std::string_view kernel) {
  static const RE2 stream(R"((?i)stream_?k|_SK[1-9])");
  return RE2::PartialMatch(kernel, stream);
}

std::optional<std::int64_t> PaddedHead(std::string_view kernel, std::int64_t head) {
  static const auto patterns = Compiled(kHeadNames);
  if (head <= 0 || head > 4096) return std::nullopt;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::string_view sizes = kHeadNames[i].sizes;
    std::int64_t named = 0;
    if (sizes == "name") {
      if (RE2::PartialMatch(kernel, *patterns[i], &named) && named >= head) return named;
      continue;
    }
    if (!RE2::PartialMatch(kernel, *patterns[i])) continue;
    if (sizes != "power") return NextOf(sizes, head);
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(head)));
  }
  return std::nullopt;
}

}  // namespace profgauge::analysis::classify
