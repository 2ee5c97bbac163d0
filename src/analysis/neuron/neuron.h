// AWS Neuron: the metrics and tables that only its profiles have
// (analysis/catalog/catalogue.h).
//
// Values that rows can give are computed from rows; others (the model's FLOPs, sizes of weights),
// and everything when the file is only a summary, are the file's own. Nothing is added twice:
// DMA counts packets and never the transfers that they make up, active time leaves out
// EVENT_SEMAPHORE.
//
// A profile of a NeuronCore has no host and no launches: critical path, launches and the like are
// absent for it. Common metrics (idle time, kernels, copies) come from the rooms of all devices. If
// the user chose a range, the file's own values are of no use: they are of the whole profile.
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

/// One rank's Neuron data with its sums over the selected part.
struct NeuronRank {
  const iterations::RankContext* context = nullptr;
  const profgauge::neuron::Data* data = nullptr;
  bool whole = true;            ///< No range was chosen: the file's values for the whole apply.
  Ns total = 0;                 ///< Length of the selected part.
  double seconds = 0;           ///< The same, as exactly as the file states it.
  std::int64_t peak_cores = 1;  ///< Cores whose peak is the whole of MFU and HFU.
  profgauge::neuron::Summary sums;

  std::string_view Name(StringId id) const { return context->profile->Name(id); }
  /// FLOP/s of the Tensor Engines, -1 when unknown.
  double PeakFlops() const {
    const double peak = data->hardware.PeakFlops();
    return peak > 0 ? peak * static_cast<double>(peak_cores) : -1;
  }
  /// Whether an event that starts then is in the selected part.
  bool Inside(Ns start) const { return start >= sums.window.start && start < sums.window.end; }
  bool HasRows() const { return data->has.instructions || data->has.dma; }
};

/// Sets everything of Neuron, and reasons for metrics that its profiles do not have. Nothing
/// without a rank of Neuron. Call it after the analyses of all devices and before AddReported().
void AddNeuron(std::span<const iterations::RankContext> ranks, const Selection& selection,
               catalog::Output& out);

// The parts of it, a file each.
void AddNeuronMetrics(std::span<const NeuronRank> ranks, catalog::Output& out);
/// Each function adds the named tables.
void AddNeuronEngines(std::span<const NeuronRank> ranks,
                      catalog::Output& out);  ///< engines, opcodes, cores
void AddNeuronLayers(std::span<const NeuronRank> ranks, catalog::Output& out);
void AddNeuronMoves(std::span<const NeuronRank> ranks,
                    catalog::Output& out);  ///< DMA, collectives, tensors
/// instructions, waits, source_lines (with their text from below `source_root`, if not empty)
void AddNeuronRows(std::span<const NeuronRank> ranks, const std::string& source_root,
                   catalog::Output& out);
/// source_files, from the table of lines.
void AddNeuronFiles(const Table& lines, catalog::Output& out);
/// collective_regions, memory_peaks
void AddNeuronRegions(std::span<const NeuronRank> ranks, catalog::Output& out);
void AddNeuronSbuf(std::span<const NeuronRank> ranks, catalog::Output& out);  ///< sbuf_allocations
void AddNeuronNotes(std::span<const NeuronRank> ranks,
                    catalog::Output& out);  ///< throttles, checks, errors

}  // namespace profgauge::analysis::neuron
