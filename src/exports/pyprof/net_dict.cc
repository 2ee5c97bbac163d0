#include "exports/pyprof/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "exports/pyprof/record.h"

namespace profgauge::exports::pyprof {
namespace {

// A text as Python's repr() writes it: in double quotes if it contains only single ones.
// Bytes from 0x80 on are left as they are: texts are UTF-8, as Python 3 prints them.
std::string Quoted(std::string_view text) {
  const bool has_double = text.find('"') != text.npos;
  const char quote = text.find('\'') != text.npos && !has_double ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + quote;
}

template <class T>
std::string Texts(const std::vector<T>& texts) {
  std::vector<std::string> quoted;
  for (const T& text : texts) quoted.push_back(Quoted(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string Numbers(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string Triple(const std::int32_t (&size)[3]) {
  return fmt::format("({}, {}, {})", size[0], size[1], size[2]);
}

std::string LineOf(const Profile& profile, const KernelRecord& record) {
  const DeviceTable& device = profile.device;
  const std::uint32_t row = record.row;
  const LaunchConfigId id = device.config[row];
  const LaunchConfig config = id.valid() ? profile.launch_configs[id.value] : LaunchConfig{};
  const std::vector<std::string> none;
  return fmt::format(
      "{{'kShortName': {}, 'kDuration': {}, 'layer': {}, 'trace': {}, 'reprMarkers': {}, "
      "'marker': {}, 'seqMarker': {}, 'seqId': {}, 'subSeqId': {}, 'altSeqId': {}, 'dir': '{}', "
      "'mod': {}, 'op': {}, 'tid': {}, 'device': {}, 'stream': {}, 'grid': {}, 'block': {}, "
      "'kLongName': {}}}\n",
      Quoted(record.short_name), std::max<Ns>(device.duration[row], 0), Texts(record.layers),
      Texts(record.trace), Texts(none), Texts(record.markers), Texts(record.seq_markers),
      Numbers(record.seq_ids), record.sub_seq, Numbers(record.alt_seq_ids),
      record.backward ? "bprop" : "fprop", Texts(record.modules), Texts(record.ops), record.thread,
      device.gpu[row], device.stream[row], Triple(config.grid), Triple(config.block),
      Quoted(profile.Name(device.name[row])));
}

}  // namespace

std::string NetDict(const SelectedRank& rank) {
  std::string text;
  for (const KernelRecord& record : BuildRecords(*rank.profile, Stage::kParse)) {
    if (rank.HasWork(record.row)) text += LineOf(*rank.profile, record);
  }
  return text;
}

}  // namespace profgauge::exports::pyprof
