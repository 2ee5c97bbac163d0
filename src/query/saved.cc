#include "query/saved.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "base/errors.h"
#include "base/text.h"

namespace profgauge {

// Written by profgauge_embed() in CMakeLists.txt.
std::string_view EmbeddedQueries(std::string_view path);
std::span<const std::string_view> EmbeddedQueriesPaths();

}  // namespace profgauge

namespace profgauge::query {
namespace {

std::string StemOf(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

// What stands behind `-- key:` in a line of the head; empty: it is another line.
std::string_view ValueOf(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return {};
  return Trim(line.substr(key.size()));
}

}  // namespace

SavedQuery ParseQueryFile(std::string name, std::string sql) {
  SavedQuery query{std::move(name), {}, std::move(sql), {}};
  for (const std::string_view line : Lines(query.sql)) {
    if (!line.starts_with("--")) break;
    if (const auto title = ValueOf(line, "-- title:"); !title.empty()) query.title = title;
    const std::string_view parameter = ValueOf(line, "-- param:");
    const std::size_t sign = parameter.find('=');
    if (sign == std::string_view::npos) continue;
    query.parameters.emplace_back(Trim(parameter.substr(0, sign)),
                                  Trim(parameter.substr(sign + 1)));
  }
  return query;
}

std::span<const SavedQuery> SavedQueries() {
  static const auto kAll = [] {
    std::vector<SavedQuery> all;
    for (const std::string_view path : EmbeddedQueriesPaths()) {
      all.push_back(ParseQueryFile(StemOf(path), std::string(EmbeddedQueries(path))));
    }
    std::sort(all.begin(), all.end(),
              [](const SavedQuery& a, const SavedQuery& b) { return a.name < b.name; });
    return all;
  }();
  return kAll;
}

Result<const SavedQuery*> FindSavedQuery(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SavedQuery& query : SavedQueries()) {
    if (query.name == name) return &query;
    names.push_back(query.name);
  }
  Error error = UsageError("query/no-such-query",
                           fmt::format("there is no saved query `{}`", PrintableShort(name)));
  if (const auto near = DidYouMean(name, names); !near.empty()) {
    error.notes.push_back(fmt::format("help: did you mean `@{}`?", near));
  }
  error.notes.emplace_back("help: `profgauge query --list` names them all");
  return Fail(std::move(error));
}

Parameters WithDefaults(const SavedQuery& query, Parameters given) {
  for (const auto& usual : query.parameters) {
    const bool is_given = std::any_of(given.begin(), given.end(), [&](const auto& parameter) {
      return parameter.first == usual.first;
    });
    if (!is_given) given.push_back(usual);
  }
  return given;
}

}  // namespace profgauge::query
