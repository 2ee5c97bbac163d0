// Parses frameworks' NVTX ranges: PyTorch's emit_nvtx, TensorFlow's op ranges, PyProf's and
// DLProf's Python dictionaries, and iteration markers of any program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/profile_builder.h"

namespace profgauge::readers {

/// The kind of an NVTX range, by its text.
enum class RangeKind : std::uint8_t { kOp, kAnnotation, kIterationMarker };
/// The kind of host range in the model for this kind of NVTX range.
HostKind HostKindOf(RangeKind kind);

/// The parts of an NVTX range's text.
struct RangeText {
  RangeKind kind = RangeKind::kAnnotation;
  std::string name;            ///< "aten::conv2d", without appended data.
  std::string input_shapes;    ///< "[[32, 3, 32, 32], []]"; empty when not written.
  std::string input_dtypes;    ///< "[float32, Int]"; empty when not written.
  std::string call_stack;      ///< As HostTable::call_stack; empty when not written.
  std::string dictionary;      ///< The text itself, if it is one of PyProf's dictionaries.
  std::int64_t sequence = -1;  ///< Autograd sequence number.
  bool is_backward = false;    ///< It is the backward of the op with that sequence number.
};

/// Parses any text; `domain` is the NVTX domain's name, empty for the default one. Tries, in this
/// order: iteration markers, PyProf's dictionaries, TensorFlow's operators, PyTorch's operators,
/// TensorRT's layers. Any other text is an annotation with the text as name.
RangeText ParseRangeText(std::string_view text, std::string_view domain);

// The NVTX ranges of PyProf and DLProf: Python dictionaries that name a call with its arguments, a
// module, or a Python call stack. They are parsed, never evaluated.

/// True if the text begins like a PyProf dictionary: {'mod': …} or {'traceMarker': …}. Its rest may
/// still be invalid.
bool IsPyprofMarker(std::string_view text);

/// Parses a dictionary. {'mod', 'op', 'args'} is an operator "mod.op" with the shapes and types of
/// its tensors; {'mod', 'strRepr'} is an annotation named after the module; {'traceMarker'} is an
/// annotation with a call stack. An invalid text stays an annotation.
RangeText ParsePyprofMarker(std::string_view text);

/// Copies the texts of `range`, if any, to `row`.
void AddTexts(const RangeText& range, ProfileBuilder& builder, HostRow& row);

// The NVTX ranges of TensorFlow operators, as NVIDIA's builds of TensorFlow write them.

/// Parses "Op: dense/MatMul", or the detailed form
/// {"op":"MatMul","name":"dense/MatMul","args":[{"shape":[64,784]}], "attrs":{"T":"float16"}}. The
/// range gets the name of the node. False if the text has neither form.
bool ParseTensorFlow(std::string_view text, RangeText& range);

// A run's settings in NVTX texts of DLProf's PyTorch plug-in, such as {"model_config":
// {"emit_nvtx": true}}.

/// Collects the settings of all texts; AddFacts() adds them to the profile.
class ModelConfig {
 public:
  /// Adds the settings in a text of that kind; ignores other texts. A switch that was on once stays
  /// on; of several numbers the last one counts. Names that DLProf does not have are skipped.
  void Add(std::string_view text);
  /// Sets one setting to "true", "false" or an integer.
  void Set(std::string_view name, std::string value);
  /// Adds the settings as facts: "model_config.emit_nvtx" = "true".
  void AddFacts(ProfileBuilder& builder) const;

 private:
  std::map<std::string, std::string, std::less<>> settings_;
};

}  // namespace profgauge::readers
