// Parses frameworks' NVTX ranges: PyTorch's emit_nvtx, TensorFlow's op ranges,
// PyProf's and DLProf's Python dictionaries, iteration markers of anyone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/profile_builder.h"

namespace profgauge::readers {

/// The kind of an NVTX range, by its text.
enum class RangeKind : std::uint8_t { kOp, kAnnotation, kIterationMarker };
/// The kind of the host range that it becomes.
HostKind HostKindOf(RangeKind kind);

/// The parts of an NVTX range's text.
struct RangeText {
  RangeKind kind = RangeKind::kAnnotation;
  std::string name;            ///< "aten::conv2d", without appended data.
  std::string input_shapes;    ///< "[[32, 3, 32, 32], []]"; empty when not written.
  std::string input_dtypes;    ///< "[float32, Int]"; empty when not written.
  std::string call_stack;      ///< As HostTable::call_stack; empty when not written.
  std::string dictionary;      ///< The text itself, where it is one of PyProf's dictionaries.
  std::int64_t sequence = -1;  ///< Autograd sequence number.
  bool is_backward = false;    ///< Belongs to the backward of the op with that sequence number.
};

/// Accepts any text. `domain` is the NVTX domain's name, empty for the default one.
/// In this order: markers of iterations, PyProf's dictionaries, TensorFlow's operators, PyTorch's
/// operators, TensorRT's layers; else an annotation with the text as its name.
RangeText ParseRangeText(std::string_view text, std::string_view domain);

// The NVTX ranges of PyProf and DLProf: Python dictionaries that name a call with its arguments, a
// module, or the lines of Python that lead there. They are parsed, never evaluated.

/// Whether the text is a dictionary of PyProf: {'mod': …} or {'traceMarker': …}.
/// By the first bytes; whether it parses is another matter.
bool IsPyprofMarker(std::string_view text);

/// {'mod', 'op', 'args'} is an op "mod.op" with the shapes and types of its tensors; {'mod',
/// 'strRepr'} is an annotation named after the module; {'traceMarker'} one with a call stack. A
/// text that does not parse stays an annotation.
RangeText ParsePyprofMarker(std::string_view text);

/// Sets the texts of `row` that `range` has.
void AddTexts(const RangeText& range, ProfileBuilder& builder, HostRow& row);

// The NVTX ranges of TensorFlow operators, as NVIDIA's builds of TensorFlow write them.

/// "Op: dense/MatMul", or in detail
/// {"op":"MatMul","name":"dense/MatMul","args":[{"shape":[64,784]}], "attrs":{"T":"float16"}}. The
/// range's name is the node's. False when the text is neither.
bool ParseTensorFlow(std::string_view text, RangeText& range);

// A run's switches in NVTX texts of DLProf's PyTorch plug-in, such as
// {"model_config": {"emit_nvtx": true}}.

/// Collects the switches of all texts; AddFacts() adds them to the profile.
class ModelConfig {
 public:
  /// Adds the text's switches, if it is of that kind. A switch that was on once stays on; for
  /// numbers the last one counts. Names that DLProf does not have are skipped.
  void Add(std::string_view text);
  /// One setting: "true", "false" or a whole number.
  void Set(std::string_view name, std::string value);
  /// Adds them as facts, "model_config.emit_nvtx" = "true".
  void AddFacts(ProfileBuilder& builder) const;

 private:
  std::map<std::string, std::string, std::less<>> settings_;
};

}  // namespace profgauge::readers
