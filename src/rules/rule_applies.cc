// Whether a rule applies to a run: its table, the names that it needs, and the rows that it
// selects.
#include <fmt/format.h>

#include <new>
#include <numeric>

#include "knowledge/findings.h"
#include "rules/reason_words.h"
#include "rules/rule_run.h"
#include "rules/rule_runner.h"

namespace profgauge::rules {

void RuleRun::NotApplicable(std::string reason, std::string field) {
  finding_.status = FindingStatus::kNotApplicable;
  finding_.reason = std::move(reason);
  finding_.missing_field = std::move(field);
}

bool RuleRun::CheckRows() {
  if (rule_.names.table == nullptr) {
    rows_ = {0};
    return true;
  }
  const Table* table = run_.FindTable(*rule_.names.table);
  if (table == nullptr || table->rows() == 0) {
    NotApplicable(run_.WhyNoTable(*rule_.names.table), "");
    return false;
  }
  looked_at_ = table->rows();
  rows_.resize(table->rows());
  std::iota(rows_.begin(), rows_.end(), expr::RowId{0});
  return true;
}

bool RuleRun::HasData(const expr::Source& source) {
  if (source.column == nullptr || !source.column->absent_because().empty()) return false;
  for (std::size_t row = 0; row < source.column->size(); ++row) {
    if (!source.column->IsAbsentAt(row)) return true;
  }
  return false;
}

// A column that is there and has no value anywhere is as good as not recorded.
bool RuleRun::CheckNeeds() {
  for (const expr::Slot slot : rule_.needs) {
    const Binding::Kind kind = rule_.names.bindings[slot].kind;
    const bool is_column = kind == Binding::Kind::kColumn || kind == Binding::Kind::kJoined;
    const expr::Source& source = data_[slot];
    if (is_column ? HasData(source) : !IsAbsent(source.value)) continue;
    std::string why = source.absent_because;
    if (why.empty() && source.column != nullptr) why = source.column->absent_because();
    if (why.empty()) why = is_column ? "no row has it" : "the profile does not have it";
    NotApplicable(WhyUnknown(rule_, run_, slot, why), schema()[slot].name);
    return false;
  }
  return true;
}

// Rows whose `where` is unknown are left out and counted: nothing else of the condition rules them
// out. What fires without them stands; that nothing fires would be a claim about them.
bool RuleRun::SelectRows() {
  if (rule_.where) {
    expr::Filtered filtered = expr::Filter(*rule_.where, data_, rows_);
    finding_.rows_unknown = filtered.unknown;
    Trace(finding_.trace, "where", *rule_.where,
          fmt::format("{} of {} rows{}", filtered.rows.size(), rows_.size(),
                      filtered.unknown == 0 ? "" : fmt::format(", {} unknown", filtered.unknown)));
    if (filtered.unknown > 0) {
      unknown_field_ = filtered.unknown_field;
      unknown_because_ =
          WhyUnknown(rule_, run_, data_, {{}, filtered.unknown_because, unknown_field_, 0});
    }
    if (filtered.rows.empty() && filtered.unknown > 0) {
      NotApplicable(unknown_because_, unknown_field_);
      return false;
    }
    rows_ = std::move(filtered.rows);
    if (rows_.empty()) {
      finding_.reason = WhatIsFine(finding_);
      return false;
    }
  }
  grouping_ = GroupRows(rule_, run_, std::move(rows_));
  finding_.rows_unknown += grouping_.unknown;
  return true;
}

}  // namespace profgauge::rules
