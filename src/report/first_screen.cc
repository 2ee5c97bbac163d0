#include "report/first_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/diagnosis.h"
#include "model/category.h"
#include "report/labels.h"

namespace profgauge::report {
namespace {

using knowledge::kDiagnosisLeastShare;
using knowledge::kDiagnosisMostlyKernels;

struct Class {
  std::string_view rules;  // An id, or a category with its slash.
  std::string_view id, word;
  int sentences = 1;  // Taken from the finding's message.
};

// The first that fits. Rules of no class have their title in place of the word.
constexpr std::array kClasses = std::to_array<Class>({
    {"io/", "input-bound", "Input-bound"},
    {"host/exposed-copies", "copy-bound", "Copy-bound"},
    {"host/launch-bound", "launch-bound", "Launch-bound"},
    {"host/", "host-bound", "Host-bound"},
    {"cpu/", "host-bound", "Host-bound"},
    {"launch/", "launch-bound", "Launch-bound"},
    {"comm/straggler", "straggler", "Waiting for one rank"},
    {"comm/slow-gpu", "straggler", "Waiting for one GPU"},
    {"comm/imbalance", "straggler", "Waiting for other ranks"},
    {"comm/", "communication-bound", "Communication-bound"},
    {"compute/memory-bound", "memory-bound", "Memory-bound"},
    {"compute/unfused-elementwise", "memory-bound", "Memory-bound"},
    {"compute/layout-conversions", "memory-bound", "Memory-bound"},
    {"compute/device-copies", "memory-bound", "Memory-bound"},
    {"compute/skinny-products", "memory-bound", "Memory-bound"},
    {"compute/slow-elementwise", "slow-kernels", "Slow kernels"},
    {"compute/", "compute-bound", "Compute-bound"},
    {"tensorcore/", "compute-bound", "Compute-bound"},
    {"shapes/", "compute-bound", "Compute-bound"},
    {"gpu/idle", "idle", "Idle", 2},  // The second one has the main cause.
    {"gpu/idle-stated", "idle", "Idle"},
});

// "1.50 ms per call. The rest …" up to the end of this many sentences. Code between backticks ends
// none.
std::string_view Sentences(std::string_view text, int count) {
  bool is_code = false;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '`') is_code = !is_code;
    const bool is_short = text.substr(0, i).ends_with("e.g");
    const bool ends = !is_code && !is_short && text[i] == '.' && text[i + 1] == ' ';
    if (ends && --count == 0) return text.substr(0, i + 1);
  }
  return text;
}

const Finding* FindByRule(const Report& report, std::string_view rule) {
  const auto found = std::ranges::find_if(report.findings, [rule](const Finding& finding) {
    return finding.rule == rule && HasFired(finding);
  });
  return found == report.findings.end() ? nullptr : &*found;
}

bool IsSymptom(const Report& report, const Finding& finding) {
  return CauseOf(report, finding) != nullptr;
}

// "First calls: …": one or two words, up to a colon.
bool HasOwnHead(std::string_view text) {
  const std::string_view head = text.substr(0, text.find(": "));
  return head.size() < text.size() && std::ranges::count(head, ' ') <= 1 &&
         head.find_first_of(".`") == head.npos;
}

Diagnosis OfFinding(const Finding& finding) {
  const auto found = std::ranges::find_if(kClasses, [&finding](const Class& of) {
    return of.rules.ends_with('/') ? finding.rule.starts_with(of.rules) : finding.rule == of.rules;
  });
  const bool is_known = found != kClasses.end();
  const std::string_view word = is_known ? found->word : std::string_view(finding.title);
  const std::string_view sentence = Sentences(finding.message, is_known ? found->sentences : 1);
  if (HasOwnHead(sentence))
    return {is_known ? std::string(found->id) : "other", std::string(sentence)};
  return {is_known ? std::string(found->id) : "other",
          sentence.empty() ? fmt::format("{}.", word) : fmt::format("{}: {}", word, sentence)};
}

// The diagnosis by the plan: its first step that is a finding, if the whole plan saves enough.
const Finding* FirstOfPlan(const Report& report) {
  const double start = report.plan ? AsNumber(report.plan->start.value, 0) : 0;
  if (start <= 0 ||
      start - AsNumber(report.plan->end.value, start) < kDiagnosisLeastShare.Of(start)) {
    return nullptr;
  }
  for (const PlanStep& step : report.plan->steps) {
    if (!step.fired || step.rules.empty()) continue;
    const Finding* first = FindByRule(report, step.rules.front());
    // Idle time that waits for input data is input-bound, whichever of the two saves more.
    const Finding* cause = first == nullptr ? nullptr : CauseOf(report, *first);
    return cause == nullptr ? first : cause;
  }
  return nullptr;
}

// The finding that could save most, without symptoms; where none has a number, the
// first that fails or warns. If a plan was simulated, bounds of others are not used.
const Finding* MostWorth(const Report& report, double iteration) {
  const bool is_simulated = report.plan && report.plan->absent_because.empty();
  const Finding* most = nullptr;
  double gain = iteration > 0 ? kDiagnosisLeastShare.Of(iteration) : 0;
  for (const Finding& finding : report.findings) {
    if (!HasFired(finding) || IsAboutProfile(finding) || IsSymptom(report, finding)) continue;
    const double saves = AsNumber(finding.saves.value.value, 0);
    const bool counts = !is_simulated || finding.saves.basis == rules::Basis::kSimulated;
    if (counts && saves > gain) {
      most = &finding;
      gain = saves;
    }
  }
  if (most != nullptr || is_simulated) return most;
  for (const Finding& finding : report.findings) {
    const bool weighs = finding.level == State::kError || finding.level == State::kWarn;
    if (!HasFired(finding) || !weighs || IsAboutProfile(finding)) continue;
    if (IsAbsent(finding.saves.value.value) && !IsSymptom(report, finding)) return &finding;
  }
  return nullptr;
}

struct PartText {
  std::string_view id, before, after;
};

PartText TextOf(Category category) {
  switch (category) {
    case Category::kDataLoader:
      return {"input-bound", "Input-bound: the {{ device.device }} waits for input data for ", ""};
    case Category::kCommunication:
      return {"communication-bound", "Communication-bound: collectives run for ",
              " without computation"};
    case Category::kMemcpy:
      return {"copy-bound", "Copy-bound: only copies run for ", ""};
    case Category::kMemset:
      return {"copy-bound", "Copy-bound: only memsets run for ", ""};
    case Category::kRuntime:
      return {"host-bound",
              "Host-bound: the {{ device.device }} idles while the host is in runtime calls for ",
              ""};
    case Category::kCpu:
      return {"host-bound",
              "Host-bound: the {{ device.device }} idles while operators run on the host for ", ""};
    default:
      return {"idle", "Idle: nothing recorded explains why the {{ device.device }} idles for ", ""};
  }
}

std::string ShareText(double share) { return FormatValue(share, Unit::kShare); }

// "each 178 ms iteration", "the 876 ms of the profile".
std::string WholeText(const Report& report) {
  const Metric* mean = FindMetricById(report, metric::kIterationTimeMean.text());
  const bool has_mean = mean != nullptr && !IsAbsent(mean->quantity.value);
  if (has_mean && report.profile.iterations_total > 1) {
    return fmt::format("each {} iteration", mean->quantity.text);
  }
  return has_mean ? fmt::format("the {} iteration", mean->quantity.text) : "the time";
}

bool NamesADevice(const Report& report) {
  return std::ranges::any_of(report.profile.devices,
                             [](const Device& device) { return !device.name.empty(); });
}

// Without a device there are no peaks, and without these nobody knows whether kernels are fast.
Diagnosis PraiseOrDoubt(const Report& report, double kernels) {
  if (!NamesADevice(report)) {
    return {"unknown",
            TextFor(report.profile,
                    fmt::format("Unknown: kernels run for {} of {}, but whether they are fast is "
                                "unknown: the profile does not name its {{{{ device.device }}}}. "
                                "A file of `devices:` in the policy can name it.",
                                ShareText(kernels), WholeText(report)))};
  }
  std::string text = fmt::format("Nothing large to fix: kernels run for {} of {}",
                                 ShareText(kernels), WholeText(report));
  const Metric* eligible = FindMetricById(report, metric::kTensorCoreEfficiency.text());
  if (eligible != nullptr && !IsAbsent(eligible->quantity.value)) {
    text +=
        TextFor(report.profile,
                fmt::format(", and {} of eligible kernel time uses {{{{ device.matrix_units }}}}",
                            eligible->quantity.text));
  }
  return {"none", text + "."};
}

Diagnosis OfBreakdown(const Report& report) {
  double kernels = 0, most = kDiagnosisLeastShare.value();
  std::optional<Category> largest;
  for (const BreakdownPart& part : Breakdown(report)) {
    const double share = AsNumber(part.share->quantity.value, 0);
    if (part.category == Category::kTensorCoreKernel || part.category == Category::kOtherKernel) {
      kernels += share;
    } else if (share > most) {
      most = share;
      largest = part.category;
    }
  }
  if (kernels >= kDiagnosisMostlyKernels.value()) return PraiseOrDoubt(report, kernels);
  if (!largest) return {};
  const bool is_idle =
      *largest == Category::kRuntime || *largest == Category::kCpu || *largest == Category::kOther;
  const Finding* idle = is_idle ? FindByRule(report, "gpu/idle") : nullptr;
  if (idle != nullptr) return OfFinding(*idle);
  const PartText words = TextOf(*largest);
  return {std::string(words.id),
          TextFor(report.profile, words.before) +
              fmt::format("{} of {}{}.", ShareText(most), WholeText(report), words.after)};
}

// The reason that leaves the verdict undecided, with the metric's title in place of its id.
Diagnosis OfReason(const Report& report) {
  std::string reason = report.verdict.reasons.front();
  for (const GateRow& row : report.gate) {
    const bool is_of_row =
        reason.starts_with(row.metric) && reason.size() > row.metric.size() &&
        std::string_view(" :").find(reason[row.metric.size()]) != std::string_view::npos;
    if (row.title.empty() || !is_of_row) continue;
    reason.replace(0, row.metric.size(), row.title);
    break;
  }
  return {"undecided", fmt::format("Not judged: {}.", reason)};
}

// The limit on a change that makes the run fail; nullptr where a finding does, too, or a limit on
// the run's own number.
const GateRow* MissedChange(const Report& report) {
  if (report.verdict.status != State::kFail) return nullptr;
  const bool is_finding = std::ranges::any_of(report.findings, [&report](const Finding& finding) {
    return HasFired(finding) && finding.level == State::kError && !IsSymptom(report, finding);
  });
  if (is_finding) return nullptr;
  const GateRow* missed = nullptr;
  for (const GateRow& row : report.gate) {
    if (row.status != State::kError) continue;
    if (row.change.text.empty()) return nullptr;
    if (missed == nullptr) missed = &row;
  }
  return missed;
}

// The category that most of a longer iteration is in; empty where no category has half of it.
std::string LargestPart(const Report& report) {
  if (!report.comparison || report.comparison->delta <= 0) return {};
  const ComparisonStep* most = nullptr;
  for (const ComparisonStep& step : report.comparison->waterfall) {
    if (step.parent == -1 && (most == nullptr || step.delta > most->delta)) most = &step;
  }
  if (most == nullptr || most->delta * 2 < report.comparison->delta) return {};
  for (const BreakdownPart& part : Breakdown(report)) {
    if (CategoryId(part.category) != most->name) continue;
    return fmt::format(" The largest part: {}, +{} per iteration.", part.title,
                       FormatDuration(static_cast<double>(most->delta)));
  }
  return {};
}

const ComparedMetric* FindCompared(const Report& report, std::string_view id) {
  if (!report.comparison) return nullptr;
  const auto found = std::ranges::find(report.comparison->metrics, id, &ComparedMetric::metric);
  return found == report.comparison->metrics.end() ? nullptr : &*found;
}

// The result of the comparison is the answer, not other possible savings.
Diagnosis OfChange(const Report& report, const GateRow& row) {
  if (const ComparedMetric* metric = FindCompared(report, row.metric);
      metric && IsOfTotal(*metric)) {
    return {
        "regression",
        fmt::format("Worse than the baseline: all iterations together take {} longer, limit {}.",
                    FormatShare(AsNumber(metric->total.value, 0)), row.limit)};
  }
  const bool is_time = row.measured.unit == Unit::kTime;
  return {"regression", fmt::format("Worse than the baseline: {} {}, limit {}.{}",
                                    row.title.empty() ? row.metric : row.title, row.change.text,
                                    row.limit, is_time ? LargestPart(report) : "")};
}

// The last cause of causes. In a report that was read back, causes may form a circle.
const Finding* RootOf(const Report& report, const Finding& finding) {
  const Finding* root = &finding;
  for (std::size_t depth = 0; depth < report.findings.size(); ++depth) {
    const Finding* cause = CauseOf(report, *root);
    if (cause == nullptr) break;
    root = cause;
  }
  return root;
}

// The cause of the error that fails the run and could save most, where no row of the plan removes
// an error.
const Finding* ErrorBesidePlan(const Report& report) {
  if (report.verdict.status != State::kFail) return nullptr;
  const auto is_step = [&report](const Finding& finding) {
    return report.plan && std::ranges::any_of(report.plan->steps, [&finding](const PlanStep& step) {
             return step.fired && std::ranges::find(step.rules, finding.rule) != step.rules.end();
           });
  };
  const Finding* most = nullptr;
  for (const Finding& finding : report.findings) {
    if (!HasFired(finding) || finding.level != State::kError) continue;
    const Finding* root = RootOf(report, finding);
    if (is_step(*root)) return nullptr;
    if (IsAboutProfile(*root)) continue;
    const double saves = AsNumber(root->saves.value.value, 0);
    if (most == nullptr || saves > AsNumber(most->saves.value.value, 0)) most = root;
  }
  return most;
}

}  // namespace

bool IsAboutProfile(const Finding& finding) {
  return finding.rule.starts_with("recording/") || finding.rule == "neuron/profiler-warnings" ||
         finding.rule == "neuron/empty-capture";
}

Diagnosis Diagnose(const Report& report) {
  const bool is_undecided = report.verdict.status == State::kNoVerdict;
  if (is_undecided && !report.verdict.reasons.empty()) return OfReason(report);
  if (const GateRow* missed = MissedChange(report)) return OfChange(report, *missed);
  if (const Finding* error = ErrorBesidePlan(report)) return OfFinding(*error);
  if (const Finding* first = FirstOfPlan(report)) return OfFinding(*first);
  const Metric* mean = FindMetricById(report, metric::kIterationTimeMean.text());
  const double iteration = mean == nullptr ? 0 : AsNumber(mean->quantity.value, 0);
  if (const Finding* most = MostWorth(report, iteration)) return OfFinding(*most);
  return OfBreakdown(report);
}

}  // namespace profgauge::report
