// Takes the rows of one process out of a profile of several processes.

#include "model/processes.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "knowledge/loss.h"
#include "knowledge/processes.h"
#include "model/certificate.h"
#include "model/tables.h"

namespace profgauge {
namespace {

using Rows = std::vector<std::uint32_t>;

template <class Part>
Rows RowsWhere(std::size_t count, Part is_of_it) {
  Rows rows;
  for (std::uint32_t row = 0; row < count; ++row) {
    if (is_of_it(row)) rows.push_back(row);
  }
  return rows;
}

template <class T>
void Take(const Rows& rows, const std::vector<T>& from, std::vector<T>& into) {
  into.reserve(rows.size());
  for (const std::uint32_t row : rows) into.push_back(from[row]);
}

template <class Column>
void Take(const Rows& rows, const Column& from, Column& into) {
  into = from;
  into.Keep(rows);
}

template <class Table, class... Columns>
void TakeAll(const Rows& rows, const Table& from, Table& into, Columns... columns) {
  (Take(rows, from.*columns, into.*columns), ...);
}

// New row numbers of `count` old rows; none for rows of other parts.
Rows NewPlaces(const Rows& rows, std::size_t count) {
  Rows places(count, HostId::kNone);
  for (std::uint32_t i = 0; i < rows.size(); ++i) places[rows[i]] = i;
  return places;
}

template <class Id>
void Renumber(const Rows& places, std::vector<Id>& column) {
  for (Id& id : column) {
    if (id.valid()) id.value = places[id.value];
  }
}

// Copies the part's rows in their order, so that all tables stay sorted; links to rows of other
// parts become invalid.
void TakeHost(const Profile& whole, const Division& division, std::uint32_t part, Profile& into) {
  using H = HostTable;
  const Rows rows = RowsWhere(whole.host.size(), [&](std::uint32_t row) {
    return division.OfThread(whole.host.thread[row]) == part;
  });
  TakeAll(rows, whole.host, into.host, &H::start, &H::duration, &H::name, &H::kind, &H::thread,
          &H::parent, &H::forward, &H::input_shapes, &H::input_dtypes, &H::call_stack,
          &H::concrete_inputs, &H::sequence, &H::collective, &H::domain, &H::style);
  const Rows host_places = NewPlaces(rows, whole.host.size());
  Renumber(host_places, into.host.parent);
  Renumber(host_places, into.host.forward);

  using A = ApiTable;
  const Rows calls =
      RowsWhere(whole.api.size(), [&](std::uint32_t row) { return division.of_call[row] == part; });
  TakeAll(calls, whole.api, into.api, &A::start, &A::duration, &A::name, &A::kind, &A::thread,
          &A::op);
  Renumber(host_places, into.api.op);

  using M = MemoryTable;
  const Rows events = RowsWhere(whole.memory.size(), [&](std::uint32_t row) {
    return division.OfThread(whole.memory.thread[row]) == part;
  });
  TakeAll(events, whole.memory, into.memory, &M::time, &M::thread, &M::device_type, &M::device,
          &M::address, &M::bytes, &M::total_allocated, &M::total_reserved, &M::op);
  Renumber(host_places, into.memory.op);

  using D = DeviceTable;
  const Rows work = RowsWhere(whole.device.size(),
                              [&](std::uint32_t row) { return division.of_device[row] == part; });
  TakeAll(work, whole.device, into.device, &D::start, &D::duration, &D::name, &D::kind, &D::gpu,
          &D::stream, &D::launch, &D::op, &D::config, &D::collective, &D::copy, &D::host_memory,
          &D::bytes);
  Renumber(host_places, into.device.op);
  Renumber(NewPlaces(calls, whole.api.size()), into.device.launch);
  if (!whole.kernel_markers.empty()) Take(work, whole.kernel_markers, into.kernel_markers);
}

void TakeThreads(const Profile& whole, const Division& division, std::uint32_t part,
                 Profile& into) {
  const auto rows_of = [&](const auto& table) {
    return RowsWhere(table.size(), [&](std::uint32_t row) {
      return division.OfThread(table.thread[row]) == part;
    });
  };
  using O = OsTable;
  TakeAll(rows_of(whole.os), whole.os, into.os, &O::start, &O::duration, &O::name, &O::thread);
  using P = PythonTable;
  TakeAll(rows_of(whole.python), whole.python, into.python, &P::start, &P::duration, &P::name,
          &P::thread, &P::id, &P::parent_id, &P::module_id);
  if (whole.cpu == nullptr) return;
  auto cpu = std::make_shared<CpuActivity>();
  const auto is_of_it = [&](const auto& each) { return division.OfThread(each.thread) == part; };
  std::copy_if(whole.cpu->spans.begin(), whole.cpu->spans.end(), std::back_inserter(cpu->spans),
               is_of_it);
  std::copy_if(whole.cpu->samples.begin(), whole.cpu->samples.end(),
               std::back_inserter(cpu->samples), is_of_it);
  std::copy_if(whole.cpu->overhead.begin(), whole.cpu->overhead.end(),
               std::back_inserter(cpu->overhead), is_of_it);
  into.cpu = std::move(cpu);
}

// The devices of a part are those where it has work: one without work would look idle.
void TakeGpus(const Profile& whole, const Division& division, std::uint32_t part, Profile& into) {
  const auto rows_of = [&](const auto& table) {
    return RowsWhere(table.size(),
                     [&](std::uint32_t row) { return division.OfGpu(table.gpu[row]) == part; });
  };
  using S = SyncTable;
  TakeAll(rows_of(whole.sync), whole.sync, into.sync, &S::start, &S::duration, &S::name, &S::gpu,
          &S::stream);
  using R = DeviceRangeTable;
  TakeAll(rows_of(whole.device_ranges), whole.device_ranges, into.device_ranges, &R::start,
          &R::duration, &R::name, &R::gpu, &R::stream);
  const auto uses = [&](std::int32_t gpu) {
    return std::find(into.device.gpu.begin(), into.device.gpu.end(), gpu) != into.device.gpu.end();
  };
  std::copy_if(whole.gpus.begin(), whole.gpus.end(), std::back_inserter(into.gpus),
               [&](const Gpu& gpu) { return uses(gpu.id); });
  for (const auto& [stream, name] : whole.stream_names) {
    if (uses(stream.first)) into.stream_names.emplace(stream, name);
  }
}

}  // namespace

Profile PartOf(const Profile& whole, const Division& division, std::uint32_t part) {
  Profile into;
  into.source = whole.source;
  into.source.dialect += into.source.dialect.empty() ? "" : ", ";
  into.source.dialect += division.names[part];
  into.origin_ns = whole.origin_ns;
  into.first = whole.first;
  into.last = whole.last;
  into.span_start = whole.span_start;
  into.span_end = whole.span_end;
  into.session_start = whole.session_start;
  // Text ids stay the same, so columns of texts are copied unchanged.
  for (std::uint32_t text = 0; text < whole.strings.size(); ++text) {
    into.strings.Intern(whole.strings[StringId{text}]);
  }
  into.threads = whole.threads;
  into.launch_configs = whole.launch_configs;
  into.collectives = whole.collectives;
  into.distributed = whole.distributed;
  into.distributed.rank = -1;
  into.facts = whole.facts;
  into.hints = whole.hints;
  into.run_document = whole.run_document;
  into.copies_unknown = whole.copies_unknown;
  into.api_symbols = whole.api_symbols;
  TakeHost(whole, division, part, into);
  TakeThreads(whole, division, part, into);
  TakeGpus(whole, division, part, into);
  return into;
}

namespace {

// By GPU: how long it worked for each process that launched on it.
using TimesOfGpus = std::map<std::int32_t, std::map<std::string_view, Ns>>;

// Processes that launch work, and mark iterations or communicate with others.
std::set<std::string_view> Training(const Profile& profile) {
  std::vector<bool> marks(profile.threads.size()), launches(profile.threads.size());
  const HostTable& host = profile.host;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const bool is_marker = host.kind[row] == HostKind::kIterationMarker;
    if (is_marker && host.thread[row].valid()) marks[host.thread[row].value] = true;
  }
  const ApiTable& api = profile.api;
  for (std::size_t call = 0; call < api.size(); ++call) {
    const bool is_launch = api.kind[call] == ApiKind::kLaunch;
    if (is_launch && api.thread[call].valid()) launches[api.thread[call].value] = true;
  }
  std::set<std::string_view> marking(profile.communicating.begin(), profile.communicating.end());
  std::set<std::string_view> training;
  for (std::size_t thread = 0; thread < marks.size(); ++thread) {
    if (marks[thread]) marking.insert(profile.threads[thread].process);
  }
  for (std::size_t thread = 0; thread < launches.size(); ++thread) {
    const std::string_view process = profile.threads[thread].process;
    if (launches[thread] && marking.contains(process)) training.insert(process);
  }
  return training;
}

// Sums by thread first, then by process: rows are many, threads are few, and finding the process of
// a thread means reading its name.
TimesOfGpus WorkedFor(const Profile& profile) {
  const DeviceTable& device = profile.device;
  constexpr Ns kNone = -1;
  std::map<std::int32_t, std::vector<Ns>> of_threads;
  std::vector<Ns>* of_gpu = nullptr;  // Rows come by GPU.
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (row == 0 || device.gpu[row] != device.gpu[row - 1]) {
      of_gpu = &of_threads[device.gpu[row]];
      of_gpu->resize(profile.threads.size(), kNone);
    }
    if (!device.launch[row].valid()) continue;
    const ThreadId thread = profile.api.thread[device.launch[row].value];
    if (!thread.valid()) continue;
    Ns& time = (*of_gpu)[thread.value];
    time = std::max<Ns>(time, 0) + device.duration[row];
  }
  TimesOfGpus times;
  for (const auto& [gpu, threads] : of_threads) {
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
      if (threads[thread] != kNone) times[gpu][profile.threads[thread].process] += threads[thread];
    }
  }
  return times;
}

// The owner of each GPU: the process with nearly all of its time. A kernel on the first GPU, before
// a process chose its GPU, does not make it shared.
struct Owners {
  std::map<std::int32_t, std::string_view> of_gpu;
  std::size_t shared = 0;  // GPUs without an owner.
  bool all_have_one = true;
};

Owners OwnersOf(const TimesOfGpus& times, const std::set<std::string_view>& training) {
  Owners owners;
  std::set<std::string_view> working, owning;
  for (const auto& [gpu, processes] : times) {
    Ns all = 0, most = -1;
    std::string_view owner;
    for (const auto& [name, time] : processes) {
      if (!training.contains(name)) continue;
      working.insert(name);
      all += time;
      if (time > most) owner = name;
      most = std::max(most, time);
    }
    if (most < 0) continue;
    if (all - most > knowledge::kProcessesSharedGpuShare.WholeOf(all)) {
      ++owners.shared;
    } else {
      owners.of_gpu.emplace(gpu, owner);
      owning.insert(owner);
    }
  }
  owners.all_have_one = owning.size() == working.size();
  return owners;
}

// The parts of the training processes by name, in order of the first GPU that they own.
std::map<std::string_view, std::uint32_t> Order(const std::set<std::string_view>& training,
                                                const Owners& owners, Division& division) {
  std::vector<std::pair<std::int32_t, std::string_view>> order;
  for (const std::string_view name : training) {
    const auto own = std::find_if(owners.of_gpu.begin(), owners.of_gpu.end(),
                                  [name](const auto& gpu) { return gpu.second == name; });
    constexpr std::int32_t kLast = std::numeric_limits<std::int32_t>::max();
    order.emplace_back(own == owners.of_gpu.end() ? kLast : own->first, name);
  }
  std::sort(order.begin(), order.end());
  division.count = static_cast<std::uint32_t>(order.size());
  std::map<std::string_view, std::uint32_t> positions;
  for (const auto& [gpu, name] : order) {
    positions.emplace(name, static_cast<std::uint32_t>(positions.size()));
    division.names.push_back(name);
  }
  return positions;
}

// Assigns a process that does not train to the part on whose GPU it works most.
void AddHelpers(const TimesOfGpus& times, const Division& division,
                std::map<std::string_view, std::uint32_t>& positions) {
  std::map<std::string_view, std::pair<Ns, std::uint32_t>> most;
  for (const auto& [gpu, processes] : times) {
    for (const auto& [name, time] : processes) {
      const auto [found, is_new] = most.try_emplace(name, time, division.OfGpu(gpu));
      if (!is_new && time > found->second.first) found->second = {time, division.OfGpu(gpu)};
    }
  }
  for (const auto& [name, of_gpu] : most) positions.emplace(name, of_gpu.second);
}

// If each training process owns a GPU and none is shared, threads, calls and device work get the
// part (0, 1, ...) of their process. Otherwise the profile is not divided.
Division Divide(const Profile& profile) {
  Division division;
  const std::set<std::string_view> training = Training(profile);
  if (training.size() < 2) return division;
  const TimesOfGpus times = WorkedFor(profile);
  const Owners owners = OwnersOf(times, training);
  division.shared_gpus = owners.shared;
  // A shared GPU would seem idle to each process while it works for the other.
  if (owners.shared > 0 || !owners.all_have_one) return division;
  auto positions = Order(training, owners, division);
  for (const auto& [gpu, name] : owners.of_gpu) division.of_gpu[gpu] = positions.at(name);
  AddHelpers(times, division, positions);
  for (const Thread& thread : profile.threads) {
    const auto found = positions.find(thread.process);
    division.of_thread.push_back(found == positions.end() ? 0 : found->second);
  }
  for (const ThreadId thread : profile.api.thread) {
    division.of_call.push_back(division.OfThread(thread));
  }
  for (const std::int32_t gpu : profile.device.gpu) {
    division.of_device.push_back(division.OfGpu(gpu));
  }
  return division;
}

// True if steps of one device are before or after all steps of another device.
bool AreStepsApart(const std::vector<std::vector<Span>>& lanes) {
  for (const std::vector<Span>& lane : lanes) {
    for (const std::vector<Span>& other : lanes) {
      const Span extent = {other.front().start, other.back().end};
      const Ns all = Length(lane), inside = Length(Clip(lane, extent));
      if (all - inside > knowledge::kProcessesStepsApartShare.Of(all)) return true;
    }
  }
  return false;
}

// The steps of each lane; empty if a lane has none.
std::vector<std::vector<Span>> StepsOfLanes(const Profile& profile) {
  std::vector<std::vector<Span>> lanes;
  const HostTable& host = profile.host;
  for (const auto& [gpu, thread] : profile.step_lanes) {
    std::vector<Span>& lane = lanes.emplace_back();
    for (std::size_t row = 0; row < host.size(); ++row) {
      if (host.kind[row] != HostKind::kIterationMarker || host.thread[row] != thread) continue;
      lane.push_back({host.start[row], host.start[row] + host.duration[row]});
    }
    lane = Merge(std::move(lane));
    if (lane.empty()) return {};
  }
  return lanes;
}

// For each thread, the part on whose devices its work ran longest; the first part if there is none.
Division::Parts PartsOfThreads(const Profile& profile, const Division& division) {
  std::vector<std::map<std::uint32_t, Ns>> times(profile.threads.size());
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid()) continue;
    const ThreadId thread = profile.api.thread[device.launch[row].value];
    if (thread.valid())
      times[thread.value][division.OfGpu(device.gpu[row])] += device.duration[row];
  }
  Division::Parts parts;
  for (const auto& by_part : times) {
    const auto most =
        std::max_element(by_part.begin(), by_part.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    parts.push_back(most == by_part.end() ? 0 : most->first);
  }
  return parts;
}

// Divides devices of one process whose own steps are apart in time (two models trained one after
// the other): each is judged by its own steps. Overlapping steps of one program represent all
// devices, so the profile is not divided.
Division DivideDevices(const Profile& profile) {
  Division division;
  if (profile.step_lanes.size() < 2) return division;
  const auto lanes = StepsOfLanes(profile);
  if (lanes.empty() || !AreStepsApart(lanes)) return division;
  for (const auto& [gpu, thread] : profile.step_lanes) {
    division.of_gpu[gpu] = division.count++;
    division.names.push_back(profile.threads[thread.value].name);
  }
  division.of_thread = PartsOfThreads(profile, division);
  for (const auto& [gpu, thread] : profile.step_lanes) {
    division.of_thread[thread.value] = division.of_gpu.at(gpu);
  }
  for (const ThreadId thread : profile.api.thread) {
    division.of_call.push_back(division.OfThread(thread));
  }
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const std::uint32_t part = division.OfGpu(profile.device.gpu[row]);
    division.of_device.push_back(part);
    const ApiId launch = profile.device.launch[row];
    if (launch.valid()) division.of_call[launch.value] = part;
  }
  return division;
}

// The rank in "pid 7 RANK 3 - CPU", as merged files name processes; -1 without one.
std::int64_t RankOfProcess(std::string_view process) {
  if (process.starts_with("pid ")) {
    process.remove_prefix(4);
    process.remove_prefix(std::min(process.find(' '), process.size()));
  }
  while (process.starts_with(' ')) process.remove_prefix(1);
  if (!process.starts_with("RANK") && !process.starts_with("rank")) return -1;
  process.remove_prefix(4);
  if (process.starts_with(' ') || process.starts_with('_')) process.remove_prefix(1);
  std::int64_t rank = -1;
  const auto parsed = std::from_chars(process.data(), process.data() + process.size(), rank);
  return parsed.ec == std::errc{} ? rank : -1;
}

// Divides a file of several ranks that states the rank of each GPU.
Division DivideRanks(const Profile& profile) {
  Division division;
  std::map<std::int64_t, std::uint32_t> parts;
  for (const auto& [gpu, rank] : profile.gpu_ranks) parts.emplace(rank, 0);
  if (parts.size() < 2) return division;
  for (const std::int32_t gpu : profile.device.gpu) {
    if (!profile.gpu_ranks.contains(gpu)) return division;
  }
  for (auto& [rank, part] : parts) {
    part = division.count++;
    division.ranks.push_back(rank);
    division.names.emplace_back();
  }
  for (const auto& [gpu, rank] : profile.gpu_ranks) division.of_gpu[gpu] = parts.at(rank);
  division.of_thread = PartsOfThreads(profile, division);
  for (std::size_t thread = 0; thread < profile.threads.size(); ++thread) {
    const auto named = parts.find(RankOfProcess(profile.threads[thread].process));
    if (named != parts.end()) division.of_thread[thread] = named->second;
  }
  for (const ThreadId thread : profile.api.thread) {
    division.of_call.push_back(division.OfThread(thread));
  }
  for (const std::int32_t gpu : profile.device.gpu) {
    division.of_device.push_back(division.OfGpu(gpu));
  }
  return division;
}

// The size of the largest group common to all ranks; -1 if there is none.
std::int64_t WorldSizeOf(std::span<const Profile> ranks) {
  std::map<std::int64_t, std::size_t> sizes;
  for (const Profile& rank : ranks) {
    std::set<std::int64_t> own;
    for (const Collective& collective : rank.collectives) own.insert(collective.group_size);
    for (const std::int64_t size : own) ++sizes[size];
  }
  std::int64_t world = -1;
  for (const auto& [size, count] : sizes) {
    if (count == ranks.size() && size >= static_cast<std::int64_t>(count)) world = size;
  }
  return world;
}

// Kernels with one GPU number, by the process that launched them.
using KernelsOfProcesses = std::map<std::uint32_t, std::vector<Span>>;

// True if kernels of two processes overlap for a tenth of the smaller one's time: on one GPU they
// alternate, unless something (MPS) lets them share it.
bool RunAtOnce(const KernelsOfProcesses& kernels) {
  for (auto one = kernels.begin(); one != kernels.end(); ++one) {
    for (auto other = std::next(one); other != kernels.end(); ++other) {
      const Ns lesser = std::min(Length(one->second), Length(other->second));
      if (OverlapLength(one->second, other->second) > knowledge::kProcessesAtOnceShare.Of(lesser))
        return true;
    }
  }
  return false;
}

// Counts GPU numbers, separate for each process, under which several ran kernels concurrently.
void CountGpusUsedAtOnce(Profile& profile) {
  if (!profile.gpus_by_process || profile.threads.empty()) return;
  const ProcessNumbers processes(profile);
  const DeviceTable& device = profile.device;
  std::map<std::int32_t, KernelsOfProcesses> gpus;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel || !device.launch[row].valid()) continue;
    gpus[device.gpu[row]][processes.OfWork(row)].push_back(
        {device.start[row], device.start[row] + device.duration[row]});
  }
  for (auto& [gpu, kernels] : gpus) {
    std::erase_if(kernels,
                  [](const auto& of) { return of.second.size() < knowledge::kLossLeastEvents; });
    for (auto& [process, spans] : kernels) spans = Merge(std::move(spans));
    if (!RunAtOnce(kernels)) continue;
    profile.log.AddAt(Counter::gpus_unknown, "GPU " + std::to_string(gpu) + ": kernels of " +
                                                 std::to_string(kernels.size()) +
                                                 " processes run at the same time");
  }
  // Launches with equal numbers were paired by time then, so they cannot show a wrong clock.
  if (profile.log[Counter::gpus_unknown] > 0) {
    std::erase_if(profile.facts, [](const auto& fact) { return fact.first == kDeviceClock; });
  }
}

// Logs counts of the division, for the whole profile.
void LogDivision(const Division& division, Profile& profile) {
  if (division.shared_gpus > 0 && profile.gpus_by_process) {
    const std::set<std::int32_t> used(profile.device.gpu.begin(), profile.device.gpu.end());
    if (profile.gpus.size() > used.size() && profile.log[Counter::gpus_unknown] == 0) {
      profile.log.Add(Counter::gpus_unknown, division.shared_gpus);
    }
  }
  for (std::size_t row = 0; row < division.of_device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (launch.valid() && division.of_call[launch.value] != division.of_device[row]) {
      profile.log.Add(Counter::work_of_other_processes);
    }
  }
}

}  // namespace

std::map<std::string_view, std::set<std::int32_t>> GpusOfProcesses(const Profile& profile) {
  const DeviceTable& device = profile.device;
  // Rows come by GPU, most launched by one thread: each pair is looked up once per run of rows.
  std::vector<std::int32_t> last(profile.threads.size(), std::numeric_limits<std::int32_t>::min());
  std::map<std::string_view, std::set<std::int32_t>> gpus;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid()) continue;
    const ThreadId thread = profile.api.thread[device.launch[row].value];
    if (!thread.valid() || last[thread.value] == device.gpu[row]) continue;
    last[thread.value] = device.gpu[row];
    gpus[profile.threads[thread.value].process].insert(device.gpu[row]);
  }
  return gpus;
}

// The log and the tool's own tables are about the whole profile; the first part gets them.
std::vector<Profile> SplitProcesses(Profile profile) {
  std::vector<Profile> parts;
  if (profile.has_timeline) CountGpusUsedAtOnce(profile);
  Division division = DivideRanks(profile);
  if (division.count == 0 && profile.has_timeline) division = Divide(profile);
  if (!profile.step_lanes.empty() && division.count == 0) division = DivideDevices(profile);
  LogDivision(division, profile);
  for (std::uint32_t part = 0; part < division.count; ++part) {
    parts.push_back(PartOf(profile, division, part));
  }
  for (std::size_t i = 0; i < division.ranks.size(); ++i) {
    parts[i].distributed.rank = division.ranks[i];
    parts[i].distributed.world_size = WorldSizeOf(parts);
    parts[i].gpu_ranks.clear();
  }
  if (parts.empty()) {
    parts.push_back(std::move(profile));
  } else {
    parts.front().log = std::move(profile.log);
    parts.front().reported = std::move(profile.reported);
  }
  return parts;
}

}  // namespace profgauge
