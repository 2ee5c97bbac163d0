// Metrics and tables that only profiles of AWS Neuron have (analysis/catalog/catalogue.h).
//
// Values are computed from rows if possible. Otherwise they are the file's own: the model's FLOPs,
// sizes of weights, and all values if the file is only a summary. Nothing counts twice: DMA counts
// packets, not the transfers that consist of them, and active time excludes EVENT_SEMAPHORE.
//
// A profile of a NeuronCore has no host and no launches, so it has no critical path, launches and
// similar data. The analyses of all devices compute its common metrics (idle time, kernels,
// copies). If the user selected a range, the file's own values cannot be used, because they cover
// the whole profile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "model/neuron.h"
#include "model/neuron_summary.h"

namespace profgauge::analysis::neuron {

/// One rank's Neuron data, with its sums over the selected part.
struct NeuronRank {
  const iterations::RankContext* context = nullptr;
  const profgauge::neuron::Data* data = nullptr;
  bool whole = true;            ///< No range was selected: the file's own values can be used.
  Ns total = 0;                 ///< Length of the selected part.
  double seconds = 0;           ///< Its length in seconds, with the file's precision.
  std::int64_t peak_cores = 1;  ///< Number of cores whose peaks add up for MFU and HFU.
  profgauge::neuron::Summary sums;

  std::string_view Name(StringId id) const { return context->profile->Name(id); }
  /// FLOP/s of the Tensor Engines, -1 if unknown.
  double PeakFlops() const {
    const double peak = data->hardware.PeakFlops();
    return peak > 0 ? peak * static_cast<double>(peak_cores) : -1;
  }
  /// Whether an event with this start is in the selected part.
  bool Inside(Ns start) const { return start >= sums.window.start && start < sums.window.end; }
  bool HasRows() const { return data->has.instructions || data->has.dma; }
};

/// Sets all Neuron metrics and tables, and reasons for metrics that its profiles cannot have. Does
/// nothing without a rank of Neuron. Call it after the analyses of all devices and before
/// AddReported().
void AddNeuron(std::span<const iterations::RankContext> ranks, const Selection& selection,
               catalog::Output& out);

// The parts of AddNeuron(), one per file.
void AddNeuronMetrics(std::span<const NeuronRank> ranks, catalog::Output& out);
/// Each function adds the named tables.
void AddNeuronEngines(std::span<const NeuronRank> ranks,
                      catalog::Output& out);  ///< engines, opcodes, cores
void AddNeuronLayers(std::span<const NeuronRank> ranks, catalog::Output& out);
void AddNeuronMoves(std::span<const NeuronRank> ranks,
                    catalog::Output& out);  ///< DMA, collectives, tensors
/// The tables instructions, waits and source_lines. Lines have their text if `source_root` is set.
void AddNeuronRows(std::span<const NeuronRank> ranks, const std::string& source_root,
                   catalog::Output& out);
/// source_files, summed from the table of lines.
void AddNeuronFiles(const Table& lines, catalog::Output& out);
/// collective_regions, memory_peaks
void AddNeuronRegions(std::span<const NeuronRank> ranks, catalog::Output& out);
void AddNeuronSbuf(std::span<const NeuronRank> ranks, catalog::Output& out);  ///< sbuf_allocations
void AddNeuronNotes(std::span<const NeuronRank> ranks,
                    catalog::Output& out);  ///< throttles, checks, errors

}  // namespace profgauge::analysis::neuron
