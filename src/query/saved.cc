#include "query/saved.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/text.h"

namespace profgauge::query {

// Written by profgauge_embed() in CMakeLists.txt.
std::string_view EmbeddedQueries(std::string_view path);
std::span<const std::string_view> EmbeddedQueriesPaths();

}  // namespace profgauge::query

namespace profgauge::query {
namespace {

std::string StemOf(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

// The text after `-- key:` in a line of the head; empty: it is another line.
std::string_view ValueOf(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return {};
  return Trim(line.substr(key.size()));
}

// "rank = 0"
void AddPair(std::string_view text, Parameters& out) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos) return;
  out.push_back(
      {std::string(Trim(text.substr(0, sign))), std::string(Trim(text.substr(sign + 1)))});
}

}  // namespace

SavedQuery ParseQueryFile(std::string name, std::string sql) {
  SavedQuery query;
  query.name = std::move(name);
  query.sql = std::move(sql);
  for (const std::string_view line : Lines(query.sql)) {
    if (!line.starts_with("--")) break;
    if (const auto title = ValueOf(line, "-- title:"); !title.empty()) query.title = title;
    AddPair(ValueOf(line, "-- param:"), query.parameters);
    AddPair(ValueOf(line, "-- unit:"), query.units);
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

Result<const SavedQuery*> FindSavedQuery(std::span<const SavedQuery> among, std::string_view name) {
  std::vector<std::string_view> names;
  for (const SavedQuery& query : among) {
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

void FillQueries(std::span<const SavedQuery> queries, Dataset& data) {
  auto rows = std::make_shared<MadeRows>();
  for (const SavedQuery& query : queries) {
    std::string parameters;
    const auto add = [&](std::string_view text) {
      parameters.append(parameters.empty() ? "" : ", ").append(text);
    };
    for (const Parameter& one : query.required) add(one.name);
    for (const Parameter& one : query.parameters) add(one.name + " = " + one.value);
    rows->Add({query.name, query.title, parameters.empty() ? Cell() : Cell(std::move(parameters)),
               query.sql});
  }
  data.Of("queries").parts = {{"", std::nullopt, 0, std::move(rows)}};
}

Parameters WithDefaults(const SavedQuery& query, Parameters given) {
  const auto find = [&](const std::string& name) {
    return std::find_if(given.begin(), given.end(),
                        [&](const Parameter& one) { return one.name == name; });
  };
  for (const Parameter& needed : query.required) {
    if (const auto one = find(needed.name); one != given.end()) one->type = needed.type;
  }
  for (const Parameter& usual : query.parameters) {
    if (const auto one = find(usual.name); one != given.end()) {
      one->type = usual.type;
    } else {
      given.push_back(usual);
    }
  }
  return given;
}

Error InSource(Error error, const SavedQuery& query) {
  if (!query.source) return error;
  if (error.where.line == 0) {
    error.where = query.source->All();
    return error;
  }
  std::size_t line = 0;  // Where it begins.
  for (std::uint32_t i = 1; i < error.where.line; ++i) line = query.sql.find('\n', line) + 1;
  error.where = query.source->At(line + error.where.column - 1);
  return error;
}

}  // namespace profgauge::query
