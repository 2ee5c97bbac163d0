#include "readers/neuron/csv.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "readers/text/csv.h"

namespace profgauge::readers::neuron {
namespace {

struct Signature {
  TableKind kind;
  std::string_view column, other;  ///< Both are there; `other` may be empty.
};
// Columns that only one table of schema 7.4.0 has.
constexpr Signature kSignatures[] = {
    {TableKind::kInstructions, "evt_wait_time_ns", "opcode"},
    {TableKind::kPackets, "packet_idx", "packet_aggregation_id"},
    {TableKind::kTransfers, "block_id", "read_num_sbuf_partitions"},
    {TableKind::kSemaphores, "double_set_or_clear", ""},
    {TableKind::kCcOps, "cc_trigger_start_delay", ""},
    {TableKind::kCcInstructions, "core_idx", "trigger_engine"},
    {TableKind::kTensors, "load_to_sbuf_repeat_factor", ""},
    {TableKind::kHbmUse, "neuroncore_idx", "usage_type"},
    {TableKind::kMetadata, "profile_schema_version", "tensor_engine_num_rows"},
    {TableKind::kSummary, "neuroncore_cycle_count", "total_time"},
    {TableKind::kErrors, "error_type_id", ""},
    {TableKind::kPsumUsage, "bank_0_util_percent", ""},
    {TableKind::kSbufUsage, "partition_0_util_percent", ""},
    {TableKind::kSbufAllocations, "start_address", "partition"},
    {TableKind::kLayers, "node_name", "children_ids"},
    {TableKind::kFlow, "dependency_type", "in_id"},
    {TableKind::kTraceEvents, "trace_event_source", "thread_id"},
    {TableKind::kHostMemory, "used_percent", "used_bytes"},
    {TableKind::kCpu, "cpu_id", "util_percent"},
};

void AddCell(std::string_view text, Record& record) {
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, integer);
      error == std::errc() && stop == end) {
    return record.AddInteger(integer);
  }
  std::uint64_t wide = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, wide);
      error == std::errc() && stop == end) {
    return record.AddUnsigned(wide);
  }
  double real = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, real);
      error == std::errc() && stop == end) {
    return record.AddReal(real);
  }
  record.AddText(text);
}

}  // namespace

TableKind TableOfHeader(std::span<const std::string> header, std::string_view name) {
  const auto has = [&](std::string_view column) {
    return column.empty() || std::find(header.begin(), header.end(), column) != header.end();
  };
  for (const Signature& signature : kSignatures) {
    if (has(signature.column) && has(signature.other)) return signature.kind;
  }
  // "pcore_idx" and "start_ts" do not suffice; a name of the schema does.
  const TableKind named = TableKindOf(name);
  const bool neuron = has("pcore_idx") || has("timestamp") || has("start_ts") || has("category");
  return neuron ? named : TableKind::kUnknown;
}

std::string TableNameOf(const std::string& path) {
  std::string stem = std::filesystem::path(path).filename().string();
  stem = stem.substr(0, stem.find('.'));
  const auto digits = stem.find_last_not_of("0123456789");
  if (digits != std::string::npos && digits + 1 < stem.size() && stem[digits] == '_') {
    stem.resize(digits);
  }
  return stem;
}

CsvTable::CsvTable(Import& import, const std::string& path)
    : import_(import), name_(TableNameOf(path)) {}

void CsvTable::Take(std::span<const std::string> fields) {
  if (IsEmptyLine(fields)) return;
  if (header_.empty()) {
    header_.assign(fields.begin(), fields.end());
    kind_ = TableOfHeader(header_, name_);
    import_.Begin(kind_);
    if (IsNamed(kind_)) import_.TakeUnread(name_);
    // The viewer's "Export to CSV" puts this column first, and samples by default.
    if (header_.front() == "timeline_track") import_.log().AddAt(Counter::rows_sampled, name_);
    return;
  }
  is_joined_ = is_joined_ || RepeatsHead(header_, fields);
  if (!IsRead(kind_)) return;
  record_.Clear(kind_ == TableKind::kSummary || kind_ == TableKind::kMetadata);
  for (std::size_t i = 0; i < std::min(fields.size(), header_.size()); ++i) {
    if (fields[i].empty()) continue;
    record_.Begin(header_[i]);
    AddCell(fields[i], record_);
  }
  import_.Take(kind_, name_, record_, row_++);
}

}  // namespace profgauge::readers::neuron
