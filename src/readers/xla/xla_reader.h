// Profiles of XLA, which JAX, TensorFlow and PyTorch/XLA write into plugins/profile/<time>/.
//
//   - `<host>.xplane.pb`, complete: readers/xla/xplane.h;
//   - `<host>.trace.json.gz` (perfetto_trace.json.gz of JAX too), the same events without the
//     properties of the devices, cut off after the first million.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeXPlaneReader();
std::unique_ptr<Reader> MakeXlaTraceReader();

}  // namespace profgauge::readers
