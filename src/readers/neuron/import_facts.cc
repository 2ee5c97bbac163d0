// Reads a file's data about itself: hardware, versions, warnings, errors.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {

std::string WithoutEmptyCommit(std::string version) {
  constexpr std::string_view kEmpty = " ()";
  if (version.ends_with(kEmpty)) version.resize(version.size() - kEmpty.size());
  return version;
}

// Notes the schema's version. MAJOR changes if columns are removed or renamed.
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
  // Tables whose rows pass through TakeTimes().
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
  // Instructions need an opcode, because waits would count as executed instructions without it.
  const bool has_kind = kind != TableKind::kInstructions || has(Key::kOpcode);
  if (has(Key::kStart) && has_length && has_kind) return {};
  return Fail(InputError(
      {}, "neuron/columns",
      fmt::format("the table {} has no column `{}`{}", table,
                  !has(Key::kStart) ? "start_ts"
                  : has_length      ? "opcode"
                                    : "duration_ns",
                  schema_version_.empty() ? "" : ", in schema " + schema_version_),
      "`neuron-explorer view --show-profile-schema` lists the columns; a release of ProfGauge that "
      "knows them is needed"));
}

namespace {

using profgauge::neuron::Part;

// A column that a metric needs, by its name in schema 7.4.0.
struct Needed {
  TableKind table;
  Key key;
  std::string_view column;
  Part part;
  std::string_view what;     // The metric that needs it.
  Key instead = Key::kNone;  // A column with the same data.
};
constexpr Needed kNeeded[] = {
    {TableKind::kInstructions, Key::kWait, "evt_wait_time_ns", Part::kWaits, "waits of engines"},
    {TableKind::kInstructions, Key::kOperands, "operands", Part::kSemaphores, "waits for DMA"},
    {TableKind::kInstructions, Key::kRawFlops, "raw_flops", Part::kFlops, "FLOPs", Key::kElements},
    {TableKind::kInstructions, Key::kInstructionType, "tensor_instruction_type", Part::kTransposes,
     "FLOPs of transposes"},
    {TableKind::kInstructions, Key::kHbmRead, "hbm_read_bytes", Part::kHbmRead, "bytes from HBM"},
    {TableKind::kInstructions, Key::kHbmWrite, "hbm_write_bytes", Part::kHbmWrite, "bytes to HBM"},
    {TableKind::kInstructions, Key::kSbufRead, "sbuf_read_bytes", Part::kSbufRead,
     "bytes from SBUF"},
    {TableKind::kInstructions, Key::kSbufWrite, "sbuf_write_bytes", Part::kSbufWrite,
     "bytes to SBUF"},
    {TableKind::kInstructions, Key::kPsumRead, "psum_read_bytes", Part::kPsumRead,
     "bytes from PSUM"},
    {TableKind::kInstructions, Key::kPsumWrite, "psum_write_bytes", Part::kPsumWrite,
     "bytes to PSUM"},
    {TableKind::kInstructions, Key::kPsumToSbuf, "psum_read_sbuf_write_bytes", Part::kPsumToSbuf,
     "bytes from PSUM to SBUF"},
    {TableKind::kInstructions, Key::kSpillSave, "spill_save_bytes", Part::kSpillSave,
     "spilled bytes"},
    {TableKind::kInstructions, Key::kSpillReload, "spill_reload_bytes", Part::kSpillReload,
     "reloaded bytes"},
    {TableKind::kInstructions, Key::kInputQueue, "input_queue_bytes", Part::kInputQueue,
     "bytes of input queues"},
    {TableKind::kInstructions, Key::kOutputQueue, "output_queue_bytes", Part::kOutputQueue,
     "bytes of output queues"},
    {TableKind::kInstructions, Key::kWeightQueue, "weight_queue_bytes", Part::kWeightQueue,
     "bytes of weight queues"},
    {TableKind::kPackets, Key::kBytes, "transfer_bytes", Part::kPacketBytes, "bytes of packets"},
    {TableKind::kPackets, Key::kQueueType, "queue_type", Part::kPacketKinds, "kinds of packets"},
    {TableKind::kTransfers, Key::kBytes, "transfer_bytes", Part::kTransferBytes,
     "bytes of transfers"},
    {TableKind::kThrottles, Key::kK, "k", Part::kLimits, "throttled time"},
    {TableKind::kThrottles, Key::kN, "n", Part::kLimits, "throttled time"},
};

// Returns "; the table has `evt_wait_ns`" for a similar, unknown column, which is only named.
std::string SimilarText(std::string_view column, std::span<const std::string> columns) {
  std::vector<std::string_view> others;
  for (const std::string& name : columns) {
    if (KeyOf(name) == Key::kNone) others.push_back(name);
  }
  const std::string_view near = DidYouMean(column, others);
  return near.empty() ? "" : fmt::format("; the table has `{}`", near);
}

}  // namespace

// Notes each missing column once, because all files of a table have the same columns.
void Import::NoteMissing(TableKind kind, std::string_view table,
                         std::span<const std::string> columns) {
  const auto has = [&](Key key) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const std::string& column) { return KeyOf(column) == key; });
  };
  for (const Needed& needed : kNeeded) {
    if (needed.table != kind || has(needed.key)) continue;
    if (needed.instead != Key::kNone && has(needed.instead)) continue;
    const std::string schema =
        schema_version_.empty() ? "" : fmt::format(" (schema {})", schema_version_);
    std::string why = fmt::format("`{}.{}` is missing{}", table, needed.column, schema);
    const auto& known = data_->missing_columns;
    if (std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.why == why; })) {
      continue;
    }
    log().AddAt(Counter::columns_unknown, fmt::format("{}: {} are absent{}", why, needed.what,
                                                      SimilarText(needed.column, columns)));
    data_->missing_columns.push_back({needed.part, std::move(why)});
  }
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
  // Only fields that have no names of people, accounts or paths.
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

// Warnings are the profiler's own and are shown unchanged. Errors are events of the device.
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
