// What the fields of each table mean: Import::Take and the rows behind it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {
namespace {

struct TableName {
  std::string_view name;
  TableKind kind;
};
// Names of neuron-profile 2.27's JSON, of schema 7.4.0, and of the system profile.
constexpr TableName kTables[] = {
    {"instruction", TableKind::kInstructions},
    {"Instruction", TableKind::kInstructions},
    {"dma", TableKind::kDma},
    {"DmaPacket", TableKind::kPackets},
    {"DmaPacketAggregated", TableKind::kTransfers},
    {"active_time", TableKind::kActive},
    {"ActiveTime", TableKind::kActive},
    {"layer_summary", TableKind::kLayers},
    {"FrameworkNode", TableKind::kLayers},
    {"semaphore_update", TableKind::kSemaphores},
    {"SemaphoreUpdate", TableKind::kSemaphores},
    {"dma_throughput", TableKind::kThroughput},
    {"DmaUsage", TableKind::kThroughput},
    {"HbmUsage", TableKind::kHbmThroughput},
    {"pending_dma", TableKind::kPendingDma},
    {"PendingDma", TableKind::kPendingDma},
    {"instruction_usage", TableKind::kMemoryUsage},
    {"SbufUsage", TableKind::kSbufUsage},
    {"PsumUsage", TableKind::kPsumUsage},
    {"ham", TableKind::kThrottles},
    {"Throttle", TableKind::kThrottles},
    {"nc_mem_usage", TableKind::kHbmUse},
    {"HbmUsageSummaryByType", TableKind::kHbmUse},
    {"neff_node", TableKind::kTensors},
    {"TensorInfo", TableKind::kTensors},
    {"summary", TableKind::kSummary},
    {"Summary", TableKind::kSummary},
    {"metadata", TableKind::kMetadata},
    {"Metadata", TableKind::kMetadata},
    {"model_info", TableKind::kModelInfo},
    {"warnings", TableKind::kWarnings},
    {"Warning", TableKind::kWarnings},
    {"error", TableKind::kErrors},
    {"errors", TableKind::kErrors},
    {"Error", TableKind::kErrors},
    {"cc_op", TableKind::kCcOps},
    {"cc_ops", TableKind::kCcOps},
    {"CcOp", TableKind::kCcOps},
    {"cc_instruction", TableKind::kCcInstructions},
    {"cc_instructions", TableKind::kCcInstructions},
    {"CcInstruction", TableKind::kCcInstructions},
    {"Flow", TableKind::kFlow},
    {"trace_events", TableKind::kTraceEvents},
    {"mem_usage", TableKind::kHostMemory},
    {"cpu_util", TableKind::kCpu},
    // Texts of the viewer, headers of files, and what other tables say better.
    {"terminology", TableKind::kUnused},
    {"summary_groups", TableKind::kUnused},
    {"summary_group_order", TableKind::kUnused},
    {"profile_info", TableKind::kUnused},
    {"neff_header", TableKind::kUnused},
    {"dma_queues_info", TableKind::kUnused},
    {"NeffHeader", TableKind::kUnused},
    {"DmaQueuesInfo", TableKind::kUnused},
    {"SchemaFields", TableKind::kUnused},
};

// Not counted by total_exec_time (schema 7.4.0, Summary).
constexpr std::string_view kSetup[] = {
    "NOP",
    "SET_ORDERING_MODE",
    "EVENT_SEMAPHORE",
    "EVENT_SEMAPHORE_RANGE_CLEAR",
    "NOTIFY",
    "DRAIN",
    "COMPARE_BRANCH",
    "WRITE",
    "TENSOR_LOAD",
    "MODIFY_POOL_CONFIG",
};

/// A larger core number is not meant; it would size tables.
std::int32_t CoreOf(const Record& record) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(record.Integer(Key::kCore, 0), 0, 1 << 16));
}

data::Traffic TrafficOf(const Record& record) {
  const auto bytes = [&](Key key) { return std::max<std::int64_t>(0, record.Integer(key, 0)); };
  data::Traffic traffic;
  traffic.hbm_read = bytes(Key::kHbmRead);
  traffic.hbm_write = bytes(Key::kHbmWrite);
  traffic.sbuf_read = bytes(Key::kSbufRead);
  traffic.sbuf_write = bytes(Key::kSbufWrite);
  traffic.psum_read = bytes(Key::kPsumRead);
  traffic.psum_write = bytes(Key::kPsumWrite);
  traffic.psum_to_sbuf = bytes(Key::kPsumToSbuf);
  traffic.spill_save = bytes(Key::kSpillSave);
  traffic.spill_reload = bytes(Key::kSpillReload);
  traffic.input_queue = bytes(Key::kInputQueue);
  traffic.output_queue = bytes(Key::kOutputQueue);
  traffic.weight_queue = bytes(Key::kWeightQueue);
  return traffic;
}

/// The line of source in the graph's attributes, text that holds JSON: "source_file",
/// "source_line".
std::string AttributeSource(std::string_view attributes) {
  const auto value = [&](std::string_view key) -> std::string_view {
    const auto at = attributes.find(key);
    if (at == std::string_view::npos) return {};
    auto rest = attributes.substr(at + key.size());
    const auto begin = rest.find_first_not_of("\"\\: ");
    if (begin == std::string_view::npos) return {};
    rest = rest.substr(begin);
    return rest.substr(0, rest.find_first_of("\"\\,}"));
  };
  const std::string_view file = value("source_file");
  if (file.empty()) return {};
  return fmt::format("{}:{}", file, value("source_line"));
}

}  // namespace

TableKind TableKindOf(std::string_view name) {
  const auto found = std::find_if(std::begin(kTables), std::end(kTables),
                                  [&](const TableName& table) { return table.name == name; });
  return found == std::end(kTables) ? TableKind::kUnknown : found->kind;
}

std::string_view QueueOf(std::string_view name) {
  const auto dash = name.rfind("-E");
  if (dash == std::string_view::npos || dash + 2 == name.size()) return name;
  const auto digits = name.substr(dash + 2);
  const bool number =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? name.substr(0, dash) : name;
}

void Import::Begin(TableKind kind) {
  data::Contents& has = data_->has;
  switch (kind) {
    case TableKind::kInstructions:
      has.instructions = true;
      break;
    case TableKind::kDma:
    case TableKind::kPackets:
      has.dma = true;
      break;
    case TableKind::kActive:
      has.active = true;
      break;
    case TableKind::kLayers:
      has.layers = true;
      break;
    case TableKind::kSemaphores:
      has.semaphores = true;
      break;
    case TableKind::kThrottles:
      has.throttles = true;
      break;
    case TableKind::kTensors:
      has.tensors = true;
      break;
    case TableKind::kErrors:
      has.errors = true;
      break;
    case TableKind::kCcOps:
      has.cc_ops = true;
      break;
    case TableKind::kCcInstructions:
      has.cc_instructions = true;
      break;
    default:
      break;
  }
}

void Import::Take(TableKind kind, std::string_view table, const Record& record,
                  std::uint64_t index) {
  switch (kind) {
    case TableKind::kInstructions:
      return TakeInstruction(record, table, index);
    case TableKind::kDma:
    case TableKind::kPackets:
    case TableKind::kTransfers:
      return TakeDma(kind, record, table, index);
    case TableKind::kActive:
      return TakeActive(record);
    case TableKind::kLayers:
      return TakeLayer(record, table, index);
    case TableKind::kSemaphores:
      data_->semaphores.push_back({record.Integer(Key::kStart, 0), Intern(record, Key::kId),
                                   record.Integer(Key::kValue, 0), CoreOf(record)});
      return;
    case TableKind::kThroughput:
    case TableKind::kHbmThroughput:
    case TableKind::kPendingDma:
    case TableKind::kMemoryUsage:
    case TableKind::kSbufUsage:
    case TableKind::kPsumUsage:
      return TakeCurve(kind, record);
    case TableKind::kThrottles:
      return TakeThrottle(record, table, index);
    case TableKind::kHbmUse:
      data_->memory.push_back({record.Integer(Key::kDevice, 0), record.Integer(Key::kCore, 0),
                               Intern(record, Key::kUsageType), record.Integer(Key::kAmount, 0)});
      return;
    case TableKind::kTensors:
      return TakeTensor(record);
    case TableKind::kSummary:
      for (const auto& [name, value] : record.All()) TakeSummaryValue(name, value);
      return;
    case TableKind::kMetadata:
    case TableKind::kModelInfo:
      return TakeMetadata(record);
    case TableKind::kWarnings:
    case TableKind::kErrors:
      return TakeMessage(kind, record);
    case TableKind::kCcOps:
      return TakeCcOp(record, table, index);
    case TableKind::kCcInstructions: {
      Times times;
      if (!TakeTimes(record, table, index, times)) return;
      data_->cc_instructions.push_back({times.start, times.duration});
      return;
    }
    case TableKind::kFlow:
      // Only dependencies between instructions; others have no row to hang on.
      if (record.Text(Key::kInTable) == record.Text(Key::kOutTable)) {
        edges_.push_back({record.Integer(Key::kInEdge, 0), record.Integer(Key::kOutEdge, 0)});
      }
      return;
    case TableKind::kTraceEvents:
      return TakeHostEvent(record, table, index);
    case TableKind::kHostMemory:
    case TableKind::kCpu:
      has_host_ = true;
      return;
    case TableKind::kUnused:
    case TableKind::kUnknown:
      return;
  }
}

void Import::TakeUnread(std::string_view table) {
  data_->unread_tables.emplace_back(table);
  log().AddAt(Counter::tables_unread, std::string(table));
}

void Import::TakeSummaryValue(std::string name, Value value) {
  data_->has.summary = true;
  data_->summary.emplace_back(std::move(name), std::move(value));
}

bool Import::TakeTimes(const Record& record, std::string_view table, std::uint64_t index,
                       Times& times) {
  auto found = usable_.find(table);
  if (found == usable_.end()) found = usable_.emplace(std::string(table), Usable{}).first;
  ++found->second.rows;
  const auto start = record.Integer(Key::kStart);
  auto duration = record.Integer(Key::kDuration);
  if (const auto end = record.Integer(Key::kEnd); !duration && start && end) {
    duration = *end >= *start ? std::optional(*end - *start) : std::nullopt;
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 60;  // 36 years, or 13 days in ps.
  if (!start || !duration || *start < 0 || *duration < 0 || *start > 2 * kMost ||
      *duration > kMost) {
    ++found->second.dropped;
    log().AddAt(Counter::events_bad_time, fmt::format("{}[{}]", table, index));
    return false;
  }
  times = {*start, *duration};
  last_end_ = std::max(last_end_, *start + *duration);
  builder_.log().Add(Counter::events_read);
  return true;
}

void Import::TakeInstruction(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  data::Instruction& row = data_->instructions.emplace_back();
  row.id = record.Integer(Key::kId, 0);
  row.start = times.start;
  row.duration = times.duration;
  row.wait = std::max<std::int64_t>(0, record.Integer(Key::kWait, 0));
  row.pc = record.Integer(Key::kPc, data::kUnknown);
  row.opcode = Intern(record, Key::kOpcode);
  row.track = Intern(record, Key::kTrack);
  row.operands = Intern(record, Key::kOperands);
  row.hlo = Intern(record, Key::kHlo);
  row.type = Intern(record, Key::kInstructionType);
  row.core = CoreOf(record);
  row.engine = data::EngineOf(record.Text(Key::kEngine));
  if (row.engine == data::Engine::kOther) row.engine = data::EngineOf(record.Text(Key::kTrack));
  if (!row.track.valid()) row.track = Intern(record, Key::kEngine);
  const std::string opcode(record.Text(Key::kOpcode));
  row.semaphore = opcode == "EVENT_SEMAPHORE";
  row.setup = std::find(std::begin(kSetup), std::end(kSetup), opcode) != std::end(kSetup);
  row.transpose = record.Says(Key::kInstructionType, "TRANSPOSE");
  const std::int64_t elements =
      std::clamp<std::int64_t>(record.Integer(Key::kElements, 0), 0, std::int64_t{1} << 60);
  row.flops = record.Integer(Key::kRawFlops, 2 * elements);
  row.adjusted_flops = record.Integer(Key::kAdjustedFlops, data::kUnknown);
  row.traffic = TrafficOf(record);
  // Layers hang under their subgraph, which is the file's own top layer.
  text_ = record.Text(Key::kSubgraph);
  const std::string_view layer = record.Text(Key::kLayer);
  const std::string_view bare =
      !text_.empty() && text_.front() == '/' ? std::string_view(text_).substr(1) : text_;
  if (layer.starts_with('/') || (!bare.empty() && layer.starts_with(bare))) {
    text_ = (layer.starts_with('/') ? "" : "/") + std::string(layer);
  } else if (!layer.empty()) {
    text_ += (text_.empty() && layer.starts_with('/')) ? "" : "/";
    text_ += layer;
  }
  row.layer = Intern(text_);
  row.source = Intern(record, Key::kNkiSource);
  row.nki_source = row.source.valid();
  if (!row.source.valid()) row.source = Intern(record, Key::kBirSource);
  if (!row.source.valid()) row.source = Intern(AttributeSource(record.Text(Key::kHloAttrs)));
  for (const std::int64_t id : record.predecessors()) edges_.push_back({id, row.id});
}

void Import::TakeDma(TableKind kind, const Record& record, std::string_view table,
                     std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  if (record.Says(Key::kDuplicate, "yes")) return log().Add(Counter::duplicate_packets);
  const bool transfer = kind == TableKind::kTransfers ||
                        (kind == TableKind::kDma && record.Says(Key::kAggregated, "yes"));
  data::Dma& row = (transfer ? data_->transfers : data_->packets).emplace_back();
  row.start = times.start;
  row.duration = times.duration;
  row.bytes = std::max<std::int64_t>(0, record.Integer(Key::kBytes, 0));
  row.id = record.Integer(Key::kId, 0);
  row.transfer = record.Integer(Key::kAggregationId, 0);
  const bool named = record.Has(Key::kQueueName);
  row.queue = Intern(QueueOf(record.Text(named ? Key::kQueueName : Key::kEngine)));
  row.variable = Intern(record, Key::kVariable);
  row.from = Intern(record, Key::kFrom);
  row.to = Intern(record, Key::kTo);
  row.core = CoreOf(record);
  row.dma_engine = static_cast<std::int16_t>(
      std::clamp<std::int64_t>(record.Integer(Key::kDmaEngine, -1), -1, 1023));
  row.type = data::QueueTypeOf(record.Text(Key::kQueueType));
}

void Import::TakeActive(const Record& record) {
  const Ns start = record.Integer(Key::kStart, 0), end = record.Integer(Key::kEnd, 0);
  data_->active.push_back({start, end, record.Integer(Key::kDuration, end - start), CoreOf(record),
                           data::EngineOf(record.Text(Key::kEngine))});
}

void Import::TakeLayer(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  data_->layers.push_back({Intern(record, Key::kName), times.start, times.duration,
                           record.Integer(Key::kFlopCount, data::kUnknown),
                           record.Integer(Key::kModelFlopCount, data::kUnknown),
                           record.Real(Key::kMfu, -1), record.Real(Key::kHfu, -1)});
}

void Import::TakeThrottle(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  const std::int64_t n = record.Integer(Key::kN, 0);
  const std::int64_t k = record.Integer(Key::kK, -1);
  if (n <= 0 || k < 0 || k > n)
    return log().AddAt(Counter::events_unreadable, fmt::format("{}[{}]", table, index));
  data_->throttles.push_back(
      {times.start, times.duration, k, n,
       static_cast<std::int32_t>(std::clamp<std::int64_t>(record.Integer(Key::kType, 99), 0, 255)),
       CoreOf(record)});
}

void Import::TakeTensor(const Record& record) {
  if (record.Text(Key::kVariable).empty()) return;  // A node of the graph without a tensor.
  data_->tensors.push_back(
      {Intern(record, Key::kVariable), Intern(record, Key::kType), Intern(record, Key::kFormat),
       Intern(record, Key::kShape), record.Integer(Key::kSize, data::kUnknown),
       record.Integer(Key::kLoadCount, data::kUnknown),
       record.Integer(Key::kLoadTotal, data::kUnknown),
       record.Integer(Key::kLoadMean, data::kUnknown), record.Real(Key::kReloadFactor, -1)});
}

void Import::TakeCcOp(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  data::CcOp& row = data_->cc_ops.emplace_back();
  row.start = times.start;
  row.duration = times.duration;
  row.trigger_delay = record.Integer(Key::kTriggerDelay, data::kUnknown);
  row.operation = Intern(record, Key::kOperation);
  row.algorithm = Intern(record, Key::kAlgorithm);
  row.dtype = Intern(record, Key::kDtype);
  row.group = Intern(record, Key::kGroup);
  row.input_bytes = record.Integer(Key::kInputSize, data::kUnknown);
  row.output_bytes = record.Integer(Key::kOutputSize, data::kUnknown);
  row.elements = record.Integer(Key::kElementCount, data::kUnknown);
  row.bandwidth = record.Real(Key::kBandwidth, -1);
  row.bus_bandwidth = record.Real(Key::kBusBandwidth, -1);
}

void Import::TakeCurve(TableKind kind, const Record& record) {
  const Ns time = record.Integer(Key::kStart, -1);
  if (time < 0) return;
  data_->has.curves = true;
  const auto add = [&](data::Curve curve, double value) {
    data_->curves.push_back({time, value, CoreOf(record), curve});
  };
  switch (kind) {
    case TableKind::kThroughput:
      add(data::Curve::kDmaThroughput, record.Real(Key::kRate, 0));
      if (record.Has(Key::kHbmRate)) {
        add(data::Curve::kHbmThroughput, record.Real(Key::kHbmRate, 0));
      }
      return;
    case TableKind::kHbmThroughput:
      return add(data::Curve::kHbmThroughput, record.Real(Key::kRate, 0));
    case TableKind::kPendingDma:
      return add(data::Curve::kPendingDma, record.Real(Key::kValue, 0));
    case TableKind::kMemoryUsage:
      return add(record.Says(Key::kType, "psum") ? data::Curve::kPsum : data::Curve::kSbuf,
                 record.Real(Key::kUsage, 0));
    case TableKind::kPsumUsage:
      return add(data::Curve::kPsum, record.Real(Key::kUsage, 0));
    default:
      return add(data::Curve::kSbuf, record.Real(Key::kUsage, 0));
  }
}

void Import::TakeMetadata(const Record& record) {
  data::Hardware& hardware = data_->hardware;
  const auto real = [&](Key key, double& value) { value = record.Real(key, value); };
  real(Key::kRows, hardware.tensor_rows);
  real(Key::kColumns, hardware.tensor_columns);
  real(Key::kTensorClock, hardware.tensor_clock);
  real(Key::kBaseClock, hardware.base_clock);
  real(Key::kHbmBandwidth, hardware.hbm_bandwidth);
  hardware.first = record.Integer(Key::kFirstTime, hardware.first);
  hardware.last = record.Integer(Key::kLastTime, hardware.last);
  // Only what names no person, account or path.
  constexpr std::string_view kFacts[] = {
      "data_version",     "profile_schema_version", "ntff_version",     "num_physical_cores",
      "is_simulation",    "instance_type",          "compiler_version", "runtime_version",
      "driver_version",   "collectives_version",    "explorer_version", "neuroncore_idx",
      "neuron_device_idx"};
  for (const auto& [name, value] : record.All()) {
    if (std::find(std::begin(kFacts), std::end(kFacts), name) == std::end(kFacts)) continue;
    if (const auto* text = std::get_if<std::string>(&value)) {
      builder_.AddFact(name, *text);
    } else {
      builder_.AddFact(name, fmt::format("{}", AsNumber(value, 0)));
    }
  }
}

void Import::TakeHostEvent(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  has_host_ = true;
  if (!TakeTimes(record, table, index, times)) return;
  const std::string_view name = record.Text(Key::kName);
  const std::string_view group = record.Text(Key::kGroup);
  const bool framework = group.starts_with("framework");
  // What runs on the device: execution, collectives and barriers, one row of the timeline each.
  if (name == "nc_exec_running" || name == "cc_running" || name == "cc_exec_barrier") {
    DeviceRow work;
    work.start = times.start;
    work.duration = times.duration;
    work.name = builder_.Intern(name);
    work.gpu = CoreOf(record);
    work.stream = name == "nc_exec_running" ? 0 : 1;
    builder_.NameStream(work.gpu, work.stream, work.stream == 0 ? "Execution" : "Collectives");
    return builder_.AddDevice(work);
  }
  const ThreadId thread = builder_.AddThread(std::string(record.Text(Key::kProcess)),
                                             std::string(record.Text(Key::kThread)));
  if (framework) {
    HostRow row;
    row.start = times.start;
    row.duration = times.duration;
    row.name = builder_.Intern(name);
    row.thread = thread;
    return builder_.AddHost(row);
  }
  ApiRow row;
  row.start = times.start;
  row.duration = times.duration;
  row.name = builder_.Intern(name);
  row.thread = thread;
  row.kind = name == "nrt_execute"            ? ApiKind::kLaunch
             : name.starts_with("nrt_tensor") ? ApiKind::kMemcpy
                                              : ApiKind::kOther;
  builder_.AddApi(row);
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
