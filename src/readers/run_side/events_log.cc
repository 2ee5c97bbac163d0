// TensorBoard's events: records of a length, its checksum, an `Event` and its checksum. Lightning,
// NeMo, Hugging Face, DeepSpeed, Megatron-LM and torchtitan write them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "readers/run_side/step_log.h"
#include "readers/text/wire.h"

namespace profgauge::readers {
namespace {

constexpr std::size_t kHead = 12, kTail = 4;  // A length and its checksum; a checksum.

//   | length 8 | its checksum 4 | Event, `length` bytes | checksum 4 |    all lowest byte first
//
// Checksums are not compared.
std::uint64_t LengthAt(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = 8; i > 0; --i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return length;
}

/// The next record, which is taken off `bytes`; empty at the end.
/// A file that is being written ends within a record: whole records count.
std::string_view TakeRecord(std::string_view& bytes) {
  if (bytes.size() < kHead + kTail) return {};
  const std::uint64_t length = LengthAt(bytes);
  if (length > bytes.size() - kHead - kTail) return {};
  const std::string_view record = bytes.substr(kHead, static_cast<std::size_t>(length));
  bytes.remove_prefix(kHead + record.size() + kTail);
  return record;
}

/// The last 4 bytes of a field of them: WireReader gives no 32-bit numbers.
std::optional<double> FloatBefore(std::string_view message, std::string_view rest) {
  const std::size_t end = message.size() - rest.size();
  if (end < sizeof(float)) return std::nullopt;
  float value = 0;
  std::memcpy(&value, message.data() + end - sizeof value, sizeof value);
  return value;
}

using Tags = std::map<std::string, std::vector<LoggedTime>, std::less<>>;

// Event: 2 step, 5 summary {1 value {1 tag, 2 simple_value}}.
void ReadValue(std::string_view message, std::int64_t step, Tags& tags) {
  std::string_view tag;
  std::optional<double> number;
  for (WireReader value(message); value.Next();) {
    if (value.field() == 1) tag = value.Bytes();
    if (value.field() == 2 && !value.is_bytes() && !value.is_varint()) {
      number = FloatBefore(message, value.rest());
    }
  }
  if (!tag.empty() && number) tags[std::string(tag)].push_back({step, *number});
}

void ReadEvent(std::string_view message, Tags& tags) {
  std::int64_t step = 0;  // Left out where it is 0.
  std::vector<std::string_view> summaries;
  for (WireReader event(message); event.Next();) {
    if (event.field() == 2) step = event.Signed();
    if (event.field() == 5) summaries.push_back(event.Bytes());
  }
  for (const std::string_view summary : summaries) {
    for (WireReader values(summary); values.Next();) {
      if (values.field() == 1) ReadValue(values.Bytes(), step, tags);
    }
  }
}

}  // namespace

// A file of TensorBoard's begins with a record that names its version, "brain.Event:2".
std::optional<Result<StepLog>> ReadEventsFile(std::string_view bytes, const StepTimesInput& how) {
  std::string_view rest = bytes;
  if (TakeRecord(rest).find("brain.Event:") == std::string_view::npos) return std::nullopt;
  Tags tags;
  for (auto record = TakeRecord(rest); !record.empty(); record = TakeRecord(rest)) {
    ReadEvent(record, tags);
  }
  std::vector<std::string> names;
  for (const auto& [tag, values] : tags) names.push_back(tag);
  const auto read = [&]() -> Result<StepLog> {
    PROFGAUGE_TRY(const std::string tag, ChooseName(how.column, names));
    PROFGAUGE_TRY(const double factor, ChooseFactor(how, tag));
    // A value logged every few iterations is their mean.
    return MakeStepLog("TensorBoard event file", tags[tag], factor, Logged::kMean);
  };
  return read();
}

}  // namespace profgauge::readers
