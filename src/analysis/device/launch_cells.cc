// The cells of the table `launches`, column by column: AppendLaunches().
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "analysis/device/launches.h"
#include "analysis/device/queue.h"
#include "analysis/tables/device_columns.h"
#include "analysis/tables/output.h"

namespace profgauge::analysis::device {
namespace {

std::string_view KindName(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kKernel:
      return "kernel";
    case DeviceKind::kMemcpy:
      return "memcpy";
    case DeviceKind::kMemset:
      break;
  }
  return "memset";
}

// The inputs for the cells of one rank's rows. Texts are those of `pool`.
struct Cells {
  Cells(const context::RankContext& of, StringPool& pool)
      : rank(of), profile(*of.profile), device(profile.device), texts(profile, pool) {
    for (const DeviceKind kind : {DeviceKind::kKernel, DeviceKind::kMemcpy, DeviceKind::kMemset}) {
      kinds[static_cast<std::size_t>(kind)] = pool.Intern(KindName(kind));
    }
    for (const classify::Tri tri :
         {classify::Tri::kNo, classify::Tri::kYes, classify::Tri::kUnknown}) {
      verdicts[static_cast<std::size_t>(tri)] = pool.Intern(classify::TriName(tri));
    }
    for (const LaunchConfig& config : profile.launch_configs) {
      grids.push_back(Dimensions(config.grid, pool));
      blocks.push_back(Dimensions(config.block, pool));
    }
  }

  // "8, 1, 1"
  static StringId Dimensions(const std::int32_t (&xyz)[3], StringPool& pool) {
    if (xyz[0] <= 0) return {};
    return pool.Intern(std::to_string(xyz[0]) + ", " + std::to_string(xyz[1]) + ", " +
                       std::to_string(xyz[2]));
  }
  std::uint32_t CallOf(LaunchRow row) const { return device.launch[row.row].value; }
  StringId OfConfig(const std::vector<StringId>& known, LaunchRow row) const {
    const LaunchConfigId config = device.config[row.row];
    return config.valid() ? known[config.value] : StringId{};
  }

  const context::RankContext& rank;
  const Profile& profile;
  const DeviceTable& device;
  tables::Texts texts;
  std::array<StringId, 3> kinds, verdicts;
  std::vector<StringId> grids, blocks;  // The launch properties that a profile has; they are few.
};

// A column, and how its cell of one row is made. Callers may ask for some columns only, so each is
// filled by itself.
struct LaunchColumn {
  std::string_view id;
  void (*append)(Cells& of, LaunchRow row, Column& to);
};

constexpr LaunchColumn kLaunchColumns[] = {
    {"rank", [](Cells& of, LaunchRow, Column& to) { to.AddInteger(of.rank.rank); }},
    {"gpu", [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(of.device.gpu[at.row]); }},
    {"stream",
     [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(of.device.stream[at.row]); }},
    {"name",
     [](Cells& of, LaunchRow at, Column& to) { to.AddText(of.texts(of.device.name[at.row])); }},
    {"kind",
     [](Cells& of, LaunchRow at, Column& to) {
       to.AddText(of.kinds[static_cast<std::size_t>(of.device.kind[at.row])]);
     }},
    {"op",
     [](Cells& of, LaunchRow at, Column& to) {
       const HostId op = of.device.op[at.row];
       to.AddText(op.valid() ? of.texts(of.profile.host.name[op.value]) : StringId{});
     }},
    {"call", [](Cells& of, LaunchRow at,
                Column& to) { to.AddText(of.texts(of.profile.api.name[of.CallOf(at)])); }},
    {"call_start", [](Cells& of, LaunchRow at,
                      Column& to) { to.AddInteger(of.profile.api.start[of.CallOf(at)]); }},
    {"call_time", [](Cells& of, LaunchRow at,
                     Column& to) { to.AddInteger(of.profile.api.duration[of.CallOf(at)]); }},
    {"start", [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(of.device.start[at.row]); }},
    {"time",
     [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(of.device.duration[at.row]); }},
    {"delay",
     [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(LaunchDelay(of.profile, at.row)); }},
    {"queue_length", [](Cells&, LaunchRow at, Column& to) { to.AddInteger(at.queue); }},
    {"uses_tensor_core",
     [](Cells& of, LaunchRow at, Column& to) {
       to.AddText(of.verdicts[static_cast<std::size_t>(of.rank.classes[at.row].tensor_core)]);
     }},
    {"iteration",
     [](Cells& of, LaunchRow at, Column& to) {
       const std::uint32_t iteration = of.rank.iterations.of_device[at.row];
       to.AddInteger(iteration == context::Iterations::kNone ? Column::kAbsentInteger : iteration);
     }},
    {"grid", [](Cells& of, LaunchRow at, Column& to) { to.AddText(of.OfConfig(of.grids, at)); }},
    {"block", [](Cells& of, LaunchRow at, Column& to) { to.AddText(of.OfConfig(of.blocks, at)); }},
};
static_assert(std::ranges::equal(kLaunchColumns, tables::columns::kLaunches, {}, &LaunchColumn::id,
                                 &ColumnSpec::id));  // None is misspelt or left out.

}  // namespace

// Column by column; columns that the table does not have stay as they are.
void AppendLaunches(const context::RankContext& rank, std::span<const LaunchRow> rows,
                    std::span<Column* const> columns, StringPool& strings) {
  Cells cells(rank, strings);
  for (Column* column : columns) {
    const auto* const known =
        std::find_if(std::begin(kLaunchColumns), std::end(kLaunchColumns),
                     [column](const LaunchColumn& one) { return one.id == column->id(); });
    if (known == std::end(kLaunchColumns)) continue;
    for (const LaunchRow row : rows) known->append(cells, row, *column);
  }
}

}  // namespace profgauge::analysis::device
