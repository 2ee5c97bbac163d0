// Finds the writer of a Perfetto trace by its contents, and the next step if it was not PyTorch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::readers::pftrace {

/// The program that wrote a Perfetto trace. Only traces of kPyTorch are read here.
enum class Writer : std::uint8_t {
  kPyTorch,
  kPyTorchSlices,  ///< Development versions of June 2026, never released: device work as slices.
  kRocprofv3,
  kRocpd,
  kRocprofSys,
  kNeuron,
  kRenderStages,
  kChrome,
  kSystem,
  kUnknown,
};

/// Contents that distinguish writers. The file's name does not: several writers use .pftrace.
struct Signs {
  bool system = false;          ///< ftrace, process trees, or data sources of a system.
  bool rocprof_sys = false;     ///< Categories of rocprof-sys.
  bool rocprofv3 = false;       ///< Categories of rocprofv3.
  bool process = false;         ///< A process is described.
  bool sizes_as_text = false;   ///< Sizes as texts, as rocpd's converter writes them.
  bool pytorch_stages = false;  ///< Stages with the device and stream in their extra data.
  bool other_stages = false;
  bool pytorch_categories = false;
  bool device_slices = false;  ///< Slices with device, context, stream and correlation.
  bool legacy = false;         ///< Events in Chrome's legacy form.
  bool neuron = false;         ///< Tracks of NeuronCores.

  void SeeCategory(std::string_view category);
  /// Notes a data source of the profile's settings.
  void SeeSource(std::string_view name);
  void SeeTrack(std::string_view name);
};

/// The writer that the signs show; kUnknown without a sign. If several apply, the first of this
/// order counts: a system, AMD's tools, PyTorch, other stages, Chrome, Neuron.
Writer WriterBy(const Signs& signs);

/// Why a trace of that writer is not read, and how to record a readable one.
Error ForeignTrace(const std::string& file, Writer writer);

}  // namespace profgauge::readers::pftrace
