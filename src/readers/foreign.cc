#include "readers/foreign.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/errors.h"
#include "readers/text/json_shape.h"

namespace profgauge {
namespace {

struct ForeignKind {
  std::string_view code, what, help, keys, event, matches, name;
  bool list = false, early = false;
};

constexpr ForeignKind kForeignKinds[] = {
#include "knowledge/foreign.inc"
};

/// Regular expressions search at most this much: lines of a log, and the begin of other files.
constexpr std::size_t kLooked = 4096;

/// Calls `part` with each of the texts between separators until one does not fit.
template <class Fits>
bool AllOf(std::string_view texts, std::string_view separator, const Fits& fits) {
  while (!texts.empty()) {
    const std::size_t end = texts.find(separator);
    if (!fits(texts.substr(0, end))) return false;
    texts.remove_prefix(end == texts.npos ? texts.size() : end + separator.size());
  }
  return true;
}

bool FitsJson(const ForeignKind& row, const readers::JsonShape& shape) {
  if (row.list && !shape.is_list) return false;
  return AllOf(row.keys, " ", [&](std::string_view key) { return shape.Has(key); }) &&
         AllOf(row.event, " & ",
               [&](std::string_view text) { return shape.events.find(text) != std::string::npos; });
}

/// Of one row, if it has them.
struct Patterns {
  std::unique_ptr<RE2> matches, name;
};

std::unique_ptr<RE2> PatternOf(std::string_view text) {
  if (text.empty()) return nullptr;
  RE2::Options bytes;
  bytes.set_encoding(RE2::Options::EncodingLatin1);
  bytes.set_log_errors(false);
  return std::make_unique<RE2>(text, bytes);
}

std::vector<Patterns> AllPatterns() {
  std::vector<Patterns> all;
  for (const ForeignKind& row : kForeignKinds)
    all.push_back({PatternOf(row.matches), PatternOf(row.name)});
  return all;
}

const ForeignKind* FindEarly(const readers::JsonShape& shape) {
  if (!shape.is_object && !shape.is_list) return nullptr;
  for (const ForeignKind& row : kForeignKinds) {
    if (row.early && FitsJson(row, shape)) return &row;
  }
  return nullptr;
}

const ForeignKind* FindLate(const std::string& path, std::string_view head,
                            const readers::JsonShape& shape) {
  static const std::vector<Patterns> patterns = AllPatterns();
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string_view looked = head.substr(0, kLooked);
  for (std::size_t i = 0; i < std::size(kForeignKinds); ++i) {
    const ForeignKind& row = kForeignKinds[i];
    if (row.early || !FitsJson(row, shape)) continue;
    const auto& [matches, of_name] = patterns[i];
    if (matches != nullptr && !RE2::PartialMatch(looked, *matches)) continue;
    if (of_name != nullptr && !RE2::PartialMatch(name, *of_name)) continue;
    return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<Error> ForeignFile(const std::string& path, std::string_view head, Asked asked) {
  const readers::JsonShape shape = readers::ShapeOfJson(head);
  const ForeignKind* const row =
      asked == Asked::kBeforeReaders ? FindEarly(shape) : FindLate(path, head, shape);
  if (row == nullptr) return std::nullopt;
  return InputError(path, std::string(row->code), fmt::format("the file is {}", row->what),
                    std::string(row->help));
}

}  // namespace profgauge
