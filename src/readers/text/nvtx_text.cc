#include "readers/text/nvtx_text.h"

#include <re2/re2.h>

#include <charconv>

#include "readers/text/pyprof_marker.h"
#include "readers/text/tensorflow_text.h"

namespace profgauge::readers {
namespace {

// "step 12", "ProfilerStep#3", "batch_7", "Iteration: 5", "global_step 4"… nvtx-plugins-tf and its
// Keras callbacks write "step 12" and "batch 7"; their epochs hold many iterations.
const RE2& MarkerPattern() {
  static const RE2 pattern(
      R"((?i)^(?:(?:global|train|training|mini)[ _-]?)?(?:step|iter|iteration|batch|ProfilerStep)[ _#:]*\d+)");
  return pattern;
}

// The text behind `key` up to the bracket that closes the one it starts with; empty when unclosed.
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

// Lightning's profiler names the training batch without its number; TensorRT one inference.
bool IsUnnumberedMarker(std::string_view text, std::string_view domain) {
  return text.ends_with("run_training_batch") ||
         (domain == "TensorRT" && text.starts_with("ExecutionContext::"));
}

}  // namespace

RangeText ParseRangeText(std::string_view text, std::string_view domain) {
  RangeText range;
  if (RE2::PartialMatch(text, MarkerPattern()) || IsUnnumberedMarker(text, domain)) {
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
