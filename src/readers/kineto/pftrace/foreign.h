// The writer of a Perfetto trace, by its contents, and the next step if PyTorch did not write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::readers::pftrace {

/// The program that wrote a Perfetto trace. Only traces of kPyTorch are read here.
enum class Writer : std::uint8_t {
  kPyTorch,
  kPyTorchSlices,  ///< Heads of June 2026, never released: work of the device as slices.
  kRocprofv3,
  kRocpd,
  kRocprofSys,
  kNeuron,
  kRenderStages,
  kChrome,
  kSystem,
  kUnknown,
};

/// Contents that distinguish writers. The name of a file says nothing: several writers use
/// .pftrace.
struct Signs {
  bool system = false;          ///< ftrace, process trees, or data sources of a system.
  bool rocprof_sys = false;     ///< Categories of rocprof-sys.
  bool rocprofv3 = false;       ///< Categories of rocprofv3.
  bool process = false;         ///< A process is described.
  bool sizes_as_text = false;   ///< As rocpd's converter writes them.
  bool pytorch_stages = false;  ///< Stages with the device and stream in their extra data.
  bool other_stages = false;
  bool pytorch_categories = false;
  bool device_slices = false;  ///< Slices with device, context, stream and correlation.
  bool legacy = false;         ///< Chrome's events.
  bool neuron = false;         ///< Tracks of NeuronCores.

  void SeeCategory(std::string_view category);
  /// A data source of the profile's settings.
  void SeeSource(std::string_view name);
  void SeeTrack(std::string_view name);
};

/// kUnknown if no sign is present. Of several the first one counts: those of a system and of AMD's
/// tools before those of PyTorch, and those before other stages, Chrome and Neuron.
Writer WriterBy(const Signs& signs);

/// Why a trace of that writer is not read, with how to record one that is.
Error ForeignTrace(const std::string& file, Writer writer);

}  // namespace profgauge::readers::pftrace
