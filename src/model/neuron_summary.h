// Sums over a Neuron profile or a part of it: the values of the file's own summary, for any window,
// and identities that show whether the file is complete.
//
// A row belongs to the window in which it starts, so window sums add up; unions are clipped.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "model/neuron.h"

namespace profgauge::neuron {

struct EngineSums {
  std::int64_t instructions = 0;
  Ns active = 0;            ///< Union without EVENT_SEMAPHORE.
  Ns instruction_time = 0;  ///< Sum without EVENT_SEMAPHORE.
  Ns wait = 0;              ///< Sum of semaphore waits.
  Ns setup = 0;             ///< Part of instruction_time.
  std::int64_t with_source = 0;
  std::int64_t flops = 0, transpose_flops = 0;
};

struct DmaSums {
  std::int64_t packets = 0, bytes = 0;
  Ns active = 0, time = 0;
};

struct Summary {
  Span window;
  std::int64_t cores = 1;                    ///< NeuronCores with instructions, at least 1.
  std::array<EngineSums, kEngines> engines;  ///< Over all cores: active times are added.
  Traffic traffic;
  std::int64_t flops = 0, transpose_flops = 0;
  std::int64_t adjusted_flops = kUnknown, adjusted_transpose_flops = kUnknown;
  std::int64_t matmuls = 0, activates = 0, psum_to_sbuf_writes = 0;
  Ns activate_time = 0;
  Ns tensor_dma_wait = 0;
  DmaSums dma, static_dma, dynamic_dma, software_dma, hardware_dma;
  std::int64_t transfers = 0, transfer_bytes = 0;
  Ns transfer_time = 0;
  std::int64_t cc_ops = 0;
  Ns cc_time = 0, cc_active = 0;
  std::int64_t cc_instructions = 0;
  Ns cc_instruction_time = 0, cc_instruction_active = 0;
  Ns active = 0;     ///< Union of engines, packets and collectives.
  Ns exec_time = 0;  ///< From the first to the last instruction or packet that is not set-up.
  Ns limited = 0, throttle_covered = 0, tensor_limited = 0;
  double throttle_limit = -1;  ///< Σ k/n · duration / Σ duration, -1 without notifications.
};

/// Returns when an engine is active (without EVENT_SEMAPHORE) on one core, or (-1) on all.
std::vector<Span> ActiveSpans(const Data& data, Engine engine, std::int32_t core = -1);

/// Returns the semaphore with its queue, by the operands of a wait: "S[24] (qGpSimdDynamic)" for
/// "S[24] (qGpSimdDynamic)>=16". Empty if the operands name none.
std::string_view WaitedSemaphore(std::string_view operands);
bool IsDmaSemaphore(std::string_view semaphore);
/// Like WaitedSemaphore(), but with the awaited value: "S[24] (qGpSimdDynamic)>=16", the only part
/// of the operands that WaitedSemaphore() needs.
std::string_view WaitedText(std::string_view operands);

/// Passes over all rows several times and unites spans: O(rows), or O(rows log rows) if an engine's
/// rows are unordered. REQUIRES: instructions are sorted by core and engine.
Summary Summarize(const Data& data, Span window);
/// Returns the number of cores whose joint peak is 100 % of MFU and HFU: all that have
/// instructions, or 1 if the HFU that the file states fits the peak of one core.
std::int64_t PeakCores(const Data& data);
/// The whole profile: nothing is clipped.
Span WholeWindow(const Data& data);

/// A value of the file's summary beside the same value computed from its rows.
struct Identity {
  std::string name;
  double computed = 0, stated = 0;  ///< In base units: ns, bytes, FLOPs, shares.
  double deviation = 0;             ///< = |computed − stated| / stated; |computed| for 0.
  bool holds = true;                ///< The deviation is at most 1 %, or is a rounding difference.
};

/// Compares rows and summary for the values that the file has. Empty if the file has no summary. A
/// deviation of more than 1 % shows that rows are missing, or that this program counts differently
/// than the file's own tool.
std::vector<Identity> CheckIdentities(const Data& data);

/// The sums of a whole profile, kept because checking and analyzing the file both need them, and
/// computing them takes several passes over all rows.
struct WholeSums {
  /// Sums over WholeWindow(). Its times are those of the file's summary if the rows, which are
  /// truncated to nanoseconds, confirm them.
  Summary sums;
  std::vector<Identity> identities;
};

/// Returns Data::whole, or computes it if it is null.
std::shared_ptr<const WholeSums> SumWhole(const Data& data);

}  // namespace profgauge::neuron
