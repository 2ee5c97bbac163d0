#include "analysis/communication/peers.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include "analysis/classify/arguments.h"
#include "analysis/communication/collective_calls.h"

namespace profgauge::analysis::communication {
namespace {

constexpr std::string_view kSend = "send", kReceive = "recv";

struct Places {
  bool sends = false;
  std::int64_t own = -1, other = -1;
};

std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Parses "nccl:send 0->1" and "nccl:recv 1<-0".
std::optional<Places> ReadPlaces(std::string_view range) {
  const auto colon = range.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  range.remove_prefix(colon + 1);
  Places places;
  places.sends = range.starts_with("send ");
  if (!places.sends && !range.starts_with("recv ")) return std::nullopt;
  range.remove_prefix(kSend.size() + 1);
  const auto own = TakeNumber(range);
  if (!own || !range.starts_with(places.sends ? "->" : "<-")) return std::nullopt;
  range.remove_prefix(2);
  const auto other = TakeNumber(range);
  if (!other) return std::nullopt;
  places.own = *own;
  places.other = *other;
  return places;
}

}  // namespace

Peers::Peers(const iterations::RankContext& rank) : rank_(rank) {
  const Profile& profile = *rank.profile;
  for (std::size_t i = 0; i < profile.device.size(); ++i) {
    const ApiId launch = profile.device.launch[i];
    if (!rank.classes[i].collective || !launch.valid()) continue;
    launches_[profile.api.thread[launch.value].value].push_back(profile.api.start[launch.value]);
  }
  for (auto& [thread, starts] : launches_) std::sort(starts.begin(), starts.end());
  const HostTable& host = profile.host;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const CollectiveId recorded = host.collective[row];
    if (!recorded.valid()) continue;
    const std::string_view name = profile.Name(profile.collectives[recorded.value].name);
    if (name == kSend || name == kReceive) records_[host.thread[row].value].push_back(row);
  }
}

void Peers::SetOwn(std::string_view recorded, CollectiveCall& call) const {
  if (recorded == kSend && call.source < 0 && call.destination >= 0) call.source = rank_.rank;
  if (recorded == kReceive && call.destination < 0 && call.source >= 0) {
    call.destination = rank_.rank;
  }
}

// Without the group's members, places count as global ranks only if the own place is the own rank.
std::int64_t Peers::GlobalRank(const CollectiveCall& call, std::int64_t own,
                               std::int64_t place) const {
  const DistributedInfo& info = rank_.profile->distributed;
  for (const ProcessGroup& group : info.groups) {
    if (group.name != call.group || group.ranks.empty()) continue;
    return place < static_cast<std::int64_t>(group.ranks.size())
               ? group.ranks[static_cast<std::size_t>(place)]
               : -1;
  }
  const bool is_part = call.group_size > 0 && info.world_size > call.group_size;
  return own == rank_.rank && !is_part ? place : -1;
}

void Peers::SetByName(std::string_view range, CollectiveCall& call) const {
  if (call.source >= 0 && call.destination >= 0) return;
  const std::optional<Places> places = ReadPlaces(range);
  if (!places) return;
  const std::int64_t own = GlobalRank(call, places->own, places->own);
  const std::int64_t other = GlobalRank(call, places->own, places->other);
  if (own != rank_.rank || other < 0) return;
  call.source = places->sends ? own : other;
  call.destination = places->sends ? other : own;
}

// Records of a batch are on its thread between the previous launch of communication and its own:
//
//   calls    |launch|                             |launch of the batch|
//   records            send 1->2   recv 2->1
//
// A batch with one other rank is one call with that rank. Its bytes are those of the larger
// direction, since both run simultaneously. A batch with several other ranks gets no ends.
void Peers::SetByBatch(std::size_t row, CollectiveCall& call) const {
  const Profile& profile = *rank_.profile;
  const ApiId launch = profile.device.launch[row];
  if (call.kind != classify::CollectiveKind::kSendRecv || call.source >= 0 ||
      call.destination >= 0 || !launch.valid()) {
    return;
  }
  const std::uint32_t thread = profile.api.thread[launch.value].value;
  const auto records = records_.find(thread);
  if (records == records_.end()) return;
  const Ns start = profile.api.start[launch.value];
  const std::vector<Ns>& starts = launches_.at(thread);
  const auto at = std::lower_bound(starts.begin(), starts.end(), start);
  const bool is_first = at == starts.begin();
  const auto begins_before = [&](std::uint32_t r, Ns time) { return profile.host.start[r] < time; };
  auto record = is_first ? records->second.begin()
                         : std::lower_bound(records->second.begin(), records->second.end(),
                                            *(at - 1), begins_before);
  CollectiveCall batch;
  std::int64_t sent = 0, received = 0;
  for (; record != records->second.end() && profile.host.start[*record] < start; ++record) {
    const Collective& part = profile.collectives[profile.host.collective[*record].value];
    CollectiveCall one;
    one.source = part.source_rank;
    one.destination = part.destination_rank;
    SetOwn(profile.Name(part.name), one);
    if (one.source < 0 || one.destination < 0) return;
    const auto [low, high] = std::minmax(one.source, one.destination);
    const auto [known_low, known_high] = std::minmax(batch.source, batch.destination);
    if (batch.source >= 0 && (low != known_low || high != known_high)) return;
    const bool turns = batch.source >= 0 && batch.source != one.source;
    batch.source = turns ? low : one.source;
    batch.destination = turns ? high : one.destination;
    batch.group = std::string(profile.Name(part.group));
    batch.group_description = std::string(profile.Name(part.description));
    batch.dtype = std::string(classify::CanonicalDtype(profile.Name(part.dtype)));
    batch.group_size = part.group_size;
    (one.source == rank_.rank ? sent : received) +=
        std::max<std::int64_t>(0, classify::CollectiveBytes(profile, part));
  }
  if (batch.source < 0) return;
  call.source = batch.source;
  call.destination = batch.destination;
  call.group = std::move(batch.group);
  call.group_description = std::move(batch.group_description);
  call.dtype = std::move(batch.dtype);
  call.group_size = batch.group_size;
  if (std::max(sent, received) > 0) call.bytes = std::max(sent, received);
}

}  // namespace profgauge::analysis::communication
