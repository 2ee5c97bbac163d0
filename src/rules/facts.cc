#include "rules/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "analysis/classify/collective.h"
#include "analysis/iterations/iteration_ways.h"
#include "analysis/iterations/markers.h"
#include "analysis/trust/workload.h"
#include "base/format.h"
#include "base/interval.h"
#include "base/numbers.h"
#include "knowledge/memory.h"
#include "model/known_names.h"

namespace profgauge::rules {
namespace {

constexpr FactSpec kFacts[] = {
    {"profile.format", Unit::kText, "Format of the profile: kineto, nsight_systems, …"},
    {"profile.iteration_source", Unit::kText,
     "Source of iterations: a marker, a key operator, or `whole profile` if there is none."},
    {"profile.iterations_by", Unit::kText, "Source of iterations, by its kind."},
    {"profile.ignored_markers", Unit::kText,
     "A sentence on markers of iterations that are ignored: the work was launched outside of "
     "them."},
    {"profile.proposed_markers", Unit::kText,
     "If iterations are not marked: ranges of the host that could mark them, with patterns."},
    {"profile.iterations_total", Unit::kCount, "Iterations in the profile, selected or not."},
    {"profile.steady_range", Unit::kText,
     "The proposed steady sub-range, when the selection is unsteady."},
    {"profile.world_size", Unit::kCount, "Ranks of the training, recorded or not."},
    {"profile.ranks_allowed_missing", Unit::kCount,
     "Ranks that may be missing, as the policy says (`ranks: {allow_missing}`)."},
    {"profile.backend", Unit::kText, "Backend of distributed training: nccl, gloo, …"},
    {"profile.ddp", Unit::kBool, "Whether the profile shows DistributedDataParallel."},
    {"profile.fsdp", Unit::kBool, "Whether the profile shows fully sharded data parallelism."},
    {"profile.exposed_collectives", Unit::kText,
     "Largest kind of exposed communication, with its share, on the rank that loses most time to "
     "it."},
    {"profile.graph_capture", Unit::kBool,
     "Whether launches were captured into a graph while recording: they run once."},
    {"profile.framework", Unit::kText,
     "Framework of the program: pytorch, tensorflow, xla, tensorrt; none if the profile would show "
     "one."},
    {"profile.workload", Unit::kText,
     "Kind of the run by names: training, decode, prefill, mixed, diffusion, inference, benchmark, "
     "capture."},
    {"profile.in_graphs", Unit::kBool, "Whether launches of graphs run most kernels."},
    {"profile.loads_data", Unit::kBool, "Whether a data loader feeds the run."},
    {"profile.image_work", Unit::kText,
     "Host function or operator with the most time that decodes or resizes images, of the first "
     "rank; absent without a loader."},
    {"profile.image_time", Unit::kTime,
     "Time of its host in all of these, summed over threads; absent without any."},
    {"profile.uses_dali", Unit::kBool,
     "Whether a name in the profile shows DALI or rocAL, which decode images on the device."},
    {"profile.uses_xla", Unit::kBool,
     "Whether a name in the profile is of XLA compiling code of TensorFlow."},
    {"profile.uses_fused_optimizer", Unit::kBool,
     "Whether a name in the profile is of a fused Adam or SGD, whose step is few kernels."},
    {"profile.runs_compiled", Unit::kBool,
     "Whether a name in the profile is of a graph that PyTorch compiled."},
    {"profile.has_torch_compile", Unit::kBool,
     "False if the profile is older than PyTorch 2.0, which introduced torch.compile."},
    {"profile.gc_time", Unit::kTime,
     "Time in Python's garbage collector, where Python functions or collections were recorded."},
    {"profile.pairs_memory", Unit::kBool,
     "Whether operators free the device memory that they allocate, as without a caching "
     "allocator."},
    {"profile.empties_cache", Unit::kBool,
     "Whether a function named empty_cache was recorded; absent without Python functions."},
    {"profile.loads_in_process", Unit::kBool,
     "Whether PyTorch's loader loads batches in the training process (`num_workers=0`); absent "
     "without a loader."},
    {"profile.makes_loader", Unit::kBool,
     "Whether PyTorch's loader is made anew in each iteration; absent without Python functions "
     "and for a single iteration."},
    {"profile.record_shapes", Unit::kBool, "Whether the profiler recorded input shapes."},
    {"profile.with_stack", Unit::kBool, "Whether the profiler recorded Python call stacks."},
    {"profile.profile_memory", Unit::kBool, "Whether the profiler recorded allocations."},
    {"profile.data_loss", Unit::kCount, "Places where the profile is known to be incomplete."},
    {"profile.loss", Unit::kText,
     "Missing or distorted data: `77 kernels that were serialized …`; several are "
     "sentences."},
    {"profile.events_skipped", Unit::kCount, "Events that were left out as unreadable."},
    {"profile.events_repaired", Unit::kCount, "Repaired events, which broke the format's rules."},
    {"profile.events_read", Unit::kCount, "Events read."},
    // Keys with the names that nvidia_dlprof_pytorch_nvtx writes into its markers.
    {"model_config.amp_enabled", Unit::kBool, "Whether automatic mixed precision was on."},
    {"model_config.cudnn_benchmark_disabled", Unit::kBool,
     "Whether torch.backends.cudnn.benchmark was off."},
    {"model_config.detect_anomaly", Unit::kBool, "Whether autograd's anomaly detection was on."},
    {"model_config.gradcheck", Unit::kBool, "Whether torch.autograd.gradcheck was called."},
    {"model_config.autograd_profile", Unit::kBool, "Whether PyTorch's own profiler was on too."},
    {"model_config.emit_nvtx", Unit::kBool, "Whether autograd emitted NVTX ranges."},
    {"model_config.num_workers", Unit::kCount, "Worker processes of the data loader."},
    {"model_config.pin_memory", Unit::kBool, "Whether the data loader pinned its batches."},
};

/// A recorded switch: "1", "true", "0" or "false"; other texts are unknown.
Value Switch(const Profile& profile, std::string_view name) {
  for (const auto& [key, value] : profile.facts) {
    if (key != name) continue;
    if (value == "1" || value == "true") return true;
    if (value == "0" || value == "false") return false;
  }
  return {};
}

/// The first recorded number or switch with the fact's name.
Value ConfigOf(const Profile& profile, const FactSpec& spec) {
  if (spec.unit == Unit::kBool) return Switch(profile, spec.name);
  for (const auto& [key, value] : profile.facts) {
    std::int64_t number = 0;
    const auto end = value.data() + value.size();
    if (key != spec.name) continue;
    if (std::from_chars(value.data(), end, number).ptr == end && !value.empty()) return number;
  }
  return {};
}

/// The backend, "nccl" or "gloo": as recorded, else by names of kernels and operators, or empty.
std::string BackendOf(const Profile& profile) {
  if (!profile.distributed.backend.empty()) return profile.distributed.backend;
  return Shows(profile, Sign::kNccl) ? "nccl" : Shows(profile, Sign::kGloo) ? "gloo" : "";
}

/// True if some operators allocate and free about equally often and make nearly all such calls.
/// Pinned host memory counts as well, because calls do not distinguish it.
bool PairsMemory(const Profile& profile) {
  struct Calls {
    std::int64_t gives = 0, takes = 0;
  };
  std::map<std::uint32_t, Calls> by_op;
  std::int64_t all = 0, paired = 0, ops = 0;
  const ApiTable& api = profile.api;
  for (std::size_t row = 0; row < api.size(); ++row) {
    if (api.kind[row] != ApiKind::kMemory) continue;
    ++all;
    if (!api.op[row].valid()) continue;
    Calls& calls = by_op[api.op[row].value];
    const bool takes = profile.Name(api.name[row]).find("Free") != std::string_view::npos;
    ++(takes ? calls.takes : calls.gives);
  }
  for (const auto& [op, calls] : by_op) {
    if (calls.gives == 0 ||
        std::abs(calls.gives - calls.takes) > knowledge::kMemoryPairsDiffer.Of(calls.gives))
      continue;
    ++ops;
    paired += calls.gives + calls.takes;
  }
  return ops >= knowledge::kMemoryPairsLeast.value() &&
         paired >= knowledge::kMemoryPairsShare.Of(all);
}

/// True if PyTorch's data loader loads batches in the training process (`num_workers=0`), which the
/// name of its iterator shows. Absent without a loader.
Value LoadsInProcess(const Profile& profile) {
  bool in_process = false, in_workers = false;
  for (const StringId name : profile.host.name) {
    const std::string_view text = profile.Name(name);
    if (!text.starts_with("enumerate(")) continue;
    in_process = in_process || text.find("_SingleProcess") != text.npos;
    in_workers = in_workers || text.find("_MultiProcess") != text.npos;
  }
  if (!in_process && !in_workers) return {};
  return !in_workers;
}

// True if the program makes a data loader in each iteration, i.e. calls two constructors of the
// loader's file or more per iteration. Making an iterator calls two; an epoch that begins within
// the profile calls as many only once. Absent for a single iteration, which shows no difference.
Value MakesLoader(const Profile& profile, std::int64_t iterations) {
  if (profile.python.size() == 0 || iterations < 2) return {};
  constexpr std::string_view kFile = "torch/utils/data/dataloader.py(", kMade = "): __init__";
  const auto made = std::ranges::count_if(profile.python.name, [&](StringId name) {
    const std::string_view text = profile.Name(name);
    return text.ends_with(kMade) && text.find(kFile) != text.npos;
  });
  return made >= 2 * iterations;
}

Value EmptiesCache(const Profile& profile) {
  const auto is_it = [&](StringId name) {
    return profile.Name(name).find("empty_cache") != std::string_view::npos;
  };
  if (std::ranges::any_of(profile.python.name, is_it) ||
      std::ranges::any_of(profile.host.name, is_it))
    return true;
  if (profile.python.size() == 0) return {};
  return false;
}

/// The time of garbage collection. Absent if the profile could not show it, i.e. has neither a
/// collection nor Python functions (calls of modules are no evidence).
Value GarbageCollection(const Profile& profile) {
  std::vector<bool> collects(profile.strings.size(), false);
  const auto& modules = profile.python.module_id;
  bool any = std::any_of(modules.begin(), modules.end(), [](std::int64_t id) { return id < 0; });
  for (std::uint32_t i = 0; i < profile.strings.size(); ++i) {
    const std::string_view text = profile.strings[StringId{i}];
    collects[i] = text == "Python GC" || text.find("gc.collect") != std::string_view::npos;
    any = any || collects[i];
  }
  if (!any) return {};
  // Frames and ranges of one collection nest, so their times are merged.
  std::map<std::uint32_t, std::vector<Span>> by_thread;
  const auto add = [&](const auto& table) {
    for (std::size_t row = 0; row < table.name.size(); ++row) {
      const StringId name = table.name[row];
      if (!name.valid() || !collects[name.value]) continue;
      const Ns start = table.start[row];
      by_thread[table.thread[row].value].push_back({start, start + table.duration[row]});
    }
  };
  add(profile.python);
  add(profile.host);
  Ns time = 0;
  for (auto& [thread, spans] : by_thread) time += Length(Merge(std::move(spans)));
  return time;
}

/// The largest time of garbage collection of any rank, because the other ranks wait for it.
Value MostGarbageCollection(std::span<const Profile> ranks) {
  Value most;
  for (const Profile& rank : ranks) {
    const Value time = GarbageCollection(rank);
    if (IsAbsent(most) || AsNumber(time, -1) > AsNumber(most, 0)) most = time;
  }
  return most;
}

/// The framework: that of the profile's format if only one framework writes it, else by its names.
/// "none" if a system-wide profiler recorded work but no names of a framework.
Value FrameworkOf(const Profile& profile) {
  constexpr std::pair<std::string_view, Sign> kFrameworks[] = {{"pytorch", Sign::kPyTorch},
                                                               {"xla", Sign::kXla},
                                                               {"tensorrt", Sign::kTensorRt},
                                                               {"tensorflow", Sign::kTensorFlow}};
  if (!profile.source.framework.empty()) return profile.source.framework;
  for (const auto& [framework, sign] : kFrameworks) {
    if (Shows(profile, sign)) return std::string(framework);
  }
  const bool shows =
      profile.device.size() > 0 || profile.api.size() > 0 || !profile.summary.empty();
  if (shows && profile.source.is_of_any_program) return std::string("none");
  return {};
}

/// True if PyTorch has torch.compile; absent if neither a version nor a date shows it.
Value HasTorchCompile(const Profile& profile) {
  for (const auto& [key, value] : profile.facts) {
    if (key == "pytorch_version" || key == "torch_version") return !value.starts_with("1.");
  }
  constexpr Ns kPyTorch2 = 1'678'838'400'000'000'000;  // Its release, 2023-03-15.
  if (IsDate(profile.origin_ns) && profile.origin_ns < kPyTorch2) return false;
  return {};
}

/// The rank that rule comm/exposed names, which loses the largest share of its iteration time.
Value MostExposedRank(const analysis::Analysis& analysis) {
  const Table* ranks = analysis.FindTable("ranks");
  Value worst;
  double most = -1;
  for (std::size_t row = 0; ranks != nullptr && row < ranks->rows(); ++row) {
    const Value exposed = ranks->At(row, "exposed_communication");
    const Value iteration = ranks->At(row, "iteration_time");
    if (IsAbsent(exposed) || !(AsNumber(iteration, 0) > 0)) continue;
    const double share = AsNumber(exposed, 0) / AsNumber(iteration, 0);
    if (!(share > most)) continue;
    most = share;
    worst = ranks->At(row, "id");
  }
  return worst;
}

/// Kinds of exposed collectives as text: "all_gather (41.0 %), all_reduce (30.2 %) and 2 more
/// kinds". They are those of the rank above, or of all ranks if no rank is known.
Value ExposedCollectives(const analysis::Analysis& analysis) {
  constexpr std::size_t kNamed = 3;
  const Value rank = MostExposedRank(analysis);
  const Table* calls = analysis.FindTable("collectives");
  const Column* exposed = calls == nullptr ? nullptr : calls->Find("exposed_time");
  if (exposed == nullptr || !exposed->absent_because().empty()) return {};
  std::vector<std::pair<double, std::string>> kinds;
  double all = 0;
  for (std::size_t row = 0; row < calls->rows(); ++row) {
    if (!IsAbsent(rank) && calls->At(row, "rank") != rank) continue;
    const double time = AsNumber(calls->At(row, *exposed), 0);
    const Value name = calls->At(row, "name");
    const auto* text = std::get_if<std::string>(&name);
    if (text == nullptr || !(time > 0)) continue;
    const analysis::classify::CollectiveKind kind = analysis::classify::CollectiveKindOf(*text);
    const std::string id = kind == analysis::classify::CollectiveKind::kOther
                               ? "collectives of unknown kind"
                               : std::string(analysis::classify::CollectiveKindId(kind));
    auto at = std::find_if(kinds.begin(), kinds.end(),
                           [&](const auto& some) { return some.second == id; });
    if (at == kinds.end()) at = kinds.emplace(at, 0, id);
    at->first += time;
    all += time;
  }
  if (kinds.empty()) return {};
  std::sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  // If only one more kind is left, naming it is as short as counting it.
  const std::size_t named = kinds.size() <= kNamed + 1 ? kinds.size() : kNamed;
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    text += fmt::format("{}{} ({})",
                        i == 0                  ? ""
                        : i + 1 == kinds.size() ? " and "
                                                : ", ",
                        kinds[i].second, FormatValue(Value(kinds[i].first / all), Unit::kShare));
  }
  if (named < kinds.size()) text += fmt::format(" and {} more kinds", kinds.size() - named);
  return text;
}

std::int64_t CountOf(std::span<const Profile> ranks, Severity severity) {
  std::uint64_t count = 0;
  for (const Profile& profile : ranks) {
    for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(Counter::kCount_); ++i) {
      const auto counter = static_cast<Counter>(i);
      if (counter == Counter::ranks_unreadable) continue;  // The other ranks' data is complete.
      if (InfoOf(counter).severity == severity) count += profile.log[counter];
    }
  }
  return static_cast<std::int64_t>(count);
}

// The lost data as text: a sentence for each counter, with its number unless it is 1.
std::string LossOf(std::span<const Profile> ranks) {
  std::string text;
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    if (InfoOf(counter).severity != Severity::kDataLoss || counter == Counter::ranks_unreadable) {
      continue;
    }
    std::uint64_t count = 0;
    for (const Profile& profile : ranks) count += profile.log[counter];
    if (count == 0) continue;
    std::string words = CountedText(counter, count);
    if (words[0] >= 'a' && words[0] <= 'z') words[0] -= 'a' - 'A';
    text += (text.empty() ? "" : ". ") + words;
  }
  return text;
}

}  // namespace

std::span<const FactSpec> FactCatalogue() {
  static const std::vector<FactSpec> kAll = [] {
    std::vector<FactSpec> all(std::begin(kFacts), std::end(kFacts));
    for (const DeviceWord& word : DeviceWordCatalogue()) {
      all.push_back({word.name, Unit::kText, word.doc});
    }
    return all;
  }();
  return kAll;
}

std::string_view IterationsById(IterationsBy by) {
  switch (by) {
    case IterationsBy::kMarkers:
    case IterationsBy::kProfilerSteps:
    case IterationsBy::kPattern:
      return "marker";
    case IterationsBy::kKeyOp:
      return "key_op";
    case IterationsBy::kOptimizer:
      return "optimizer";
    case IterationsBy::kLoader:
      return "loader";
    case IterationsBy::kRepetition:
      return "repetition";
    case IterationsBy::kRange:
      return "range";
    case IterationsBy::kUndivided:
      return "whole_profile";
    case IterationsBy::kNoTimeline:
    case IterationsBy::kUnknown:
      break;
  }
  return "none";
}

void AddDeviceWords(Accelerator accelerator, Facts& facts) {
  const DeviceWords& words = DeviceWordsOf(accelerator);
  for (const DeviceWord& word : DeviceWordCatalogue()) {
    facts[std::string(word.name)] = std::string(words.*(word.word));
  }
}

Facts CollectFacts(std::span<const Profile> ranks, const analysis::Analysis& analysis) {
  Facts facts;
  facts["profile.iteration_source"] = analysis.iteration_source.Text();
  facts["profile.iterations_by"] = std::string(IterationsById(analysis.iteration_source.by));
  facts["profile.iterations_total"] = analysis.iterations_total;
  facts["profile.exposed_collectives"] = ExposedCollectives(analysis);
  for (const analysis::Remark& remark : analysis.remarks) {
    if (remark.id == "unsteady-selection") facts["profile.steady_range"] = remark.text;
    if (remark.id == "markers-without-work") facts["profile.ignored_markers"] = remark.text;
  }
  AddDeviceWords(AcceleratorOf(ranks), facts);
  if (ranks.empty()) return facts;
  const Profile& first = ranks.front();
  facts["profile.format"] = first.source.format;
  if (analysis.iteration_source.by == IterationsBy::kUndivided) {
    if (std::string ranges = analysis::iterations::ProposedMarkers(first); !ranges.empty()) {
      facts["profile.proposed_markers"] = std::move(ranges);
    }
  }
  if (first.distributed.world_size > 0) facts["profile.world_size"] = first.distributed.world_size;
  if (std::string backend = BackendOf(first); !backend.empty()) {
    facts["profile.backend"] = std::move(backend);
  }
  facts["profile.ddp"] = Shows(first, Sign::kDdp);
  facts["profile.fsdp"] = Shows(first, Sign::kFsdp);
  facts["profile.graph_capture"] = Shows(first, Sign::kGraphCapture);
  facts["profile.uses_dali"] = Shows(first, Sign::kDali);
  facts["profile.uses_xla"] = Shows(first, Sign::kXlaCompiled);
  facts["profile.uses_fused_optimizer"] = Shows(first, Sign::kFusedOptimizer);
  facts["profile.framework"] = FrameworkOf(first);
  if (first.summary.empty()) {
    const analysis::trust::Workload workload = analysis::trust::WorkloadOf(first);
    if (!workload.kind.empty()) facts["profile.workload"] = std::string(workload.kind);
    facts["profile.in_graphs"] = workload.in_graphs;
    facts["profile.loads_data"] = workload.loads_data;
    if (!workload.image_work.empty()) {
      facts["profile.image_work"] = std::string(workload.image_work);
      facts["profile.image_time"] = workload.image_time;
    }
    facts["profile.pairs_memory"] = PairsMemory(first);
    facts["profile.empties_cache"] = EmptiesCache(first);
    facts["profile.loads_in_process"] = LoadsInProcess(first);
    facts["profile.makes_loader"] = MakesLoader(first, analysis.iterations_total);
  }
  facts["profile.runs_compiled"] = Shows(first, Sign::kTorchCompiled);
  facts["profile.has_torch_compile"] = HasTorchCompile(first);
  facts["profile.gc_time"] = MostGarbageCollection(ranks);
  for (const FactSpec& spec : kFacts) {
    if (spec.name.starts_with("model_config.")) {
      facts[std::string(spec.name)] = ConfigOf(first, spec);
    }
  }
  facts["profile.record_shapes"] = Switch(first, "record_shapes");
  facts["profile.with_stack"] = Switch(first, "with_stack");
  facts["profile.profile_memory"] = Switch(first, "profile_memory");
  facts["profile.data_loss"] = CountOf(ranks, Severity::kDataLoss);
  if (std::string loss = LossOf(ranks); !loss.empty()) facts["profile.loss"] = std::move(loss);
  facts["profile.events_skipped"] = CountOf(ranks, Severity::kSkipped);
  facts["profile.events_repaired"] = CountOf(ranks, Severity::kRepaired);
  std::uint64_t read = 0;
  for (const Profile& profile : ranks) read += profile.log[Counter::events_read];
  facts["profile.events_read"] = static_cast<std::int64_t>(read);
  return facts;
}

}  // namespace profgauge::rules
