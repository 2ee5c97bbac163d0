#include "analysis/communication/communication.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/classify/arguments.h"
#include "base/numbers.h"

namespace profgauge::analysis::communication {
namespace {

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// Elements of "[8, 1024]", or of all tensors in "[[8], [1024]]"; -1 when it is no tensor.
double ElementsOf(std::string_view shape) {
  const auto items = classify::SplitList(shape);
  if (items.empty()) return -1;
  double product = 1, sum = 0;
  const bool is_list = items.front().starts_with('[');
  for (const std::string_view item : items) {
    if (is_list) {
      const double elements = ElementsOf(item);
      if (elements < 0) return -1;
      sum += elements;
      continue;
    }
    const auto size = WholeNumber(item);
    if (!size) return -1;
    product *= static_cast<double>(*size);
  }
  return is_list ? sum : product;
}

// -1 for sizes that are no size: 0, negative, or above the exact integers of a double.
std::int64_t Whole(double bytes) {
  return bytes > 0 && bytes < kLargestWhole ? static_cast<std::int64_t>(std::llround(bytes)) : -1;
}

// The tensors among the arguments, in bytes; -1 for other arguments.
class Arguments {
 public:
  Arguments(std::string_view shapes, std::string_view dtypes)
      : shapes_(classify::SplitList(shapes)), dtypes_(classify::SplitList(dtypes)) {}
  std::int64_t At(std::size_t i) const {
    if (i >= shapes_.size() || i >= dtypes_.size()) return -1;
    const double elements = ElementsOf(shapes_[i]);
    return elements < 0 ? -1 : Whole(elements * classify::DtypeBytes(dtypes_[i]));
  }
  /// All of them: the arguments of a backend's own range.
  std::int64_t All() const {
    double sum = 0;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (const std::int64_t bytes = At(i); bytes > 0) sum += static_cast<double>(bytes);
    }
    return Whole(sum);
  }

 private:
  std::vector<std::string_view> shapes_, dtypes_;
};

// -1 where the parts do not divide the whole: then they are of something else.
std::int64_t Ratio(std::int64_t whole, std::int64_t chunk) {
  return chunk > 0 && whole >= chunk && whole % chunk == 0 ? whole / chunk : -1;
}

bool IsGathered(classify::CollectiveKind kind) {
  return kind == classify::CollectiveKind::kAllGather || kind == classify::CollectiveKind::kGather;
}
bool IsScattered(classify::CollectiveKind kind) {
  return kind == classify::CollectiveKind::kReduceScatter ||
         kind == classify::CollectiveKind::kScatter;
}

OpSize SizeOfPair(classify::CollectiveKind kind, std::int64_t output, std::int64_t input) {
  OpSize size;
  size.bytes = IsGathered(kind) ? output : input;
  if (IsGathered(kind)) {
    size.chunk = input;
    size.group_size = Ratio(output, input);
  } else if (IsScattered(kind)) {
    size.group_size = Ratio(input, output);
  }
  return size;
}

// The input is the whole buffer, or one rank's part of it.
OpSize SizeOfInput(classify::CollectiveKind kind, std::int64_t input, std::int64_t group_size) {
  OpSize size;
  size.group_size = group_size;
  if (!IsGathered(kind)) {
    size.bytes = input;
    return size;
  }
  size.chunk = input;
  if (group_size > 0 && input > 0) {
    size.bytes = Whole(static_cast<double>(input) * static_cast<double>(group_size));
  }
  return size;
}

// (input, group_size, group) gathers, (input, operation, group_size, group) scatters.
std::int64_t GroupSizeArgument(classify::CollectiveKind kind, std::string_view values) {
  const auto items = classify::SplitList(values);
  const std::size_t at = IsScattered(kind) ? 2 : 1;
  if ((!IsGathered(kind) && !IsScattered(kind)) || items.size() <= at) return -1;
  return WholeNumber(items[at]).value_or(-1);
}

}  // namespace

// The sizes by the form of the operator:
//
//   name                     inputs                                size of the whole buffer
//   c10d:: gather, scatter,  (output, input, ...)                  a gather's output, else the
//     all_to_all                                                   input
//   c10d:: others            (tensor, ...)                         the tensor
//   NAMESPACE::op            (input, [operation,] group size, ..)  the input; of a gather times the
//                                                                  size of the group
//   nccl:op, a range         (inputs)                              all inputs; of a gather they are
//                                                                  one rank's part
OpSize SizeOfOp(std::string_view name, classify::CollectiveKind kind, std::string_view shapes,
                std::string_view dtypes, std::string_view values) {
  if (kind == classify::CollectiveKind::kBarrier || kind == classify::CollectiveKind::kOther)
    return {};
  const Arguments arguments(shapes, dtypes);
  if (name.starts_with("c10d::")) {
    const bool has_output =
        IsGathered(kind) || IsScattered(kind) || kind == classify::CollectiveKind::kAllToAll;
    return has_output ? SizeOfPair(kind, arguments.At(0), arguments.At(1))
                      : SizeOfInput(kind, arguments.At(0), -1);
  }
  const bool is_functional = name.find("::") != std::string_view::npos;
  if (is_functional) return SizeOfInput(kind, arguments.At(0), GroupSizeArgument(kind, values));
  return SizeOfInput(kind, arguments.All(), -1);
}

}  // namespace profgauge::analysis::communication
