// A file's data about itself: hardware, versions, warnings, errors.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/errors.h"
#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {

std::string WithoutEmptyCommit(std::string version) {
  constexpr std::string_view kEmpty = " ()";
  if (version.ends_with(kEmpty)) version.resize(version.size() - kEmpty.size());
  return version;
}

// MAJOR counts removed and renamed columns: later ones are read by the names that are left.
void Import::SetSchemaVersion(const Record& record) {
  constexpr int kKnownMajor = 7;  // Major version of 7.4.0.
  for (const auto& [name, value] : record.All()) {
    const auto* text = std::get_if<std::string>(&value);
    if (name == "profile_schema_version" && text != nullptr) schema_version_ = *text;
  }
  int major = 0;
  std::from_chars(schema_version_.data(), schema_version_.data() + schema_version_.size(), major);
  if (major <= kKnownMajor) return;
  log().AddAt(
      Counter::version_untested,
      fmt::format("schema {} is newer than 7.4.0, the latest known one; it is read by column names",
                  schema_version_));
}

namespace {

bool HasTimes(TableKind kind) {
  // Tables whose rows go through TakeTimes().
  constexpr TableKind kTimed[] = {TableKind::kInstructions,    TableKind::kDma,
                                  TableKind::kPackets,         TableKind::kTransfers,
                                  TableKind::kLayers,          TableKind::kThrottles,
                                  TableKind::kCcOps,           TableKind::kCcInstructions,
                                  TableKind::kSbufAllocations, TableKind::kTraceEvents};
  return std::find(std::begin(kTimed), std::end(kTimed), kind) != std::end(kTimed);
}

}  // namespace

Status Import::CheckColumns(TableKind kind, std::string_view table,
                            std::span<const std::string> columns) const {
  const auto has = [&](Key key) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const std::string& column) { return KeyOf(column) == key; });
  };
  if (!HasTimes(kind)) return {};
  const bool has_length = has(Key::kDuration) || has(Key::kEnd);
  if (has(Key::kStart) && has_length) return {};
  return Fail(InputError(
      {}, "neuron/columns",
      fmt::format("the table {} has no column `{}`{}", table,
                  has(Key::kStart) ? "duration_ns" : "start_ts",
                  schema_version_.empty() ? "" : ", in schema " + schema_version_),
      "`neuron-explorer view --show-profile-schema` lists the columns; a release of ProfGauge that "
      "knows them is needed"));
}

void Import::TakeMetadata(const Record& record) {
  profgauge::neuron::Hardware& hardware = data_->hardware;
  const auto real = [&](Key key, double& value) { value = record.Real(key, value); };
  real(Key::kRows, hardware.tensor_rows);
  real(Key::kColumns, hardware.tensor_columns);
  real(Key::kTensorClock, hardware.tensor_clock);
  real(Key::kBaseClock, hardware.base_clock);
  real(Key::kHbmBandwidth, hardware.hbm_bandwidth);
  hardware.dma_engines = record.Integer(Key::kDmaEngines, hardware.dma_engines);
  hardware.first = record.Integer(Key::kFirstTime, hardware.first);
  hardware.last = record.Integer(Key::kLastTime, hardware.last);
  SetSchemaVersion(record);
  // Only fields that name no person, account or path.
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
      builder_.AddFact(name, WithoutEmptyCommit(*text));
    } else {
      builder_.AddFact(name, fmt::format("{}", AsNumber(value, 0)));
    }
  }
}

// Warnings are the profiler's own and go to the user as they are; errors are events of the device.
void Import::TakeMessage(TableKind kind, const Record& record) {
  profgauge::neuron::Message message;
  message.core = CoreOf(record);
  message.text = Intern(record, Key::kMessage);
  if (kind == TableKind::kWarnings) {
    message.category = Intern(record, Key::kCategory);
    log().AddAt(Counter::profiler_warnings, std::string(record.Text(Key::kMessage)));
    data_->warnings.push_back(message);
    return;
  }
  message.category = Intern(record, Key::kType);
  message.time = record.Integer(Key::kStart, profgauge::neuron::kUnknown);
  data_->errors.push_back(message);
}

}  // namespace profgauge::readers::neuron
