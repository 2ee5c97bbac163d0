#include "readers/kineto/rows.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace profgauge::readers::kineto {
namespace {

/// What the chunk's ids are in the builder.
struct Remap {
  std::vector<StringId> strings;
  std::vector<ThreadId> threads;
  std::vector<LaunchConfigId> configs;
  std::vector<CollectiveId> collectives;

  template <class Id>
  static void Apply(const std::vector<Id>& ids, Id& id) {
    if (id.valid()) id = ids[id.value];
  }
  void operator()(StringId& id) const { Apply(strings, id); }
  void operator()(ThreadId& id) const { Apply(threads, id); }
  void operator()(LaunchConfigId& id) const { Apply(configs, id); }
  void operator()(CollectiveId& id) const { Apply(collectives, id); }

  void operator()(HostRow& row) const {
    (*this)(row.name);
    (*this)(row.thread);
    (*this)(row.input_shapes);
    (*this)(row.input_dtypes);
    (*this)(row.call_stack);
    (*this)(row.concrete_inputs);
    (*this)(row.collective);
  }
  void operator()(ApiRow& row) const {
    (*this)(row.name);
    (*this)(row.thread);
  }
  void operator()(DeviceRow& row) const {
    (*this)(row.name);
    (*this)(row.config);
    (*this)(row.collective);
  }
  void operator()(StreamRow& row) const { (*this)(row.name); }
  void operator()(PythonRow& row) const {
    (*this)(row.name);
    (*this)(row.thread);
  }
  void operator()(SyncRow& row) const { (*this)(row.row); }
  void operator()(RangeRow& row) const { (*this)(row.row); }
  void operator()(std::monostate) const {}
};

Remap MakeRemap(const Rows& rows, ProfileBuilder& builder) {
  Remap remap;
  for (const auto text : rows.strings) remap.strings.push_back(builder.Intern(text));
  for (const auto& [process, thread] : rows.threads) {
    remap.threads.push_back(
        builder.AddThread(rows.strings[process.value], rows.strings[thread.value]));
  }
  for (const auto& config : rows.configs) remap.configs.push_back(builder.AddLaunchConfig(config));
  for (auto collective : rows.collectives) {
    remap(collective.name);
    remap(collective.dtype);
    remap(collective.group);
    remap(collective.description);
    remap.collectives.push_back(builder.AddCollective(collective));
  }
  return remap;
}

void MergeNames(const Rows& rows, ProfileBuilder& builder) {
  for (const auto& row : rows.names) {
    const auto process = rows.strings[row.process.value];
    const auto name = rows.strings[row.name.value];
    if (row.thread.valid()) {
      builder.NameThread(process, rows.strings[row.thread.value], name);
    } else {
      builder.NameProcess(process, name);
    }
  }
}

}  // namespace

void Rows::Clear() {
  strings.clear();
  threads.clear();
  configs.clear();
  collectives.clear();
  host.clear();
  api.clear();
  device.clear();
  sync.clear();
  device_ranges.clear();
  python.clear();
  memory.clear();
  flows.clear();
  names.clear();
  apart.clear();
  unread.clear();
  bad_time.clear();
  rocm = false;
  has_span = false;
  log = ImportLog{};
}

std::size_t Strings::Hash::operator()(std::string_view text) const {
  return XXH3_64bits(text.data(), text.size());
}

StringId Strings::Intern(std::string_view text) {
  auto found = entries_.find(text);
  if (found == entries_.end()) {
    const std::string_view stored = texts_.emplace_back(text);
    found = entries_.emplace(stored, Entry{}).first;
  }
  auto& entry = found->second;
  if (entry.chunk != chunk_) {
    entry.chunk = chunk_;
    entry.id = StringId{static_cast<std::uint32_t>(rows_->strings.size())};
    rows_->strings.push_back(found->first);
  }
  return entry.id;
}

void Merge(Rows& rows, ProfileBuilder& builder, PairedEvents& paired) {
  const Remap remap = MakeRemap(rows, builder);
  for (HostRow& row : rows.host) remap(row);
  builder.AddHost(rows.host);
  for (ApiRow& row : rows.api) remap(row);
  builder.AddApi(rows.api);
  for (DeviceRow& row : rows.device) remap(row);
  builder.AddDevice(rows.device);
  for (PythonRow& row : rows.python) remap(row);
  builder.AddPython(rows.python);
  for (MemoryRow& row : rows.memory) remap(row.thread);
  builder.AddMemory(rows.memory);
  for (StreamRow& row : rows.sync) {
    remap(row);
    builder.AddSync(row);
  }
  for (StreamRow& row : rows.device_ranges) {
    remap(row);
    builder.AddDeviceRange(row);
  }
  for (ApartRow& row : rows.apart) {
    remap(row.process);
    remap(row.thread);
    std::visit([&](auto& begun) { remap(begun); }, row.row);
    paired.Add(std::move(row));
  }
  for (auto row : rows.flows) {
    remap(row.thread);
    builder.AddFlow(row);
  }
  MergeNames(rows, builder);
  if (rows.rocm) builder.ClipStreamOverlaps();
  if (rows.has_span) builder.SetSpan(rows.span_start, rows.span_duration);
  builder.log().Merge(rows.log);
}

}  // namespace profgauge::readers::kineto
