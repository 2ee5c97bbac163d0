#include "report/build_profile.h"

#include "base/byte_source.h"
#include "base/whole.h"
#include "report/build_comparison.h"
#include "report/build_sections.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>

#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/time_columns.h"
#include "analysis/iterations/iterations.h"
#include "analysis/iterations/markers.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "model/devices.h"
#include "model/run_side.h"

namespace profgauge::report {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The format of a version in the profile.
enum class Coding : std::uint8_t {
  kText,
  kCuda,  ///< 12040 is 12.4.
  kHip,   ///< 60232831 is 6.2.32831.
};

struct VersionFact {
  std::string_view key, title;
  Coding coding = Coding::kText;
};
constexpr std::array<VersionFact, 10> kVersions = {{
    {"cuda_runtime_version", "CUDA runtime", Coding::kCuda},
    {"cuda_driver_version", "CUDA driver", Coding::kCuda},
    {"driver_version", "Driver", Coding::kText},
    {"cupti_version", "CUPTI", Coding::kText},
    {"hip_runtime_version", "HIP runtime", Coding::kHip},
    {"hip_driver_version", "HIP driver", Coding::kHip},
    {"roctracer_version", "roctracer", Coding::kText},
    {"rocprofiler_version", "rocprofiler", Coding::kText},
    {"nccl_version", "NCCL", Coding::kText},
    {"python_version", "Python", Coding::kText},
}};

// Facts about the file format instead of the run.
constexpr std::array<std::string_view, 3> kFormatFacts = {"displayTimeUnit", "baseTimeNanoseconds",
                                                          "schemaVersion"};

// Decodes a version. Vendors write versions as one number:
//
//     12040       CUDA    1000 * major + 10 * minor                      12.4
//     60232831    HIP     10 000 000 * major + 100 000 * minor + patch   6.2.32831
//
// Other texts stay unchanged.
std::string Decoded(const std::string& text, Coding coding) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (coding == Coding::kText || parsed.ec != std::errc() || number <= 0 ||
      parsed.ptr != text.data() + text.size()) {
    return text;
  }
  if (coding == Coding::kCuda) return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  return fmt::format("{}.{}.{}", number / 10'000'000, number / 100'000 % 100, number % 100'000);
}

// Facts of all ranks: equal values once, different ones as a list with the ranks.
Pairs MergedFacts(std::span<const Profile> ranks) {
  Pairs merged;
  std::map<std::string, std::size_t, std::less<>> places;
  for (const Profile& profile : ranks) {
    for (const auto& [key, text] : profile.facts) {
      const auto [place, is_new] = places.emplace(key, merged.size());
      if (is_new) {
        merged.emplace_back(key, text);
        continue;
      }
      std::string& values = merged[place->second].second;
      if (("; " + values + "; ").find("; " + text + "; ") == std::string::npos) {
        values += "; " + text;
      }
    }
  }
  return merged;
}

std::string_view Find(const Pairs& facts, std::string_view key) {
  const auto it =
      std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == key; });
  return it == facts.end() ? std::string_view{} : it->second;
}

std::string FrameworkOf(const Pairs& facts) {
  const std::string name(Find(facts, "Framework"));
  const std::string torch(Find(facts, "pytorch_version"));
  if (!torch.empty()) return "PyTorch " + torch;
  const std::string version(Find(facts, "framework_version"));
  return version.empty() || name.empty() ? name : name + " " + version;
}

bool IsFrameworkFact(std::string_view key) {
  return key == "Framework" || key == "pytorch_version" || key == "framework_version";
}

bool IsVersionFact(std::string_view key) {
  return std::any_of(kVersions.begin(), kVersions.end(),
                     [&](const VersionFact& version) { return version.key == key; });
}

bool IsFormatFact(std::string_view key) {
  return std::find(kFormatFacts.begin(), kFormatFacts.end(), key) != kFormatFacts.end();
}

constexpr std::size_t kMostDevices = 4'096;

// The GPUs that have work, else those that the profiles name.
std::vector<Device> DevicesOf(const BuildInput& input) {
  std::vector<Device> devices;
  if (const Table* gpus = input.analysis->FindTable("gpus"); gpus != nullptr && gpus->rows() > 0) {
    for (std::size_t row = 0; row < gpus->rows(); ++row) {
      Device& device = devices.emplace_back();
      device.rank = AsWhole(gpus->At(row, "rank"), 0);
      device.id = AsWhole(gpus->At(row, "id"), -1);
      const Value name = gpus->At(row, "name");
      if (!IsAbsent(name)) device.name = FormatValue(name, Unit::kText);
    }
    return devices;
  }
  std::int64_t position = 0;
  for (const Profile& profile : input.ranks) {
    const std::int64_t rank = profile.distributed.rank >= 0 ? profile.distributed.rank : position;
    for (const Gpu& gpu : profile.gpus) devices.push_back({rank, gpu.id, gpu.name});
    ++position;
  }
  return devices;
}

// Date as ISO 8601 in UTC; empty for origins that count from boot or another start.
std::string CaptureDate(std::int64_t origin_ns) {
  if (!IsDate(origin_ns)) return {};
  const std::int64_t seconds = origin_ns / 1'000'000'000;
  namespace chrono = std::chrono;
  const chrono::sys_seconds time{chrono::seconds(seconds)};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", int{date.year()},
                     unsigned{date.month()}, unsigned{date.day()}, clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

// "; the last 2 left out as incomplete"; empty if none is, or if others are excluded as well.
std::string LeftOutText(const analysis::Analysis& analysis) {
  const Table* others = analysis.FindTable("other_iterations");
  const std::int64_t left_out = analysis.iterations_total - analysis.iterations_selected -
                                static_cast<std::int64_t>(others == nullptr ? 0 : others->rows());
  const bool is_tail = std::any_of(analysis.remarks.begin(), analysis.remarks.end(),
                                   [](const analysis::Remark& remark) {
                                     return remark.id == "incomplete-iterations" ||
                                            remark.id == analysis::iterations::kIterationsLost;
                                   });
  const bool is_head = std::any_of(analysis.remarks.begin(), analysis.remarks.end(),
                                   [](const analysis::Remark& remark) {
                                     return remark.id == analysis::iterations::kIncompleteStart;
                                   });
  if (is_head && left_out > 0) {
    return fmt::format("; {} excluded as incomplete", FormatCount(left_out));
  }
  if (!is_tail || left_out <= 0) return {};
  return left_out == 1
             ? "; the last is excluded as incomplete"
             : fmt::format("; the last {} are excluded as incomplete", FormatCount(left_out));
}

// "all 12 iterations", "iterations 3 to 9 of 12", "7 of 12 iterations".
std::string SelectionText(const analysis::Analysis& analysis) {
  const std::int64_t total = analysis.iterations_total, selected = analysis.iterations_selected;
  if (analysis.iteration_source.by == IterationsBy::kRange) {
    return fmt::format(
        "{} from {} on",
        FormatDuration(static_cast<double>(analysis.window_end - analysis.window_start)),
        FormatDuration(static_cast<double>(analysis.window_start)));
  }
  if (analysis.iteration_source.by == IterationsBy::kUndivided)
    return "whole profile as one iteration";
  if (total == 0) return "no iterations";
  if (total == 1 && selected == total) return "the only iteration";
  if (selected == total) return fmt::format("all {} iterations", FormatCount(total));
  std::int64_t first = -1, last = -1;
  std::string first_label, last_label;
  const Table* table = analysis.FindTable("iterations");
  const Column* index =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kIterations>(table, "index"_col);
  const Column* name =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kIterations>(table, "name"_col);
  for (std::size_t row = 0; index != nullptr && row < index->size(); ++row) {
    const std::int64_t number = index->IntegerAt(row);
    const bool named = name != nullptr && row < name->size() && !name->IsAbsentAt(row);
    const std::string label = analysis::iterations::IterationLabel(
        analysis.iteration_source, named ? table->strings()[name->TextAt(row)] : std::string_view{},
        number);
    if (row == 0 || number < first) {
      first = number;
      first_label = label;
    }
    if (row == 0 || number > last) {
      last = number;
      last_label = label;
    }
  }
  if (first < 0 || last - first + 1 != selected) {
    return fmt::format("{} of {} iterations", FormatCount(selected), FormatCount(total));
  }
  if (selected == 1) return fmt::format("iteration {} of {}", first_label, FormatCount(total));
  return fmt::format("iterations {} to {} of {}", first_label, last_label, FormatCount(total));
}

}  // namespace

namespace {

// "iterations 200 to 400 of 939", if a file without events has the range of its numbers.
std::string StatedSelection(const Reported& reported, const analysis::Analysis& analysis) {
  const auto [recorded, start, stop] = reported.iterations;
  const std::int64_t total = analysis.iterations_total, selected = analysis.iterations_selected;
  if (start < 0 || stop - start + 1 != selected || selected >= total) return {};
  return fmt::format("iterations {} to {} of {}", FormatCount(start), FormatCount(stop),
                     FormatCount(total));
}

}  // namespace

// Removes one kind of suffix after the other, from the right:
//
//     out/run7.worker0.1623143089861.pt.trace.json.gz
//     without folders and suffixes      run7.worker0.1623143089861
//     without the time stamp            run7.worker0
//     without the worker or rank        run7
//
// If nothing would remain, the name keeps its worker or stays whole.
std::string RunNameOf(std::string_view path) {
  if (path == kExampleProfile) return "example";
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  std::string name(path.substr(path.find_last_of('/') + 1));
  const std::string whole = name;
  static const RE2 kSuffix(
      R"((?i)(\.run\.json|\.(gz|json|jsonl|log|trace|pt|zip|sqlite|nsys-rep|db|csv|pgsum))+$)");
  static const RE2 kStamp(R"([._]\d{9,}$)");
  static const RE2 kWorker(R"((?i)[._-]*(worker|rank)[._-]?\d+$)");
  RE2::Replace(&name, kSuffix, "");
  RE2::Replace(&name, kStamp, "");
  const std::string with_worker = name;
  RE2::Replace(&name, kWorker, "");
  if (!name.empty()) return name;
  return with_worker.empty() ? whole : with_worker;
}

std::string DecodedVersion(std::string_view fact, const std::string& text) {
  for (const VersionFact& version : kVersions) {
    if (version.key == fact) return Decoded(text, version.coding);
  }
  return text;
}

ProfileInfo BuildProfileInfo(const BuildInput& input) {
  const analysis::Analysis& analysis = *input.analysis;
  const Profile& first = input.ranks.front();
  const Pairs facts = MergedFacts(input.ranks);
  ProfileInfo info;
  info.name = input.run_name.empty() ? RunNameOf(first.source.path) : input.run_name;
  for (const Profile& profile : input.ranks) info.sources.push_back(profile.source.path);
  info.format = first.source.format;
  info.dialect = first.source.dialect;
  // One file may contain sums of many ranks.
  const analysis::Metric* ranks = analysis.Find(metric::kProfileRanks);
  info.ranks = std::max(static_cast<std::int64_t>(input.ranks.size()),
                        ranks == nullptr ? 0 : AsWhole(ranks->value, 0));
  info.devices = DevicesOf(input);
  if (info.devices.size() > kMostDevices) {
    info.more_devices = static_cast<std::int64_t>(info.devices.size() - kMostDevices);
    info.devices.resize(kMostDevices);
  }
  info.accelerator = AcceleratorId(profgauge::AcceleratorOf(input.ranks));
  info.framework = FrameworkOf(facts);
  for (const VersionFact& version : kVersions) {
    const std::string text(Find(facts, version.key));
    if (!text.empty()) info.versions.emplace_back(version.title, Decoded(text, version.coding));
  }
  info.captured = CaptureDate(first.origin_ns + first.first);
  info.iteration_source = analysis.iteration_source;
  info.iterations_total = analysis.iterations_total;
  info.iterations_selected = analysis.iterations_selected;
  info.selection = IsOfTimes(first) ? std::string("times without a profile")
                                    : SelectionText(analysis) + LeftOutText(analysis);
  if (const std::string stated = StatedSelection(first.reported, analysis); !stated.empty()) {
    info.selection = stated;
  }
  return info;
}

Pairs BuildEnvironment(std::span<const Profile> ranks) {
  Pairs environment;
  for (const auto& [key, text] : MergedFacts(ranks)) {
    if (!IsVersionFact(key) && !IsFrameworkFact(key) && !IsFormatFact(key)) {
      environment.emplace_back(key, text);
    }
  }
  const DistributedInfo& distributed = ranks.front().distributed;
  if (!distributed.backend.empty()) environment.emplace_back("backend", distributed.backend);
  if (distributed.world_size >= 0) {
    environment.emplace_back("world_size", fmt::format("{}", distributed.world_size));
  }
  return environment;
}

Pairs BuildProvenance(const BuildInput& input) {
  Pairs provenance;
  std::size_t position = 0;
  for (const Profile& profile : input.ranks) {
    const std::string key = input.ranks.size() == 1 ? "input" : fmt::format("input {}", position++);
    provenance.emplace_back(key, profile.source.hash);
  }
  if (input.policy != nullptr) {
    provenance.emplace_back("policy", input.policy->name);
    provenance.emplace_back("rules", input.policy->hash);
  }
  if (!input.rules_hash.empty()) provenance.emplace_back("rule files", input.rules_hash);
  for (const auto& [name, value] : input.options) provenance.emplace_back("option " + name, value);
  return provenance;
}

}  // namespace profgauge::report
