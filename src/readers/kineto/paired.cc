#include "readers/kineto/paired.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace profgauge::readers::kineto {
namespace {

// Adds the row to the table of its kind. A pair of an unmeasured kind counts as two ignored events.
struct Adder {
  ProfileBuilder& builder;
  Ns duration;

  void operator()(std::monostate) const { builder.log().Add(Counter::events_ignored_kind, 2); }
  void operator()(HostRow& row) const { builder.AddHost(Whole(row)); }
  void operator()(ApiRow& row) const { builder.AddApi(Whole(row)); }
  void operator()(DeviceRow& row) const { builder.AddDevice(Whole(row)); }
  void operator()(PythonRow& row) const { builder.AddPython(Whole(row)); }
  void operator()(SyncRow& row) const { builder.AddSync(Whole(row.row)); }
  void operator()(RangeRow& row) const { builder.AddDeviceRange(Whole(row.row)); }

 private:
  template <class Row>
  Row& Whole(Row& row) const {
    row.duration = duration;
    return row;
  }
};

struct NameOf {
  StringId operator()(const std::monostate&) const { return {}; }
  StringId operator()(const SyncRow& row) const { return row.row.name; }
  StringId operator()(const RangeRow& row) const { return row.row.name; }
  template <class Row>
  StringId operator()(const Row& row) const {
    return row.name;
  }
};

void CountWithoutEnd(const ApartRow& row, ProfileBuilder& builder) {
  constexpr std::size_t kNameShown = 60;
  const StringId name = std::visit(NameOf{}, row.row);
  if (!name.valid()) return builder.log().Add(Counter::events_ignored_kind);
  builder.log().AddAt(Counter::events_unreadable,
                      fmt::format("`{}` begins but does not end",
                                  PrintableShort(std::string(builder.Name(name)), kNameShown)));
}

}  // namespace

void PairedEvents::Finish(ProfileBuilder& builder) {
  const auto thread_of = [](const ApartRow& row) {
    return std::pair(row.process.value, row.thread.value);
  };
  std::stable_sort(rows_.begin(), rows_.end(), [&](const ApartRow& a, const ApartRow& b) {
    return std::pair(thread_of(a), a.time) < std::pair(thread_of(b), b.time);
  });
  std::vector<ApartRow*> open;
  const auto close_all = [&] {
    for (const ApartRow* row : open) CountWithoutEnd(*row, builder);
    open.clear();
  };
  for (ApartRow& row : rows_) {
    if (!open.empty() && thread_of(*open.back()) != thread_of(row)) close_all();
    if (row.begins) {
      open.push_back(&row);
    } else if (open.empty()) {
      builder.log().AddAt(Counter::events_unreadable, "an event ends but does not begin");
    } else {
      std::visit(Adder{builder, row.time - open.back()->time}, open.back()->row);
      open.pop_back();
    }
  }
  close_all();
  rows_.clear();
}

}  // namespace profgauge::readers::kineto
