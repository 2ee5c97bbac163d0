// PyProf's net.dict: one Python dictionary per line and kernel, with durations but no times.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/tables.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Lines are parsed as literals, never evaluated. A bad line is counted with its place; if more
/// than one in ten is bad, reading fails. Errors: pyprof/bad-lines, pyprof/line-too-long.
std::unique_ptr<Reader> MakeNetDictReader();

}  // namespace profgauge::readers

namespace profgauge::readers::pyprof {

// The fields of one line of net.dict.
//
//   {'kShortName': 'gemm', 'kDuration': 5120, 'layer': [], 'trace': ['net.py:12'],
//    'marker': ["{'mod': 'torch', 'op': 'matmul', 'args': [...]}"],
//    'seqMarker': ['aten::mm, seq = 3'], 'seqId': [3], 'subSeqId': 0, 'altSeqId': [],
//    'dir': 'fprop', 'mod': ['torch'], 'op': ['matmul'], 'tid': 1, 'device': 0, 'stream': 7,
//    'grid': (8, 1, 1), 'block': (128, 1, 1)}

struct KernelLine {
  std::string short_name, long_name;
  Ns duration = 0;
  std::vector<std::string> layers, trace, markers, seq_markers, modules, ops;
  std::vector<std::int64_t> seq_ids, alt_seq_ids;
  std::int64_t sub_seq = 0, thread = 0, stream = 0;
  std::int32_t device = 0;
  bool backward = false;
  LaunchConfig config;
};

/// Parses a line. The keys kShortName, kDuration, op, mod and dir are required; unknown keys are
/// ignored. The error is a clause: "expected a text for `kShortName`", "expected `,` at column 17".
tl::expected<KernelLine, std::string> ParseKernelLine(std::string_view line);

}  // namespace profgauge::readers::pyprof
