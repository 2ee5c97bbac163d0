#include "readers/text/nvtx_text.h"

#include <re2/re2.h>

#include <charconv>
#include <cstddef>
#include <memory>
#include <vector>

#include "model/marker_names.h"
#include "readers/text/pyprof_marker.h"
#include "readers/text/tensorflow_text.h"

namespace profgauge::readers {
namespace {

// The patterns of kMarkerNames, at the same places; of none where `starts` decides.
const std::vector<std::unique_ptr<RE2>>& MarkerPatterns() {
  static const std::vector<std::unique_ptr<RE2>> patterns = [] {
    std::vector<std::unique_ptr<RE2>> compiled;
    for (const MarkerName& name : kMarkerNames) {
      compiled.push_back(name.matches.empty() ? nullptr : std::make_unique<RE2>(name.matches));
    }
    return compiled;
  }();
  return patterns;
}

bool IsMarker(std::string_view text, std::string_view domain) {
  const auto& patterns = MarkerPatterns();
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const MarkerName& name = kMarkerNames[i];
    if (patterns[i] == nullptr || (!name.domain.empty() && name.domain != domain)) continue;
    if (text.starts_with(name.starts) && RE2::PartialMatch(text, *patterns[i])) return true;
  }
  return false;
}

// The text after `key` up to the bracket that closes its first one; empty when unclosed.
std::string_view BracketsAfter(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + key.size());
  int depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '[') ++depth;
    if (rest[i] == ']') --depth;
    if (depth == 0) return rest.substr(0, i + 1);
  }
  return {};
}

std::int64_t NumberAfter(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  std::int64_t value = -1;
  if (at == std::string_view::npos) return value;
  const char* begin = text.data() + at + key.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc{} ? value : -1;
}

// "aten::conv2d, seq = 3, op_id = 7, sizes = [[1, 2]]"; the name itself may contain commas.
RangeText ParseTorch(std::string_view text) {
  RangeText range;
  range.kind = RangeKind::kOp;
  std::size_t end = text.size();
  for (const std::string_view key : {", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "}) {
    end = std::min(end, text.find(key));
  }
  range.name = text.substr(0, end);
  range.sequence = NumberAfter(text, ", seq = ");
  range.input_shapes = BracketsAfter(text, ", sizes = ");
  constexpr std::string_view kBackward = "autograd::engine::evaluate_function: ";
  range.is_backward = range.name.starts_with(kBackward) || text.find("Backward") < end;
  return range;
}

bool IsTorchOp(std::string_view text) {
  for (const std::string_view prefix : {"aten::", "autograd::", "c10d::", "nccl:", "torch::"}) {
    if (text.starts_with(prefix)) return true;
  }
  return text.find(", seq = ") != std::string_view::npos ||
         text.find(", op_id = ") != std::string_view::npos;
}

}  // namespace

RangeText ParseRangeText(std::string_view text, std::string_view domain) {
  RangeText range;
  if (IsMarker(text, domain)) {
    range.kind = RangeKind::kIterationMarker;
    range.name = text;
    return range;
  }
  if (IsPyprofMarker(text)) return ParsePyprofMarker(text);
  if (domain == "tensorflow-core" && ParseTensorFlow(text, range)) return range;
  if (IsTorchOp(text)) return ParseTorch(text);
  if (domain == "TensorRT") range.kind = RangeKind::kOp;
  range.name = text;
  return range;
}

}  // namespace profgauge::readers
