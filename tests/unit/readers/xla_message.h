// XSpace messages for tests, in words.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "proto_message.h"
#include "readers/xla/xla_reader.h"

namespace profgauge::readers {

// A plane in words; ids are made from the names.
class PlaneText {
 public:
  explicit PlaneText(const std::string& name) { plane_.Number(1, 3).Bytes(2, name); }

  using Stats = std::map<std::string, std::string>;
  PlaneText& PlaneStat(const std::string& name, std::uint64_t value) {
    plane_.Sub(6, ProtoMessage().Number(1, StatId(name)).Number(3, value));
    return *this;
  }
  /// Events of a line that starts at `base` ns: name, start and length in ns from there.
  struct Row {
    std::string name;
    std::uint64_t start, length;
    Stats stats;
  };
  PlaneText& Line(std::uint64_t id, const std::string& name, std::uint64_t base,
                  const std::vector<Row>& rows) {
    ProtoMessage line;
    line.Number(1, id).Bytes(2, name).Number(3, base);
    for (const auto& row : rows) {
      ProtoMessage event;
      event.Number(1, EventId(row.name)).Number(2, row.start * 1000).Number(3, row.length * 1000);
      for (const auto& [key, value] : row.stats) {
        event.Sub(4, ProtoMessage().Number(1, StatId(key)).Bytes(5, value));
      }
      line.Sub(4, event);
    }
    lines_.Sub(3, line);
    return *this;
  }
  ProtoMessage Done() const {
    ProtoMessage done = plane_;
    std::string bytes = done.str() + lines_.str();
    for (const auto& [name, id] : events_) {
      bytes += ProtoMessage()
                   .Sub(4, ProtoMessage().Number(1, id).Sub(
                               2, ProtoMessage().Number(1, id).Bytes(2, name)))
                   .str();
    }
    for (const auto& [name, id] : stats_) {
      bytes += ProtoMessage()
                   .Sub(5, ProtoMessage().Number(1, id).Sub(
                               2, ProtoMessage().Number(1, id).Bytes(2, name)))
                   .str();
    }
    ProtoMessage space;
    space.Bytes(1, bytes);
    return space;
  }

 private:
  std::uint64_t StatId(const std::string& name) {
    return stats_.emplace(name, stats_.size() + 1).first->second;
  }
  std::uint64_t EventId(const std::string& name) {
    return events_.emplace(name, events_.size() + 1).first->second;
  }
  ProtoMessage plane_;
  ProtoMessage lines_;
  std::map<std::string, std::uint64_t> events_;
  std::map<std::string, std::uint64_t> stats_;
};

inline const ReadOptions kIncomplete = {.allow_incomplete = true, .threads = 1, .progress = {}};

inline Result<Profile> ReadBytes(const std::string& bytes, const ReadOptions& options = {}) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(bytes)));
  return readers::MakeXPlaneReader()->Read(*source, options);
}

inline Result<Profile> ReadTrace(const std::string& text, const ReadOptions& options = {}) {
  const auto source = MakeMemorySource("memory", std::as_bytes(std::span(text)));
  return readers::MakeXlaTraceReader()->Read(*source, options);
}

template <class Ids>
std::vector<std::string> Names(const Profile& profile, const Ids& ids) {
  std::vector<std::string> names;
  for (const auto id : ids) names.emplace_back(profile.Name(id));
  return names;
}

}  // namespace profgauge::readers
