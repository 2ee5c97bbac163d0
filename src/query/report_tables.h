// The tables that a judged run fills: those of the analysis with all of their rows, and metrics,
// limits, findings, evidence, facts and the import log.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/value.h"
#include "query/relation.h"
#include "report/report.h"

namespace profgauge::query {

/// Facts of a run by name, as rules know them.
using FactValues = std::vector<std::pair<std::string, Value>>;

/// Adds the rows of a run; `run` is its name, empty where there is one. The parts keep the report.
void AddReport(const std::string& run, std::shared_ptr<const report::Report> report,
               const FactValues& facts, Dataset& data);

}  // namespace profgauge::query
