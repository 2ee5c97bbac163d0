// `profgauge init PROFILE`: a policy with limits that fit a profile, explained line by line.
#include <fmt/format.h>

#include <cmath>

#include "analysis/analysis.h"
#include "api/session.h"
#include "base/format.h"
#include "base/value.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/reading.h"

namespace profgauge::cli {
namespace {

// Room above what was measured, so that ordinary noise does not fail the next run.
constexpr double kTimeRoom = 1.10;
constexpr double kShareRoom = 0.05;
constexpr double kLeastVariation = 0.05;

class PolicyText {
 public:
  explicit PolicyText(const Analysis& analysis) : analysis_(analysis) {}

  // `limit` makes the limit's YAML from the measured value.
  template <class Limit>
  void Add(std::string_view id, std::string_view why, Limit limit) {
    const Metric* metric = analysis_.Find(id);
    if (metric == nullptr) return;
    if (IsAbsent(metric->value)) {
      text_ += fmt::format("  # {}: not in this profile ({})\n", id, metric->absent_because);
      return;
    }
    text_ += fmt::format("\n  # {} Measured: {}.\n  {}: {}\n", why,
                         FormatValue(metric->value, metric->spec->unit), id,
                         limit(AsNumber(metric->value, 0)));
  }

  const std::string& text() const { return text_; }

 private:
  const Analysis& analysis_;
  std::string text_;
};

std::string Percent(double share) { return fmt::format("{:.4g}%", std::ceil(share * 1000) / 10); }

std::string FloorPercent(double share) {
  return fmt::format("{:.4g}%", std::floor(std::max(0.0, share) * 1000) / 10);
}

// Rounded up to three significant digits, so that a person can read it.
std::string Milliseconds(double ns) {
  const double ms = ns / 1e6;
  if (ms <= 0) return "1 ns";
  const double scale = std::pow(10, 2 - std::floor(std::log10(ms)));
  return fmt::format("{:.12g} ms", std::ceil(ms * scale) / scale);
}

std::string PolicyOf(const Analysis& analysis, const std::string& profile) {
  PolicyText limits(analysis);
  limits.Add("iteration.time.median", "A tenth above what this run needed.",
             [](double v) { return fmt::format("{{max: {}}}", Milliseconds(v * kTimeRoom)); });
  limits.Add("iteration.time.robust_cv", "Iterations that differ more hide regressions.",
             [](double v) {
               return fmt::format("{{max: {}, level: warn, on_missing: skip}}",
                                  Percent(std::max(kLeastVariation, 2 * v)));
             });
  limits.Add("gpu.idle.mean", "Nothing at all runs on the GPU.", [](double v) {
    return fmt::format("{{max: {}}}", Percent(std::min(1.0, v + kShareRoom)));
  });
  limits.Add("tensor_core.efficiency", "Of the kernel time that could use Tensor Cores.",
             [](double v) {
               return fmt::format("{{min: {}, on_missing: skip}}", FloorPercent(v - kShareRoom));
             });
  limits.Add("dataloader.exposed_share", "Waiting for input data.", [](double v) {
    return fmt::format("{{max: {}, level: warn}}", Percent(std::min(1.0, v + kShareRoom)));
  });
  limits.Add("communication.exposed_share", "Collectives that nothing hides.", [](double v) {
    return fmt::format("{{max: {}, level: warn, on_missing: skip}}",
                       Percent(std::min(1.0, v + kShareRoom)));
  });
  limits.Add("memory.peak_share", "Of the GPU's memory.", [](double v) {
    return fmt::format("{{max: {}, level: warn, on_missing: skip}}",
                       Percent(std::min(1.0, v + kShareRoom)));
  });
  return fmt::format(
      "# What this project enforces. Made by `profgauge init` from {}; edit it freely.\n"
      "# Check a profile with: profgauge check PROFILE --policy FILE\n"
      "schema: 1\n\n"
      "# The rules that ProfGauge ships. The limits below replace its own on the same metrics.\n"
      "extends: [builtin:recommended]\n\n"
      "# error: errors fail the check; warn: warnings too; never: nothing does.\n"
      "fail_on: error\n\n"
      "# Limits, each a little above what was measured. `profgauge metrics list` shows what else\n"
      "# can be limited.\n"
      "thresholds:{}\n"
      "# Against a baseline (`profgauge baseline save`), with --baseline FILE:\n"
      "baseline:\n"
      "  iteration.time.median: {{max_increase: 5%}}\n"
      "  kernel.count_per_iteration: {{max_increase: 0%, level: warn}}\n",
      profile, limits.text());
}

}  // namespace

Result<int> RunInit(const Options& options, Console& console) {
  Outputs outputs;
  const std::string target = options.file.empty() ? "-" : options.file;
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(target));
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  PROFGAUGE_TRY(const Analysis analysis, Analyze(ranks, SelectionOf({}, Choices(options))));
  const std::string name = RunName(options.arguments);
  PROFGAUGE_CHECK(outputs.Commit(output, PolicyOf(analysis, name.empty() ? "a profile" : name)));
  if (target != "-") console.Say("wrote " + target);
  return kExitPass;
}

}  // namespace profgauge::cli
