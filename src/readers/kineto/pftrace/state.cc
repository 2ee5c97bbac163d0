#include "readers/kineto/pftrace/state.h"

#include <fmt/format.h>

#include <limits>

#include "readers/text/wire.h"

namespace profgauge::readers::pftrace {
namespace {

constexpr std::uint64_t kRealtime = 1, kBoottime = 6;
/// Clocks with these numbers belong to their sequence.
constexpr std::uint64_t kFirstOwnClock = 64, kLastOwnClock = 127;
/// PyTorch masks the sign bit, so it writes -1 ("no process or thread of the program") as this.
constexpr std::int64_t kNone = 0x7FFFFFFF;
constexpr std::size_t kMostTracks = 4'000'000;
/// The maximum length of a chain of parents, since a trace may have a cycle.
constexpr int kMostParents = 16;

// Converts a time to nanoseconds plus `offset`; nothing if the result exceeds 64 bits.
std::optional<Ns> Scaled(std::uint64_t time, std::uint64_t unit, Ns offset) {
  std::uint64_t scaled = 0;
  if (__builtin_mul_overflow(time, unit, &scaled)) return std::nullopt;
  if (scaled > static_cast<std::uint64_t>(std::numeric_limits<Ns>::max())) return std::nullopt;
  Ns sum = 0;
  if (__builtin_add_overflow(static_cast<Ns>(scaled), offset, &sum)) return std::nullopt;
  return sum;
}

struct ClockReading {
  std::uint64_t id = 0, time = 0, unit = 1;
  bool counts_on = false;
};

bool ReadClock(std::string_view message, ClockReading& clock) {
  WireReader fields(message);
  while (fields.Next()) {
    switch (fields.field()) {
      case 1:
        clock.id = fields.Varint();
        break;
      case 2:
        clock.time = fields.Varint();
        break;
      case 3:
        clock.counts_on = fields.Varint() != 0;
        break;
      case 4:
        if (fields.Varint() != 0) clock.unit = fields.Varint();
        break;
      default:
        break;
    }
  }
  return fields.ok();
}

// PyTorch writes ids & 0x7FFFFFFF, so -1 is written as 2147483647.
std::string NumberOf(std::int64_t id) { return std::to_string(id == kNone ? -1 : id); }

/// Reads a ProcessDescriptor or ThreadDescriptor.
bool ReadOwner(std::string_view message, bool is_process, Track& track) {
  const std::uint32_t name = is_process ? 6 : 5;
  (is_process ? track.is_process : track.is_thread) = true;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 1) track.process = fields.Signed();
    if (fields.field() == 2 && !is_process) track.thread = fields.Signed();
    if (fields.field() == name && fields.is_bytes()) track.name = fields.Bytes();
  }
  return fields.ok();
}

}  // namespace

// The earlier text stays in memory, so that views of it stay valid.
bool Interned::Set(Table table, std::uint64_t iid, std::string_view text) {
  const std::pair key(static_cast<std::uint16_t>(table), iid);
  const auto found = found_.find(key);
  if (found == found_.end()) {
    found_.emplace(key, texts_.emplace_back(text));
    return true;
  }
  if (found->second == text) return true;
  found->second = texts_.emplace_back(text);
  return false;
}

std::optional<std::string_view> Interned::Find(Table table, std::uint64_t iid) const {
  const auto found = found_.find(std::pair(static_cast<std::uint16_t>(table), iid));
  if (found == found_.end()) return std::nullopt;
  return found->second;
}

void Interned::Clear() {
  found_.clear();
  texts_.clear();
}

// Keeps the values of incremental clocks, because only a snapshot sets them.
void Sequence::Begin() {
  is_valid = true;
  interned.Clear();
  clock = track = 0;
}

// The index of a clock: a sequence's own clock by both numbers, other clocks by `clock`.
std::uint32_t Clocks::IndexOf(std::uint64_t clock, std::uint64_t number) {
  if (clock == 0 || clock == kBoottime) return 0;
  const bool is_own = clock >= kFirstOwnClock && clock <= kLastOwnClock;
  // Numbers of sequences and of clocks have 32 bits each.
  const std::uint64_t key = (is_own ? number : 0) << 32 | (clock & 0xFFFFFFFF);
  const auto next = static_cast<std::uint32_t>(clocks_.size());
  const auto [at, is_new] = found_.emplace(key, next);
  if (is_new) clocks_.emplace_back();
  return at->second;
}

bool Clocks::ReadSnapshot(std::string_view message, std::uint64_t number, Sequence& sequence) {
  std::vector<ClockReading> readings;
  std::uint64_t primary = kBoottime;
  WireReader fields(message);
  while (fields.Next()) {
    if (fields.field() == 2) primary = fields.Varint();
    if (fields.field() != 1) continue;
    if (!ReadClock(fields.Bytes(), readings.emplace_back())) return false;
  }
  if (!fields.ok() || readings.empty()) return fields.ok();
  const auto reading_of = [&](std::uint64_t id) -> std::optional<Ns> {
    for (const ClockReading& clock : readings) {
      if (clock.id == id) return Scaled(clock.time, clock.unit, 0);
    }
    return std::nullopt;
  };
  //   snapshot   clock 6: 1000   clock 1: 5000   clock 64: 20, unit 10
  //   base       1000, of the primary clock
  //   to_unix    5000 - 1000
  //   offset     of clock 64: 1000 - 200: its 25 is 250 + 800 = 1050
  auto base = reading_of(primary);
  if (!base) base = Scaled(readings.front().time, readings.front().unit, 0);
  if (!base) return true;
  if (const auto real = reading_of(kRealtime); real && !to_unix_) to_unix_ = *real - *base;
  for (const ClockReading& clock : readings) {
    const std::uint32_t index = IndexOf(clock.id, number);
    const auto at = Scaled(clock.time, clock.unit, 0);
    if (!at) continue;
    if (clock.counts_on) sequence.last[clock.id] = clock.time;
    if (index == 0) continue;
    clocks_[index] = {true, clock.counts_on, clock.unit, *base - *at};
  }
  return true;
}

std::optional<Stamp> Clocks::Read(std::uint64_t time, std::uint64_t clock, std::uint64_t number,
                                  Sequence& sequence) {
  if (clock == 0) clock = sequence.clock;
  const std::uint32_t index = IndexOf(clock, number);
  const Clock& of = clocks_[index];
  if (of.is_known) {
    if (of.counts_on) time = sequence.last[clock] += time;
    const auto at = Scaled(time, of.unit, of.offset);
    if (!at) return std::nullopt;
    return Stamp{*at, 0};
  }
  const auto raw = Scaled(time, 1, 0);
  if (!raw) return std::nullopt;
  return Stamp{*raw, index};
}

std::optional<Ns> Clocks::Settle(Stamp stamp) const {
  if (stamp.pending == 0) return stamp.time;
  const Clock& clock = clocks_[stamp.pending];
  // An incremental clock cannot convert times before its snapshot.
  if (!clock.is_known || clock.counts_on) return std::nullopt;
  return Scaled(static_cast<std::uint64_t>(stamp.time), clock.unit, clock.offset);
}

bool Tracks::Read(std::string_view message) {
  Track track;
  std::uint64_t uuid = 0;
  bool is_whole = true;
  WireReader fields(message);
  while (fields.Next()) {
    switch (fields.field()) {
      case 1:
        uuid = fields.Varint();
        break;
      case 5:
        track.parent = fields.Varint();
        break;
      case 2:
      case 10:
      case 13:
        if (track.name.empty()) track.name = fields.Bytes();
        break;
      case 3:
      case 4:
        is_whole = ReadOwner(fields.Bytes(), fields.field() == 3, track) && is_whole;
        break;
      default:
        break;
    }
  }
  if (!fields.ok() || !is_whole) return false;
  if (tracks_.size() >= kMostTracks && !tracks_.contains(uuid)) return false;
  tracks_.insert_or_assign(uuid, std::move(track));
  return true;
}

const Track* Tracks::Find(std::uint64_t uuid) const {
  const auto found = tracks_.find(uuid);
  return found == tracks_.end() ? nullptr : &found->second;
}

// The first thread on the way up gives the thread (812), and the process gives the process (800):
//   track 9 (a queue) ── parent 4 (thread 812 of 800) ── parent 1 (process 800 "python")
Place Tracks::PlaceOf(std::uint64_t uuid) const {
  Place place;
  const Track* at = Find(uuid);
  if (at != nullptr && !at->is_process) place.thread_name = at->name;
  for (int step = 0; at != nullptr && step < kMostParents; ++step) {
    if (at->is_thread && place.thread.empty()) {
      place.thread = NumberOf(at->thread);
      place.process = NumberOf(at->process);
    }
    if (at->is_process) {
      place.process = NumberOf(at->process);
      place.process_name = at->name;
      break;
    }
    at = Find(at->parent);
  }
  if (place.thread.empty()) place.thread = std::to_string(uuid);
  return place;
}

}  // namespace profgauge::readers::pftrace
