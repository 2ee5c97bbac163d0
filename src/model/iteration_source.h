// How a profile was divided into iterations. Reports, summaries and baselines store this as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge {

/// Prefix of PyTorch's own markers; the iteration's number follows.
inline constexpr std::string_view kProfilerStep = "ProfilerStep#";

enum class IterationsBy : std::uint8_t {
  kUnknown,        ///< Not stated; `detail` is text of a file that this version does not know.
  kMarkers,        ///< Recorded markers; `detail`: which families of names count, and which do not.
  kProfilerSteps,  ///< PyTorch's ProfilerStep#N.
  kPattern,        ///< Markers that the user asked for; `detail`: the regular expression.
  kKeyOp,          ///< From one start of an operator to the next; `detail`: its name.
  kOptimizer,      ///< From one end of an optimizer's step to the next; `detail`: its name.
  kLoader,         ///< From one call of a data loader to the next; `detail`: its name.
  kRepetition,     ///< By exact repetition; `detail`: the rows, and which occur once in each.
  kRange,          ///< The user selected a part by its times.
  kUndivided,      ///< Not divided: the whole profile is one iteration.
  kNoTimeline,     ///< The profile has no times of events.
};

struct IterationSource {
  IterationsBy by = IterationsBy::kUnknown;
  std::string detail = {};

  /// "ProfilerStep#N", "key op aten::mm"; empty if it was not stated.
  std::string Text() const;
  friend bool operator==(const IterationSource&, const IterationSource&) = default;
};

/// Parses text that Text() made. Text in an unknown form gives kUnknown with the whole text as
/// `detail`, so that Text() returns it again: baselines of later versions stay readable.
IterationSource ParseIterationSource(std::string_view text);

}  // namespace profgauge
