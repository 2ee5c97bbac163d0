#include "report/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/diagnosis.h"
#include "knowledge/plan.h"
#include "knowledge/usual.h"
#include "model/category.h"
#include "model/import_log.h"
#include "report/labels.h"

namespace profgauge::report {
namespace {

using knowledge::kDiagnosisCovers;
using knowledge::kDiagnosisLeastShare;
using knowledge::kDiagnosisMostlyKernels;
using knowledge::kDiagnosisOfBound;

struct Class {
  std::string_view rules;  // An id, or a category with a slash.
  std::string_view id, word;
  int sentences = 1;  // Number of sentences from the finding's message.
};

// The first match counts. Without a match or word, the rule's title is used.
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
    {"compute/layout-conversions", "slow-kernels", ""},
    {"compute/device-copies", "slow-kernels", ""},
    // Messages that name operators in their second sentence.
    {"compute/few-tiles", "slow-kernels", "", 2},
    {"compute/partial-tiles", "slow-kernels", "", 2},
    {"compute/skinny-products", "slow-kernels", "", 2},
    {"compute/attention-shape", "slow-kernels", "", 2},
    {"compute/slow-convolutions", "slow-kernels", "", 2},
    {"compute/experts", "slow-kernels", "", 2},
    {"compute/slow-elementwise", "slow-kernels", "", 2},
    {"compute/unfused-elementwise", "slow-kernels", ""},
    {"tensorcore/unaligned-loads", "slow-kernels", "", 2},
    {"compute/", "compute-bound", "Compute-bound"},
    {"tensorcore/", "compute-bound", "Compute-bound"},
    {"shapes/", "compute-bound", "Compute-bound"},
    {"gpu/idle", "idle", "Idle", 2},  // The second sentence has the main cause.
    {"gpu/idle-stated", "idle", "Idle"},
});

// Returns the first `count` sentences of a text, e.g. of "1.50 ms per call. The rest …". Periods in
// backticks end no sentence.
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

// True for texts with a heading: "First calls: …", one or two words before a colon.
bool HasOwnHead(std::string_view text) {
  const std::string_view head = text.substr(0, text.find(": "));
  return head.size() < text.size() && std::ranges::count(head, ' ') <= 1 &&
         head.find_first_of(".`") == head.npos;
}

double ShareOf(const Report& report, Category category) {
  for (const BreakdownPart& part : Breakdown(report)) {
    if (part.category == category) return AsNumber(part.share->quantity.value, 0);
  }
  return 0;
}

double KernelShare(const Report& report) {
  return ShareOf(report, Category::kTensorCoreKernel) + ShareOf(report, Category::kOtherKernel);
}

double IterationOf(const Report& report) {
  const Metric* mean = FindMetricById(report, metric::kIterationTimeMean.text());
  return mean == nullptr ? 0 : AsNumber(mean->quantity.value, 0);
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

// "each 178 ms iteration"; "an average iteration of 178 ms" if the typical one is shorter.
std::string WholeText(const Report& report) {
  const Metric* mean = FindMetricById(report, metric::kIterationTimeMean.text());
  const bool has_mean = mean != nullptr && !IsAbsent(mean->quantity.value);
  if (has_mean && report.profile.iterations_total > 1) {
    const Metric* median = FindMetricById(report, metric::kIterationTimeMedian.text());
    const double typical = median == nullptr ? 0 : AsNumber(median->quantity.value, 0);
    const bool is_skewed = typical > 0 && AsNumber(mean->quantity.value, 0) >
                                              (1 + knowledge::kUsualMinor.value()) * typical;
    return is_skewed ? "an average iteration of " + mean->quantity.text
                     : fmt::format("each {} iteration", mean->quantity.text);
  }
  return has_mean ? fmt::format("the {} iteration", mean->quantity.text) : "the time";
}

bool NamesADevice(const Report& report) {
  return std::ranges::any_of(report.profile.devices,
                             [](const Device& device) { return !device.name.empty(); });
}

bool EndsEarly(const Report& report) {
  return std::ranges::any_of(report.import, [](const ImportCounter& counter) {
    return counter.name == InfoOf(Counter::truncated).name;
  });
}

// The word of a class describes the whole run. It is omitted for a finding about a part: the host
// if kernels run most of the time, or kernels that take less than half of their time.
Diagnosis OfFinding(const Report& report, const Finding& finding) {
  const auto found = std::ranges::find_if(kClasses, [&finding](const Class& of) {
    return of.rules.ends_with('/') ? finding.rule.starts_with(of.rules) : finding.rule == of.rules;
  });
  const bool is_known = found != kClasses.end();
  Diagnosis out;
  out.finding = finding.key.empty() ? finding.rule : finding.key;
  out.bottleneck = is_known ? std::string(found->id) : "other";
  const double copies = ShareOf(report, Category::kMemcpy);
  if (out.bottleneck == "copy-bound" && copies > 0) {
    const PartText words = TextOf(Category::kMemcpy);
    out.text = fmt::format("{}{} of {}.", words.before, ShareText(copies), WholeText(report));
    return out;
  }
  const bool is_of_host = out.bottleneck == "host-bound";
  const bool is_of_kernels = out.bottleneck == "compute-bound" || out.bottleneck == "memory-bound";
  const bool is_of_few = is_of_kernels && finding.metric.unit == Unit::kShare &&
                         AsNumber(finding.metric.value, 0) < kDiagnosisCovers.value();
  const bool has_word = is_known && !found->word.empty() && !is_of_few &&
                        !(is_of_host && KernelShare(report) >= kDiagnosisMostlyKernels.value());
  const std::string_view word = has_word ? found->word : std::string_view(finding.title);
  const std::string_view sentence = Sentences(finding.message, is_known ? found->sentences : 1);
  if (HasOwnHead(sentence)) {
    out.text = sentence;
  } else {
    out.text = sentence.empty() ? fmt::format("{}.", word) : fmt::format("{}: {}", word, sentence);
  }
  return out;
}

// The last cause in the chain of causes. In a report that was read, causes may form a cycle.
const Finding* RootOf(const Report& report, const Finding& finding) {
  const Finding* root = &finding;
  for (std::size_t depth = 0; depth < report.findings.size(); ++depth) {
    const Finding* cause = CauseOf(report, *root);
    if (cause == nullptr) break;
    root = cause;
  }
  return root;
}

// True if exposed communication is mostly waiting for other ranks: then it is a symptom of whatever
// delays them.
bool MostlyWaits(const Report& report) {
  const Table* ranks = FindTableById(report, "ranks");
  if (ranks == nullptr) return false;
  double waits = 0, transfers = 0;
  for (std::size_t row = 0; row < ranks->rows(); ++row) {
    waits += AsNumber(ranks->At(row, "waiting_exposed"), 0);
    transfers += AsNumber(ranks->At(row, "transfer_exposed"), 0);
  }
  return waits > 0 && waits >= transfers;
}

// Returns the saving by which candidates are sorted: the low end of a simulation, half of an upper
// bound, 0 if unknown. The high end, like in the plan, if the low end may only be the profiler's,
// or of work that occurs once in a profile without iterations.
double WorthOf(const Report& report, const Finding& finding) {
  const double saves = AsNumber(finding.saves.value.value, 0);
  switch (finding.saves.basis) {
    case rules::Basis::kSimulated:
      if (report.plan && !report.plan->without_profiler.text.empty()) return saves;
      if (report.profile.iteration_source.by == IterationsBy::kUndivided) return saves;
      return AsNumber(finding.saves.low, saves);
    case rules::Basis::kAbout:
      return saves;
    case rules::Basis::kAtMost:
      return kDiagnosisOfBound.Of(saves);
    default:
      return 0;
  }
}

// Returns the findings that may be the headline: causes about the run. If errors fail the run, only
// causes that are an error, or have one among their symptoms.
std::vector<const Finding*> Candidates(const Report& report) {
  std::vector<const Finding*> all, failing;
  const bool fails = report.verdict.status == State::kFail;
  const bool waits = MostlyWaits(report);
  for (const Finding& finding : report.findings) {
    if (!HasFired(finding) || IsAboutProfile(finding) || IsSymptom(report, finding)) continue;
    all.push_back(&finding);
    const bool holds_error = std::ranges::any_of(report.findings, [&](const Finding& some) {
      return HasFired(some) && some.level == State::kError && RootOf(report, some) == &finding;
    });
    if (fails && holds_error) failing.push_back(&finding);
  }
  std::vector<const Finding*>& chosen = failing.empty() ? all : failing;
  const auto is_symptom = [waits](const Finding* finding) {
    return waits && finding->rule.starts_with("comm/exposed");
  };
  if (!std::ranges::all_of(chosen, is_symptom)) std::erase_if(chosen, is_symptom);
  return std::move(chosen);
}

// Returns the candidate with the largest saving, if large enough to matter. If none is, returns the
// first error of a run that fails.
const Finding* MostWorth(const Report& report, const std::vector<const Finding*>& candidates) {
  const Finding* most = nullptr;
  double worth = kDiagnosisLeastShare.Of(IterationOf(report));
  for (const Finding* finding : candidates) {
    if (WorthOf(report, *finding) < worth || WorthOf(report, *finding) <= 0) continue;
    if (most != nullptr && WorthOf(report, *finding) == worth) continue;
    most = finding;
    worth = WorthOf(report, *finding);
  }
  if (most != nullptr) return most;
  for (const Finding* finding : candidates) {
    const bool is_error = finding->level == State::kError;
    if (report.verdict.status == State::kFail && is_error) return finding;
  }
  return nullptr;
}

// The finding about work with at least half of the kernel time, if its saving is unknown.
const Finding* MostCovering(const std::vector<const Finding*>& candidates) {
  const Finding* most = nullptr;
  double share = kDiagnosisCovers.value();
  for (const Finding* finding : candidates) {
    const bool is_of_work = finding->rule.starts_with("compute/") ||
                            finding->rule.starts_with("tensorcore/") ||
                            finding->rule.starts_with("shapes/");
    const double covers = AsNumber(finding->metric.value, 0);
    if (!is_of_work || finding->metric.unit != Unit::kShare || covers < share) continue;
    if (most != nullptr && covers == share) continue;
    most = finding;
    share = covers;
  }
  return most;
}

// The headline of a run without a device: the operator with most host time.
Diagnosis OfHost(const Report& report) {
  const Table* ops = FindTableById(report, "ops");
  const double window = IterationOf(report) * static_cast<double>(SummedIterations(report));
  const Diagnosis none{"cpu", "CPU run: no device work was recorded.", {}};
  if (ops == nullptr || window <= 0) return none;
  std::string name;
  double most = 0;
  for (std::size_t row = 0; row < ops->rows(); ++row) {
    const double time =
        AsNumber(ops->At(row, "host_self"), 0) - AsNumber(ops->At(row, "outside_host_self"), 0);
    const Value id = ops->At(row, "name");
    if (!(time > most) || !std::holds_alternative<std::string>(id)) continue;
    most = time;
    name = std::get<std::string>(id);
  }
  if (most <= 0) return {};
  return {"cpu", fmt::format("CPU run: `{}` takes {} of {}.", name,
                             ShareText(std::min(1.0, most / window)), WholeText(report))};
}

bool HasDevice(const Report& report) {
  const Metric* idle = FindMetricById(report, metric::kGpuIdleMean.text());
  return !report.profile.devices.empty() || idle == nullptr || !IsAbsent(idle->quantity.value);
}

// True if a text may end at a place: not inside of brackets or backticks.
bool MayEndAt(std::string_view text, std::size_t at) {
  int depth = 0;
  bool is_code = false;
  for (const char c : text.substr(0, at)) {
    if (c == '`') is_code = !is_code;
    if (!is_code && (c == '(' || c == '[')) ++depth;
    if (!is_code && (c == ')' || c == ']')) --depth;
  }
  return !is_code && depth <= 0;
}

// The first `end` of a clause from `from` on; npos if there is none.
std::size_t FindEnd(std::string_view text, std::string_view end, std::size_t from = 0) {
  std::size_t at = text.find(end, from);
  while (at != text.npos && !MayEndAt(text, at)) at = text.find(end, at + 1);
  return at;
}

// If nothing is large: the parts of the time, and the remaining finding, if any.
Diagnosis OfNothing(const Report& report, const std::vector<const Finding*>& candidates) {
  const double kernels = KernelShare(report);
  if (!NamesADevice(report)) {
    // What names the device may be behind the end of a truncated file.
    const std::string why = EndsEarly(report)
                                ? "the file ends early."
                                : "the profile does not name its {{ device.device }}. "
                                  "A file of `devices:` in the policy can name it.";
    return {"unknown",
            TextFor(report.profile,
                    fmt::format("Unknown: kernels run for {} of {}, but whether they are fast is "
                                "unknown: {}",
                                ShareText(kernels), WholeText(report), why))};
  }
  const bool communicates =
      ShareOf(report, Category::kCommunication) >= kDiagnosisLeastShare.value();
  const std::string text =
      fmt::format("kernels {}run for {} of {}", communicates ? "without communication " : "",
                  ShareText(kernels), WholeText(report));
  // Kernels whose work is unknown may be slow, so they are not praised.
  const Floor floor = report.plan ? report.plan->floor : Floor();
  const std::string& why = floor.absent_because;
  const bool is_of_kernels =
      !IsAbsent(floor.counted.value) &&
      AsNumber(floor.counted.value, 0) < knowledge::kPlanFloorCountedShare.value();
  if (!why.empty() && (is_of_kernels || candidates.empty())) {
    // "evaluate_function: MmBackward0" is one name.
    std::size_t colon = FindEnd(why, ": ");
    if (why.substr(0, colon).find(" can ") == why.npos) colon = why.npos;
    const std::size_t end = std::min({colon, FindEnd(why, "; "), FindEnd(why, ", and ")});
    return {"unknown",
            fmt::format("Unknown: {}, but {} unknown: {}.", text,
                        is_of_kernels ? "whether they are fast is" : "the saving of a change is",
                        why.substr(0, end))};
  }
  if (candidates.empty()) return {"none", fmt::format("Nothing found: {}.", text)};
  const auto most = std::ranges::max_element(
      candidates, {}, [&report](const Finding* finding) { return WorthOf(report, *finding); });
  // A warning without a known saving may be worth much.
  const bool is_known = std::ranges::none_of(candidates, [&](const Finding* finding) {
    return finding->level != State::kInfo && finding->saves.basis != rules::Basis::kSimulated &&
           WorthOf(report, *finding) <= 0;
  });
  return {is_known ? "small" : "unknown",
          fmt::format("{}: {}. The largest finding: {}.",
                      is_known ? "Little to gain" : "Gain unknown", text, (*most)->title)};
}

Diagnosis OfBreakdown(const Report& report, const std::vector<const Finding*>& candidates) {
  double most = kDiagnosisLeastShare.value();
  std::optional<Category> largest;
  for (const BreakdownPart& part : Breakdown(report)) {
    const double share = AsNumber(part.share->quantity.value, 0);
    const bool is_kernel =
        part.category == Category::kTensorCoreKernel || part.category == Category::kOtherKernel;
    if (is_kernel || share <= most) continue;
    most = share;
    largest = part.category;
  }
  if (KernelShare(report) >= 1 - kDiagnosisLeastShare.value() || !largest)
    return Breakdown(report).empty() ? Diagnosis() : OfNothing(report, candidates);
  const bool is_idle =
      *largest == Category::kRuntime || *largest == Category::kCpu || *largest == Category::kOther;
  const Finding* idle = is_idle ? FindByRule(report, "gpu/idle") : nullptr;
  if (idle != nullptr) return OfFinding(report, *idle);
  // If kernels run most of the time, a part that no rule finds large is no bottleneck.
  const bool runs = KernelShare(report) >= kDiagnosisMostlyKernels.value();
  if (runs) return OfNothing(report, candidates);
  const PartText words = TextOf(*largest);
  return {std::string(words.id),
          TextFor(report.profile, words.before) +
              fmt::format("{} of {}{}.", ShareText(most), WholeText(report), words.after)};
}

// Where the first `most` words end; the size of the text if it has no more.
std::size_t EndOfWords(std::string_view text, std::size_t most) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ' && ++words == most) return i;
  }
  return text.size();
}

// The first clauses of a reason as a sentence of at most 18 words; it ends with a clause after
// `name`, with which it begins.
std::string ShortReason(std::string_view reason, std::string_view name) {
  constexpr std::size_t kFewestWords = 4, kMostWords = 18;
  reason = WithoutId(reason);
  for (const std::string_view end : {". ", "; ", ", but uncertain", " (", ": "}) {
    const std::size_t at = FindEnd(reason, end, name.size() + 1);
    // "Median iteration time: …" is not yet a clause.
    const std::string_view head = reason.substr(0, at);
    const bool is_clause = std::ranges::any_of(
        std::initializer_list<std::string_view>{" is ", " are ", " was ", " were "},
        [&](std::string_view verb) { return head.find(verb) != head.npos; });
    if (at != reason.npos && is_clause) reason = head;
  }
  const std::size_t most = EndOfWords(reason, kMostWords);
  if (most == reason.size()) return std::string(reason) + ".";
  const std::size_t fewest = std::max(EndOfWords(reason, kFewestWords), name.size() + 1);
  const auto last_of = [&](std::initializer_list<std::string_view> ends) {
    std::size_t last = 0;
    for (const std::string_view end : ends) {
      for (std::size_t at = FindEnd(reason, end, fewest); at < most;
           at = FindEnd(reason, end, at + 1)) {
        last = std::max(last, at);
      }
    }
    return last;
  };
  std::size_t last = last_of({"; ", " (", ": "});
  if (last == 0) last = last_of({", "});
  if (last != 0) return std::string(reason.substr(0, last)) + ".";
  std::size_t open = most;
  while (open > 0 && !(reason[open] == ' ' && MayEndAt(reason, open))) --open;
  return std::string(reason.substr(0, open > fewest ? open : most)) + " …";
}

std::string TitleOfLimit(const Report& report, const GateRow& row) {
  return TextFor(report.profile, row.title.empty() ? row.metric : row.title);
}

// Replaces the id of a metric by its title, which becomes `name`.
std::string WithTitle(const Report& report, std::string reason, std::string* name = nullptr) {
  for (const GateRow& row : report.gate) {
    const bool is_of_row =
        reason.starts_with(row.metric) && reason.size() > row.metric.size() &&
        std::string_view(" :").find(reason[row.metric.size()]) != std::string_view::npos;
    if (row.title.empty() || !is_of_row) continue;
    const std::string title = TitleOfLimit(report, row);
    reason.replace(0, row.metric.size(), title);
    if (name != nullptr) *name = title;
    break;
  }
  return reason;
}

// The reason that leaves the verdict undecided.
Diagnosis OfReason(const Report& report) {
  std::string name;
  const std::string reason = WithTitle(report, report.verdict.reasons.front(), &name);
  return {"undecided", fmt::format("No verdict: {}", ShortReason(reason, name))};
}

bool IsInPlan(const Report& report, const Finding& finding) {
  return report.plan && std::ranges::any_of(report.plan->steps, [&](const PlanStep& step) {
           return step.fired && std::ranges::find(step.rules, finding.rule) != step.rules.end();
         });
}

// True if a finding of the same family is a step of the plan.
bool IsFamilyInPlan(const Report& report, const Finding& finding) {
  const Finding* root = RootOf(report, finding);
  return std::ranges::any_of(report.findings, [&](const Finding& some) {
    return HasFired(some) && RootOf(report, some) == root && IsInPlan(report, some);
  });
}

std::string WhyNoSaving(const Finding& finding) {
  const bool is_nothing = finding.saves.basis == rules::Basis::kSimulated &&
                          AsNumber(finding.saves.value.value, 1) <= 0;
  return is_nothing ? " (no saving found: other work takes as long)" : "";
}

// " of rank 3", if the number is of one of several ranks; parts of an iteration are of all ranks.
std::string OfWhom(const Report& report, const Finding& finding) {
  const bool is_of_one = report.profile.ranks > 1 && !finding.metric_of.empty();
  return is_of_one ? " of " + finding.metric_of : "";
}

Reason ReasonOfLimit(const Report& report, const GateRow& row) {
  Reason reason;
  reason.code = row.change.text.empty() ? "limit" : "change";
  reason.metric = row.metric;
  const bool is_change = !row.change.text.empty();
  reason.text = fmt::format("{} {} (limit {})", TitleOfLimit(report, row),
                            is_change ? row.change.text : row.measured.text,
                            row.limit.starts_with("≤ ") || row.limit.starts_with("≥ ")
                                ? row.limit.substr(std::string_view("≤ ").size())
                                : row.limit);
  for (const Finding& finding : report.findings) {
    if (!HasFired(finding) || finding.counted_with != row.metric) continue;
    reason.in_plan = IsFamilyInPlan(report, finding);
    if (!reason.in_plan) reason.text += WhyNoSaving(finding);
    break;
  }
  return reason;
}

// Returns one reason per error, as counted; without errors, one per warning. Limits come first,
// then findings by saving, those about the profile last.
std::vector<Reason> ReasonsOf(const Report& report, State level) {
  std::vector<Reason> reasons;
  for (const GateRow& row : report.gate) {
    if (row.status == level && row.counted_with.empty())
      reasons.push_back(ReasonOfLimit(report, row));
  }
  std::vector<const Finding*> findings;
  for (const Finding& finding : report.findings) {
    const bool counts = HasFired(finding) && finding.counted_with.empty();
    if (counts && finding.status == level) findings.push_back(&finding);
  }
  std::ranges::stable_sort(findings, std::ranges::greater(),
                           [&](const Finding* finding) { return WorthOf(report, *finding); });
  std::ranges::stable_sort(findings, {}, [](const Finding* one) { return IsAboutProfile(*one); });
  for (const Finding* finding : findings) {
    Reason reason;
    reason.code = "finding";
    reason.finding = finding->key.empty() ? finding->rule : finding->key;
    reason.text = finding->title;
    if (!finding->metric.text.empty() && !IsAbsent(finding->metric.value))
      reason.text += fmt::format(" ({}{})", finding->metric.text, OfWhom(report, *finding));
    reason.in_plan = IsFamilyInPlan(report, *finding);
    if (!reason.in_plan) reason.text += WhyNoSaving(*finding);
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

// Returns the limit on a change that fails the run. nullptr if a finding or a limit on the run's
// own number also fails.
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

// The category with at least half of the increase of the iteration time; empty if there is none.
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

// True if only parts fail the run.
bool IsFailedByParts(const Report& report) {
  if (PartReasons(report).empty()) return false;
  const auto fails = [](const auto& row) { return row.status == State::kError; };
  return std::ranges::none_of(report.gate, fails) && std::ranges::none_of(report.findings, fails);
}

// The result of the comparison is the headline, not other possible savings.
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

// The headline names the cause of the failure; the plan starts with the largest saving. If these
// differ, the headline mentions it.
Diagnosis OfCause(const Report& report, const Finding& finding) {
  Diagnosis out = OfFinding(report, finding);
  if (!report.plan || report.plan->steps.empty()) return out;
  const PlanStep& first = report.plan->steps.front();
  const Finding* root = RootOf(report, finding);
  const bool is_same = std::ranges::any_of(report.findings, [&](const Finding& some) {
    return std::ranges::find(first.rules, some.rule) != first.rules.end() && HasFired(some) &&
           RootOf(report, some) == root;
  });
  if (is_same) return out;
  double most = AsNumber(finding.saves.value.value, 0);  // Alone, or as a later step.
  for (const PlanStep& step : report.plan->steps) {
    const bool is_own = std::ranges::find(step.rules, finding.rule) != step.rules.end();
    if (is_own) most = std::max(most, AsNumber(step.saves.value.value, 0));
  }
  const double sure = AsNumber(first.saves.low, AsNumber(first.saves.value.value, 0));
  const bool saves_more = finding.saves.basis == rules::Basis::kSimulated && most < sure;
  out.text += fmt::format(" The plan begins with {}: {}.",
                          saves_more ? "a larger saving" : "another cause", first.title);
  return out;
}

Diagnosis Headline(const Report& report) {
  const bool is_undecided = report.verdict.status == State::kNoVerdict;
  if (is_undecided && !report.verdict.reasons.empty()) return OfReason(report);
  if (const GateRow* missed = MissedChange(report)) return OfChange(report, *missed);
  if (IsFailedByParts(report)) {
    return {"regression", fmt::format("Worse than the baseline: {}.", PartReasons(report).front())};
  }
  const std::vector<const Finding*> candidates = Candidates(report);
  if (const Finding* most = MostWorth(report, candidates)) return OfCause(report, *most);
  if (const Finding* most = MostCovering(candidates)) return OfCause(report, *most);
  if (!HasDevice(report) && !Breakdown(report).empty()) return OfHost(report);
  Diagnosis parts = OfBreakdown(report, candidates);
  if (parts.text.empty() && !candidates.empty()) return OfFinding(report, *candidates.front());
  return parts;
}

}  // namespace

std::string_view WithoutId(std::string_view reason) {
  return reason.ends_with(']') ? reason.substr(0, reason.rfind(" [")) : reason;
}

bool IsAboutProfile(const Finding& finding) {
  return finding.rule.starts_with("recording/") || finding.rule == "neuron/profiler-warnings" ||
         finding.rule == "neuron/empty-capture";
}

std::vector<std::string> PartReasons(const Report& report) {
  std::vector<std::string> out;
  if (report.verdict.status != State::kFail) return out;
  constexpr std::string_view kKinds[] = {"kernel ", "operator ", "collective ", "module ",
                                         "benchmark "};
  for (const std::string& reason : report.verdict.reasons) {
    const bool is_part = std::ranges::any_of(kKinds, [&](std::string_view kind) {
      // Matches "kernel gemm: +40 % …" and "kernels: 48 kernels … are all about 30 % slower …".
      const std::string_view word = kind.substr(0, kind.size() - 1);
      return reason.starts_with(kind) || reason.starts_with(std::string(word) + "s: ");
    });
    if (is_part) out.push_back(reason);
  }
  return out;
}

Diagnosis Diagnose(const Report& report) {
  Diagnosis out = Headline(report);
  if (report.verdict.status == State::kNoVerdict) {
    for (const std::string& text : report.verdict.reasons)
      out.reasons.push_back({WithTitle(report, text), "no_verdict", {}, {}, false});
  }
  if (report.verdict.status != State::kNoVerdict || out.reasons.empty()) {
    std::vector<Reason> more = ReasonsOf(report, State::kError);
    for (std::string& text : PartReasons(report)) {
      more.push_back({std::move(text), "change", {}, {}, false});
    }
    if (more.empty()) more = ReasonsOf(report, State::kWarn);
    out.reasons = std::move(more);
  }
  return out;
}

}  // namespace profgauge::report
