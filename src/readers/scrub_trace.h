// Copies of traces without names of persons or machines, format by format.
#pragma once

#include <string>

#include "profgauge/error.h"

namespace profgauge::readers {

/// The bytes of a copy of the trace `in`, which is judged like it: of PyTorch's (Kineto's) JSON and
/// of rocprofv3's, unpacked. Keys are kept by a list, so those of later profilers are left out;
/// folders are cut off the paths in texts. Errors: kInput "scrub/format" for other formats, which
/// names those that are taken; of reading.
Result<std::string> ScrubTrace(const std::string& in);

}  // namespace profgauge::readers
