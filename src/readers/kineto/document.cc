#include "readers/kineto/document.h"

#include <algorithm>
#include <array>

namespace profgauge::readers::kineto {
namespace {

constexpr std::string_view kListKey = "traceEvents";
/// Asked of the source at once.
constexpr std::size_t kReadBytes = std::size_t{128} << 10;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string_view TrimLeft(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether the `{` at `at` begins an event: white space and a key of the event's own level behind
/// it,
/// `},` before it.
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

}  // namespace

std::optional<std::size_t> ListFinder::Feed(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (Step(bytes[at])) return at + 1;
    if (ended_ || !plausible_) return std::nullopt;
  }
  return std::nullopt;
}

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

void Input::Read(std::string& out, std::size_t count) {
  const auto from_held = std::min(count, held_.size());
  out.append(held_, 0, from_held);
  held_.erase(0, from_held);
  count -= from_held;
  while (count > 0 && !ended_) {
    const auto before = out.size();
    const auto step = std::min(count, kReadBytes);
    out.resize(before + step);
    const auto got = source_.Read(std::as_writable_bytes(std::span(out)).subspan(before));
    if (!got) error_ = got.error();
    const auto have = got.value_or(0);
    ended_ = have == 0;
    out.resize(before + have);
    hash_.Add(std::string_view(out).substr(before));
    total_ += have;
    count -= have;
  }
}

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

void NextChunk(Input& input, Chunk& chunk) {
  chunk.offset = input.offset();
  chunk.text.clear();
  chunk.last = false;
  std::size_t size = kChunkBytes;
  for (;;) {
    input.Read(chunk.text, size - chunk.text.size());
    if (input.at_end() && chunk.text.size() < size) {
      chunk.last = true;
      return;
    }
    const auto cut = FindCut(chunk.text);
    if (cut != std::string_view::npos) {
      input.Unread(std::string_view(chunk.text).substr(cut));
      chunk.text.resize(cut);
      return;
    }
    size *= 2;
  }
}

}  // namespace profgauge::readers::kineto
