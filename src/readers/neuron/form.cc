#include "readers/neuron/form.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "readers/neuron/csv.h"
#include "readers/text/csv.h"

namespace profgauge::readers::neuron {
namespace {

// Keys that no other format writes.
constexpr std::string_view kJsonMarks[] = {"\"evt_wait_time\"",
                                           "\"nc_mem_usage\"",
                                           "\"semaphore_update\"",
                                           "\"neff_header\"",
                                           "\"neff_node\"",
                                           "\"packet_aggregation_id\"",
                                           "\"layer_summary\"",
                                           "\"ticks_per_nanosec\"",
                                           "\"neuroncore_cycle_count\"",
                                           "\"mfu_estimated_percent\"",
                                           "\"pending_dma\"",
                                           "\"hbm_total_transfer_bytes\"",
                                           "\"summary_group_order\"",
                                           "\"dma_queues_info\"",
                                           "\"tensor_engine_active_time\"",
                                           "\"fully_qualified_subgraph\"",
                                           "\"nc_exec_running\"",
                                           "\"nrt_execute\"",
                                           "\"framework_stream_id\""};
constexpr std::string_view kTextMarks[] = {"neuroncore_cycle_count", "mfu_estimated_percent",
                                           "tensor_engine_active_time"};

bool HasAny(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

}  // namespace

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

std::size_t DocumentStart(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return first;
  if (text[first] == '{') return first;
  const auto line = text.find("\n{");
  return line == std::string_view::npos ? line : line + 1;
}

bool IsTable(std::string_view text) {
  const std::string_view line = FirstLine(text);
  if (line.find(',') == std::string_view::npos || line.find('{') != std::string_view::npos) {
    return false;
  }
  TableKind kind = TableKind::kUnknown;
  CsvCutter cutter([&](std::span<const std::string> header) { kind = TableOfHeader(header, ""); });
  cutter.Feed(line);
  cutter.End(0);
  return kind != TableKind::kUnknown;
}

Form FormOf(std::string_view text) {
  const auto start = DocumentStart(text);
  if (start != std::string_view::npos && HasAny(text.substr(start), kJsonMarks)) return Form::kJson;
  if (IsTable(text)) return Form::kCsv;
  const bool lines = text.find('{') == std::string_view::npos && HasAny(text, kTextMarks) &&
                     text.find("total_time") != std::string_view::npos;
  return lines && FirstLine(text).find(',') == std::string_view::npos ? Form::kSummaryText
                                                                      : Form::kNone;
}

std::string_view AsText(std::span<const std::byte> bytes) {
  return WithoutByteOrderMark({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace profgauge::readers::neuron
