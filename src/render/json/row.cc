#include "render/json/row.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/json_writer.h"

namespace profgauge::render {

std::string RenderRow(const report::RunRow& row) {
  const std::set<std::string> labels = report::RowLabels(row);
  const std::vector<report::RowColumnSpec> columns = report::RowColumns(labels);
  const std::vector<report::RowCell> cells = report::RowCells(row, labels);
  JsonWriter out;
  out.BeginObject(JsonWriter::Style::kInline);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out.Key(columns[i].name);
    if (const auto* text = std::get_if<std::string>(&cells[i])) {
      out.Text(*text);
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&cells[i])) {
      out.BeginArray();
      for (const std::string& one : *texts) out.Text(one);
      out.EndArray();
    } else if (const auto* number = std::get_if<double>(&cells[i])) {
      if (columns[i].type == report::RowColumnSpec::Type::kWhole) {
        out.Integer(static_cast<std::int64_t>(std::llround(*number)));
      } else {
        out.Real(*number);
      }
    } else {
      out.Null();
    }
  }
  out.EndObject();
  return out.Take();
}

}  // namespace profgauge::render
