// The rows of one process, taken out of a profile of several.
#include "model/processes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

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

// Where each of `count` old rows went; rows of other parts to none.
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

// Order within a part is that of the whole, so that all tables stay sorted; links to rows of other
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

// Devices of a part are those on which it has work: a listed one without any would look idle.
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
  // Ids stay the same, so columns of texts are copied as they are.
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

}  // namespace profgauge
