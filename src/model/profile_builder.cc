#include "model/profile_builder.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <boost/iterator/transform_iterator.hpp>
#include <charconv>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/interval.h"
#include "base/mix.h"
#include "base/parallel.h"
#include "knowledge/loss.h"
#include "model/certificate.h"
#include "model/link.h"
#include "model/mend.h"

namespace profgauge {
namespace {

/// -1 when `text` is no whole number.
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

/// The key identifies the value: equal bytes, equal value.
/// A key and not the value is hashed: doubles compare by their bytes, so that NaN equals itself.
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
// Clang before 17 deduces none for aggregates.
template <class Row, class T, class Values>
Column(Values&, T Row::*) -> Column<Row, T, Values>;

template <class Row, class T>
void Append(std::span<const Row> rows, Column<Row, T, std::vector<T>> column) {
  if (rows.size() == 1) return column.values.push_back(rows.front().*column.field);
  const auto field = std::mem_fn(column.field);
  column.values.insert(column.values.end(), boost::make_transform_iterator(rows.begin(), field),
                       boost::make_transform_iterator(rows.end(), field));
}

/// Calls it for columns that have it.
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

/// Only registers and sizes, which differ most between kernels: one multiplication for each size.
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

// Kernels of the same name mostly have the same: a look at the last one of its kind is enough.
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

}  // namespace profgauge
