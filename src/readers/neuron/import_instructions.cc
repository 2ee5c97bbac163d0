// Reads the fields of the engines' instructions.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/neuron_summary.h"
#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {
namespace {

// The limit of memory for operand texts, which differ in every instruction. Beyond it, only the
// semaphore that an instruction waits for is kept.
constexpr std::size_t kMostOperandBytes = std::size_t{32} << 20;

// These opcodes are not counted in total_exec_time (schema 7.4.0, Summary).
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

// A missing number of bytes is 0, because these files leave out zeros.
profgauge::neuron::Traffic TrafficOf(const Record& record) {
  const auto bytes = [&](Key key) { return std::max<std::int64_t>(0, record.Amount(key, 0)); };
  profgauge::neuron::Traffic traffic;
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

/// Reads the line of source from the graph's attributes, a text in JSON with "source_line" etc.
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

/// The first source line of an instruction. A fused instruction lists several: "[a.py:1, b.py:2]"
/// or "a.py:1, b.py:2".
std::string_view FirstPlace(std::string_view places) {
  const auto begin = places.find_first_not_of("[]\"' ");
  if (begin == std::string_view::npos) return {};
  places.remove_prefix(begin);
  return places.substr(0, places.find_first_of(",]\"'"));
}

/// The type of a matmul's first operand: "bf16" in "src=bf16@0x2ee00[1,0,0][128,1,1]".
std::string_view SourceType(std::string_view operands) {
  constexpr std::string_view kSource = "src=";
  const auto at = operands.find(kSource);
  if (at == std::string_view::npos) return {};
  operands.remove_prefix(at + kSource.size());
  return operands.substr(0, operands.find_first_of("@ "));
}

}  // namespace

Import::Opcode Import::OpcodeOf(std::string_view name) {
  return {.semaphore = name == "EVENT_SEMAPHORE",
          .setup = std::find(std::begin(kSetup), std::end(kSetup), name) != std::end(kSetup),
          .matmul = name == "MATMUL",
          .activate = name == "ACTIVATE" || name == "ACTIVATE_QUANTIZE"};
}

// FLOPs are the recorded ones or, in older JSON, two per element (a multiplication and an
// addition). If the field "engine" is missing, the name of the track shows the engine.
void Import::TakeInstruction(const Record& record, std::string_view table, std::uint64_t index) {
  Times times;
  if (!TakeTimes(record, table, index, times)) return;
  profgauge::neuron::Instruction& row = room_.Add(data_->instructions);
  row.id = record.Integer(Key::kId, 0);
  row.start = times.start;
  row.duration = times.duration;
  row.wait = std::max<std::int64_t>(0, record.Amount(Key::kWait, 0));
  row.pc = record.Integer(Key::kPc, profgauge::neuron::kUnknown);
  row.opcode = Intern(record, Key::kOpcode);
  row.track = Intern(record, Key::kTrack);
  row.hlo = Intern(record, Key::kHlo);
  row.type = Intern(record, Key::kInstructionType);
  row.core = CoreOf(record);
  row.engine = engines_.Of(record.Text(Key::kEngine), profgauge::neuron::EngineOf);
  if (row.engine == profgauge::neuron::Engine::kOther) {
    row.engine = engines_.Of(record.Text(Key::kTrack), profgauge::neuron::EngineOf);
  }
  if (!row.track.valid()) row.track = Intern(record, Key::kEngine);
  const Opcode& opcode = opcodes_.Of(record.Text(Key::kOpcode), OpcodeOf);
  row.semaphore = opcode.semaphore;
  row.setup = opcode.setup;
  row.matmul = opcode.matmul;
  row.activate = opcode.activate;
  row.transpose = record.Says(Key::kInstructionType, "TRANSPOSE");
  const std::int64_t elements = std::max<std::int64_t>(0, record.Amount(Key::kElements, 0));
  row.flops = std::max<std::int64_t>(0, record.Amount(Key::kRawFlops, 2 * elements));
  row.adjusted_flops = record.Amount(Key::kAdjustedFlops, profgauge::neuron::kUnknown);
  row.traffic = TrafficOf(record);
  TakeOperands(record, row);
  TakeLayerOf(record, row);
  TakeSource(record, row);
  for (const std::int64_t id : record.predecessors()) room_.Add(edges_) = {id, row.id};
}

// Keeps the operands, and counts the bytes of new texts. Beyond the limit, only the semaphore is
// kept, because it shows the cause of a wait.
void Import::TakeOperands(const Record& record, profgauge::neuron::Instruction& row) {
  const std::string_view operands = record.Text(Key::kOperands);
  if (row.flops > 0)
    row.number = number_types_.Of(SourceType(operands), profgauge::neuron::NumberTypeOf);
  row.waits_for_dma = row.wait > 0 && profgauge::neuron::IsDmaSemaphore(
                                          profgauge::neuron::WaitedSemaphore(operands));
  if (operand_bytes_ + operands.size() <= kMostOperandBytes) {
    const auto known = builder_.strings();
    row.operands = Intern(operands);
    if (builder_.strings() > known) operand_bytes_ += operands.size();
    return;
  }
  log().Add(Counter::operands_dropped);
  if (const auto waited = profgauge::neuron::WaitedText(operands); !waited.empty()) {
    row.operands = Intern(waited);
  }
}

// Finds the path of the instruction's layer. The subgraph is the top of a file's tree of layers.
void Import::TakeLayerOf(const Record& record, profgauge::neuron::Instruction& row) {
  if (layer_of_.subgraph != record.Text(Key::kSubgraph) ||
      layer_of_.layer != record.Text(Key::kLayer)) {
    layer_of_.subgraph = record.Text(Key::kSubgraph);
    layer_of_.layer = record.Text(Key::kLayer);
    layer_of_.path = PathOf(layer_of_);
  }
  row.layer = layer_of_.path;
}

// The path of a layer below its subgraph:
//   subgraph "/sg00", layer "model/dot.3"        "/sg00/model/dot.3"
//   subgraph "/sg00", layer "sg00/model/dot.3"   "/sg00/model/dot.3"
//   subgraph "/sg00", layer "/sg00/dot"          "/sg00/dot"
//   subgraph "/sg00", layer ""                   "/sg00"
StringId Import::PathOf(const LayerOf& row) {
  text_ = row.subgraph;
  const std::string_view layer = row.layer;
  const std::string_view bare =
      !text_.empty() && text_.front() == '/' ? std::string_view(text_).substr(1) : text_;
  if (layer.starts_with('/') || (!bare.empty() && layer.starts_with(bare))) {
    text_ = (layer.starts_with('/') ? "" : "/") + std::string(layer);
  } else if (!layer.empty()) {
    text_ += "/";
    text_ += layer;
  }
  return Intern(Key::kLayer, text_);
}

// Takes the first source line that exists: NKI's, the compiler's debug data's, the graph's. So the
// kernel's source is preferred to that of the operator around it.
void Import::TakeSource(const Record& record, profgauge::neuron::Instruction& row) {
  row.source = Intern(FirstPlace(record.Text(Key::kNkiSource)));
  row.nki_source = row.source.valid();
  if (!row.source.valid()) row.source = Intern(FirstPlace(record.Text(Key::kBirSource)));
  if (row.source.valid()) return;
  // Consecutive instructions often are of one operator, so the last attributes are cached.
  const std::string_view attributes = record.Text(Key::kHloAttrs);
  if (attributes != attributes_) {
    attributes_ = attributes;
    attributes_source_ = Intern(AttributeSource(attributes));
  }
  row.source = attributes_source_;
}

}  // namespace profgauge::readers::neuron
