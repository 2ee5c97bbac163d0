#include "report/labels.h"

#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/time_columns.h"
#include "analysis/iterations/iterations.h"
#include "model/devices.h"

namespace profgauge::report {

std::string TextFor(std::string_view accelerator, std::string_view text) {
  return InDeviceWords(text, DeviceWordsOf(FindAccelerator(accelerator)));
}

std::string TextFor(const ProfileInfo& profile, std::string_view text) {
  return TextFor(profile.accelerator, text);
}

namespace {

void AddLabels(const Report& report, std::string_view id, Labels& labels) {
  const Table* table = FindTableById(report, id);
  const Column* index =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kIterations>(table, "index"_col);
  const Column* name =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kIterations>(table, "name"_col);
  if (index == nullptr || name == nullptr) return;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    if (index->IsAbsentAt(row) || name->IsAbsentAt(row)) continue;
    const std::int64_t position = index->IntegerAt(row);
    const std::string_view text = table->strings()[name->TextAt(row)];
    std::string label =
        analysis::iterations::IterationLabel(report.profile.iteration_source, text, position);
    if (label != std::to_string(position)) labels.emplace(position, std::move(label));
  }
}

}  // namespace

Labels IterationLabels(const Report& report) {
  Labels labels;
  AddLabels(report, "iterations", labels);
  AddLabels(report, "other_iterations", labels);
  return labels;
}

std::string_view LabelOfCell(const Labels& labels, std::string_view title, const Value& cell) {
  const auto* number = std::get_if<std::int64_t>(&cell);
  if (number == nullptr || title != "Iteration") return {};
  const auto label = labels.find(*number);
  return label == labels.end() ? std::string_view{} : std::string_view(label->second);
}

}  // namespace profgauge::report
