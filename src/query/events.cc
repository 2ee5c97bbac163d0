#include "query/tables.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/devices.h"
#include "query/event_source.h"

namespace profgauge::query {
namespace {

const std::vector<EventTable>& AllEventTables() {
  static const auto kAll = [] {
    std::vector<EventTable> all;
    for (auto part : {DeviceEventTables(), HostEventTables(), RunEventTables()}) {
      std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    return all;
  }();
  return kAll;
}

// Why no rank has rows of the table.
std::string WhyAbsent(const EventTable& table,
                      std::span<const analysis::context::RankContext> ranks) {
  const bool has_any = std::any_of(
      ranks.begin(), ranks.end(),
      [&](const analysis::context::RankContext& rank) { return rank.profile->Has(table.needs); });
  if (has_any) return "the profile has none";
  const Profile& first = *ranks.front().profile;
  return InDeviceWords(CapabilityGap(table.needs, first.hints),
                       DeviceWordsOf(AcceleratorOf(std::span(&first, 1))));
}

}  // namespace

std::span<const TableShape> EventShapes() {
  static const auto kShapes = [] {
    std::vector<TableShape> shapes;
    for (const EventTable& table : AllEventTables()) shapes.push_back(table.shape);
    return shapes;
  }();
  return kShapes;
}

void AddEvents(const std::string& run,
               std::shared_ptr<const std::vector<analysis::context::RankContext>> ranks,
               std::size_t position, const Places& wanted, Dataset& data) {
  const auto events = std::make_shared<const RunEvents>(ranks);
  std::vector<std::shared_ptr<const RankEvents>> of_ranks;
  for (std::size_t i = 0; i < ranks->size(); ++i) {
    of_ranks.push_back(std::make_shared<const RankEvents>(
        events, i, static_cast<std::int64_t>(position + i) * kIdsOfRank));
  }
  for (const EventTable& table : AllEventTables()) {
    const std::size_t place = *FindRelation(table.shape.id);
    if (!wanted.contains(place)) continue;
    Relation& relation = data[place];
    for (std::size_t i = 0; i < of_ranks.size(); ++i) {
      relation.parts.push_back({run, (*ranks)[i].rank,
                                static_cast<std::int64_t>(position + i) * kIdsOfRank,
                                table.rows(of_ranks[i])});
    }
    if (relation.size() == 0) relation.absent_because = WhyAbsent(table, *ranks);
  }
}

}  // namespace profgauge::query
