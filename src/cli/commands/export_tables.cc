// `profgauge export tables`: all rows of the tables of a profile, for notebooks and warehouses.
//
//   all ranks fit        AddWhole -> every table -> files
//   they do not          AddWhole -> tables of the report;
//                        EachRank -> tables of events, rank by rank, appended to the same files
//
// schema.json is written last, for it has the number of rows of each table.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
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
#include "render/json/json_writer.h"

namespace profgauge::cli {
namespace {

/// `tables` and `columns` describe the others: a database has them, folders have schema.json.
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

// Tables by names or patterns, or by the words `events` and `report` for those of single events and
// the others; every pattern must fit a table, as a mistyped name would export nothing without a
// word. Errors: kUsage "query/no-such-table".
Result<query::Places> ChosenTables(const Options& options) {
  query::Places chosen;
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
      if (IsExported(table, options)) chosen.insert(i);
    }
    if (!is_known) return Fail(UnknownTable(pattern));
  }
  if (chosen.empty()) {
    return Fail(UsageError("usage/arguments", "no table is left to export",
                           "only --format sqlite has the tables that describe others"));
  }
  return chosen;
}

/// The facts of a table after all of its rows are written.
struct Written {
  std::int64_t rows = 0;
  bool is_known = false;  ///< Its rows could be read.
};

// The document that says how to read the files: a table without rows is listed, too, with its
// reason, so that readers need not guess why its file has only heads.
//
//   profiles: [{rank, hash}]
//   tables:   [{name, file, title, doc, source, rows, absent,
//               columns: [{name, id, unit, title, doc, is_key, absent}]}]
std::string SchemaText(const query::Dataset& data, const query::Places& tables,
                       const std::vector<Written>& written, const TableFiles& files,
                       const QueryData& runs, const Options& options) {
  render::JsonWriter out;
  out.BeginObject();
  out.Field("schema", std::int64_t{1});
  out.Field("kind", "profgauge.tables");
  out.Field("tool", std::string("profgauge ") + kVersion);
  out.Key("profiles");
  out.BeginArray();
  for (const auto& [rank, hash] : runs.Hashes(options)) {
    out.BeginObject(render::JsonWriter::Style::kInline);
    out.Field("rank", rank);
    out.Field("hash", hash);
    out.EndObject();
  }
  out.EndArray();
  out.Key("tables");
  out.BeginArray();
  for (const std::size_t place : tables) {
    const query::Relation& table = data[place];
    out.BeginObject();
    out.Field("name", table.info->name);
    out.Field("file", files.FileOf(place));
    out.Field("title", table.info->title);
    out.Field("doc", table.info->doc);
    out.Field("source", query::OriginName(table.info->origin));
    out.Field("rows", written[place].rows);
    out.OptionalField("absent", table.absent_because);
    out.Key("columns");
    out.BeginArray();
    for (const query::ColumnInfo& column : table.info->columns) {
      out.BeginObject(render::JsonWriter::Style::kInline);
      out.Field("name", column.name);
      out.Field("id", column.id);
      out.Field("unit", UnitName(column.unit));
      out.Field("title", column.title);
      out.Field("doc", column.doc);
      out.Key("is_key"), out.Bool(column.is_key);
      const auto why = table.absent_columns.find(column.name);
      if (why != table.absent_columns.end()) out.Field("absent", why->second);
      out.EndObject();
    }
    out.EndArray();
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return out.Take();
}

/// Writes the rows of these tables that are there.
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
  PROFGAUGE_TRY(const query::Places tables, ChosenTables(options));
  // A folder that an earlier export filled is ours, file by file; inputs are kept whatever it has.
  KeptFiles kept = KeptBy(options);
  kept.force = kept.force || IsOurs(options.out_dir + "/schema.json", FileKind::kTables);
  Outputs outputs(std::move(kept));
  PROFGAUGE_TRY(const auto files, OpenTableFiles(options, tables, outputs));
  std::vector<Written> written(query::Schema().size());
  QueryData data;
  const query::Places events = Among(tables, true), others = Among(tables, false);
  PROFGAUGE_TRY(const bool has_events, data.AddWhole("", options, tables, console));
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
  std::int64_t rows = 0;
  for (const Written& one : written) rows += one.rows;
  PROFGAUGE_CHECK(files->Finish(SchemaText(data.data(), tables, written, *files, data, options)));
  console.Say(fmt::format("wrote {} rows of {} tables to {}", rows, tables.size(),
                          Printable(options.out_dir)));
  return kExitPass;
}

}  // namespace profgauge::cli
