// DLProf's texts for kernels, shapes and types.
#include "analysis/dlprof/texts.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "analysis/classify/arguments.h"
#include "analysis/dlprof/instances.h"

namespace profgauge::analysis::dlprof::dlprof {
namespace {

using Shape = std::vector<std::int64_t>;

// Tensors with at least one dimension; scalars and lists have none.
std::vector<Shape> TensorsOf(std::string_view text) {
  std::vector<Shape> tensors;
  for (const std::string_view item : classify::SplitList(text)) {
    Shape shape;
    for (const std::string_view number : classify::SplitList(item)) {
      std::int64_t size = 0;
      const auto parsed = std::from_chars(number.data(), number.data() + number.size(), size);
      if (parsed.ec != std::errc{}) break;
      shape.push_back(size);
    }
    if (!shape.empty()) tensors.push_back(std::move(shape));
  }
  return tensors;
}

// Letters of the dimensions of the first inputs and of the output, like in DLProf.
struct Format {
  std::string_view type;
  std::array<std::string_view, 2> inputs;
  std::string_view output;
};
constexpr Format kFormats[] = {{"conv2d", {"NCHW", "KCRS"}, "NKPQ"},
                               {"linear", {"NK", "MK"}, "NM"}};

// nullptr if the type has no letters, or the shapes have a different number of dimensions.
const Format* FormatOf(std::string_view type, const std::vector<Shape>& tensors) {
  for (const Format& format : kFormats) {
    if (format.type != type || tensors.size() < format.inputs.size()) continue;
    const bool fits = tensors[0].size() == format.inputs[0].size() &&
                      tensors[1].size() == format.inputs[1].size();
    return fits ? &format : nullptr;
  }
  return nullptr;
}

std::string ShapeText(const Shape& shape, std::string_view letters) {
  std::string text = "<";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    if (i < letters.size()) text += fmt::format("{}:", letters[i]);
    text += fmt::format("{}", shape[i]);
  }
  return text + ">";
}

// The position after the bracket that closes the one at `open`; the end if there is none.
std::size_t Behind(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' && i > 0 && text[i - 1] == '-') continue;  // An arrow.
    if ((text[i] == '>' || text[i] == ')') && --depth == 0) return i + 1;
  }
  return text.size();
}

}  // namespace

std::string ShortKernelName(std::string_view name) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < name.size();) {
    const char c = name[i];
    if (c == ' ' && i + 1 < name.size()) {
      start = ++i;
    } else if (name.substr(i, 2) == "::") {
      start = i += 2;
    } else if (c == '<' || c == '(') {
      const std::size_t behind = Behind(name, i);
      // "<unnamed>::" and "(anonymous namespace)::" are namespaces.
      if (i != start && name.substr(behind, 2) != "::")
        return std::string(name.substr(start, i - start));
      i = behind;
    } else {
      ++i;
    }
  }
  return std::string(name.substr(start));
}

std::string InputShapesText(std::string_view type, std::string_view shapes) {
  const std::vector<Shape> tensors = TensorsOf(shapes);
  const Format* format = FormatOf(type, tensors);
  std::string text;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool named = format != nullptr && i < format->inputs.size();
    text += (text.empty() ? "" : "; ") +
            ShapeText(tensors[i], named ? format->inputs[i] : std::string_view{});
  }
  return text;
}

// Spatial sizes of a convolution are input - filter + 1: stride and padding are ignored.
std::string OutputShapesText(std::string_view type, std::string_view shapes) {
  const std::vector<Shape> tensors = TensorsOf(shapes);
  const Format* format = FormatOf(type, tensors);
  if (format == nullptr) return {};
  const Shape& input = tensors[0];
  const Shape& weight = tensors[1];
  Shape output = {input[0], weight[0]};
  for (std::size_t i = 2; i < input.size(); ++i) output.push_back(input[i] - weight[i] + 1);
  return ShapeText(output, format->output);
}

}  // namespace profgauge::analysis::dlprof::dlprof
