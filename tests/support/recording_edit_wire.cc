// Messages of Protocol Buffers: XLA's xplane and PyTorch's Perfetto traces.
#include <algorithm>
#include <map>
#include <utility>

#include "support/recording_edit.h"

namespace profgauge::edit {
namespace {

struct Part {
  std::uint32_t number = 0, type = 0;
  std::uint64_t value = 0;  // Types 0, 1, 5.
  std::string bytes;        // Type 2.
};
using Message = std::vector<Part>;

std::uint64_t TakeVarint(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) break;
  }
  return value;
}

Message Parse(std::string_view bytes) {
  Message parts;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t tag = TakeVarint(bytes, at);
    Part part{.number = static_cast<std::uint32_t>(tag >> 3),
              .type = static_cast<std::uint32_t>(tag & 7),
              .bytes = {}};
    if (part.type == 0) {
      part.value = TakeVarint(bytes, at);
    } else {
      const std::size_t size = part.type == 1   ? 8
                               : part.type == 5 ? 4
                                                : static_cast<std::size_t>(TakeVarint(bytes, at));
      part.bytes = std::string(bytes.substr(std::min(at, bytes.size()), size));
      at += size;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

void PutVarint(std::string& bytes, std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  bytes += static_cast<char>(value);
}

std::string Serialize(const Message& parts) {
  std::string bytes;
  for (const Part& part : parts) {
    PutVarint(bytes, std::uint64_t{part.number} << 3 | part.type);
    if (part.type == 0) PutVarint(bytes, part.value);
    if (part.type == 2) PutVarint(bytes, part.bytes.size());
    if (part.type != 0) bytes += part.bytes;
  }
  return bytes;
}

Part* Find(Message& message, std::uint32_t number) {
  const auto found = std::find_if(message.begin(), message.end(),
                                  [&](const Part& part) { return part.number == number; });
  return found == message.end() ? nullptr : &*found;
}
const Part* Find(const Message& message, std::uint32_t number) {
  return Find(const_cast<Message&>(message), number);
}
std::optional<std::uint64_t> Number(const Message& message, std::uint32_t number) {
  const Part* part = Find(message, number);
  return part == nullptr ? std::nullopt : std::optional(part->value);
}
void Set(Message& message, std::uint32_t number, std::uint64_t value) {
  if (Part* part = Find(message, number)) {
    part->value = value;
  } else {
    message.push_back({.number = number, .type = 0, .value = value, .bytes = {}});
  }
}
// A field that no reader knows.
const Part kUnknown = {.number = 7999, .type = 2, .bytes = "new"};

// XSpace, its planes, their lines, their events: readers/xla/xplane.h has the fields.
class XplaneEdit : public Edit {
 public:
  XplaneEdit(std::string_view bytes, std::string_view format) : Edit(format), space_(Parse(bytes)) {
    for (const Part& part : space_) {
      if (part.number != 1) continue;
      Plane plane{.name = "", .parts = Parse(part.bytes), .lines = {}};
      if (const Part* name = Find(plane.parts, 2)) plane.name = name->bytes;
      for (const Part& line : plane.parts) {
        if (line.number != 3) continue;
        plane.lines.push_back({.parts = Parse(line.bytes), .events = {}});
        Line& last = plane.lines.back();
        for (const Part& event : last.parts) {
          if (event.number == 4) last.events.push_back(Parse(event.bytes));
        }
        std::erase_if(last.parts, [](const Part& part) { return part.number == 4; });
      }
      std::erase_if(plane.parts, [](const Part& part) { return part.number == 3; });
      planes_.push_back(std::move(plane));
    }
    std::erase_if(space_, [](const Part& part) { return part.number == 1; });
    Index();
  }
  std::unique_ptr<Edit> Copy() const override { return std::make_unique<XplaneEdit>(*this); }

  std::string Bytes() const override {
    Message space;
    for (const Plane& plane : planes_) {
      Message parts = plane.parts;
      for (const Line& line : plane.lines) {
        Message whole = line.parts;
        for (const Message& event : line.events) {
          whole.push_back({.number = 4, .type = 2, .bytes = Serialize(event)});
        }
        parts.push_back({.number = 3, .type = 2, .bytes = Serialize(whole)});
      }
      // The first plane's name begins the file.
      std::stable_partition(parts.begin(), parts.end(),
                            [](const Part& part) { return part.number <= 2; });
      space.push_back({.number = 1, .type = 2, .bytes = Serialize(parts)});
    }
    space.insert(space.end(), space_.begin(), space_.end());
    return Serialize(space);
  }
  std::size_t size() const override { return rows_.size(); }
  Kind KindOf(std::size_t row) const override {
    const bool is_device = planes_[rows_[row].plane].name.starts_with("/device:");
    return is_device ? Kind::kKernel : Kind::kOther;
  }
  std::optional<Ns> StartOf(std::size_t row) const override {
    const Line& line = LineOf(row);
    return static_cast<Ns>(edit::Number(line.parts, 3).value_or(0)) +
           static_cast<Ns>(edit::Number(EventOf(row), 2).value_or(0) / 1000);
  }
  std::optional<Ns> LengthOf(std::size_t row) const override {
    return static_cast<Ns>(edit::Number(EventOf(row), 3).value_or(0) / 1000);
  }
  std::string NameOf(std::size_t) const override { return ""; }
  std::optional<std::int64_t> Number(std::size_t, Field) const override { return std::nullopt; }
  bool SetNumber(std::size_t, Field, std::optional<std::int64_t>) override { return false; }
  bool SetName(std::size_t, const std::string&) override { return false; }
  bool CutEnd(std::size_t) override { return false; }

  bool Select(const Rows& rows) override {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<Message>> kept;
    for (const std::size_t row : rows) {
      kept[{rows_[row].plane, rows_[row].line}].push_back(EventOf(row));
    }
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      for (std::size_t k = 0; k < planes_[i].lines.size(); ++k) {
        planes_[i].lines[k].events = kept[{i, k}];
      }
    }
    Index();
    return true;
  }
  bool Move(std::size_t row, Ns by) override {
    Message& event = const_cast<Message&>(EventOf(row));
    if (edit::Number(event, 5)) return false;  // It counts occurrences, and has no time.
    Set(event, 2, edit::Number(event, 2).value_or(0) + static_cast<std::uint64_t>(by * 1000));
    return true;
  }
  bool Scale(int factor) override {
    const auto times = static_cast<std::uint64_t>(factor);
    for (Plane& plane : planes_) {
      for (Line& line : plane.lines) {
        if (Part* start = Find(line.parts, 3)) start->value *= times;
        for (Message& event : line.events) {
          for (const std::uint32_t field : {2, 3}) {
            if (Part* time = Find(event, field)) time->value *= times;
          }
        }
      }
    }
    return true;
  }
  bool AddWords() override {
    for (Plane& plane : planes_) {
      plane.parts.push_back(kUnknown);
      for (Line& line : plane.lines) {
        line.parts.push_back(kUnknown);
        for (Message& event : line.events) event.push_back(kUnknown);
      }
    }
    return true;
  }
  bool AddForeign(Random&) override {
    Plane plane{.name = "/weather",
                .parts = {{.number = 1, .type = 0, .value = 77, .bytes = {}},
                          {.number = 2, .type = 2, .bytes = "/weather"}},
                .lines = {}};
    planes_.push_back(std::move(plane));
    return true;
  }
  // Numbers of metadata.
  bool RelabelTexts(Random&) override {
    constexpr std::uint64_t kMore = 100'000;
    for (Plane& plane : planes_) {
      for (Part& entry : plane.parts) {
        if (entry.number != 4) continue;
        Message parts = Parse(entry.bytes);
        if (Part* key = Find(parts, 1)) key->value += kMore;
        if (Part* value = Find(parts, 2)) {
          Message metadata = Parse(value->bytes);
          if (Part* id = Find(metadata, 1)) id->value += kMore;
          value->bytes = Serialize(metadata);
        }
        entry.bytes = Serialize(parts);
      }
      for (Line& line : plane.lines) {
        for (Message& event : line.events) {
          if (Part* id = Find(event, 1)) id->value += kMore;
        }
      }
    }
    return true;
  }
  bool Forget(Fact fact) override {
    // What is known of a device are stats of its plane.
    const char* const word = fact == Fact::kCapability        ? "compute_cap"
                             : fact == Fact::kMultiprocessors ? "core_count"
                             : fact == Fact::kMemory          ? "memory_"
                             : fact == Fact::kDeviceName      ? "device_type_string"
                                                              : nullptr;
    bool gone = false;
    for (Plane& plane : planes_) {
      if (word == nullptr || !plane.name.starts_with("/device:")) continue;
      for (const Part& entry : Message(plane.parts)) {
        if (entry.number != 5 || entry.bytes.find(word) == entry.bytes.npos) continue;
        const std::uint64_t id = edit::Number(Parse(entry.bytes), 1).value_or(0);
        gone = std::erase_if(plane.parts,
                             [&](const Part& part) {
                               return part.number == 6 &&
                                      edit::Number(Parse(part.bytes), 1).value_or(0) == id;
                             }) > 0 ||
               gone;
      }
    }
    return gone;
  }

 private:
  struct Line {
    Message parts;
    std::vector<Message> events;
  };
  struct Plane {
    std::string name;
    Message parts;
    std::vector<Line> lines;
  };
  struct Row {
    std::size_t plane = 0, line = 0, event = 0;
  };
  void Index() {
    rows_.clear();
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      for (std::size_t k = 0; k < planes_[i].lines.size(); ++k) {
        for (std::size_t n = 0; n < planes_[i].lines[k].events.size(); ++n) {
          rows_.push_back({i, k, n});
        }
      }
    }
  }
  const Line& LineOf(std::size_t row) const {
    return planes_[rows_[row].plane].lines[rows_[row].line];
  }
  const Message& EventOf(std::size_t row) const { return LineOf(row).events[rows_[row].event]; }

  Message space_;
  std::vector<Plane> planes_;
  std::vector<Row> rows_;
};

// Packets: readers/kineto/pftrace/decoder.cc has the fields.
class PacketsEdit : public Edit {
 public:
  PacketsEdit(std::string_view bytes, std::string_view format) : Edit(format) {
    for (const Part& part : Parse(bytes)) {
      if (part.number == 1) packets_.push_back(Parse(part.bytes));
    }
  }
  std::unique_ptr<Edit> Copy() const override { return std::make_unique<PacketsEdit>(*this); }
  std::string Bytes() const override {
    Message trace;
    for (const Message& packet : packets_) {
      trace.push_back({.number = 1, .type = 2, .bytes = Serialize(packet)});
    }
    return Serialize(trace);
  }
  std::size_t size() const override { return packets_.size(); }
  Kind KindOf(std::size_t row) const override {
    const Message& packet = packets_[row];
    if (const Part* stage = Find(packet, 53)) {
      return edit::Number(Parse(stage->bytes), 14) == 4 ? Kind::kDeviceRange : Kind::kKernel;
    }
    return Find(packet, 11) != nullptr ? Kind::kOther : Kind::kLookup;
  }
  std::optional<Ns> StartOf(std::size_t row) const override {
    if (KindOf(row) == Kind::kLookup) return std::nullopt;
    return static_cast<Ns>(edit::Number(packets_[row], 8).value_or(0));
  }
  std::optional<Ns> LengthOf(std::size_t row) const override {
    const Part* stage = Find(packets_[row], 53);
    if (stage == nullptr) return std::nullopt;
    return static_cast<Ns>(edit::Number(Parse(stage->bytes), 2).value_or(0));
  }
  std::string NameOf(std::size_t) const override { return ""; }
  std::optional<std::int64_t> Number(std::size_t, Field) const override { return std::nullopt; }
  bool SetNumber(std::size_t, Field, std::optional<std::int64_t>) override { return false; }
  bool SetName(std::size_t, const std::string&) override { return false; }
  bool CutEnd(std::size_t) override { return false; }
  bool IsUnordered() const override { return false; }
  bool Select(const Rows& rows) override {
    std::vector<Message> kept;
    for (const std::size_t row : rows) kept.push_back(packets_[row]);
    packets_ = std::move(kept);
    return true;
  }
  bool Move(std::size_t row, Ns by) override {
    Part* time = Find(packets_[row], 8);
    if (time == nullptr || IsOfOwnClock() || KindOf(row) == Kind::kLookup) return false;
    time->value += static_cast<std::uint64_t>(by);
    return true;
  }
  bool Scale(int) override { return false; }  // Unix time twice is out of range.
  bool AddWords() override {
    for (Message& packet : packets_) packet.push_back(kUnknown);
    return true;
  }
  bool AddForeign(Random& random) override {
    // Packets of a later version.
    for (int i = 0; i < 20; ++i) {
      const Message packet = {{.number = 8, .type = 0, .value = 1, .bytes = {}}, kUnknown};
      const auto place = static_cast<std::ptrdiff_t>(random() % (packets_.size() + 1));
      packets_.insert(packets_.begin() + place, packet);
    }
    return true;
  }
  bool Forget(Fact fact) override {
    const auto texts = [](Fact lost) -> std::string_view {
      if (lost == Fact::kCapability) return "arch";
      if (lost == Fact::kCorrelation) return "correlation";
      return "";
    }(fact);
    bool gone = false;
    for (Message& packet : packets_) {
      Part* stage = Find(packet, 53);
      if (stage == nullptr) continue;
      Message parts = Parse(stage->bytes);
      gone = std::erase_if(parts,
                           [&](const Part& part) {
                             if (fact == Fact::kGrid && part.number == 21) return true;
                             if (texts.empty() || part.number != 6) return false;
                             const Message extra = Parse(part.bytes);
                             const Part* key = Find(extra, 1);
                             return key != nullptr && key->bytes == texts;
                           }) > 0 ||
             gone;
      stage->bytes = Serialize(parts);
    }
    return gone;
  }

 private:
  bool IsOfOwnClock() const {
    return std::any_of(packets_.begin(), packets_.end(), [](const Message& packet) {
      return edit::Number(packet, 58).value_or(0) >= 64 || Find(packet, 50) != nullptr ||
             Find(packet, 133) != nullptr || Find(packet, 59) != nullptr;
    });
  }
  std::vector<Message> packets_;
};

}  // namespace

std::unique_ptr<Edit> EditWire(std::string_view bytes, std::string_view format) {
  if (format == "xplane") return std::make_unique<XplaneEdit>(bytes, format);
  return std::make_unique<PacketsEdit>(bytes, format);
}

}  // namespace profgauge::edit
