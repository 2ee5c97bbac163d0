// The table of functions of the language: aggregates turn the rows of a group into one value;
// others work on values. `rules docs` prints it as reference.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace profgauge::expr {

enum class FunctionId : std::uint8_t {
  kSum,
  kMean,
  kMedian,
  kMin,
  kMax,
  kCount,
  kPercentile,
  kAny,
  kAll,
  kDistinct,
  kAtMax,
  kAbs,
  kCeil,
  kFloor,
  kLeast,
  kGreatest,
  kIf,
  kKnown,
  kGreatestKnown,
  kPlural,
};

/// `max_arguments` of an aggregate includes the optional condition, which comes last.
struct Function {
  FunctionId id;
  std::string_view name;
  std::string_view arguments;  ///< "(x [, condition])"
  int min_arguments, max_arguments;
  bool is_aggregate;
  std::string_view doc;
};

std::span<const Function> Functions();
/// nullptr if there is no function of that name.
const Function* FindFunction(std::string_view name);

}  // namespace profgauge::expr
