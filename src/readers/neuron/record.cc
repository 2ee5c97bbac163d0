#include "readers/neuron/record.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/numbers.h"

namespace profgauge::readers::neuron {
namespace {

/// The maximum size of the texts of one row. Further texts are left out.
constexpr std::size_t kMaxText = std::size_t{16} << 20;

// A hash of keys. Boost's takes twice as long, and a file has a key every 20 bytes.
struct Hash {
  std::size_t operator()(std::string_view text) const {
    return XXH3_64bits(text.data(), text.size());
  }
};

struct KeyName {
  std::string_view name;
  Key key;
};
// Lists the names in neuron-profile 2.27's JSON first, then the different ones of schema 7.4.0.
constexpr KeyName kNames[] = {
    {"id", Key::kId},
    {"timestamp", Key::kStart},
    {"start_ts", Key::kStart},
    {"start", Key::kStart},
    {"end_ts", Key::kEnd},
    {"end", Key::kEnd},
    {"duration", Key::kDuration},
    {"duration_ns", Key::kDuration},
    {"subgroup", Key::kEngine},
    {"engine", Key::kEngine},
    {"label", Key::kTrack},
    {"timeline_track", Key::kTrack},
    {"opcode", Key::kOpcode},
    {"operands", Key::kOperands},
    {"pc", Key::kPc},
    {"hlo_name", Key::kHlo},
    {"hlo_attrs", Key::kHloAttrs},
    {"layer", Key::kLayer},
    {"fully_qualified_subgraph", Key::kSubgraph},
    {"instruction_type", Key::kInstructionType},
    {"tensor_instruction_type", Key::kInstructionType},
    {"evt_wait_time", Key::kWait},
    {"evt_wait_time_ns", Key::kWait},
    {"elements", Key::kElements},
    {"tensor_elements", Key::kElements},
    {"raw_flops", Key::kRawFlops},
    {"adjusted_flops", Key::kAdjustedFlops},
    {"flops_transpose", Key::kTransposeFlops},
    {"hbm_read_bytes", Key::kHbmRead},
    {"hbm_write_bytes", Key::kHbmWrite},
    {"sbuf_read_bytes", Key::kSbufRead},
    {"sbuf_write_bytes", Key::kSbufWrite},
    {"psum_read_bytes", Key::kPsumRead},
    {"psum_write_bytes", Key::kPsumWrite},
    {"psum_read_sbuf_write_bytes", Key::kPsumToSbuf},
    {"spill_save_bytes", Key::kSpillSave},
    {"spill_reload_bytes", Key::kSpillReload},
    {"input_queue_bytes", Key::kInputQueue},
    {"output_queue_bytes", Key::kOutputQueue},
    {"weight_queue_bytes", Key::kWeightQueue},
    {"nki_source_location", Key::kNkiSource},
    {"bir_debug_info_source_location", Key::kBirSource},
    {"pcore_idx", Key::kCore},
    {"predecessors", Key::kPredecessors},
    {"transfer_size", Key::kBytes},
    {"transfer_bytes", Key::kBytes},
    {"queue_type", Key::kQueueType},
    {"queue_name", Key::kQueueName},
    {"dma_engine", Key::kDmaEngine},
    {"engine_idx", Key::kDmaEngine},
    {"variable", Key::kVariable},
    {"source", Key::kFrom},
    {"dest", Key::kTo},
    {"aggregated", Key::kAggregated},
    {"duplicate", Key::kDuplicate},
    {"is_cc_dma", Key::kIsCc},
    {"packet_aggregation_id", Key::kAggregationId},
    {"packet_idx", Key::kPacketIndex},
    {"name", Key::kName},
    {"node_name", Key::kName},
    {"tensor_engine_flop_count", Key::kFlopCount},
    {"tensor_engine_model_flop_count", Key::kModelFlopCount},
    {"tensor_engine_mfu", Key::kMfu},
    {"mfu", Key::kMfu},
    {"tensor_engine_hfu", Key::kHfu},
    {"hfu", Key::kHfu},
    {"value", Key::kValue},
    {"k", Key::kK},
    {"n", Key::kN},
    {"type", Key::kType},
    {"variable_name", Key::kVariable},
    {"format", Key::kFormat},
    {"shape", Key::kShape},
    {"size", Key::kSize},
    {"load_to_sbuf_avg_size_bytes", Key::kLoadMean},
    {"load_to_sbuf_total_size_bytes", Key::kLoadTotal},
    {"load_to_sbuf_dma_count", Key::kLoadCount},
    {"load_to_sbuf_repeat_factor", Key::kReloadFactor},
    {"transfer_rate", Key::kRate},
    {"current_throughput", Key::kRate},
    {"hbm_transfer_rate", Key::kHbmRate},
    {"usage_avg", Key::kUsage},
    {"avg_util_percent", Key::kUsage},
    {"nd", Key::kDevice},
    {"nd_idx", Key::kDevice},
    {"neuron_device_idx", Key::kDevice},
    {"nc", Key::kCore},
    {"nc_idx", Key::kCore},
    {"neuroncore_idx", Key::kCore},
    {"usage_type", Key::kUsageType},
    {"amount_bytes", Key::kAmount},
    {"usage_bytes", Key::kAmount},
    {"operation", Key::kOperation},
    {"algorithm", Key::kAlgorithm},
    {"num_elements", Key::kElementCount},
    {"dtype", Key::kDtype},
    {"input_size", Key::kInputSize},
    {"output_size", Key::kOutputSize},
    {"algorithm_bandwidth", Key::kBandwidth},
    {"bus_bandwidth", Key::kBusBandwidth},
    {"cc_trigger_start_delay", Key::kTriggerDelay},
    {"replica_group", Key::kGroup},
    {"group", Key::kGroup},
    {"message", Key::kMessage},
    {"description", Key::kMessage},
    {"category", Key::kCategory},
    {"pe_num_rows", Key::kRows},
    {"tensor_engine_num_rows", Key::kRows},
    {"pe_num_cols", Key::kColumns},
    {"tensor_engine_num_cols", Key::kColumns},
    {"pe_clock_freq", Key::kTensorClock},
    {"tensor_engine_clock_freq", Key::kTensorClock},
    {"pe_clock_others", Key::kBaseClock},
    {"neuroncore_clock_freq", Key::kBaseClock},
    {"hbm_ddr_bandwidth", Key::kHbmBandwidth},
    {"first_hw_timestamp", Key::kFirstTime},
    {"last_hw_timestamp", Key::kLastTime},
    {"in_id", Key::kInEdge},
    {"out_id", Key::kOutEdge},
    {"in_table", Key::kInTable},
    {"out_table", Key::kOutTable},
    {"process_id", Key::kProcess},
    {"thread_id", Key::kThread},
    {"instance_id", Key::kInstance},
    {"util", Key::kUtil},
    {"percent_usage", Key::kUtil},
    {"usage", Key::kAmount},
    {"cpu_id", Key::kCpu},
    {"util_percent", Key::kUtil},
    {"used_percent", Key::kUtil},
    {"used_bytes", Key::kAmount},
    {"lnc_idx", Key::kCore},
    {"trace_event_source", Key::kEventSource},
    {"parent_name", Key::kParent},
    {"parent_id", Key::kParentId},
    {"num_dma_engines_per_neuroncore", Key::kDmaEngines},
    {"start_address", Key::kStartAddress},
    {"end_address", Key::kEndAddress},
    {"partition", Key::kPartition},
    {"op_source_type", Key::kSourceType},
    {"tensor_name", Key::kTensorName},
    {"flow_id", Key::kFlows},
    {"extra_attributes_json", Key::kExtra},
};

}  // namespace

// Looks up the name with one hash. The first call makes the map.
Key KeyOf(std::string_view name) {
  static const auto kMap = [] {
    boost::unordered_flat_map<std::string_view, Key, Hash> map;
    for (const KeyName& entry : kNames) map.emplace(entry.name, entry.key);
    return map;
  }();
  const auto found = kMap.find(name);
  return found == kMap.end() ? Key::kNone : found->second;
}

// Keeps old values in the slots. A value counts only if its bit in set_ is set.
void Record::Clear(bool keep_all) {
  set_ = {};
  text_.clear();
  text_size_ = 0;
  predecessors_.clear();
  all_.clear();
  key_ = Key::kNone;
  keep_all_ = keep_all;
}

void Record::Begin(std::string_view name) {
  key_ = KeyOf(name);
  if (keep_all_) name_.assign(name);
}

void Record::AddBool(bool value) { AddText(value ? "yes" : "no"); }

// Joins the texts of one field. `begin` counts the bytes of all texts of the row, because a text is
// continued only if no other followed it.
//   "source": [["WEIGHT"], ["BIAS"]]   AddText("WEIGHT"), AddText("BIAS")
//   slot       one text: a view; two: "WEIGHT, BIAS" in text_
void Record::AddText(std::string_view value) {
  if (keep_all_) all_.emplace_back(name_, std::string(value));
  if (key_ == Key::kNone || text_size_ + value.size() > kMaxText) return;
  Slot& slot = slots_[Index(key_)];
  // A second text is appended to the first only while the first is the newest.
  const bool newest = Has(key_) && slot.kind == Kind::kText && slot.begin + slot.size == text_size_;
  if (!newest || slot.size == 0) {
    Touch(Kind::kText);
    slot.begin = static_cast<std::uint32_t>(text_size_);
    slot.size = static_cast<std::uint32_t>(value.size());
    slot.text = value.data();
    slot.joined = false;
  } else {
    if (!slot.joined) {
      const std::string_view first = TextOf(slot);
      slot.offset = text_.size();
      slot.joined = true;
      text_ += first;
    }
    text_ += ", ";
    text_ += value;
    slot.size = static_cast<std::uint32_t>(text_.size() - slot.offset);
  }
  text_size_ = slot.begin + slot.size;
}

std::string_view Record::TextOf(const Slot& slot) const {
  return slot.joined ? std::string_view(text_).substr(slot.offset, slot.size)
                     : std::string_view(slot.text, slot.size);
}

// Accepts 7.0 as a whole number, but not 7.5.
std::optional<std::int64_t> Record::IntegerIn(const Slot& slot, Key key) const {
  double real = 0;
  if (slot.kind == Kind::kText) {
    const std::string_view text = TextOf(slot);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    std::uint64_t wide = 0;  // Ids beyond 2^63.
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), wide);
    if (failed == std::errc() && stop == text.data() + text.size()) {
      return static_cast<std::int64_t>(wide);
    }
    real = Real(key, std::nan(""));
  } else if (slot.kind == Kind::kReal) {
    real = slot.real;
  } else {
    return std::nullopt;
  }
  if (!(std::abs(real) < kLargestWhole) || real != std::floor(real)) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

double Record::Real(Key key, double otherwise) const {
  if (!Has(key)) return otherwise;
  const Slot& slot = slots_[Index(key)];
  double value = 0;
  if (slot.kind == Kind::kInteger) {
    value = static_cast<double>(slot.integer);
  } else if (slot.kind == Kind::kReal) {
    value = slot.real;
  } else {
    const std::string_view text = TextOf(slot);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return otherwise;
  }
  return std::isfinite(value) ? value : otherwise;
}

std::string_view Record::Text(Key key) const {
  if (!Has(key)) return {};
  const Slot& slot = slots_[Index(key)];
  if (slot.kind == Kind::kText) return TextOf(slot);
  if (slot.kind != Kind::kInteger) return {};
  digits_ = std::to_string(slot.integer);
  return digits_;
}

}  // namespace profgauge::readers::neuron
