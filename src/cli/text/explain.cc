#include "cli/text/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/communication/blame.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/context/context.h"
#include "analysis/context/iteration_ways.h"
#include "base/errors.h"
#include "base/format.h"
#include "base/text.h"
#include "model/devices.h"
#include "model/summary/summary.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kKernelsPrinted = 40;

std::string Counted(std::size_t count, std::string_view one, std::string_view plural = "s") {
  return fmt::format("{} {}{}", FormatCount(static_cast<std::int64_t>(count)), one,
                     count == 1 ? "" : plural);
}

std::string Head(const analysis::context::RankContext& rank) {
  return fmt::format("{}\n", Printable(rank.profile->source.path));
}

std::string ExplainIterations(const analysis::context::RankContext& rank, JsonList& list) {
  const auto ways = analysis::context::IterationWays(*rank.profile, rank.iterations);
  std::string text = Head(rank);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "  {} by {}; the first way that holds is chosen:\n",
                 Counted(rank.iterations.all.size(), "iteration"),
                 Printable(rank.iterations.source.Text()));
  for (const analysis::context::IterationWay& way : ways) {
    fmt::format_to(out, "  {} {:<18} {}\n", way.chosen ? "*" : " ", way.way,
                   way.found.empty() ? "none" : Printable(way.found));
    fmt::format_to(out, "  {:20} {}\n", "", Printable(way.reason));
    if (!way.pattern.empty() && !way.chosen) {
      fmt::format_to(out, "  {:20} --iteration-marker '{}'\n", "", Printable(way.pattern));
    }
    JsonWriter& row = list.Row();
    row.Field("rank", rank.rank);
    row.Field("way", way.way);
    row.OptionalField("found", way.found);
    row.Key("chosen");
    row.Bool(way.chosen);
    row.Field("reason", way.reason);
    row.OptionalField("iteration_marker", way.pattern);
  }
  return text;
}

/// Launches of one kernel that were judged alike.
struct KernelVerdict {
  std::string_view name;
  analysis::classify::KernelClass verdict;
  std::int64_t launches = 0;
  Ns time = 0;
};

// By kernel and class, longest time first. A name may have several classes, as its operator decides
// where no rule knows the name: then each is a row.
std::vector<KernelVerdict> VerdictsOf(const analysis::context::RankContext& rank) {
  using Key = std::tuple<std::string_view, std::uint16_t, analysis::classify::Tri, bool>;
  std::map<Key, KernelVerdict> sums;
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    const analysis::classify::KernelClass& verdict = rank.classes[row];
    const std::string_view name =
        device.name[row].valid() ? rank.profile->Name(device.name[row]) : "(no name)";
    KernelVerdict& sum = sums[{name, verdict.rule, verdict.tensor_core, verdict.collective}];
    sum.name = name;
    sum.verdict = verdict;
    ++sum.launches;
    sum.time += std::max<Ns>(device.duration[row], 0);
  }
  std::vector<KernelVerdict> verdicts;
  for (auto& [key, sum] : sums) verdicts.push_back(sum);
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  return verdicts;
}

// The rule that decided, else the reason why the operator did.
std::string ReasonOf(const analysis::classify::KernelClass& verdict,
                     const analysis::classify::Knowledge& knowledge) {
  if (verdict.rule != 0)
    return fmt::format("rule {}", analysis::classify::RuleName(verdict.rule, knowledge));
  return verdict.tensor_core == analysis::classify::Tri::kUnknown
             ? "no rule knows the name, and its operator may multiply matrices"
             : "no rule knows the name, and its operator multiplies no matrices";
}

std::string ClassOf(const analysis::classify::KernelClass& verdict) {
  if (verdict.collective)
    return fmt::format("communication ({})", analysis::classify::CollectiveKindId(verdict.kind));
  return fmt::format("Tensor Cores: {}", analysis::classify::TriName(verdict.tensor_core));
}

// The longest kernels come first; the text has kKernelsPrinted of them, the list has all.
std::string ExplainClasses(const analysis::context::RankContext& rank, JsonList& list) {
  std::string text = Head(rank);
  const auto out = std::back_inserter(text);
  const std::vector<KernelVerdict> verdicts = VerdictsOf(rank);
  Ns all = 0;
  for (const KernelVerdict& sum : verdicts) all += sum.time;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const KernelVerdict& sum = verdicts[i];
    const std::string reason = ReasonOf(sum.verdict, rank.knowledge);
    if (i < kKernelsPrinted) {
      const double share =
          all > 0 ? 100.0 * static_cast<double>(sum.time) / static_cast<double>(all) : 0;
      fmt::format_to(out, "  {:5.1f} % of kernel time, {}, {}\n", share,
                     Counted(static_cast<std::size_t>(sum.launches), "launch", "es"),
                     PrintableShort(sum.name));
      fmt::format_to(out, "          {}: {}\n", ClassOf(sum.verdict), reason);
    }
    JsonWriter& row = list.Row();
    row.Field("rank", rank.rank);
    row.Field("kernel", sum.name);
    row.Field("launches", sum.launches);
    row.Field("time", sum.time);
    row.Field("tensor_core", analysis::classify::TriName(sum.verdict.tensor_core));
    row.Key("communication");
    row.Bool(sum.verdict.collective);
    if (sum.verdict.collective)
      row.Field("collective", analysis::classify::CollectiveKindId(sum.verdict.kind));
    if (sum.verdict.rule != 0)
      row.Field("rule", analysis::classify::RuleName(sum.verdict.rule, rank.knowledge));
    row.Field("reason", reason);
  }
  if (verdicts.empty()) text += "  no kernel is recorded\n";
  if (verdicts.size() > kKernelsPrinted) {
    fmt::format_to(out, "  {} more, each shorter; --json has all\n",
                   verdicts.size() - kKernelsPrinted);
  }
  return text;
}

// A group is judged only where all its ranks are here and enough of its calls are matched:
// otherwise the last rank may be one that was not recorded.
std::string GroupText(const analysis::communication::GroupMatch& group) {
  std::string text = fmt::format("  group {}: {} of {} calls matched",
                                 group.name.empty() ? "of all ranks" : Printable(group.name),
                                 group.matched_calls, group.calls);
  if (group.MayBlame()) return text + "; judged\n";
  if (group.size == 1) return text + "; not judged: it has only one rank\n";
  if (!group.point_to_point && !group.complete()) {
    return text + (group.size > 0 ? fmt::format("; not judged: {} of its {} ranks are here\n",
                                                group.present.size(), group.size)
                                  : "; not judged: its size is not recorded\n");
  }
  return text + "; not judged: too few are matched\n";
}

// One sentence: the first of these that applies.
std::string VerdictOf(const analysis::communication::Blame& blame,
                      std::span<const analysis::communication::RankFacts> ranks,
                      const Profile& profile) {
  if (blame.straggler) {
    std::string text = fmt::format("rank {} delays the others", ranks[*blame.straggler].rank);
    if (!blame.cause.empty()) {
      text += fmt::format("; takes longer there: {}",
                          InDeviceWords(blame.cause, DeviceWordsOf(AcceleratorOf({&profile, 1}))));
    }
    return text;
  }
  if (blame.judged_groups == 0) return "no group can be judged";
  if (blame.jitter) return "late ranks change: no single rank causes the waiting";
  if (blame.too_few) return "late in too few calls or iterations to exclude chance";
  return "no rank delays the others";
}

//   group dp: 120 of 120 calls matched; judged
//   rank 0: never last; waited 1.20 s itself
// * rank 1: last in 90 calls, which cost the others 1.20 s; waited 10.0 ms itself
//   rank 1 delays the others; takes longer there: …
Result<std::string> ExplainBlame(std::span<const analysis::context::RankContext> contexts,
                                 JsonList& list) {
  if (contexts.size() < 2) {
    return Fail(UsageError("usage/one-rank", "`--explain blame` compares ranks, and there is one",
                           "give the files or the folder of all ranks"));
  }
  analysis::communication::TimeFacts facts(contexts);
  std::vector<analysis::communication::RankFacts>& ranks = facts.communication;
  const analysis::communication::Matching matching = analysis::communication::MatchFacts(ranks);
  const analysis::communication::Blame blame = analysis::communication::FindBlame(ranks, matching);
  std::string text;
  for (const analysis::communication::GroupMatch& group : matching.groups) text += GroupText(group);
  if (matching.groups.empty()) text += "  no collective is recorded\n";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const analysis::communication::RankLateness& late = blame.ranks[i];
    text += fmt::format("{} rank {}: ", blame.straggler == i ? "*" : " ", ranks[i].rank);
    if (late.last_calls == 0) {
      text += "never last";
    } else {
      text += fmt::format("last in {}, which cost the others {}",
                          Counted(static_cast<std::size_t>(late.last_calls), "call"),
                          FormatDuration(static_cast<double>(late.cost)));
    }
    if (late.once > 0) {
      text += fmt::format(" ({} of it once)", FormatDuration(static_cast<double>(late.once)));
    }
    text += fmt::format("; waited {} itself\n", FormatDuration(static_cast<double>(late.waiting)));
    JsonWriter& row = list.Row();
    row.Field("rank", ranks[i].rank);
    row.Key("straggler");
    row.Bool(blame.straggler == i);
    row.Field("last_calls", late.last_calls);
    row.Field("cost", late.cost);
    row.Field("once", late.once);
    row.Field("waiting", late.waiting);
  }
  return text + fmt::format("  {}\n", VerdictOf(blame, ranks, *contexts.front().profile));
}

}  // namespace

Result<std::string> ExplainDecision(std::string_view decision, std::span<const Profile> ranks,
                                    JsonList& list) {
  for (const Profile& profile : ranks) {
    if (!IsSummary(profile)) continue;
    return Fail(UsageError("usage/conflict",
                           fmt::format("`{}` is a summary, and `--explain` needs the events",
                                       Printable(profile.source.path)),
                           "give the profile that it was made of"));
  }
  PROFGAUGE_TRY(const std::vector<analysis::context::RankContext> contexts,
                analysis::context::FindRankContexts(ranks, analysis::Selection{}));
  if (decision == "blame") return ExplainBlame(contexts, list);
  std::string text;
  for (const analysis::context::RankContext& rank : contexts) {
    if (!text.empty()) text += '\n';
    text += decision == "classes" ? ExplainClasses(rank, list) : ExplainIterations(rank, list);
  }
  return text;
}

}  // namespace profgauge::cli
