#include "model/profile_builder.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>
#include <boost/iterator/transform_iterator.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/interval.h"
#include "base/mix.h"
#include "base/parallel.h"
#include "knowledge/loss.h"
#include "model/call_stacks.h"
#include "model/certificate.h"
#include "model/link.h"
#include "model/link_calls.h"
#include "model/mend.h"
#include "model/permute.h"

namespace profgauge {
namespace {

/// The number in `text`; `otherwise` if it is no integer.
std::int64_t NumberOr(std::string_view text, std::int64_t otherwise) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc{} && end == text.data() + text.size() ? number : otherwise;
}

template <class T>
void AppendBytes(std::string& key, const T& value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  key.append(bytes, sizeof(T));
}

std::string ThreadKey(std::string_view process, std::string_view thread) {
  std::string key(process);
  key.push_back('\0');
  key.append(thread);
  return key;
}

/// Interns a value by its key: equal bytes mean equal values. Hashing the key instead of the value
/// compares doubles by their bytes, so that NaN equals itself.
template <class Ids, class T>
std::uint32_t InternValue(Ids& ids, std::vector<T>& values, const std::string& key,
                          const T& value) {
  if (const auto known = ids.find(key); known != ids.end()) return known->second;
  values.push_back(value);
  return ids.emplace(key, static_cast<std::uint32_t>(values.size() - 1)).first->second;
}

bool Fits(const MemoryRow& row) { return TimesFit(row.time, 0); }
template <class Row>
bool Fits(const Row& row) {
  return TimesFit(row.start, row.duration);
}

/// A column and the field of a row that it stores.
template <class Row, class T, class Values>
struct Column {
  Values& values;
  T Row::*field;
};
// Clang before 17 cannot deduce this for aggregates.
template <class Row, class T, class Values>
Column(Values&, T Row::*) -> Column<Row, T, Values>;

template <class Row, class T>
void Append(std::span<const Row> rows, Column<Row, T, std::vector<T>> column) {
  if (rows.size() == 1) return column.values.push_back(rows.front().*column.field);
  const auto field = std::mem_fn(column.field);
  column.values.insert(column.values.end(), boost::make_transform_iterator(rows.begin(), field),
                       boost::make_transform_iterator(rows.end(), field));
}

/// For columns that have Append().
template <class Row, class T, class Values>
void Append(std::span<const Row> rows, Column<Row, T, Values> column) {
  column.values.Append(rows, column.field);
}

/// Adds the rows that fit, column by column, and counts the others.
template <class Row, class... Columns>
void AddRows(ImportLog& log, std::span<const Row> rows, Columns... columns) {
  while (!rows.empty()) {
    const auto behind =
        std::find_if_not(rows.begin(), rows.end(), [](const Row& row) { return Fits(row); });
    const auto count = static_cast<std::size_t>(behind - rows.begin());
    (Append(rows.first(count), columns), ...);
    if (count == rows.size()) return;
    log.Add(Counter::events_bad_time);
    rows = rows.subspan(count + 1);
  }
}

template <class... Columns>
void ReserveAll(std::size_t rows, Columns&... columns) {
  (columns.reserve(rows + rows / 8), ...);  // Other tables add to the same columns.
}

template <class T>
void AppendStreamRow(T& t, const StreamRow& row) {
  t.start.push_back(row.start);
  t.duration.push_back(row.duration);
  t.name.push_back(row.name);
  t.gpu.push_back(row.gpu);
  t.stream.push_back(row.stream);
}

/// Hashes only registers and sizes, which differ most between kernels: one multiplication per size.
std::uint64_t SizesHash(const LaunchConfig& config) {
  std::uint64_t hash = static_cast<std::uint32_t>(config.registers);
  for (const auto* sizes : {config.grid, config.block}) {
    for (int i = 0; i < 3; ++i) {
      hash = (hash ^ static_cast<std::uint32_t>(sizes[i])) * kGoldenRatio;
    }
  }
  return hash >> 32;
}

}  // namespace

std::size_t ProfileBuilder::HashKey::operator()(const std::string& key) const {
  return XXH3_64bits(key.data(), key.size());
}

ThreadId ProfileBuilder::AddThread(std::string_view process, std::string_view thread) {
  Thread value;
  value.process = std::string(process);
  value.pid = NumberOr(process, -1);
  value.tid = NumberOr(thread, -1);
  if (value.tid < 0 && thread != "-1") value.name = std::string(thread);
  return {InternValue(thread_ids_, profile_.threads, ThreadKey(process, thread), value)};
}

void ProfileBuilder::NameProcess(std::string_view process, std::string_view name) {
  process_names_[std::string(process)] = std::string(name);
}

void ProfileBuilder::NameThread(std::string_view process, std::string_view thread,
                                std::string_view name) {
  thread_names_[ThreadKey(process, thread)] = std::string(name);
}

// Kernels of equal name mostly have equal configurations, so the last one is compared first.
LaunchConfigId ProfileBuilder::AddLaunchConfig(const LaunchConfig& config) {
  constexpr std::size_t kKinds = 1024;
  last_configs_.resize(kKinds);
  LaunchConfigId& last = last_configs_[SizesHash(config) % kKinds];
  if (!last.valid() || !(profile_.launch_configs[last.value] == config)) {
    last = InternLaunchConfig(config);
  }
  return last;
}

LaunchConfigId ProfileBuilder::InternLaunchConfig(const LaunchConfig& config) {
  std::string& key = key_;
  key.clear();
  for (const auto size : config.grid) AppendBytes(key, size);
  for (const auto size : config.block) AppendBytes(key, size);
  AppendBytes(key, config.registers);
  AppendBytes(key, config.shared_memory);
  AppendBytes(key, config.blocks_per_sm);
  AppendBytes(key, config.warps_per_sm);
  AppendBytes(key, config.occupancy);
  AppendBytes(key, config.is_whole_graph);
  AppendBytes(key, config.is_product);
  return {InternValue(config_ids_, profile_.launch_configs, key, config)};
}

CollectiveId ProfileBuilder::AddCollective(const Collective& collective) {
  std::string& key = key_;
  key.clear();
  for (const auto text :
       {collective.name, collective.dtype, collective.group, collective.description}) {
    AppendBytes(key, text.value);
  }
  for (const auto number :
       {collective.in_elements, collective.out_elements, collective.group_size, collective.sequence,
        collective.source_rank, collective.destination_rank}) {
    AppendBytes(key, number);
  }
  return {InternValue(collective_ids_, profile_.collectives, key, collective)};
}

void ProfileBuilder::AddFact(std::string key, std::string value) {
  profile_.facts.emplace_back(std::move(key), std::move(value));
}

bool ProfileBuilder::Takes(Ns start, Ns duration) {
  const bool fits = TimesFit(start, duration);
  if (!fits) profile_.log.Add(Counter::events_bad_time);
  return fits;
}

void ProfileBuilder::AddHost(std::span<const HostRow> rows) {
  auto& t = profile_.host;
  AddRows(
      profile_.log, rows, Column{t.start, &HostRow::start}, Column{t.duration, &HostRow::duration},
      Column{t.name, &HostRow::name}, Column{t.kind, &HostRow::kind},
      Column{t.thread, &HostRow::thread}, Column{t.input_shapes, &HostRow::input_shapes},
      Column{t.input_dtypes, &HostRow::input_dtypes}, Column{t.call_stack, &HostRow::call_stack},
      Column{t.concrete_inputs, &HostRow::concrete_inputs}, Column{t.sequence, &HostRow::sequence},
      Column{t.collective, &HostRow::collective}, Column{t.domain, &HostRow::domain},
      Column{t.style, &HostRow::style}, Column{host_ids_, &HostRow::id},
      Column{host_backward_, &HostRow::backward});
}

void ProfileBuilder::AddApi(std::span<const ApiRow> rows) {
  auto& t = profile_.api;
  AddRows(profile_.log, rows, Column{t.start, &ApiRow::start},
          Column{t.duration, &ApiRow::duration}, Column{t.name, &ApiRow::name},
          Column{t.kind, &ApiRow::kind}, Column{t.thread, &ApiRow::thread},
          Column{api_correlations_, &ApiRow::correlation}, Column{api_op_ids_, &ApiRow::op_id});
}

void ProfileBuilder::ReserveApi(std::size_t rows) {
  auto& t = profile_.api;
  ReserveAll(t.size() + rows, t.start, t.duration, t.name, t.kind, t.thread, api_correlations_);
}

void ProfileBuilder::ReserveDevice(std::size_t rows) {
  auto& t = profile_.device;
  ReserveAll(t.size() + rows, t.start, t.duration, t.name, t.kind, t.gpu, t.stream, t.config,
             device_correlations_);
}

void ProfileBuilder::AddOs(const OsRow& row) {
  if (!Takes(row.start, row.duration)) return;
  auto& t = profile_.os;
  t.start.push_back(row.start);
  t.duration.push_back(row.duration);
  t.name.push_back(row.name);
  t.thread.push_back(row.thread);
}

void ProfileBuilder::AddCpuSpan(const CpuSpan& span) {
  if (Takes(span.start, span.duration)) cpu_.spans.push_back(span);
}

void ProfileBuilder::AddCpuSample(const CpuSample& sample) {
  if (Takes(sample.time, 0)) cpu_.samples.push_back(sample);
}

void ProfileBuilder::AddProfilerOverhead(const CpuSpan& span) {
  if (Takes(span.start, span.duration)) cpu_.overhead.push_back(span);
}

void ProfileBuilder::AddDevice(std::span<const DeviceRow> rows) {
  auto& t = profile_.device;
  AddRows(profile_.log, rows, Column{t.start, &DeviceRow::start},
          Column{t.duration, &DeviceRow::duration}, Column{t.name, &DeviceRow::name},
          Column{t.kind, &DeviceRow::kind}, Column{t.gpu, &DeviceRow::gpu},
          Column{t.stream, &DeviceRow::stream}, Column{t.config, &DeviceRow::config},
          Column{t.collective, &DeviceRow::collective}, Column{t.copy, &DeviceRow::copy},
          Column{t.host_memory, &DeviceRow::host_memory}, Column{t.bytes, &DeviceRow::bytes},
          Column{device_correlations_, &DeviceRow::correlation},
          Column{device_op_ids_, &DeviceRow::op_id});
}

void ProfileBuilder::AddSync(const StreamRow& row) {
  if (Takes(row.start, row.duration)) AppendStreamRow(profile_.sync, row);
}

void ProfileBuilder::AddDeviceRange(const StreamRow& row) {
  if (Takes(row.start, row.duration)) AppendStreamRow(profile_.device_ranges, row);
}

void ProfileBuilder::AddPython(std::span<const PythonRow> rows) {
  auto& t = profile_.python;
  AddRows(profile_.log, rows, Column{t.start, &PythonRow::start},
          Column{t.duration, &PythonRow::duration}, Column{t.name, &PythonRow::name},
          Column{t.thread, &PythonRow::thread}, Column{t.id, &PythonRow::id},
          Column{t.parent_id, &PythonRow::parent_id}, Column{t.module_id, &PythonRow::module_id});
}

void ProfileBuilder::AddMemory(std::span<const MemoryRow> rows) {
  auto& t = profile_.memory;
  AddRows(profile_.log, rows, Column{t.time, &MemoryRow::time},
          Column{t.thread, &MemoryRow::thread}, Column{t.device_type, &MemoryRow::device_type},
          Column{t.device, &MemoryRow::device}, Column{t.address, &MemoryRow::address},
          Column{t.bytes, &MemoryRow::bytes},
          Column{t.total_allocated, &MemoryRow::total_allocated},
          Column{t.total_reserved, &MemoryRow::total_reserved});
}

void ProfileBuilder::SetSpan(Ns start, Ns duration) {
  const bool is_later = has_span_ && profile_.span_start <= start;
  if (is_later || !TimesFit(start, duration)) return;
  has_span_ = true;
  profile_.span_start = start;
  profile_.span_end = start + duration;
}

// Makes a profile from the added rows: time origin, order, links, names, checks.

namespace {

/// True for a device event at time 0 with length 0, which has lost its times (kineto#109).
bool LostItsTime(const DeviceTable& device, std::size_t row) {
  return device.start[row] == 0 && device.duration[row] == 0;
}

/// Rejects rows without a thread before they are linked: links look up rows by thread, and would
/// search such a row outside of all rows. CheckInvariants() would be too late.
Status CheckThreads(const Profile& profile, const std::vector<FlowRow>& flows,
                    const std::vector<CpuSpan>& spans) {
  const auto is_known = [threads = profile.threads.size()](ThreadId thread) {
    return thread.value < threads;  // Also false for an invalid id.
  };
  const auto are_known = [&](const auto& threads) {
    for (const ThreadId thread : threads) {
      if (!is_known(thread)) return false;
    }
    return true;
  };
  const bool flows_hold = std::all_of(flows.begin(), flows.end(),
                                      [&](const auto& flow) { return is_known(flow.thread); });
  if (!are_known(profile.host.thread) || !flows_hold) return Fail(BrokenTable(profile, "host"));
  if (!are_known(profile.api.thread)) return Fail(BrokenTable(profile, "api"));
  if (!are_known(profile.memory.thread)) return Fail(BrokenTable(profile, "memory"));
  const bool spans_hold = std::all_of(spans.begin(), spans.end(), [&](const auto& span) {
    return span.core < 0 || is_known(span.thread);
  });
  return spans_hold ? Status() : Fail(BrokenTable(profile, "cpu"));
}

}  // namespace

Result<Profile> ProfileBuilder::Finish() {
  PROFGAUGE_CHECK(CheckThreads(profile_, flows_, cpu_.spans));
  mend::CheckLengths(profile_);
  mend::CheckEvents(profile_);
  Ns origin = FindOrigin();
  Rebase(origin);
  OrderThreads();
  SortTables();
  if (const std::size_t copies =
          DropDoubled(profile_, {host_ids_, host_backward_, api_correlations_, api_op_ids_,
                                 device_correlations_, device_op_ids_})) {
    AddFact(
        "events recorded twice",
        std::to_string(copies) + (profile_.device.size() > 0 ? " of the device; each counts once"
                                                             : " of the host; each counts once"));
  }
  mend::JoinTheOneDevice(profile_);
  ApplyNames();
  NumberLaunches(profile_, arrows_, api_op_ids_, device_op_ids_, api_correlations_,
                 device_correlations_);
  std::size_t impossible = 0;
  const std::function<void()> links[] = {
      [&, this] {
        impossible =
            link::DeviceToCalls(profile_, api_correlations_, device_correlations_, device_op_ids_);
      },
      [this] { link::CallsToRanges(profile_, host_ids_, api_op_ids_); },
      [this] { link::MemoryToRanges(profile_); },
      [this] { link::BackwardToForward(profile_, std::move(flows_), host_backward_); },
      [this] { link::Parents(profile_); },
  };
  ForEachAtOnce(std::size(links), [&](std::size_t i) { links[i](); });
  // Removed work may have been the first or the last of the profile.
  if (impossible > 0) {
    const Ns later = FindOrigin();
    Rebase(later);
    origin += later;
  }
  FinishCpu(origin);
  mend::TellRuntimeKernels(profile_);
  if (doubts_device_ops_ && profile_.api.size() > 0) {
    device_op_ids_.Reset();
  }
  if (clip_overlaps_) ClipDevice();  // Shares of lost names depend on the remaining time.
  const std::function<void()> looks[] = {
      [this] {
        if (!streams_overlap_ && !clip_overlaps_) CountOverlaps(profile_, device_correlations_);
      },
      [this] { link::DeviceToOps(profile_, host_ids_, device_op_ids_); },
      [this] { mend::CheckNames(profile_); },
  };
  ForEachAtOnce(std::size(looks), [&](std::size_t i) { looks[i](); });
  link::CallStacks(profile_);
  CountSerialized(profile_);
  Certify(profile_);
  PROFGAUGE_CHECK(CheckInvariants(profile_));
  return std::move(profile_);
}

// The earliest time of all tables and of the recording span. Scheduling is not considered: it is
// cut to the extent of the events (FinishCpu). Arrows begin and end at events.
Ns ProfileBuilder::FindOrigin() const {
  Ns origin = std::numeric_limits<Ns>::max();
  const auto include = [&](const std::vector<Ns>& times) {
    for (const auto time : times) origin = std::min(origin, time);
  };
  include(profile_.host.start);
  include(profile_.api.start);
  include(profile_.os.start);
  include(profile_.sync.start);
  include(profile_.device_ranges.start);
  include(profile_.python.start);
  include(profile_.memory.time);
  if (has_span_) origin = std::min(origin, profile_.span_start);
  const auto& device = profile_.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!LostItsTime(device, row)) origin = std::min(origin, device.start[row]);
  }
  return origin == std::numeric_limits<Ns>::max() ? 0 : origin;
}

// Events that lost their times are moved to the origin: at 0 of a Unix clock they would make the
// profile fifty years long.
void ProfileBuilder::Rebase(Ns origin) {
  auto& device = profile_.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (origin > 0 && LostItsTime(device, row)) {
      device.start[row] = origin;
      profile_.log.Add(Counter::zero_time_events);
    }
  }
  // Returns the span from the first to the last event.
  const auto move = [&](std::vector<Ns>& starts, auto duration_of) {
    Span all = {std::numeric_limits<Ns>::max(), 0};
    for (std::size_t row = 0; row < starts.size(); ++row) {
      starts[row] -= origin;
      all.start = std::min(all.start, starts[row]);
      all.end = std::max(all.end, starts[row] + duration_of(row));
    }
    return all;
  };
  const auto move_table = [&](auto& table) {
    return move(table.start, [&table](std::size_t row) { return table.duration[row]; });
  };
  const std::function<Span()> moves[] = {
      [&] { return move_table(profile_.host); },
      [&] { return move_table(profile_.api); },
      [&] { return move_table(device); },
      [&] { return move_table(profile_.os); },
      [&] { return move_table(profile_.sync); },
      [&] { return move_table(profile_.device_ranges); },
      [&] { return move_table(profile_.python); },
      [&] { return move(profile_.memory.time, [](std::size_t) { return Ns{0}; }); },
  };
  std::array<Span, std::size(moves)> moved;
  ForEachAtOnce(moved.size(), [&](std::size_t i) { moved[i] = moves[i](); });
  Ns first = std::numeric_limits<Ns>::max();
  Ns last = 0;
  for (const Span& all : moved) {
    first = std::min(first, all.start);
    last = std::max(last, all.end);
  }
  profile_.first = std::min(first, last);
  profile_.last = last;
  if (has_span_) {
    profile_.span_start -= origin;
    profile_.span_end -= origin;
  }
  for (auto& flow : flows_) flow.time -= origin;
  for (auto& arrow : arrows_) arrow.time -= origin;
  if (counts_from_session_)
    profile_.session_start = std::min<Ns>(0, profile_.session_start - origin);
  // An offset beyond all dates is unknown.
  const bool is_told = clock_offset_ > -kFarthestTime && clock_offset_ < kFarthestTime;
  profile_.origin_ns += origin;
  if (is_told) profile_.origin_ns += std::exchange(clock_offset_, 0);
}

// Cuts scheduling outside of the events, because its own start is not recorded.
void ProfileBuilder::FinishCpu(Ns origin) {
  if (cpu_.spans.empty() && cpu_.samples.empty() && cpu_.overhead.empty()) return;
  for (std::vector<CpuSpan>* spans : {&cpu_.spans, &cpu_.overhead}) {
    for (CpuSpan& span : *spans) {
      const Ns start = std::max<Ns>(span.start - origin, 0);
      const Ns end = std::min(span.start - origin + span.duration, profile_.last);
      span.start = start;
      span.duration = end - start;
    }
    std::erase_if(*spans, [](const CpuSpan& span) { return span.duration <= 0; });
  }
  std::vector<StringId> labels(profile_.threads.size());
  for (CpuSpan& span : cpu_.spans) {
    if (span.core < 0) continue;
    StringId& label = labels[span.thread.value];
    const Thread& thread = profile_.threads[span.thread.value];
    if (!label.valid()) {
      label = Intern(thread.name.empty() ? "thread " + std::to_string(thread.tid) : thread.name);
    }
    span.name = label;
  }
  for (CpuSample& sample : cpu_.samples) sample.time -= origin;
  std::erase_if(cpu_.samples, [this](const CpuSample& sample) {
    return sample.time < 0 || sample.time > profile_.last;
  });
  std::stable_sort(cpu_.spans.begin(), cpu_.spans.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.thread.value, a.start) < std::tuple(b.thread.value, b.start);
  });
  std::stable_sort(cpu_.samples.begin(), cpu_.samples.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  profile_.cpu = std::make_shared<const CpuActivity>(std::move(cpu_));
}

// Ends rows of a stream before the next one, if they overlap many. A single overflowed duration
// covers all following kernels; of it, only the time shared with the next kernel counts. If the
// total is over a tenth of a GPU's time, times are coarse, in another unit, or of several profiles.
void ProfileBuilder::ClipDevice() {
  //   stream 7   [a ---------- 10)              all stay; a would be clipped to [0, 4) if eight
  //                   [b --- 8)     [c - 14)    like b began and ended within it
  //
  // `shared` counts only time of the next kernel: min(10 - 4, 4) = 4.
  struct Clipped {
    std::uint64_t rows = 0;
    Ns shared = 0, left = 0;
  };
  std::map<std::int32_t, Clipped> gpus;
  auto& t = profile_.device;
  for (std::size_t row = 0; row < t.size(); ++row) {
    Clipped& of_gpu = gpus[t.gpu[row]];
    const bool is_last =
        row + 1 == t.size() || t.gpu[row] != t.gpu[row + 1] || t.stream[row] != t.stream[row + 1];
    const Ns duration = t.duration[row];
    const Ns room = is_last ? duration : t.start[row + 1] - t.start[row];
    of_gpu.left += std::min(duration, room);
    if (duration <= room) continue;
    of_gpu.shared += std::min<Ns>(duration - room, t.duration[row + 1]);
    ++of_gpu.rows;
    // Kernels of a stream may run concurrently: ending after a few later ones is no error.
    const std::size_t around = row + knowledge::kLossClippedLeast.value();
    const bool is_wrong = around < t.size() && t.gpu[around] == t.gpu[row] &&
                          t.stream[around] == t.stream[row] &&
                          t.start[around] + t.duration[around] <= t.start[row] + duration;
    if (!is_wrong) continue;
    t.duration.Set(row, room);
    profile_.log.Add(Counter::events_clipped);
  }
  if (streams_overlap_) return;
  for (const auto& [gpu, clipped] : gpus) {
    if (clipped.rows < knowledge::kLossLeastEvents ||
        clipped.shared <= knowledge::kLossOverlapShare.WholeOf(clipped.left))
      continue;
    profile_.log.AddAt(Counter::work_overlapping,
                       fmt::format("device {}: {} of the time of its streams is taken twice", gpu,
                                   FormatDuration(static_cast<double>(clipped.shared))));
    profile_.log.Add(Counter::work_overlapping, clipped.rows - 1);
  }
}

// Uses the old numbers in one pass, so that 0 -> 1 and 1 -> 0 is an exchange.
void ProfileBuilder::RenumberGpus(const std::map<std::int32_t, NewGpu>& numbers) {
  const auto renumber = [&numbers](auto& column) {
    for (std::size_t row = 0; row < column.size(); ++row) {
      const auto found = numbers.find(column[row]);
      if (found == numbers.end()) continue;
      if constexpr (requires { column.Set(row, 0); }) {
        column.Set(row, found->second.number);
      } else {
        column[row] = found->second.number;
      }
    }
  };
  renumber(profile_.device.gpu);
  renumber(profile_.sync.gpu);
  renumber(profile_.device_ranges.gpu);
  renumber(profile_.memory.device);
  for (LaunchArrow& arrow : arrows_) {
    if (const auto found = numbers.find(arrow.gpu); found != numbers.end()) {
      arrow.gpu = found->second.number;
    }
  }
  const std::vector<Gpu> listed = std::move(profile_.gpus);
  profile_.gpus.clear();
  std::set<std::int32_t> named;
  for (const auto& [old, made] : numbers) {
    const auto like = std::find_if(listed.begin(), listed.end(),
                                   [id = made.like](const Gpu& gpu) { return gpu.id == id; });
    if (like == listed.end() || !named.insert(made.number).second) continue;
    profile_.gpus.push_back(*like);
    profile_.gpus.back().id = made.number;
  }
  std::copy_if(listed.begin(), listed.end(), std::back_inserter(profile_.gpus),
               [&named](const Gpu& gpu) { return named.insert(gpu.id).second; });
}

void ProfileBuilder::ApplyNames() {
  for (const auto& [key, id] : thread_ids_) {
    auto& thread = profile_.threads[id];
    if (const auto name = thread_names_.find(key); name != thread_names_.end()) {
      thread.name = name->second;
    }
    if (const auto name = process_names_.find(thread.process); name != process_names_.end()) {
      thread.process = "pid " + thread.process + " " + name->second;
    } else if (thread.pid >= 0) {
      thread.process = "pid " + thread.process;
    }
  }
}

// Orders a finished profile's tables.

namespace {

// Rows of equal times and places are ordered by the profiler's numbers, then by names, since their
// order in the file has no meaning.

template <class T, class Numbers>
Permutation ByThread(const T& t, const Numbers& numbers, const Profile& profile) {
  return SortedRows(t.size(), [&](auto a, auto b) {
    const auto place = [&t](auto row) {
      return std::tuple(t.thread[row], t.start[row], -t.duration[row]);
    };
    const auto first = place(a), second = place(b);
    if (first != second) return first < second;
    if (numbers(a) != numbers(b)) return numbers(a) < numbers(b);
    return t.name[a] != t.name[b] && profile.Name(t.name[a]) < profile.Name(t.name[b]);
  });
}

template <class T>
Permutation ByStart(const T& t, const Profile& profile) {
  return SortedRows(t.size(), [&](auto a, auto b) {
    const auto place = [&t](auto row) {
      return std::tuple(t.start[row], t.gpu[row], t.stream[row], -t.duration[row]);
    };
    const auto first = place(a), second = place(b);
    if (first != second) return first < second;
    return t.name[a] != t.name[b] && profile.Name(t.name[a]) < profile.Name(t.name[b]);
  });
}

template <class Numbers>
Permutation ByStream(const DeviceTable& device, const Numbers& numbers, const Profile& profile) {
  return SortedRows(device.size(), [&](auto a, auto b) {
    const auto place = [&device](auto row) {
      return std::tuple(device.gpu[row], device.stream[row], device.start[row]);
    };
    const auto first = place(a), second = place(b);
    if (first != second) return first < second;
    if (numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    if (device.duration[a] != device.duration[b]) return device.duration[a] < device.duration[b];
    return device.name[a] != device.name[b] &&
           profile.Name(device.name[a]) < profile.Name(device.name[b]);
  });
}

Permutation ByTime(const MemoryTable& memory) {
  return SortedRows(memory.size(), [&](auto a, auto b) { return memory.time[a] < memory.time[b]; });
}

// Columns to be reordered in parallel: one table may be most of a profile.
class Columns {
 public:
  template <class... Column>
  void Add(const Permutation& rows, Column&... columns) {
    if (rows.empty()) return;
    (sorts_.push_back([&rows, &columns] { Permute(rows, columns); }), ...);
  }
  void Sort() {
    ForEachAtOnce(sorts_.size(), [this](std::size_t i) { sorts_[i](); });
  }

 private:
  std::vector<std::function<void()>> sorts_;
};

}  // namespace

// Orders threads by their first event. In the order of the file, equal events could give different
// tables.
void ProfileBuilder::OrderThreads() {
  constexpr Ns kNever = std::numeric_limits<Ns>::max();
  std::vector<Thread>& threads = profile_.threads;
  std::vector<Ns> first(threads.size(), kNever);
  const auto see = [&first](const auto& starts, const auto& of) {
    for (std::size_t row = 0; row < starts.size(); ++row) {
      const ThreadId thread = of[row];
      if (thread.value < first.size()) {
        first[thread.value] = std::min(first[thread.value], starts[row]);
      }
    }
  };
  see(profile_.host.start, profile_.host.thread);
  see(profile_.api.start, profile_.api.thread);
  see(profile_.os.start, profile_.os.thread);
  see(profile_.python.start, profile_.python.thread);
  see(profile_.memory.time, profile_.memory.thread);
  Permutation order = SortedRows(threads.size(), [&](auto a, auto b) {
    const auto place = [&](auto row) {
      const Thread& thread = threads[row];
      return std::tie(first[row], thread.pid, thread.tid, thread.process, thread.name);
    };
    return place(a) < place(b);
  });
  if (order.empty()) return;
  std::vector<ThreadId> now(threads.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) now[order[row]] = ThreadId{row};
  const auto change = [&now](ThreadId& thread) {
    if (thread.value < now.size()) thread = now[thread.value];
  };
  Permute(order, threads);
  for (auto* column : {&profile_.host.thread, &profile_.os.thread, &profile_.python.thread,
                       &profile_.memory.thread}) {
    for (ThreadId& thread : *column) change(thread);
  }
  for (std::size_t row = 0; row < profile_.api.size(); ++row) {
    ThreadId thread = profile_.api.thread[row];
    change(thread);
    profile_.api.thread.Set(row, thread);
  }
  for (FlowRow& flow : flows_) change(flow.thread);
  for (LaunchArrow& arrow : arrows_) change(arrow.thread);
  for (std::vector<CpuSpan>* spans : {&cpu_.spans, &cpu_.overhead}) {
    for (CpuSpan& span : *spans) change(span.thread);
  }
  for (CpuSample& sample : cpu_.samples) change(sample.thread);
  for (auto& [gpu, thread] : profile_.step_lanes) change(thread);
  for (auto& [key, id] : thread_ids_) id = now[id].value;
}

// Finds the order of each table first, then moves all columns, including those that only the
// builder has: ids by which model/link.h finds rows.
void ProfileBuilder::SortTables() {
  auto& host = profile_.host;
  auto& python = profile_.python;
  auto& api = profile_.api;
  auto& device = profile_.device;
  auto& memory = profile_.memory;
  auto& os = profile_.os;
  auto& sync = profile_.sync;
  auto& ranges = profile_.device_ranges;
  const std::function<Permutation()> orders[] = {
      [&] {
        return ByThread(
            host, [this](auto row) { return host_ids_[row]; }, profile_);
      },
      [&] {
        return ByThread(
            python, [&](auto row) { return python.id[row]; }, profile_);
      },
      [&] {
        return ByThread(
            api, [this](auto row) { return api_correlations_[row]; }, profile_);
      },
      [&] { return ByStream(device, device_correlations_, profile_); },
      [&] { return ByTime(memory); },
      [&] {
        return ByThread(
            os, [](auto) { return 0; }, profile_);
      },
      [&] { return ByStart(sync, profile_); },
      [&] { return ByStart(ranges, profile_); },
  };
  std::array<Permutation, std::size(orders)> rows;
  ForEachAtOnce(rows.size(), [&](std::size_t i) { rows[i] = orders[i](); });
  Columns columns;
  columns.Add(rows[0], host.start, host.duration, host.name, host.kind, host.thread,
              host.input_shapes, host.input_dtypes, host.call_stack, host.concrete_inputs,
              host.sequence, host.collective, host.domain, host.style, host_ids_, host_backward_);
  columns.Add(rows[1], python.start, python.duration, python.name, python.thread, python.id,
              python.parent_id, python.module_id);
  columns.Add(rows[2], api.start, api.duration, api.name, api.kind, api.thread, api_correlations_,
              api_op_ids_);
  columns.Add(rows[3], device.start, device.duration, device.name, device.kind, device.gpu,
              device.stream, device.config, device.collective, device.copy, device.host_memory,
              device.bytes, device_correlations_, device_op_ids_);
  columns.Add(rows[4], memory.time, memory.thread, memory.device_type, memory.device,
              memory.address, memory.bytes, memory.total_allocated, memory.total_reserved);
  columns.Add(rows[5], os.start, os.duration, os.name, os.thread);
  columns.Add(rows[6], sync.start, sync.duration, sync.name, sync.gpu, sync.stream);
  columns.Add(rows[7], ranges.start, ranges.duration, ranges.name, ranges.gpu, ranges.stream);
  columns.Sort();
}

}  // namespace profgauge
