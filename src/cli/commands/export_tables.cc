// `profgauge export tables`: all rows of the tables of a profile, for notebooks and warehouses.
//
//   all ranks fit        AddWhole -> every table -> files
//   they do not          AddWhole -> tables of the report;
//                        EachRank -> tables of events, rank by rank, appended to the same files
//
// schema.json is written last, because it contains the number of rows of each table.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/ending.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/query_data.h"
#include "cli/table_files.h"
#include "model/summary/summary.h"
#include "profgauge/version.h"
#include "report/run_row.h"

namespace profgauge::cli {
namespace {

/// False for the tables that describe others, because a folder of files has schema.json instead.
bool IsExported(const query::RelationInfo& table, const Options& options) {
  return !query::DescribesItself(table.name) || options.format == "sqlite";
}

Error UnknownTable(const std::string& pattern) {
  std::vector<std::string_view> names;
  for (const query::RelationInfo& table : query::Schema()) names.push_back(table.name);
  Error error = UsageError("query/no-such-table",
                           fmt::format("there is no table `{}`", PrintableShort(pattern)));
  if (const auto near = DidYouMean(pattern, names); !near.empty()) {
    error.notes.push_back(fmt::format("help: did you mean `{}`?", near));
  }
  error.notes.emplace_back("help: `profgauge query --schema` lists the tables");
  return error;
}

struct Chosen {
  query::Places tables;
  query::Places named;  ///< Named individually: they are written even without rows.
};

// Finds tables by their names, by patterns, or by the words `events` (tables of single events) and
// `report` (all others). Every pattern must match a table, because otherwise a mistyped name would
// silently export nothing. Errors: kUsage "query/no-such-table".
Result<Chosen> ChosenTables(const Options& options) {
  Chosen chosen;
  const std::string list = options.tables.empty() ? "*" : options.tables;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string pattern(Trim(std::string_view(list).substr(at, end - at)));
    at = end + 1;
    bool is_known = false;
    for (std::size_t i = 0; i < query::Schema().size(); ++i) {
      const query::RelationInfo& table = query::Schema()[i];
      const bool is_event = table.origin == query::Origin::kEvents;
      const bool fits = pattern == "events"   ? is_event
                        : pattern == "report" ? !is_event
                                              : GlobMatch(pattern, table.name);
      if (!fits) continue;
      is_known = true;
      if (!IsExported(table, options)) continue;
      chosen.tables.insert(i);
      if (pattern == table.name) chosen.named.insert(i);
    }
    if (!is_known) return Fail(UnknownTable(pattern));
  }
  if (chosen.tables.empty()) {
    return Fail(UsageError("usage/arguments", "no table is left to export",
                           "only --format sqlite has the tables that describe others"));
  }
  return chosen;
}

/// The facts about a table that was written.
struct Written {
  std::int64_t rows = 0;
  bool is_known = false;  ///< False if its rows could not be read.
};

/// Writes the description of a column.
void WriteColumn(const query::ColumnInfo& column, std::string_view absent_because,
                 JsonWriter& out) {
  out.BeginObject(JsonWriter::Style::kInline);
  out.Field("name", column.name);
  out.Field("id", column.id);
  out.Field("unit", UnitName(column.unit));
  out.Field("title", column.title);
  out.Field("doc", column.doc);
  out.Key("is_key"), out.Bool(column.is_key);
  out.OptionalField("absent", absent_because);
  out.EndObject();
}

// The text of schema.json, which describes the files. A table without rows, which has no file
// unless it was named, is listed with its reason:
//
//   profiles: [{rank, hash}]
//   tables:   [{name, file, title, doc, source, rows, absent,
//               columns: [{name, id, unit, title, doc, is_key, absent}]}]
std::string SchemaText(const query::Dataset& data, const Chosen& chosen,
                       const std::vector<Written>& written, const TableFiles& files,
                       const QueryData& runs, const Options& options) {
  JsonWriter out;
  out.BeginObject();
  out.Field("schema", std::int64_t{1});
  out.Field("kind", "profgauge.tables");
  out.Field("tool", std::string("profgauge ") + kVersion);
  out.Key("profiles");
  out.BeginArray();
  for (const auto& [rank, hash] : runs.Hashes(options)) {
    out.BeginObject(JsonWriter::Style::kInline);
    out.Field("rank", rank);
    out.Field("hash", hash);
    out.EndObject();
  }
  out.EndArray();
  out.Key("tables");
  out.BeginArray();
  for (const std::size_t place : chosen.tables) {
    const query::Relation& table = data[place];
    out.BeginObject();
    out.Field("name", table.info->name);
    if (written[place].rows > 0 || chosen.named.contains(place))
      out.Field("file", files.FileOf(place));
    out.Field("title", table.info->title);
    out.Field("doc", table.info->doc);
    out.Field("source", query::OriginName(table.info->origin));
    out.Field("rows", written[place].rows);
    const bool has_reason = written[place].rows > 0 || !table.absent_because.empty();
    out.OptionalField("absent", has_reason ? table.absent_because : "the profile has no such row");
    out.Key("columns");
    out.BeginArray();
    WriteColumn(RunColumn(), {}, out);
    for (const query::ColumnInfo& column : table.info->columns) {
      const auto why = table.absent_columns.find(column.name);
      WriteColumn(column, why == table.absent_columns.end() ? std::string() : why->second, out);
    }
    out.EndArray();
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return out.Take();
}

/// Writes the rows of these tables that are in memory.
Status WriteTables(const query::Dataset& data, const query::Places& tables, TableFiles& files,
                   std::vector<Written>& written) {
  for (const std::size_t place : tables) {
    for (const query::Part& part : data[place].parts) {
      PROFGAUGE_CHECK(files.Add(place, part));
      written[place].rows += static_cast<std::int64_t>(part.rows->size());
      written[place].is_known = true;
    }
  }
  return {};
}

/// The name of the run in rows: RunIdOf() of the hashes of all its profiles.
std::string RunOf(const QueryData& data, const Options& options) {
  std::vector<std::string> hashes;
  for (auto& [rank, hash] : data.Hashes(options)) hashes.push_back(std::move(hash));
  return report::RunIdOf(std::move(hashes), static_cast<bool>(options.redact));
}

query::Places Among(const query::Places& tables, bool events) {
  query::Places chosen;
  for (const std::size_t place : tables) {
    const bool is_event = query::Schema()[place].origin == query::Origin::kEvents;
    if (is_event == events) chosen.insert(place);
  }
  return chosen;
}

}  // namespace

Result<int> RunExportTables(const Options& options, Console& console) {
  if (options.out_dir.empty()) {
    return Fail(UsageError("usage/no-output", "`export tables` needs a folder or file to write to",
                           "`profgauge export tables PROFILE… -o tables/`; with --format sqlite "
                           "a file"));
  }
  PROFGAUGE_TRY(const Chosen chosen, ChosenTables(options));
  const query::Places& tables = chosen.tables;
  // If an earlier export filled the folder, its files may be replaced. Inputs are always kept.
  KeptFiles kept = KeptBy(options);
  kept.force = kept.force || IsOurs(options.out_dir + "/schema.json", FileKind::kTables);
  Outputs outputs(std::move(kept));
  PROFGAUGE_TRY(const auto files, OpenTableFiles(options, tables, outputs));
  std::vector<Written> written(query::Schema().size());
  QueryData data;
  const query::Places events = Among(tables, true), others = Among(tables, false);
  PROFGAUGE_TRY(const bool has_events, data.AddWhole("", options, tables, console));
  files->OfRun(RunOf(data, options));
  if (has_events) {
    PROFGAUGE_CHECK(WriteTables(data.data(), tables, *files, written));
  } else {
    if (others.empty()) return Fail(data.NoEventsIn(options, events));
    PROFGAUGE_CHECK(data.EachRank(options, events, console, [&](const query::Dataset& of_rank) {
      return WriteTables(of_rank, events, *files, written);
    }));
    if (options.format == "sqlite") data.data().DescribeItself();
    PROFGAUGE_CHECK(WriteTables(data.data(), others, *files, written));
  }
  std::int64_t rows = 0, with_rows = 0;
  for (const Written& one : written) {
    rows += one.rows;
    with_rows += one.rows > 0 ? 1 : 0;
  }
  PROFGAUGE_CHECK(
      files->Finish(SchemaText(data.data(), chosen, written, *files, data, options), chosen.named));
  console.Say(
      fmt::format("wrote {} rows of {} tables to {}", rows, with_rows, Printable(options.out_dir)));
  return kExitPass;
}

}  // namespace profgauge::cli
