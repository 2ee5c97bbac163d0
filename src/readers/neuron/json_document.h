// A JSON document of Neuron: its tables go into an import, its summaries by name come back.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/value.h"
#include "profgauge/error.h"
#include "readers/neuron/import.h"
#include "readers/neuron/input.h"
#include "readers/reader.h"

namespace profgauge::readers::neuron {

/// {"n_0a73…": {"total_time": 0.0018, …}}: the sums of one profile, with names as written.
struct NamedSummary {
  std::string name;
  std::vector<std::pair<std::string, Value>> values;
};

/// Everything in the document besides the rows of its tables.
struct JsonContents {
  std::string dialect;                  ///< "JSON", "summary-json" or "system profile".
  std::vector<NamedSummary> summaries;  ///< By device, core and name: the file has no order.
};

/// Errors: as JsonStream, and "neuron/truncated" when it ends early and `options` do not allow it.
Status ReadJson(Input& input, const ReadOptions& options, Import& import, JsonContents& contents);

}  // namespace profgauge::readers::neuron
