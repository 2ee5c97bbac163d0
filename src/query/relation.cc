#include "query/relation.h"

#include <algorithm>
#include <array>

#include "analysis/analysis.h"
#include "model/devices.h"
#include "query/saved.h"
#include "query/tables.h"

namespace profgauge::query {
namespace {

struct Renamed {
  std::string_view table, id, name;  // Empty table: the id has this name in every table.
};
// The ids of these columns are keywords in SQLite.
constexpr Renamed kRenamed[] = {{"message_sizes", "from", "from_size"},
                                {"message_sizes", "to", "to_size"},
                                // Equal columns have one name, so that tables can be joined by it.
                                {"ranks", "id", "rank"},
                                {"gpus", "id", "gpu"},
                                {"iterations", "index", "iteration"},
                                {"other_iterations", "index", "iteration"},
                                {"", "from", "from_mark"},
                                {"", "to", "to_mark"},
                                {"", "group", "process_group"},
                                {"", "index", "position"},
                                {"", "limit", "limit_text"},
                                {"", "values", "arguments"}};

// The columns that identify a row, if the first column is not `name`, `id` or `key`.
struct Keys {
  std::string_view table;
  std::array<std::string_view, 5> columns;
};
constexpr Keys kKeys[] = {
    {"iterations", {"index"}},
    {"other_iterations", {"index"}},
    {"ops_by_shape", {"name", "input_shapes"}},
    {"ops_by_stack", {"name", "call_stack"}},
    {"ops_by_iteration", {"iteration", "rank", "name"}},
    {"op_tree", {"node"}},
    {"modules", {"node"}},
    {"ranges", {"node"}},
    {"cpu_samples", {"node"}},
    {"kernels_by_iteration", {"iteration", "rank", "name"}},
    {"gpus", {"rank", "id"}},
    {"plan", {"step"}},
    {"ranks", {"id"}},
    {"rank_steps", {"rank", "step"}},
    // Rows of these tables differ in more columns than a key may have.
    {"kernels_by_op", {}},
    {"tensor_core_ops", {}},
    {"roofline", {}},
    {"streams", {"rank", "gpu", "stream"}},
    {"gaps", {"rank", "gpu", "start"}},
    {"memcpys", {"kind", "host_memory", "rank", "gpu"}},
    {"slack", {"rank", "stream", "name"}},
    {"memory_ops", {"device", "rank", "name"}},
    {"regions", {"rank", "from", "to"}},
    {"columns", {"table_name", "name"}},
    {"evidence", {"key", "row", "column"}},
    {"history_metrics", {"run_id", "metric"}},
};

// Events: the id. Other tables: their listed keys, or a first column that names the row.
bool IsKey(std::string_view table, Origin origin, std::string_view id, bool is_first) {
  if (origin == Origin::kEvents) return id == "id";
  const auto* const known = std::find_if(std::begin(kKeys), std::end(kKeys),
                                         [table](const Keys& keys) { return keys.table == table; });
  if (known == std::end(kKeys)) return is_first && (id == "name" || id == "id" || id == "key");
  return std::find(known->columns.begin(), known->columns.end(), id) != known->columns.end();
}

RelationInfo MakeInfo(std::string_view id, std::string_view title, std::string_view doc,
                      Origin origin, std::span<const ColumnSpec> columns) {
  RelationInfo info{std::string(id), InGeneralWords(title), InGeneralWords(doc), origin, {}};
  for (const ColumnSpec& column : columns) {
    info.columns.push_back({std::string(SqlName(id, column.id)), std::string(column.id),
                            column.unit, InGeneralWords(column.title), InGeneralWords(column.doc),
                            IsKey(id, origin, column.id, &column == columns.data())});
  }
  return info;
}

std::vector<RelationInfo> MakeSchema() {
  std::vector<RelationInfo> all;
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
    all.push_back(MakeInfo(table.id, table.title, table.doc, Origin::kReport, table.columns));
  }
  for (const TableShape& table : ReportShapes()) {
    all.push_back(MakeInfo(table.id, table.title, table.doc, table.origin, table.columns));
  }
  for (const TableShape& table : EventShapes()) {
    all.push_back(MakeInfo(table.id, table.title, table.doc, Origin::kEvents, table.columns));
  }
  return all;
}

Cell TextCell(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }

}  // namespace

std::string_view OriginName(Origin origin) {
  switch (origin) {
    case Origin::kReport:
      return "report";
    case Origin::kEvents:
      return "events";
    case Origin::kHistory:
      return "history";
    case Origin::kAnswer:
      break;
  }
  return "answer";
}

const ColumnInfo* RelationInfo::Find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [column](const ColumnInfo& one) { return one.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

std::string_view SqlName(std::string_view table, std::string_view id) {
  for (const Renamed& one : kRenamed) {
    if (one.id == id && (one.table.empty() || one.table == table)) return one.name;
  }
  return id;
}

std::span<const RelationInfo> Schema() {
  static const std::vector<RelationInfo> kAll = MakeSchema();
  return kAll;
}

std::optional<std::size_t> FindRelation(std::string_view name) {
  static const auto kPlaces = [] {
    std::map<std::string, std::size_t, std::less<>> places;
    for (std::size_t i = 0; i < Schema().size(); ++i) places.emplace(Schema()[i].name, i);
    return places;
  }();
  const auto found = kPlaces.find(name);
  return found == kPlaces.end() ? std::nullopt : std::optional(found->second);
}

bool DescribesItself(std::string_view table) {
  return table == "tables" || table == "columns" || table == "queries";
}

std::size_t Relation::size() const {
  std::size_t rows = 0;
  for (const Part& part : parts) rows += part.rows->size();
  return rows;
}

Dataset::Dataset() : relations_(Schema().size()) {
  for (std::size_t i = 0; i < relations_.size(); ++i) relations_[i].info = &Schema()[i];
}

Relation& Dataset::Of(std::string_view name) { return relations_[*FindRelation(name)]; }

void Dataset::DescribeItself() {
  auto tables = std::make_shared<MadeRows>();
  auto columns = std::make_shared<MadeRows>();
  for (const Relation& relation : relations_) {
    const RelationInfo& info = *relation.info;
    const auto rows = static_cast<std::int64_t>(relation.size());
    tables->Add({info.name, relation.parts.empty() ? Cell() : Cell(rows), std::string(info.doc),
                 std::string(OriginName(info.origin)), TextCell(relation.absent_because)});
    for (const ColumnInfo& column : info.columns) {
      const auto why = relation.absent_columns.find(column.name);
      columns->Add(
          {info.name, column.name, column.id, std::string(UnitName(column.unit)), column.title,
           column.doc, std::int64_t{column.is_key},
           TextCell(why == relation.absent_columns.end() ? relation.absent_because : why->second)});
    }
  }
  if (Of("queries").parts.empty()) FillQueries(SavedQueries(), *this);
  Of("tables").parts = {{"", std::nullopt, 0, std::move(tables)}};
  Of("columns").parts = {{"", std::nullopt, 0, std::move(columns)}};
}

}  // namespace profgauge::query
