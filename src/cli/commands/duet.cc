// `profgauge duet`: runs two commands alternately, and keeps the times of their iterations.
//
//   number   0 1 2 3 4 5 6 7 …      blocks are started A B B A A B B A …
//   side     A B B A A B B A        so a drift of the machine adds as much to A as to B
//
//   OUT/duet.json                   times of all iterations
//   OUT/blocks/002-B.run.json       written by the command: $PROFGAUGE_RUN
//   OUT/blocks/002-B.log            its output
//   OUT/noise_floor.yaml            only with --aa
//
// A block is one start of a command, since starts differ more than the iterations of one start.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/earlier_results.h"
#include "cli/exit_code.h"
#include "cli/file_kind.h"
#include "cli/outputs.h"
#include "cli/shell.h"
#include "gate/constants.h"
#include "gate/duet.h"
#include "model/duet.h"
#include "readers/run_side/document.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUsualBlocks = 10, kUsualSteps = 20, kUsualWarmup = 2;
constexpr std::int64_t kMostBlocks = 1'000;

/// The commands, and how often they run.
struct DuetPlan {
  std::string a, b;
  std::string folder;
  std::int64_t blocks = kUsualBlocks, steps = kUsualSteps, warmup = kUsualWarmup;

  bool IsOfOne() const { return a == b; }
};

Result<DuetPlan> PlanOf(const Options& options) {
  const bool is_of_one = !options.duet_aa.empty();
  const bool has_sides = !options.duet_a.empty() && !options.duet_b.empty();
  const bool has_any = !options.duet_a.empty() || !options.duet_b.empty();
  if (is_of_one ? has_any : !has_sides) {
    return Fail(UsageError("usage/duet", "`duet` needs two commands, or one to compare with itself",
                           "profgauge duet -a \"CMD\" -b \"CMD\" -o duet/, or profgauge duet --aa "
                           "\"CMD\" -o duet/"));
  }
  if (options.out_dir.empty()) {
    return Fail(UsageError("usage/no-output", "`duet` needs a folder to write to",
                           "profgauge duet -a \"CMD\" -b \"CMD\" -o duet/"));
  }
  DuetPlan plan{is_of_one ? options.duet_aa : options.duet_a,
                is_of_one ? options.duet_aa : options.duet_b, options.out_dir};
  plan.blocks = options.blocks.value_or(kUsualBlocks);
  plan.steps = options.block_steps.value_or(kUsualSteps);
  plan.warmup = options.warmup.value_or(kUsualWarmup);
  if (plan.blocks < 3 || plan.blocks > kMostBlocks || plan.steps < 3) {
    return Fail(UsageError(
        "usage/bad-value",
        fmt::format("`duet` needs 3 to {} blocks of 3 iterations or more", kMostBlocks)));
  }
  return plan;
}

/// The longest series of consecutive iterations, up to the requested number: a pause between two
/// segments is not an iteration.
std::vector<Ns> StepsOf(const RunDocument& document, std::int64_t most) {
  std::vector<Ns> longest;
  for (const StepSegment& segment : document.segments) {
    if (segment.lengths.size() > longest.size()) longest = segment.lengths;
  }
  if (static_cast<std::int64_t>(longest.size()) > most) {
    longest.resize(static_cast<std::size_t>(most));
  }
  return longest;
}

Error BlockError(const DuetPlan& plan, std::string code, std::string message, std::string help) {
  return InputError(plan.folder, std::move(code), std::move(message), std::move(help));
}

/// Runs a command once, waits for it, and takes the times that it wrote. Environment of the
/// command: PROFGAUGE_RUN (the file to write), PROFGAUGE_STEPS (how many iterations are wanted),
/// PROFGAUGE_SIDE (A or B). The document of an earlier duet is removed first: a command that writes
/// none would else be timed by it. Errors: kInput "duet/command-failed", "duet/no-times".
Result<DuetBlock> RunBlock(const DuetPlan& plan, std::int64_t number, bool is_b, DuetSide& side) {
  const std::string name = fmt::format("{:03}-{}", number, is_b ? "B" : "A");
  const fs::path folder = fs::path(plan.folder) / "blocks";
  const std::string run = (folder / (name + ".run.json")).string();
  const std::string log = (folder / (name + ".log")).string();
  std::error_code code;
  fs::remove(run, code);
  PROFGAUGE_TRY(const int exit_code,
                RunInShell(is_b ? plan.b : plan.a,
                           {{"PROFGAUGE_RUN", fs::absolute(run).string()},
                            {"PROFGAUGE_STEPS", std::to_string(plan.warmup + plan.steps)},
                            {"PROFGAUGE_SIDE", is_b ? "B" : "A"}},
                           log));
  if (exit_code != 0) {
    return Fail(BlockError(
        plan, "duet/command-failed",
        fmt::format("block {} of {} ended with exit code {}", number, is_b ? "B" : "A", exit_code),
        "its output is in " + Printable(log)));
  }
  const auto text = ReadSmallFile(run, readers::kMostRunBytes);
  auto reading = text ? readers::ReadRunDocument(*text) : readers::RunReading{};
  const std::vector<Ns> steps =
      reading.document ? StepsOf(*reading.document, plan.warmup + plan.steps) : std::vector<Ns>();
  if (static_cast<std::int64_t>(steps.size()) < plan.warmup + 3) {
    const std::string why = !text ? "the command wrote no times of iterations"
                            : reading.problems.empty()
                                ? fmt::format(
                                      "the command timed {} iterations, after its own "
                                      "warm-up: {} are needed",
                                      steps.size(), plan.warmup + 3)
                                : reading.problems.front().text;
    return Fail(BlockError(plan, "duet/no-times", why,
                           "time them with `profgauge.torch.StepClock(warmup=2)`, or write "
                           "`profgauge.run` (`profgauge schema run`) to $PROFGAUGE_RUN"));
  }
  side.commit = reading.document->commit;
  side.work = reading.document->work;
  return DuetBlock{is_b, number, steps};
}

// Every second pair is turned: the order is A B B A.
Result<Duet> RunAll(const DuetPlan& plan, Console& console) {
  Duet duet;
  duet.order = "ABBA";
  duet.process = DuetProcess::kRestarted;
  duet.warmup = plan.warmup;
  const auto all = 2 * plan.blocks;
  for (std::int64_t number = 0; number < all; ++number) {
    const bool is_turned = number / 2 % 2 == 1;
    const bool is_b = (number % 2 == 1) != is_turned;
    console.Progress("running", is_b ? "B" : "A", static_cast<std::uint64_t>(number),
                     static_cast<std::uint64_t>(all));
    PROFGAUGE_TRY(DuetBlock block, RunBlock(plan, number, is_b, is_b ? duet.b : duet.a));
    duet.blocks.push_back(std::move(block));
  }
  console.ClearProgress();
  return duet;
}

/// Part of a policy: the noise of this machine's runs. Not below the minimum of a floor.
std::string FloorPolicy(const gate::DuetPower& power) {
  const double tenth = std::ceil(power.starts * 1000) / 10;
  return fmt::format(
      "# Noise between starts, as `profgauge duet --aa` measured it on this machine.\n"
      "schema: 1\nbaseline:\n  noise_floor: {:.1f}%\n",
      std::max(0.1, tenth));
}

}  // namespace

Result<int> RunDuet(const Options& options, Console& console) {
  PROFGAUGE_TRY(const DuetPlan plan, PlanOf(options));
  Outputs outputs(KeptBy(options));
  PROFGAUGE_CHECK(outputs.MakeDirectory((fs::path(plan.folder) / "blocks").string()));
  const std::string path = (fs::path(plan.folder) / readers::kDuetName).string();
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(path, FileKind::kDuet));
  std::optional<std::size_t> floor;
  const std::string floor_path = (fs::path(plan.folder) / "noise_floor.yaml").string();
  if (plan.IsOfOne()) {
    PROFGAUGE_TRY(floor, outputs.Open(floor_path, FileKind::kDuet));
  }
  PROFGAUGE_TRY(const Duet duet, RunAll(plan, console));
  PROFGAUGE_CHECK(outputs.Commit(output, readers::WriteDuet(duet)));
  console.Say(fmt::format("wrote {} ({} blocks)", Printable(path), duet.blocks.size()));
  if (!plan.IsOfOne()) {
    console.Say(fmt::format("help: `profgauge check {}` judges it", Printable(plan.folder)));
    return kExitPass;
  }
  PROFGAUGE_TRY(const gate::DuetPairs pairs, gate::PairsOf(duet));
  const gate::DuetPower power = gate::MeasureDuet(pairs);
  PROFGAUGE_CHECK(outputs.Commit(*floor, FloorPolicy(power)));
  console.Print(gate::DuetPowerText(power) + "\n");
  console.Say(fmt::format("wrote {}: extend it in the policy", Printable(floor_path)));
  return kExitPass;
}

}  // namespace profgauge::cli
