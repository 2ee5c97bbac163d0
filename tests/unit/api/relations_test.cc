// Relations between recordings, of all formats: what a change of a recording must and must not
// change in the answer. Which files: support/recording_files.h. A failure prints the relation, the
// file, the seed, and how few rows show it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/drawn_recording.h"
#include "support/judged.h"
#include "support/recording_edit.h"
#include "support/recording_files.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using edit::Answer;
using edit::Difference;
using edit::DifferenceOfJudgement;
using edit::Edit;
using edit::Fact;
using edit::FilesOf;
using edit::IsNightly;
using edit::Judge;
using edit::Kind;
using edit::Ns;
using edit::Random;
using edit::Recorded;
using edit::Rows;
using edit::RunsOf;
using edit::Sets;

constexpr Ns kMs = 1'000'000, kSecond = 1000 * kMs;
constexpr std::uint64_t kSeed = 19;

/// Nothing: the format has no such verb. Empty: the relation holds. Else what differs.
using Broken = std::optional<std::string>;
using Check = std::function<Broken(const Recorded& run, Random& random)>;

/// The answer to the run as the edit writes it, so that only the change makes a difference.
Answer Before(const Recorded& run) { return Judge(run); }

// Compares the run with one that `change` made of it.
enum class Of : std::uint8_t { kAll, kJudgement, kNumbers };
Broken Compared(const Recorded& run, const std::function<bool(Edit&)>& change,
                Of of = Of::kJudgement) {
  const Recorded other = run.Copy();
  for (const auto& [name, edit] : other.files) {
    if (!change(*edit)) return std::nullopt;
  }
  const Answer before = Before(run), after = Judge(other);
  if (of == Of::kAll) return Difference(before, after);
  return of == Of::kNumbers ? edit::DifferenceOfNumbers(before, after)
                            : DifferenceOfJudgement(before, after);
}

Broken First(std::initializer_list<std::function<Broken()>> parts) {
  Broken all;
  for (const auto& part : parts) {
    const Broken broken = part();
    if (!broken) continue;
    all = broken;
    if (!broken->empty()) return broken;
  }
  return all;
}

// --- A: the origin of time, packing, words of later versions.

Broken OriginPackingWords(const Recorded& run, Random&) {
  const auto packed = [&](bool in_parts) -> Broken {
    std::vector<std::pair<std::string, std::string>> files;
    for (const auto& [name, edit] : run.files) {
      const std::string bytes = edit->Bytes();
      if (bytes.starts_with("SQLite")) return std::nullopt;
      const std::size_t third = in_parts ? bytes.size() / 3 : 0;
      std::string gzip;
      if (in_parts) {
        gzip = edit::Gzipped(bytes.substr(0, third)) + edit::Gzipped(bytes.substr(third, third)) +
               edit::Gzipped("");
      }
      files.emplace_back(name, gzip + edit::Gzipped(bytes.substr(2 * third)));
    }
    return DifferenceOfJudgement(Before(run), Judge(files));
  };
  return First({
      [&] {
        return Compared(run, [](Edit& edit) { return edit.Shift(edit.All(), 1'048'576'000); });
      },
      [&] { return packed(false); },
      [&] { return packed(true); },
      [&] { return Compared(run, [](Edit& edit) { return edit.AddWords(); }); },
  });
}

// --- B: times twice as long.

// Metrics that compare a time with a number of ours or of the hardware's.
bool ComparesTimes(std::string_view id) {
  return id == "kernel.short_share" ||     // Shorter than 10 us.
         id == "profiler.delay_time" ||    // 4 us an event.
         id == "launch.wait_share" ||      // Gaps up to a length of ours.
         id == "coverage.backlog_time" ||  // From a length of ours on.
         // What the run itself wrote down.
         id.starts_with("step.") || id.starts_with("run.") || id.ends_with(".unrecorded") ||
         id.starts_with("gpu.idle_cause.") || id.starts_with("critical.") ||
         id.starts_with("what_if.") || id.starts_with("plan.") || id.starts_with("floor.") ||
         id.starts_with("flops.") || id.ends_with("bandwidth") || id.ends_with("efficiency");
}

Broken TimesScale(const Recorded& run, Random&) {
  const Recorded other = run.Copy();
  for (const auto& [name, edit] : other.files) {
    if (!edit->Scale(2)) return std::nullopt;
  }
  const Answer before = Before(run), after = Judge(other);
  if (before.report.is_null()) return Difference(before, after);
  std::string broken;
  for (const auto& [id, metric] : before.Find("/metrics")->as_object()) {
    const std::string_view unit = metric.at("unit").as_string();
    const auto was = before.Metric(id), is = after.Metric(id);
    if (!was || ComparesTimes(id) || (unit != "ns" && unit != "ratio")) continue;
    const double expected = unit == "ns" ? 2 * *was : *was;
    // A replay shortens each segment to a whole nanosecond.
    const double near = unit == "ns" ? 2.0 : 1e-9;
    // Gaps up to the rounding of Ascend's clock are of a length of ours.
    if (is && run.only().format() == "ascend" && std::abs(*is - expected) < 5e-3 * expected)
      continue;
    if (is && std::abs(*is - expected) <= near) continue;
    broken += "\n  " + std::string(id) + ": " + std::to_string(*was) + " → " +
              (is ? std::to_string(*is) : "absent");
  }
  return broken;
}

// --- C: the order of rows.

Broken OrderOfRows(const Recorded& run, Random& random) {
  return Compared(
      run, [&](Edit& edit) { return edit.Shuffle(random); }, Of::kAll);
}

// --- D: numbers of streams, threads, correlations, texts.

Broken Numbers(const Recorded& run, Random& random) {
  const auto far = [](std::int64_t n) { return n > 0 ? n + 50'000'000 : n; };
  return First({
      [&] {
        return Compared(
            run,
            [](Edit& edit) {
              return edit.Relabel(edit::Field::kStream,
                                  [](std::int64_t n) { return n > 0 ? n + 100 : n; });
            },
            Of::kNumbers);
      },
      [&] {
        return Compared(run,
                        [&](Edit& edit) { return edit.Relabel(edit::Field::kCorrelation, far); });
      },
      [&] {
        return Compared(run,
                        [&](Edit& edit) { return edit.Relabel(edit::Field::kOperatorId, far); });
      },
      [&] { return Compared(run, [&](Edit& edit) { return edit.RelabelTexts(random); }); },
  });
}

// --- E: names of ranges that mean nothing.

bool IsKnownWord(const std::string& name) {
  static const std::vector<std::string> kWords = {
      "step", "load",    "optim", "nccl",   "rccl", "hccl",  "gloo",   "dist",   "ddp",
      "fsdp", "for",     "back",  "loss",   "iter", "epoch", "bwd",    "fwd",    "batch",
      "data", "grad",    "train", "valid",  "eval", "model", "layer",  "decode", "prefill",
      "exec", "generat", "all",   "send",   "recv", "broad", "reduce", "gather", "barrier",
      "##",   "sync",    "zero",  "cu",     "copy", "comp",  "run",    "save",   "check",
      "log",  "aten",    "torch", "profil", "wait"};
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const std::string& word) { return lower.find(word) != lower.npos; });
}

Broken MeaninglessNames(const Recorded& run, Random& random) {
  std::string letters = "abcdefghijklmnopqrstuvwxyz";
  std::shuffle(letters.begin(), letters.end(), random);
  return Compared(run, [&](Edit& edit) {
    bool renamed = false;
    for (const std::size_t row : edit.Of({Kind::kRange})) {
      std::string name = edit.NameOf(row);
      if (name.empty() || IsKnownWord(name)) continue;
      for (char& c : name) {
        if (c >= 'a' && c <= 'z') c = letters[static_cast<std::size_t>(c - 'a')];
      }
      if (IsKnownWord(name)) continue;
      renamed = edit.SetName(row, name) || renamed;
    }
    return renamed;
  });
}

// --- F, G: what others write into the file.

Broken UnrelatedEvents(const Recorded& run, Random& random) {
  return Compared(run, [&](Edit& edit) { return edit.AddForeign(random); });
}

Broken LongFirstValue(const Recorded& run, Random&) {
  return Compared(run, [](Edit& edit) { return edit.Pad(70'000); });
}

// --- H: every event twice.

Broken EventsTwice(const Recorded& run, Random&) {
  // A record of Neuron has a number of its own, and its reader adds them up as they are.
  if (run.only().format() == "neuron") return std::nullopt;
  const auto forget = [&] {
    const Recorded bare = run.Copy();
    for (const auto& [name, edit] : bare.files) {
      if (!edit->Forget(Fact::kCorrelation)) return std::optional<Recorded>();
      edit->Forget(Fact::kOperatorId);
    }
    return std::optional<Recorded>(bare);
  };
  return First({
      [&] { return Compared(run, [](Edit& edit) { return edit.Repeat(false); }); },
      [&] { return Compared(run, [](Edit& edit) { return edit.Repeat(true); }); },
      [&]() -> Broken {
        const auto bare = forget();
        if (!bare) return std::nullopt;
        return Compared(*bare, [](Edit& edit) { return edit.Repeat(false); });
      },
  });
}

// --- I: the order of files.

Broken OrderOfFiles(const Recorded& run, Random& random) {
  Recorded other = run.Copy();
  const Answer before = Before(run);
  return First({
      [&]() -> Broken {
        std::shuffle(other.files.begin(), other.files.end(), random);
        return Difference(before, Judge(other));
      },
      [&]() -> Broken { return DifferenceOfJudgement(before, Judge(run, true)); },
  });
}

// --- J: a fact less.

// Findings that fail or warn, and are passed without the fact. Without arrows work belongs to the
// iteration in which it runs (D11). Where that makes other iterations, only errors are compared.
std::string Passed(const Answer& with, const Answer& without) {
  const json::value *before = with.Find("/findings"), *after = without.Find("/findings");
  if (before == nullptr || after == nullptr) return "";
  bool are_iterations_equal = true;
  for (const auto& [id, metric] : with.Find("/metrics")->as_object()) {
    const std::string_view name(id);
    if (!name.starts_with("iteration.") && name != "kernel.count_per_iteration") continue;
    if (with.Metric(id) != without.Metric(id)) are_iterations_equal = false;
  }
  std::map<std::string, std::string> status;
  for (const json::value& finding : after->as_array()) {
    status[std::string(finding.at("key").as_string())] = finding.at("status").as_string();
  }
  std::string passed;
  for (const json::value& finding : before->as_array()) {
    const std::string was(finding.at("status").as_string());
    const std::string key(finding.at("key").as_string());
    static const std::set<std::string> kPasses = {"good", "not_found"};
    const bool is_compared = was == "error" || (was == "warn" && are_iterations_equal);
    if (is_compared && kPasses.contains(status[key])) {
      passed += " " + key + " (" + was + ")";
    }
  }
  return passed;
}

Broken FactForgotten(const Recorded& run, Random&) {
  const Answer before = Before(run);
  std::string broken;
  bool forgot = false;
  for (int i = 0; i < static_cast<int>(Fact::kCount_); ++i) {
    const auto fact = static_cast<Fact>(i);
    const Recorded other = run.Copy();
    bool gone = false;
    for (const auto& [name, edit] : other.files) gone = edit->Forget(fact) || gone;
    if (!gone) continue;
    forgot = true;
    const std::string passed = Passed(before, Judge(other));
    if (!passed.empty()) {
      broken += "\n  without " + std::string(NameOf(fact)) + " pass:" + passed;
    }
  }
  return forgot ? Broken(broken) : std::nullopt;
}

// --- K: the work of devices is not in the file.

Broken NoDeviceEvents(const Recorded& run, Random&) {
  const Recorded other = run.Copy();
  std::size_t calls = 0;
  for (const auto& [name, edit] : other.files) {
    if (!edit->Drop({Kind::kKernel, Kind::kCopy, Kind::kDeviceRange})) return std::nullopt;
    calls += edit->Of({Kind::kCall}).size();
  }
  const auto passes = [](const Recorded& bare, const std::string& what) -> Broken {
    const Answer answer = Judge(bare);
    return answer.exit == 0 ? "\n  exit 0 " + what : std::string();
  };
  return First({
      [&]() -> Broken {
        if (calls == 0) return std::nullopt;
        return passes(other, "without device events");
      },
      [&]() -> Broken {
        if (calls == 0) return std::nullopt;
        for (const auto& [name, edit] : other.files) edit->Forget(Fact::kDeviceList);
        return passes(other, "without device events and list");
      },
      [&]() -> Broken {
        // Words that only a run with a GPU has.
        bool is_evident = false;
        for (const auto& [name, edit] : other.files) {
          edit->Drop({Kind::kCall});
          edit->Forget(Fact::kArrows);
          const std::string bytes = edit->Bytes();
          for (const char* word : {"\"nccl:", "aten::cudnn", "aten::_flash_attention",
                                   "aten::_efficient_attention", "\"backend\":\"nccl\""}) {
            is_evident = is_evident || bytes.find(word) != bytes.npos;
          }
        }
        if (!is_evident) return std::nullopt;
        return passes(other, "without device events, list and calls");
      },
  });
}

// --- L: some of the device's times are of another clock.

// Told, and the iterations are as long as they are; or no verdict by times. A limit on other
// numbers may fail as before.
std::string WrongClock(const Answer& before, const Answer& after, double near) {
  if (after.exit == 3) return "";
  if (after.exit == 1 && before.exit == 0) return "exit 1";
  const std::string text = after.Text();
  if (after.exit == 1 && text.find("clocks of host and device differ") != text.npos) return "";
  const auto was = before.Metric("iteration.time.mean"), is = after.Metric("iteration.time.mean");
  if (!was || !is || std::abs(*is - *was) <= near * *was) return "";
  return "mean " + std::to_string(*was) + " → " + std::to_string(*is) + ", exit " +
         std::to_string(after.exit);
}

Broken OtherClock(const Recorded& run, Random& random) {
  constexpr Ns kDay = Ns{100'000} * kSecond;  // 27.8 h.
  const Answer before = Before(run);
  const Rows works = run.only().Works();
  // Of XLA's works no launch is recorded: an event that is late by milliseconds contradicts
  // nothing.
  const bool has_launches = !run.only().format().starts_with("x");
  std::string broken;
  bool moved = false;
  for (const double share : {0.0, 0.01, 0.04, 0.05, 1.0}) {
    for (const Ns by : {-3 * kMs, 3 * kMs, -kDay, kDay}) {
      // Of a few works a few milliseconds show nothing, and all later is what a slow device is.
      const bool is_little = std::abs(by) < kSecond;
      if (is_little && (works.size() < 100 || !has_launches || share == 1)) continue;
      const Recorded other = run.Copy();
      Rows rows = works;
      std::shuffle(rows.begin(), rows.end(), random);
      const double part = share * static_cast<double>(works.size());
      if (share < 1) rows.resize(std::min(rows.size(), static_cast<std::size_t>(part) + 1));
      if (!other.only().Shift(rows, by)) continue;
      moved = true;
      // Iterations of a device whose clock is another one are as long from start to start.
      const std::string wrong = WrongClock(before, Judge(other), share == 1 ? 0.02 : 0.01);
      if (wrong.empty()) continue;
      broken += "\n  " + std::to_string(rows.size()) + " of " + std::to_string(works.size()) +
                " works by " + std::to_string(by / kMs) + " ms: " + wrong;
    }
  }
  return moved ? Broken(broken) : std::nullopt;
}

// --- M: ranks in one file.

Broken JoinedRanks(const Recorded& run, Random&) {
  // Who writes the rank into each event numbers launches anew; labels of processes keep numbers.
  const auto joined = [&](bool by_process) -> Broken {
    Recorded one;
    std::int64_t rank = 0;
    for (const auto& [name, recorded] : run.files) {
      std::shared_ptr<Edit> edit = recorded->Copy();
      const std::int64_t more = by_process ? 0 : 10'000'000 * rank;
      for (const auto field : {edit::Field::kCorrelation, edit::Field::kOperatorId}) {
        edit->Relabel(field, [&](std::int64_t n) { return n > 0 ? n + more : n; });
      }
      edit->Relabel(edit::Field::kProcess,
                    [&](std::int64_t n) { return n > 1000 ? n + 100'000 * rank : n; });
      if (!edit->Label(rank, by_process)) return std::nullopt;
      if (rank == 0) {
        edit->Forget(Fact::kWorldSize);
        one.files.emplace_back("merged.json", edit);
      } else if (!one.only().Append(*edit)) {
        return std::nullopt;
      }
      ++rank;
    }
    Answer before = Before(run), after = Judge(one);
    for (Answer* answer : {&before, &after}) {
      // Labels do not say how many ranks there were.
      if (by_process && answer->report.is_object()) {
        answer->report.at("metrics").as_object().erase("profile.ranks_missing");
      }
    }
    return Difference(before, after, {"/verdict/status", "/metrics"});
  };
  return First({[&] { return joined(false); }, [&] { return joined(true); }});
}

// --- N: a process of the host beside the ranks.

Broken Coordinator(const Recorded& run, Random&) {
  Recorded other = run.Copy();
  const std::shared_ptr<Edit> host = run.only().Copy();
  if (host->format() != "kineto") return std::nullopt;  // The others have no operators alone.
  if (!host->Drop({Kind::kKernel, Kind::kCopy, Kind::kDeviceRange, Kind::kCall, Kind::kRange,
                   Kind::kOther})) {
    return std::nullopt;
  }
  host->Forget(Fact::kWorldSize);
  host->Forget(Fact::kDeviceList);
  other.files.emplace_back("api_server.pt.trace.json", host);
  return DifferenceOfJudgement(Before(run), Judge(other));
}

// --- O: the last marker has no end, or there is none.

// The last range that marks an iteration.
std::optional<std::size_t> LastMarker(const Edit& edit, const Answer& answer) {
  const json::value* source = answer.Find("/profile/iteration_source");
  if (source == nullptr || !source->is_string()) return std::nullopt;
  std::string family(source->as_string());
  const std::size_t digit = family.find("N");
  family.resize(std::min(digit, family.size()));
  if (family.empty()) return std::nullopt;
  std::optional<std::size_t> last;
  std::size_t found = 0;
  for (const std::size_t row : edit.Of({Kind::kRange})) {
    if (!edit.NameOf(row).starts_with(family)) continue;
    ++found;
    if (!last || *edit.StartOf(row) > *edit.StartOf(*last)) last = row;
  }
  return found >= 3 ? last : std::nullopt;
}

Broken UnfinishedMarker(const Recorded& run, Random&) {
  const auto last = LastMarker(run.only(), Before(run));
  if (!last) return std::nullopt;
  const Recorded open = run.Copy(), without = run.Copy();
  if (!open.only().CutEnd(*last)) return std::nullopt;
  Rows rows = without.only().All();
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(*last));
  without.only().Select(rows);
  const Answer a = Judge(without), b = Judge(open);
  std::vector<std::string> parts = {"/verdict/status"};
  if (a.report.is_object()) {
    for (const auto& [id, metric] : a.Find("/metrics")->as_object()) {
      if (std::string_view(id).starts_with("iteration.")) {
        parts.push_back("/metrics/" + std::string(id) + "/value");
      }
    }
  }
  return Difference(a, b, parts);
}

// --- P: the same run once more, a second later.

Broken RunTwice(const Recorded& run, Random&) {
  const Recorded twice = run.Copy();
  const std::shared_ptr<Edit> later = run.only().Copy();
  const Answer before = Before(run);
  // One without an end lasts to the next.
  const auto marker = LastMarker(run.only(), before);
  if (!marker || run.only().LengthOf(*marker).value_or(0) <= 0) return std::nullopt;
  Ns last = 0;
  for (const std::size_t row : later->All()) {
    if (const auto start = later->StartOf(row)) {
      last = std::max(last, *start + later->LengthOf(row).value_or(0));
    }
  }
  // Whole microseconds: some formats count in them.
  const Ns by = (last - later->First()) / kMs * kMs + kSecond;
  if (!later->Shift(later->All(), by)) return std::nullopt;
  for (const auto field : {edit::Field::kCorrelation, edit::Field::kOperatorId}) {
    later->Relabel(field, [](std::int64_t n) { return n > 0 ? n + 50'000'000 : n; });
  }
  for (const std::size_t row : later->Of({Kind::kRange})) {
    const std::string name = later->NameOf(row);
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == name.size() || digits == 0) continue;
    later->SetName(row,
                   name.substr(0, digits) + std::to_string(std::stol(name.substr(digits)) + 1000));
  }
  if (!twice.only().Append(*later)) return std::nullopt;
  const Answer after = Judge(twice);
  if (before.exit == 3 && after.exit == 3) return "";
  std::string broken;
  for (const char* id :
       {"iteration.time.mean", "iteration.time.median", "iteration.time.min", "iteration.time.max",
        "kernel.count_per_iteration", "launch.count_per_iteration"}) {
    const auto was = before.Metric(id), is = after.Metric(id);
    if (!was || (is && std::abs(*was - *is) <= 1e-9 * *was + 1)) continue;
    broken += "\n  " + std::string(id) + ": " + std::to_string(*was) + " → " +
              (is ? std::to_string(*is) : "absent");
  }
  return broken;
}

// --- R: parts make up the whole.

Broken PartsAndWhole(const Recorded& run, Random&) {
  const Answer answer = Before(run);
  if (answer.report.is_null()) return std::nullopt;
  std::string broken;
  const auto expect = [&](double sum, double whole, const std::string& what) {
    if (std::abs(sum - whole) > 1e-9) {
      broken += "\n  " + what + ": " + std::to_string(sum) + " of " + std::to_string(whole);
    }
  };
  const auto sum_of = [&](std::initializer_list<const char*> ids) -> std::optional<double> {
    double sum = 0;
    for (const char* id : ids) {
      const auto value = answer.Metric(id);
      if (!value) return std::nullopt;
      sum += *value;
    }
    return sum;
  };
  const auto parts =
      sum_of({"breakdown.tensor_core_kernel", "breakdown.other_kernel", "breakdown.memcpy",
              "breakdown.memset", "breakdown.communication", "breakdown.runtime",
              "breakdown.dataloader", "breakdown.cpu", "breakdown.other"});
  if (parts) expect(*parts, 1, "breakdown");
  const auto causes =
      sum_of({"gpu.idle_cause.host_wait", "gpu.idle_cause.dataloader", "gpu.idle_cause.sync",
              "gpu.idle_cause.module_loading", "gpu.idle_cause.capture",
              "gpu.idle_cause.memory_management", "gpu.idle_cause.launch_latency",
              "gpu.idle_cause.queued", "gpu.idle_cause.other"});
  const auto idle = answer.Metric("gpu.idle.mean");
  if (causes && idle) expect(*causes, *idle, "causes of idle time");
  return parts || causes ? Broken(broken) : std::nullopt;
}

// --- S: each iteration alone.

// Lengths add up, counts are their mean, and shares lie between the least and the most.
Broken IterationsAlone(const Recorded& run, Random&) {
  const Answer whole = Before(run);
  const auto count = whole.Metric("profile.iterations");
  if (!count || *count < 2 || *count > 12) return std::nullopt;
  std::vector<Answer> alone;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(*count); ++i) {
    EvaluateOptions one;
    one.iter_start = one.iter_stop = i;
    alone.push_back(Judge(run, false, one));
  }
  std::string broken;
  for (const auto& [key, metric] : whole.Find("/metrics")->as_object()) {
    const std::string id(key);
    const bool is_mean = id == "iteration.time.mean" || id.ends_with(".count_per_iteration");
    const bool is_share = id.starts_with("breakdown.") && !id.ends_with(".time");
    const auto value = whole.Metric(id);
    if (!value || (!is_mean && !is_share)) continue;
    double sum = 0, least = *value, most = *value;
    bool is_known = true, is_first = true;
    for (const Answer& one : alone) {
      const auto part = one.Metric(id);
      is_known = is_known && part.has_value();
      sum += part.value_or(0);
      least = is_first ? part.value_or(0) : std::min(least, part.value_or(0));
      most = is_first ? part.value_or(0) : std::max(most, part.value_or(0));
      is_first = false;
    }
    if (!is_known) continue;
    const double mean = sum / *count;
    const bool holds = is_mean ? std::abs(mean - *value) <= 1 + 1e-9 * *value
                               : *value >= least - 1e-9 && *value <= most + 1e-9;
    if (!holds) {
      broken += "\n  " + id + ": " + std::to_string(*value) + ", alone " + std::to_string(least) +
                " to " + std::to_string(most) + ", mean " + std::to_string(mean);
    }
  }
  return broken;
}

// --- The table of relations, and the files.

struct Relation {
  const char* id;
  Check check;
  bool of_ranks = false;  ///< Of runs with a file a rank.
  bool of_drawn = true;   ///< Also of drawn traces: not all have launches, nor whole iterations.
};

const std::vector<Relation>& Relations() {
  static const std::vector<Relation> kRelations = {
      {"A_OriginPackingWords", OriginPackingWords},
      {"B_TimesScale", TimesScale},
      {"C_OrderOfRows", OrderOfRows},
      {"D_Numbers", Numbers},
      {"E_MeaninglessNames", MeaninglessNames},
      {"F_UnrelatedEvents", UnrelatedEvents},
      {"G_LongFirstValue", LongFirstValue},
      {"H_EventsTwice", EventsTwice},
      {"I_OrderOfFiles", OrderOfFiles, true},
      {"J_FactForgotten", FactForgotten},
      {"K_NoDeviceEvents", NoDeviceEvents},
      {"L_OtherClock", OtherClock, false, false},
      {"M_JoinedRanks", JoinedRanks, true},
      {"N_Coordinator", Coordinator, true},
      {"O_UnfinishedMarker", UnfinishedMarker},
      {"P_RunTwice", RunTwice},
      {"R_PartsAndWhole", PartsAndWhole},
      {"S_IterationsAlone", IterationsAlone},
  };
  return kRelations;
}

constexpr std::string_view kDrawn = "drawn ";

std::string PlainName(const fs::path& path) {
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

/// "drawn 7" is no file, but a trace drawn from this seed.
Recorded Opened(const std::vector<fs::path>& paths, std::string_view format) {
  Recorded run;
  if (paths.front().string().starts_with(kDrawn)) {
    const std::uint64_t seed = std::stoull(paths.front().string().substr(kDrawn.size()));
    run.files.emplace_back("drawn.pt.trace.json", Edit::OfText(edit::DrawnTrace(seed), format));
    return run;
  }
  for (const fs::path& path : paths) {
    run.files.emplace_back(PlainName(path), Edit::Open(path, format));
  }
  return run;
}

/// The run with as few rows as show the same: rows are left out in halves, quarters and so on.
Recorded Smallest(const Recorded& run, const Check& check, std::uint64_t seed) {
  Recorded small = run;
  int tries = 100;
  for (std::size_t part = run.only().size() / 2; part > 0 && tries > 0; part /= 2) {
    for (std::size_t begin = 0; begin < small.only().size() && tries > 0;) {
      Recorded fewer = small.Copy();
      Rows rows = fewer.only().All();
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                 rows.begin() + static_cast<std::ptrdiff_t>(std::min(begin + part, rows.size())));
      Random random(seed);
      --tries;
      const bool shows =
          rows.size() > 1 && fewer.only().Select(rows) && check(fewer, random).value_or("") != "";
      if (shows) {
        small = std::move(fewer);
      } else {
        begin += part;
      }
    }
  }
  return small;
}

/// How few rows show it, in a file of the working folder.
std::string Shown(const Recorded& run, const Relation& relation, std::uint64_t seed) {
  const Recorded small = Smallest(run, relation.check, seed);
  Random random(seed);
  const std::string file = "relation_" + std::string(relation.id) + "_" + small.files[0].first;
  std::ofstream(file, std::ios::binary) << small.only().Bytes();
  return "smallest input: " + fs::absolute(file).string() + ", " +
         std::to_string(small.only().size()) +
         " rows:" + relation.check(small, random).value_or("");
}

class RelationTest : public ::testing::TestWithParam<std::tuple<std::size_t, const char*>> {};

TEST_P(RelationTest, Holds) {
  const Relation& relation = Relations()[std::get<0>(GetParam())];
  const char* format = std::get<1>(GetParam());
  Sets sets = relation.of_ranks ? RunsOf(format) : FilesOf(format);
  const bool is_drawn =
      std::string_view(format) == "kineto" && !relation.of_ranks && relation.of_drawn;
  for (int seed = 1; is_drawn && seed <= (IsNightly() ? 40 : 4); ++seed) {
    sets.insert(sets.begin(), {std::string(kDrawn) + std::to_string(seed)});
  }
  if (sets.empty()) GTEST_SKIP() << "no recordings of " << format << " beside the checkout";
  std::size_t held = 0;
  for (const std::vector<fs::path>& files : sets) {
    const Recorded run = Opened(files, format);
    const std::uint64_t seed = kSeed;
    Random random(seed);
    const Broken broken = relation.check(run, random);
    if (!broken) continue;
    ++held;
    // The first file that has what is changed stands for all.
    const bool is_file = !files.front().string().starts_with(kDrawn);
    if (broken->empty() && is_file && !IsNightly()) break;
    if (broken->empty()) continue;
    std::string text = std::string(relation.id) + " of " + files.front().string() + ", seed " +
                       std::to_string(seed) + ":" + *broken;
    if (!relation.of_ranks && !IsNightly()) text += "\n" + Shown(run, relation, seed);
    ADD_FAILURE() << text;
  }
  if (held == 0) GTEST_SKIP() << format << " has nothing that this changes";
}

std::vector<std::size_t> Indices() {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < Relations().size(); ++i) indices.push_back(i);
  return indices;
}

INSTANTIATE_TEST_SUITE_P(
    Relations, RelationTest,
    ::testing::Combine(::testing::ValuesIn(Indices()),
                       ::testing::Values("kineto", "ascend", "xla_trace", "nsight", "nvprof",
                                         "rocpd", "rocprofv3", "neuron", "xplane", "pftrace")),
    [](const auto& info) {
      return std::string(Relations()[std::get<0>(info.param)].id) + "_" + std::get<1>(info.param);
    });

}  // namespace
}  // namespace profgauge
