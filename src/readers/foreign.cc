#include "readers/foreign.h"

#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/errors.h"
#include "base/text.h"
#include "readers/one_run.h"
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

/// Patterns of one row, if it has them.
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

struct Found {
  const ForeignKind* row = nullptr;
  std::string detail;  ///< The match of the pattern's group, if it has one.
};

Found FindLate(const std::string& path, std::string_view head, const readers::JsonShape& shape) {
  static const std::vector<Patterns> patterns = AllPatterns();
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string_view looked = head.substr(0, kLooked);
  for (std::size_t i = 0; i < std::size(kForeignKinds); ++i) {
    const ForeignKind& row = kForeignKinds[i];
    if (row.early || !FitsJson(row, shape)) continue;
    const auto& [matches, of_name] = patterns[i];
    std::string detail;
    const bool has_group = matches != nullptr && matches->NumberOfCapturingGroups() > 0;
    if (has_group && !RE2::PartialMatch(looked, *matches, &detail)) continue;
    if (!has_group && matches != nullptr && !RE2::PartialMatch(looked, *matches)) continue;
    if (of_name != nullptr && !RE2::PartialMatch(name, *of_name)) continue;
    return {&row, PrintableShort(detail)};
  }
  return {};
}

/// With the file's name for the word FILE, so that commands can be pasted. A pipe has no name.
std::string HelpFor(std::string_view help, const std::string& path) {
  constexpr std::string_view kFile = "FILE";
  if (path == "-") return std::string(help);
  std::string text;
  while (!help.empty()) {
    const std::size_t at = help.find(kFile);
    text += help.substr(0, at);
    if (at == help.npos) break;
    const bool is_word = text.empty() || text.back() < 'A' || text.back() > 'Z';
    text += is_word ? AsShellWord(path) : std::string(kFile);
    help.remove_prefix(at + kFile.size());
  }
  return text;
}

std::string WhatOf(const Found& found) {
  std::string what = "the file is " + std::string(found.row->what);
  if (const std::size_t at = what.find("{}"); at != what.npos) what.replace(at, 2, found.detail);
  return what;
}

}  // namespace

std::optional<Error> ForeignFile(const std::string& path, std::string_view head, Asked asked) {
  const readers::JsonShape shape = readers::ShapeOfJson(head);
  const Found found =
      asked == Asked::kBeforeReaders ? Found{FindEarly(shape), ""} : FindLate(path, head, shape);
  if (found.row == nullptr) return std::nullopt;
  return InputError(path, std::string(found.row->code), WhatOf(found),
                    HelpFor(found.row->help, path));
}

}  // namespace profgauge
