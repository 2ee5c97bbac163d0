#include "model/neuron_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "knowledge/loss.h"

namespace profgauge::neuron {
namespace {

bool StartsIn(Ns start, Span window) { return start >= window.start && start < window.end; }

Ns Busy(std::vector<Span> spans, Span window) { return Length(Clip(spans, window)); }

template <class Rows>
std::vector<Span> UnionOf(const Rows& rows) {
  SpanCollector collector;
  for (const auto& row : rows) collector.Add(row.start, row.duration);
  return collector.Take();
}

bool IsStatic(QueueType type) {
  return type != QueueType::kSoftwareDynamic && type != QueueType::kHardwareDynamic;
}

// `adjusted_flops` starts as unknown (-1); the first row that has the value makes it a sum.
void SumInstruction(const Instruction& row, Summary& sums) {
  sums.traffic.Add(row.traffic);
  sums.flops += row.flops;
  if (row.transpose) sums.transpose_flops += row.flops;
  if (row.adjusted_flops >= 0) {
    sums.adjusted_flops = std::max<std::int64_t>(0, sums.adjusted_flops) + row.adjusted_flops;
    sums.adjusted_transpose_flops = std::max<std::int64_t>(0, sums.adjusted_transpose_flops) +
                                    (row.transpose ? row.adjusted_flops : 0);
  }
  if (row.matmul) ++sums.matmuls;
  if (row.activate) {
    ++sums.activates;
    sums.activate_time += row.duration;
  }
  if (row.traffic.psum_to_sbuf > 0) ++sums.psum_to_sbuf_writes;
  if (row.engine == Engine::kOther) return;
  EngineSums& engine = sums.engines[static_cast<std::size_t>(row.engine)];
  ++engine.instructions;
  engine.wait += row.wait;
  if (row.nki_source) ++engine.with_source;
  engine.flops += row.flops;
  if (row.transpose) engine.transpose_flops += row.flops;
  if (row.engine == Engine::kTensor && row.waits_for_dma) sums.tensor_dma_wait += row.wait;
  if (row.semaphore) return;
  engine.instruction_time += row.duration;
  if (row.setup) engine.setup += row.duration;
}

// Unions per engine, separate for each core; appends all spans to `all`.
void SumActive(const Data& data, Summary& sums, std::vector<Span>& all) {
  const auto& rows = data.instructions;
  for (std::size_t i = 0; i < rows.size();) {
    SpanCollector collector;
    const std::int32_t core = rows[i].core;
    const Engine engine = rows[i].engine;
    for (; i < rows.size() && rows[i].core == core && rows[i].engine == engine; ++i) {
      if (!rows[i].semaphore) collector.Add(rows[i].start, rows[i].duration);
    }
    const std::vector<Span> spans = Clip(collector.Take(), sums.window);
    all.insert(all.end(), spans.begin(), spans.end());
    if (engine != Engine::kOther) {
      sums.engines[static_cast<std::size_t>(engine)].active += Length(spans);
    }
  }
}

/// Sums packets one by one.
class DmaSummer {
 public:
  void Add(const Dma& row, Span window) {
    spans_.Add(row.start, row.duration);
    if (!StartsIn(row.start, window)) return;
    ++sums_.packets;
    sums_.bytes += row.bytes;
    sums_.time += row.duration;
  }
  DmaSums Take(Span window) {
    sums_.active = Busy(spans_.Take(), window);
    return sums_;
  }

 private:
  DmaSums sums_;
  SpanCollector spans_;
};

void SumPackets(const Data& data, Summary& sums) {
  const Span window = sums.window;
  DmaSummer all, of_static, dynamic, software, hardware;
  for (const Dma& row : data.packets) {
    all.Add(row, window);
    (IsStatic(row.type) ? of_static : dynamic).Add(row, window);
    if (row.type == QueueType::kSoftwareDynamic) software.Add(row, window);
    if (row.type == QueueType::kHardwareDynamic) hardware.Add(row, window);
  }
  sums.dma = all.Take(window);
  sums.static_dma = of_static.Take(window);
  sums.dynamic_dma = dynamic.Take(window);
  sums.software_dma = software.Take(window);
  sums.hardware_dma = hardware.Take(window);
}

void SumTransfers(const Data& data, Summary& sums) {
  const Span window = sums.window;
  for (const Dma& row : data.transfers) {
    if (!StartsIn(row.start, window)) continue;
    ++sums.transfers;
    sums.transfer_bytes += row.bytes;
    sums.transfer_time += row.duration;
  }
}

void SumCollectives(const Data& data, Summary& sums) {
  for (const CcOp& row : data.cc_ops) {
    if (!StartsIn(row.start, sums.window)) continue;
    ++sums.cc_ops;
    sums.cc_time += row.duration;
  }
  for (const CcInstruction& row : data.cc_instructions) {
    if (!StartsIn(row.start, sums.window)) continue;
    ++sums.cc_instructions;
    sums.cc_instruction_time += row.duration;
  }
  sums.cc_active = Busy(UnionOf(data.cc_ops), sums.window);
  sums.cc_instruction_active = Busy(UnionOf(data.cc_instructions), sums.window);
}

// Sums notifications that limit cores. `limited` adds up all rows, even simultaneous ones;
// `tensor_limited` is the overlap of their union with the Tensor Engine's active time.
void SumThrottles(const Data& data, Summary& sums) {
  SpanCollector limited;
  double weighted = 0;
  for (const Throttle& row : data.throttles) {
    const Ns start = std::max(row.start, sums.window.start);
    const Ns length = std::min(row.start + row.duration, sums.window.end) - start;
    if (length <= 0) continue;
    sums.throttle_covered += length;
    weighted +=
        static_cast<double>(length) * static_cast<double>(row.k) / static_cast<double>(row.n);
    if (row.k >= row.n) continue;
    sums.limited += length;
    limited.Add(start, length);
  }
  if (sums.throttle_covered > 0) {
    sums.throttle_limit = weighted / static_cast<double>(sums.throttle_covered);
  }
  const std::vector<Span> spans = limited.Take();
  if (spans.empty()) return;
  sums.tensor_limited = OverlapLength(spans, ActiveSpans(data, Engine::kTensor));
}

// Returns the time from the first start to the last end, including pauses. Rows that begin before
// the window count from its start; set-up does not count.
Ns ExecTime(const Data& data, Span window) {
  Ns first = window.end, last = window.start;
  const auto add = [&](Ns start, Ns end) {
    first = std::min(first, std::max(start, window.start));
    last = std::max(last, std::min(end, window.end));
  };
  for (const Instruction& row : data.instructions) {
    if (!row.setup && row.end() >= window.start && row.start < window.end)
      add(row.start, row.end());
  }
  for (const Dma& row : data.packets) {
    if (row.end() >= window.start && row.start < window.end) add(row.start, row.end());
  }
  return std::max<Ns>(0, last - first);
}

}  // namespace

std::vector<Span> ActiveSpans(const Data& data, Engine engine, std::int32_t core) {
  std::vector<Span> spans;
  for (const Instruction& row : data.instructions) {
    if (row.engine != engine || row.semaphore || (core >= 0 && row.core != core)) continue;
    spans.push_back({row.start, row.end()});
  }
  return Merge(std::move(spans));
}

// Operands may name several semaphores; only the awaited one has a comparison.
std::string_view WaitedSemaphore(std::string_view operands) {
  // In "S[24] (qGpSimdDynamic)>=16 src=…", the comparison after the semaphore is the condition.
  for (std::size_t at = operands.find("S["); at != std::string_view::npos;
       at = operands.find("S[", at + 2)) {
    std::size_t end = operands.find(']', at);
    if (end == std::string_view::npos) return {};
    ++end;
    if (operands.substr(end).starts_with(" (")) {
      const std::size_t close = operands.find(')', end);
      if (close == std::string_view::npos) return {};
      end = close + 1;
    }
    const std::string_view rest = operands.substr(end);
    if (rest.starts_with(">") || rest.starts_with("=") || rest.starts_with("<")) {
      return operands.substr(at, end - at);
    }
  }
  return {};
}

bool IsDmaSemaphore(std::string_view semaphore) {
  return semaphore.find("(q") != std::string_view::npos;
}

std::string_view WaitedText(std::string_view operands) {
  const std::string_view semaphore = WaitedSemaphore(operands);
  if (semaphore.empty()) return {};
  const auto begin = static_cast<std::size_t>(semaphore.data() - operands.data());
  const std::size_t end = operands.find(' ', begin + semaphore.size());
  return operands.substr(begin, end == std::string_view::npos ? end : end - begin);
}

std::int64_t PeakCores(const Data& data) {
  // Rows are sorted by core.
  std::int64_t cores = 0;
  double flops = 0;
  for (std::size_t i = 0; i < data.instructions.size(); ++i) {
    const bool first = i == 0 || data.instructions[i].core != data.instructions[i - 1].core;
    cores += first ? 1 : 0;
    flops += static_cast<double>(data.instructions[i].flops);
  }
  const double stated = data.SummaryNumber("hfu_estimated_percent");
  const double one = data.hardware.PeakFlops() * data.SummaryNumber("total_time");
  const bool counts_one = stated > 0 && one > 0 &&
                          std::abs(flops / one - stated) < knowledge::kLossTotalTolerance * stated;
  return counts_one ? 1 : std::max<std::int64_t>(1, cores);
}

// One nanosecond beyond the last end, since a row belongs to the window in which it starts.
Span WholeWindow(const Data& data) {
  Ns end = std::max<Ns>(0, data.total_time);
  for (const Instruction& row : data.instructions) end = std::max(end, row.end() + 1);
  for (const Dma& row : data.packets) end = std::max(end, row.end() + 1);
  for (const Dma& row : data.transfers) end = std::max(end, row.end() + 1);
  for (const CcOp& row : data.cc_ops) end = std::max(end, row.start + row.duration + 1);
  for (const Throttle& row : data.throttles) end = std::max(end, row.start + row.duration + 1);
  return {0, end};
}

Summary Summarize(const Data& data, Span window) {
  Summary sums;
  sums.window = window;
  sums.cores = 0;
  for (std::size_t i = 0; i < data.instructions.size(); ++i) {
    if (i == 0 || data.instructions[i].core != data.instructions[i - 1].core) ++sums.cores;
  }
  sums.cores = std::max<std::int64_t>(1, sums.cores);
  for (const Instruction& row : data.instructions) {
    if (StartsIn(row.start, window)) SumInstruction(row, sums);
  }
  std::vector<Span> all;
  SumActive(data, sums, all);
  SumPackets(data, sums);
  SumTransfers(data, sums);
  SumCollectives(data, sums);
  for (const auto& spans : {UnionOf(data.packets), UnionOf(data.cc_ops)}) {
    all.insert(all.end(), spans.begin(), spans.end());
  }
  sums.active = Busy(Merge(std::move(all)), window);
  sums.exec_time = ExecTime(data, window);
  SumThrottles(data, sums);
  return sums;
}

}  // namespace profgauge::neuron
