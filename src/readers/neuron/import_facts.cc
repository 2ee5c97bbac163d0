// What a file says of itself: hardware, versions, warnings, errors.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {

void Import::TakeMetadata(const Record& record) {
  data::Hardware& hardware = data_->hardware;
  const auto real = [&](Key key, double& value) { value = record.Real(key, value); };
  real(Key::kRows, hardware.tensor_rows);
  real(Key::kColumns, hardware.tensor_columns);
  real(Key::kTensorClock, hardware.tensor_clock);
  real(Key::kBaseClock, hardware.base_clock);
  real(Key::kHbmBandwidth, hardware.hbm_bandwidth);
  hardware.dma_engines = record.Integer(Key::kDmaEngines, hardware.dma_engines);
  hardware.first = record.Integer(Key::kFirstTime, hardware.first);
  hardware.last = record.Integer(Key::kLastTime, hardware.last);
  // Only what names no person, account or path.
  constexpr std::string_view kFacts[] = {
      "data_version",     "profile_schema_version", "ntff_version",     "num_physical_cores",
      "is_simulation",    "instance_type",          "compiler_version", "runtime_version",
      "driver_version",   "collectives_version",    "explorer_version", "neuroncore_idx",
      "neuron_device_idx"};
  for (const auto& [name, value] : record.All()) {
    const auto* type = std::get_if<std::string>(&value);
    if (name == "instance_type" && type != nullptr) data_->instance_type = *type;
    if (std::find(std::begin(kFacts), std::end(kFacts), name) == std::end(kFacts)) continue;
    if (const auto* text = std::get_if<std::string>(&value)) {
      builder_.AddFact(name, *text);
    } else {
      builder_.AddFact(name, fmt::format("{}", AsNumber(value, 0)));
    }
  }
}

void Import::TakeMessage(TableKind kind, const Record& record) {
  data::Message message;
  message.core = CoreOf(record);
  message.text = Intern(record, Key::kMessage);
  if (kind == TableKind::kWarnings) {
    message.category = Intern(record, Key::kCategory);
    log().AddAt(Counter::profiler_warnings, std::string(record.Text(Key::kMessage)));
    data_->warnings.push_back(message);
    return;
  }
  message.category = Intern(record, Key::kType);
  message.time = record.Integer(Key::kStart, data::kUnknown);
  data_->errors.push_back(message);
}

}  // namespace profgauge::readers::neuron
