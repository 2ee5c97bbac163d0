// How a profile is divided into iterations. Reports, summaries and baselines store it as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge {

/// Prefixes of PyTorch's own markers; the iteration's number follows.
inline constexpr std::string_view kProfilerStep = "ProfilerStep#";

enum class IterationsBy : std::uint8_t {
  kUnknown,        ///< Not stated; `detail` is text of a file that this version does not know.
  kMarkers,        ///< Recorded markers; `detail`: which families of names count, and which do not.
  kProfilerSteps,  ///< PyTorch's ProfilerStep#N.
  kPattern,        ///< Markers that the user asked for; `detail`: the regular expression.
  kKeyOp,          ///< From one start of an operator to the next; `detail`: its name.
  kOptimizer,      ///< From one end of an optimizer's step to the next; `detail`: its name.
  kLoader,         ///< From one call of a data loader to the next; `detail`: its name.
  kRepetition,     ///< By exact repetition; `detail`: of which rows, and which occur once in each.
  kRange,          ///< A part that was cut out by its times.
  kUndivided,      ///< Nothing: all of it is one.
  kNoTimeline,     ///< The profile has no times of events.
};

struct IterationSource {
  IterationsBy by = IterationsBy::kUnknown;
  std::string detail = {};

  /// "ProfilerStep#N", "key op aten::mm"; empty where no one said.
  std::string Text() const;
  friend bool operator==(const IterationSource&, const IterationSource&) = default;
};

/// The source whose Text() this is.
/// Text of an unknown form gives kUnknown with all of it as the detail, so that Text() repeats it:
/// a baseline of a later version stays readable.
IterationSource ParseIterationSource(std::string_view text);

}  // namespace profgauge
