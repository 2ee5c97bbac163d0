#include "model/iteration_source.h"

namespace profgauge {
namespace {

using enum IterationsBy;

struct SourceWords {
  IterationsBy by;
  std::string_view words;  // A detail follows after a space.
  bool has_detail = false;
};
constexpr SourceWords kSourceWords[] = {
    {kMarkers, "iteration markers", true},
    {kProfilerSteps, "ProfilerStep#N"},
    {kPattern, "marker", true},
    {kKeyOp, "key op", true},
    {kOptimizer, "optimizer steps", true},
    {kLoader, "data loader calls", true},
    {kRepetition, "repetition", true},
    {kRange, "range"},
    {kUndivided, "whole profile"},
    {kNoTimeline, "no timeline"},
};

}  // namespace

std::string IterationSource::Text() const {
  for (const SourceWords& source : kSourceWords) {
    if (source.by != by) continue;
    return std::string(source.words) + (detail.empty() ? "" : " " + detail);
  }
  return detail;
}

IterationSource ParseIterationSource(std::string_view text) {
  for (const SourceWords& source : kSourceWords) {
    if (text == source.words) return {source.by};
    if (!source.has_detail || !text.starts_with(source.words)) continue;
    const std::string_view rest = text.substr(source.words.size());
    if (rest.starts_with(' ')) return {source.by, std::string(rest.substr(1))};
  }
  return {kUnknown, std::string(text)};
}

}  // namespace profgauge
