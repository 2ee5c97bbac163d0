#include "readers/kineto/document.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/whole.h"
#include "readers/kineto/event_parser.h"
#include "readers/kineto/mend.h"

namespace profgauge::readers::kineto {
namespace {

constexpr std::string_view kListKey = "traceEvents";
/// Bytes per read of the source.
constexpr std::size_t kReadBytes = std::size_t{512} << 10;

std::string_view TrimLeft(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// True if the `{` at `at` begins an event: white space and a key of an event follow, and `},` is
/// before it.
bool IsCut(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 8> kKeys = {
      "\"ph\"", "\"cat\"", "\"name\"", "\"pid\"", "\"tid\"", "\"ts\"", "\"dur\"", "\"args\""};
  const auto behind = TrimLeft(text.substr(at + 1));
  if (std::none_of(kKeys.begin(), kKeys.end(),
                   [&](std::string_view key) { return behind.starts_with(key); })) {
    return false;
  }
  const auto before = TrimRight(text.substr(0, at));
  return before.ends_with(',') && TrimRight(before.substr(0, before.size() - 1)).ends_with('}');
}

/// Removes long white space between values from a growing text, which begins outside of strings.
class Squeezer {
 public:
  /// Examines the text added since the last call, and adds the removed white space to `gaps`.
  void Squeeze(std::string& text, std::vector<Chunk::Gap>& gaps) {
    std::size_t to = done_;
    for (std::size_t from = done_; from < text.size(); ++from) {
      const char c = text[from];
      if (!in_string_ && IsSpace(c)) {
        if (++run_ > kKept) {
          const std::size_t blanks = BlanksAt(text, from + 1);
          if (gaps.empty() || gaps.back().at != to) gaps.push_back({to, 0});
          gaps.back().bytes += 1 + blanks;
          from += blanks;
          continue;
        }
      } else {
        run_ = 0;
        Step(c);
      }
      text[to++] = c;
    }
    text.resize(to);
    done_ = to;
  }

 private:
  static constexpr std::size_t kKept = 64;

  /// The number of blanks from `at` on, rounded down to a multiple of the word's size.
  static std::size_t BlanksAt(const std::string& text, std::size_t at) {
    static constexpr std::string_view kWord = "                                ";
    std::size_t blanks = 0;
    while (text.size() - at - blanks >= kWord.size() &&
           std::memcmp(text.data() + at + blanks, kWord.data(), kWord.size()) == 0) {
      blanks += kWord.size();
    }
    return blanks;
  }

  void Step(char c) {
    if (!in_string_) {
      in_string_ = c == '"';
    } else if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
  }

  std::size_t done_ = 0, run_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace

std::uint64_t Chunk::OffsetOf(std::size_t at) const {
  std::uint64_t place = offset + at;
  for (const Gap& gap : gaps) place += gap.at <= at ? gap.bytes : 0;
  return place;
}

void Chunk::Append(const Chunk& more) {
  if (text.empty()) offset = more.offset;
  for (const Gap& gap : more.gaps) gaps.push_back({gap.at + text.size(), gap.bytes});
  text += more.text;
  last = more.last;
}

std::optional<std::size_t> ListFinder::Feed(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (Step(bytes[at])) return at + 1;
    if (ended_ || !plausible_) return std::nullopt;
  }
  return std::nullopt;
}

// Processes a byte of the document outside the list. Only strings and depth matter:
//
//   depth 0   before the document: `[` is the list itself, `{` an object, anything else no trace
//   depth 1   a key, then `:`, then its value; `[` as the value of "traceEvents" opens the list
//   deeper    skipped, up to the bracket that closes it
//
// Closing brackets are not compared in kind, since the text before the list may be broken.
bool ListFinder::Step(char c) {
  if (in_string_) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    } else if (depth_ == 1 && token_.size() <= kListKey.size()) {
      token_.push_back(c);
    }
    return false;
  }
  if (IsSpace(c)) return false;
  if (depth_ == 0) {
    bare_list_ = c == '[';
    plausible_ = bare_list_ || c == '{';
    depth_ = 1;
    return bare_list_;
  }
  switch (c) {
    case '"':
      in_string_ = true;
      token_.clear();
      value_next_ = false;
      break;
    case ':':
      value_next_ = depth_ == 1;
      break;
    case '[':
      if (value_next_ && depth_ == 1 && token_ == kListKey) return true;
      [[fallthrough]];
    case '{':
      ++depth_;
      value_next_ = false;
      break;
    case ']':
    case '}':
      ended_ = --depth_ == 0;
      break;
    default:
      value_next_ = false;
      break;
  }
  return false;
}

// Reads first the bytes that were held back, then those of the source. If all held bytes are wanted
// and `out` is shorter, the texts are swapped instead of copied.
void Input::Read(std::string& out, std::size_t at, std::size_t count) {
  const auto from_held = std::min(count, held_.size());
  if (at == 0 && from_held == held_.size() && from_held > out.size()) {
    out.swap(held_);
    held_.clear();
  } else {
    if (out.size() < at + from_held) out.resize(at + from_held);
    held_.copy(out.data() + at, from_held);
    held_.erase(0, from_held);
  }
  at += from_held;
  count -= from_held;
  if (!ended_) out.reserve(at + count);
  while (count > 0 && !ended_) {
    const auto step = std::min(count, kReadBytes);
    if (out.size() < at + step) out.resize(at + step);
    const auto got = source_.Read(std::as_writable_bytes(std::span(out)).subspan(at, step));
    if (!got) error_ = got.error();
    const auto have = got.value_or(0);
    ended_ = have == 0;
    hash_.Add(std::string_view(out).substr(at, have));
    total_ += have;
    at += have;
    count -= have;
  }
  out.resize(at);
}

void Input::TookOut(std::uint64_t position, std::uint64_t bytes) {
  taken_out_ += bytes;
  gaps_.emplace_back(position, taken_out_);
}

// Converts a position in the text that was read to an offset in the stream. After a gap of 36
// removed bytes, they differ by 36. gaps_ has the removed bytes up to and with each gap, so a
// binary search finds them.
//   stream     {"a": 1},<100 blanks>{"b": 2}      of the file
//   read text  {"a": 1},<64 blanks>{"b": 2}       36 were removed
std::uint64_t Input::OffsetOf(std::uint64_t position) const {
  const auto behind = std::partition_point(
      gaps_.begin(), gaps_.end(), [position](const auto& gap) { return gap.first <= position; });
  return position + (behind == gaps_.begin() ? 0 : std::prev(behind)->second);
}

std::vector<Chunk::Gap> Input::GapsIn(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Chunk::Gap> gaps;
  auto gap = std::partition_point(gaps_.begin(), gaps_.end(),
                                  [begin](const auto& some) { return some.first < begin; });
  for (; gap != gaps_.end() && gap->first < end; ++gap) {
    const std::uint64_t before = gap == gaps_.begin() ? 0 : std::prev(gap)->second;
    gaps.push_back({static_cast<std::size_t>(gap->first - begin), gap->second - before});
  }
  return gaps;
}

// Searches backward, so that the chunk is as long as possible. Mostly the first candidate is a cut.
std::size_t FindCut(std::string_view text) {
  for (auto at = text.rfind('{'); at != std::string_view::npos && at > 0;
       at = text.rfind('{', at - 1)) {
    if (IsCut(text, at)) return at;
  }
  return std::string_view::npos;
}

std::size_t FindFirstCut(std::string_view text, std::size_t from) {
  for (auto at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (IsCut(text, at)) return at;
  }
  return std::string_view::npos;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(std::string_view(" \t\r\n\0", 5)) == std::string_view::npos;
}

std::size_t FindListEnd(std::string_view text, std::size_t from) {
  for (auto at = text.find(']', from); at != std::string_view::npos; at = text.find(']', at + 1)) {
    if (!TrimRight(text.substr(0, at)).ends_with('}')) continue;
    const auto rest = TrimLeft(text.substr(at + 1));
    if (rest.empty()) return at;
    if (rest.front() == '}' && TrimLeft(rest.substr(1)).empty()) return at;
    if (rest.front() == ',' && TrimLeft(rest.substr(1)).starts_with('"')) return at;
  }
  return std::string_view::npos;
}

namespace {

/// The size limit of one element, far above any profiler's: the longest known ones have kilobytes.
constexpr std::size_t kLongestElement = std::size_t{16} << 20;
constexpr std::string_view kEmptyElement = R"({"ph":"M","name":""})";

/// Finds the end of an object, whose text comes in pieces.
class ObjectEnd {
 public:
  /// Returns the number of bytes of the piece up to the object's end; nothing if it ends later.
  std::optional<std::size_t> Feed(std::string_view piece) {
    for (std::size_t at = 0; at < piece.size(); ++at) {
      const char c = piece[at];
      if (in_string_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          in_string_ = false;
        }
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if ((c == '}' || c == ']') && --depth_ == 0) {
        return at + 1;
      }
    }
    return std::nullopt;
  }

 private:
  std::size_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

// Replaces an object at the start of `text` by kEmptyElement if it is too long, or by its first
// byte if the stream ends inside it. `begin` is the stream position of `text`. True if replaced.
bool TakeOutLongElement(Input& input, std::uint64_t begin, std::string& text) {
  const std::size_t at = text.size() - TrimLeft(text).size();
  if (at == text.size() || text[at] != '{') return false;
  ObjectEnd scan;
  std::optional<std::size_t> end = scan.Feed(std::string_view(text).substr(at));
  if (end && *end <= kLongestElement) return false;
  std::uint64_t bytes = end.value_or(text.size() - at);
  if (end) input.Unread(std::string_view(text).substr(at + *end));
  text.resize(at);
  for (std::string block; !end; block.clear()) {
    input.Read(block, kReadBytes);
    if (block.empty()) break;
    end = scan.Feed(block);
    bytes += end.value_or(block.size());
    if (end) input.Unread(std::string_view(block).substr(*end));
  }
  const std::string_view kept = end ? kEmptyElement : kEmptyElement.substr(0, 1);
  text += kept;
  input.SkippedElement(begin + at);
  input.TookOut(begin + text.size(), bytes - kept.size());
  return true;
}

// Reads kChunkBytes and cuts at the last element that begins in them. If none begins, it first
// removes white space, so that padding of any length needs no memory; then it doubles the size. It
// overwrites the previous chunk's bytes: clearing them takes a third of the time of reading.
void FillChunk(Input& input, Chunk& chunk) {
  const std::uint64_t begin = input.position();
  std::size_t at = 0, size = kChunkBytes;
  std::optional<Squeezer> squeezer;
  const auto squeeze = [&] {
    std::vector<Chunk::Gap> gaps;
    squeezer->Squeeze(chunk.text, gaps);
    for (const Chunk::Gap& gap : gaps) input.TookOut(begin + gap.at, gap.bytes);
    at = chunk.text.size();
  };
  for (;;) {
    do {
      input.Read(chunk.text, at, size - at);
      at = chunk.text.size();
      if (squeezer) squeeze();
    } while (at < size && !input.at_end());
    // The last chunk is not cut: the end of the list and of the document follow its last event.
    if (input.at_end() && at < size) {
      chunk.last = true;
      return;
    }
    const auto cut = FindCut(chunk.text);
    if (cut != std::string_view::npos) {
      input.Unread(std::string_view(chunk.text).substr(cut));
      chunk.text.resize(cut);
      return;
    }
    if (squeezer && chunk.text.size() >= kLongestElement &&
        TakeOutLongElement(input, begin, chunk.text)) {
      at = chunk.text.size();
      size = at + kChunkBytes;
      squeezer.reset();
    } else if (squeezer) {
      size *= 2;
    } else {
      squeezer.emplace();  // The next element or white space is long.
      squeeze();
    }
  }
}

}  // namespace

void NextChunk(Input& input, Chunk& chunk) {
  const std::uint64_t begin = input.position();
  chunk.offset = input.OffsetOf(begin);
  chunk.last = false;
  FillChunk(input, chunk);
  chunk.gaps = input.GapsIn(begin, begin + chunk.text.size());
}

namespace {

namespace json = boost::json;

/// Keys that may be shown and compared. Everything else in the document may hold names of people,
/// hosts and paths, and is not used.
constexpr std::array<std::string_view, 16> kFacts = {
    "schemaVersion",       "displayTimeUnit",      "baseTimeNanoseconds", "record_shapes",
    "profile_memory",      "with_stack",           "with_flops",          "with_modules",
    "cupti_version",       "cuda_runtime_version", "cuda_driver_version", "roctracer_version",
    "rocprofiler_version", "hip_runtime_version",  "hip_driver_version",  "Framework",
};

constexpr std::string_view kRunDocument = "profgauge.run";
constexpr std::string_view kList = "traceEvents";

// The value as text: strings without quotes, other values as JSON.
std::string TextOf(const json::value& value) {
  if (const auto* text = value.if_string()) return std::string(text->data(), text->size());
  return json::serialize(value);
}

// The whole number of a key. Some traces write numbers as texts.
std::int64_t IntegerIn(const json::object& object, std::string_view key, std::int64_t otherwise) {
  const auto* value = object.if_contains(json::string_view(key.data(), key.size()));
  if (value == nullptr) return otherwise;
  if (const auto* number = value->if_int64()) return *number;
  if (const auto* number = value->if_uint64()) return static_cast<std::int64_t>(*number);
  if (const auto* text = value->if_string()) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (failed == std::errc{} && end == text->data() + text->size()) return number;
  }
  return otherwise;
}

// The number of a key; -1 ("unknown" in the model) if it is missing or out of range.
std::int32_t SmallIn(const json::object& object, std::string_view key) {
  const auto number = IntegerIn(object, key, -1);
  return number >= -1 ? Narrow(number, -1) : -1;
}

std::string TextIn(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(json::string_view(key.data(), key.size()));
  return value != nullptr && value->is_string() ? TextOf(*value) : std::string{};
}

void ReadDevices(const json::value& devices, ProfileBuilder& builder) {
  if (!devices.is_array()) return;
  for (const auto& device : devices.get_array()) {
    const auto* object = device.if_object();
    if (object == nullptr) continue;
    Gpu gpu;
    gpu.id = SmallIn(*object, "id");
    gpu.name = TextIn(*object, "name");
    gpu.compute_major = SmallIn(*object, "computeMajor");
    gpu.compute_minor = SmallIn(*object, "computeMinor");
    gpu.sms = SmallIn(*object, "numSms");
    gpu.memory = IntegerIn(*object, "totalGlobalMem", -1);
    gpu.max_threads_per_sm = SmallIn(*object, "maxThreadsPerMultiprocessor");
    gpu.warp_size = SmallIn(*object, "warpSize");
    builder.AddGpu(std::move(gpu));
  }
}

/// The ranks of a process group: a list or, in traces recorded on demand, the text of a list ("[0,
/// 1]"). Returns no ranks for an abbreviated text ("0, 1, ..., 29").
std::vector<std::int64_t> RanksIn(const json::object& group) {
  std::vector<std::int64_t> ranks;
  const auto* value = group.if_contains("ranks");
  if (value == nullptr) return ranks;
  if (const auto* list = value->if_array()) {
    for (const auto& rank : *list) {
      if (rank.is_int64()) ranks.push_back(rank.get_int64());
    }
  } else if (const auto* text = value->if_string()) {
    const char* at = text->data();
    const char* const end = at + text->size();
    if (std::string_view(at, text->size()).find("..") != std::string_view::npos) return ranks;
    while (at != end) {
      std::int64_t rank = 0;
      const auto [behind, failed] = std::from_chars(at, end, rank);
      if (failed == std::errc{}) ranks.push_back(rank);
      at = failed == std::errc{} ? behind : at + 1;
    }
  }
  return ranks;
}

/// Reads `pg_config`, which describes the process groups of this rank.
void ReadGroups(const json::value& groups, std::vector<ProcessGroup>& out) {
  if (!groups.is_array()) return;
  for (const auto& entry : groups.get_array()) {
    const auto* object = entry.if_object();
    if (object == nullptr) continue;
    ProcessGroup group;
    group.name = TextIn(*object, "pg_name");
    group.description = TextIn(*object, "pg_desc");
    group.size = IntegerIn(*object, "pg_size", -1);
    group.ranks = RanksIn(*object);
    if (!group.name.empty()) out.push_back(std::move(group));
  }
}

void ReadDistributed(const json::value& value, ProfileBuilder& builder) {
  const auto* object = value.if_object();
  if (object == nullptr) return;
  auto& info = builder.distributed();
  info.backend = TextIn(*object, "backend");
  info.rank = IntegerIn(*object, "rank", -1);
  info.world_size = IntegerIn(*object, "world_size", -1);
  if (const auto* groups = object->if_contains("pg_config")) ReadGroups(*groups, info.groups);
  if (const auto* version = object->if_contains("nccl_version")) {
    builder.AddFact("nccl_version", TextOf(*version));
  }
}

/// The number in "Dropped 12345 activity records"; 1 if it cannot be read or is absurd, since it
/// becomes the count of lost events.
std::uint64_t DroppedRecords(std::string_view message) {
  constexpr std::string_view kDropped = "Dropped ";
  const std::size_t at = message.find(kDropped) + kDropped.size();
  std::uint64_t count = 0;
  const char* const end = message.data() + message.size();
  const auto [behind, failed] = std::from_chars(message.data() + at, end, count);
  return failed == std::errc{} && count > 0 && count < (std::uint64_t{1} << 40) ? count : 1;
}

/// Reads Kineto's own log for messages about missing activity. Kineto wrote it until 2026-07
/// (kineto#1460). Its texts may hold anything, so they are not shown.
void ReadProfilersLog(const json::value& messages, Envelope& envelope, ImportLog& log) {
  if (!messages.is_array()) return;
  for (const auto& entry : messages.get_array()) {
    const auto* text = entry.if_string();
    if (text == nullptr) continue;
    const std::string_view message(text->data(), text->size());
    if (Contains(message, "Dropped ") && Contains(message, " activity records")) {
      log.Add(Counter::events_dropped, DroppedRecords(message) - 1);
      log.AddAt(Counter::events_dropped, std::string(kKinetosLog) + "dropped activity records");
    } else if (Contains(message, "Exceeded max GPU buffer count") ||
               Contains(message, "CollectTrace stopped by GPU profiler")) {
      log.AddAt(Counter::events_dropped, std::string(kKinetosLog) + "stopped collecting");
    } else if (Contains(message, "GPU trace is empty!")) {
      envelope.says_no_gpu_work = true;
    }
  }
}

// Only single values become facts, because lists and objects may hold anything.
void ReadEntry(std::string_view key, const json::value& value, Envelope& envelope,
               ProfileBuilder& builder) {
  if (key == "WARNING" || key == "ERROR") {
    return ReadProfilersLog(value, envelope, builder.log());
  }
  if (key == "deviceProperties") return ReadDevices(value, builder);
  if (key == "distributedInfo") return ReadDistributed(value, builder);
  if (std::find(kFacts.begin(), kFacts.end(), key) == kFacts.end()) return;
  // An unsigned number exceeds int64_t here, so it is no time.
  if (const auto* time = value.if_int64(); time != nullptr && key == "baseTimeNanoseconds") {
    envelope.base_time = *time;
    envelope.has_base_time = true;
  }
  if (!value.is_structured()) builder.AddFact(std::string(key), TextOf(value));
}

/// A key of the document and the text of its value.
struct Entry {
  std::string_view key;
  std::string_view value;
};

/// Splits the object `text` by strings and brackets. Returns nothing if it does not end or text
/// follows its end, which sets `goes_on`. Does not use the parser, since one broken value would
/// lose all keys; the values are parsed one by one.
std::optional<std::vector<Entry>> Split(std::string_view text, bool& goes_on) {
  std::vector<Entry> entries;
  std::size_t depth = 0;
  std::size_t begin = 0;  // Begin of the current entry's value.
  std::string_view key;
  const auto finish = [&](std::size_t end) {
    if (begin > 0) entries.push_back({key, Trim(text.substr(begin, end - begin))});
    begin = 0;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const auto quote = at;
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
      if (at >= text.size()) return std::nullopt;
      if (depth == 1 && begin == 0) key = text.substr(quote + 1, at - quote - 1);
    } else if (c == ':' && depth == 1 && begin == 0) {
      begin = at + 1;
    } else if (c == ',' && depth == 1) {
      finish(at);
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return std::nullopt;
      if (--depth == 0) {
        finish(at);
        goes_on = !IsBlank(text.substr(at + 1));
        return goes_on ? std::nullopt : std::optional(entries);
      }
    }
  }
  return std::nullopt;
}

std::optional<json::value> Parse(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::error_code code;
  auto value = json::parse(json::string_view(text.data(), text.size()), code, {}, options);
  if (code) return std::nullopt;
  return value;
}

/// A part of the document that was completed to an object. Its keys point into `text`.
struct Part {
  explicit Part(std::string object) : text(std::move(object)) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  std::string text;
  std::vector<Entry> entries;
};

/// Finds the keys of the object; false if it is not closed.
///
///   1. split it by brackets
///   2. if that fails, or a value is no JSON: repair the whole object and split that
bool TakeApart(Part& part, Envelope& envelope, ImportLog& log) {
  bool goes_on = false;
  auto entries = Split(part.text, goes_on);
  const auto unreadable = [](const Entry& entry) {
    return entry.key != kRunDocument && !Parse(entry.value);
  };
  if (!entries || std::any_of(entries->begin(), entries->end(), unreadable)) {
    if (auto mended = Mend(part.text); mended && Trim(part.text.substr(mended->end)).empty()) {
      for (const auto counter : mended->repairs) log.Add(counter);
      part.text = std::move(mended->text);
      entries = Split(part.text, goes_on);
    }
  }
  if (!entries) {
    envelope.goes_on = envelope.goes_on || goes_on;
    const bool closed = Trim(part.text).ends_with('}');
    if (closed) log.Add(Counter::metadata_unreadable);
    return closed;
  }
  part.entries = *std::move(entries);
  return true;
}

/// Reads the keys, and counts the values that cannot be read. If a key repeats, the last one
/// counts.
///
/// A second "traceEvents" means that another trace was appended into the same object.
void ReadEntries(const std::vector<Entry>& entries, Envelope& envelope, ProfileBuilder& builder) {
  auto& log = builder.log();
  boost::unordered_flat_map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; i < entries.size(); ++i) last[entries[i].key] = i;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [key, value] = entries[i];
    if (last[key] != i) {
      envelope.goes_on = envelope.goes_on || key == kList;
      log.Add(Counter::duplicate_keys);
      continue;
    }
    if (key == kRunDocument) {  // Judged as a whole by readers/run_side, whatever it is.
      envelope.run_document = std::string(value);
      continue;
    }
    if (const auto parsed = Parse(value)) {
      ReadEntry(key, *parsed, envelope, builder);
    } else {
      log.Add(Counter::metadata_unreadable);
    }
  }
}

}  // namespace

// Both parts are completed to objects: `{... "traceEvents": [` + `]}`, and `{"traceEvents": [` +
// `], ...}`. Each is repaired separately. Together they have the keys of one object with one list:
//
//   before  {"a": 1, "traceEvents": [] }      behind  {"traceEvents": [], "a": 2}
//   keys    a                                         traceEvents, a        the later a counts
Envelope ReadEnvelope(const std::string& before, const std::string& behind,
                      ProfileBuilder& builder) {
  Envelope envelope;
  Part first(before + "]}");
  Part second("{\"traceEvents\": [" + behind);
  TakeApart(first, envelope, builder.log());
  envelope.complete = TakeApart(second, envelope, builder.log());
  std::vector<Entry> entries = first.entries;
  if (!entries.empty() && entries.back().key == kList) entries.pop_back();
  entries.insert(entries.end(), second.entries.begin(), second.entries.end());
  ReadEntries(entries, envelope, builder);
  return envelope;
}

}  // namespace profgauge::readers::kineto
