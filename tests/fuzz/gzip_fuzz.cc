// Any bytes as a file that may be gzipped; and any bytes gzipped, their first lines in separate
// members, and truncated.
//
// Checks: no crash, no hang; every refusal has a reason; gzipped bytes are read back unchanged, in
// any pieces, or unpacked if they were packed before; a truncated file gives the part before the
// cut, and an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/gzip.h"
#include "support/fuzz.h"

namespace {

using namespace profgauge;

// The largest size that a small bomb may unpack to here.
constexpr std::size_t kMost = std::size_t{4} << 20;

struct Unpacked {
  std::string bytes;
  bool is_packed = false, is_whole = false;
};

/// As far as both were read.
bool BeginsAlike(std::string_view a, std::string_view b) {
  const std::size_t both = std::min(a.size(), b.size());
  return a.substr(0, both) == b.substr(0, both);
}

Unpacked Read(std::string_view stored, std::size_t piece) {
  const auto source = MakeMemorySource("fuzz", std::as_bytes(std::span(stored)));
  Unpacked unpacked;
  unpacked.is_packed = source->compressed();
  std::string part(piece, '\0');
  while (unpacked.bytes.size() < kMost) {
    auto got = source->Read(std::as_writable_bytes(std::span(part)));
    const std::size_t* size = fuzz::ValueOf(got);
    if (size == nullptr) return unpacked;
    if (*size == 0) break;
    fuzz::Require(*size <= piece, "no more than there is room for");
    unpacked.bytes.append(part, 0, *size);
  }
  unpacked.is_whole = true;
  return unpacked;
}

std::string InMembers(std::string_view text) {
  std::string stored;
  bool is_more = true;
  for (int left = 3; is_more; --left) {
    const std::size_t end = left > 0 ? text.find('\n') : text.npos;
    is_more = end != text.npos;
    const std::string_view line = text.substr(0, is_more ? end + 1 : end);
    stored += Gzip(line, line.size() % 2 == 0 ? Effort::kSmall : Effort::kSmallest);
    text.remove_prefix(line.size());
  }
  return stored;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const Unpacked large = Read(text, 1 << 16), small = Read(text, 1 + size % 61);
  const std::size_t both = std::min(large.bytes.size(), small.bytes.size());
  fuzz::Require(BeginsAlike(large.bytes, small.bytes) &&
                    (both >= kMost || (large.is_whole == small.is_whole &&
                                       large.bytes.size() == small.bytes.size())),
                "pieces change nothing");
  const std::string stored = InMembers(text);
  const Unpacked again = Read(stored, 1 + size % 251);
  if (large.is_packed) {
    // Two layers are unpacked: of `stored` one of the text, of the text one more where it has it.
    const Unpacked inner = Read(again.bytes, 1 << 16);
    fuzz::Require(inner.is_packed || BeginsAlike(again.bytes, large.bytes),
                  "what was packed before is unpacked");
  } else {
    fuzz::Require(again.is_whole && again.bytes == text, "what was gzipped comes back");
  }
  const std::size_t kept = stored.size() - 1 - size * 7 % (stored.size() - 1);
  const Unpacked cut = Read(std::string_view(stored).substr(0, kept), 1 << 12);
  if (kept >= 2) {
    fuzz::Require(
        text.starts_with(cut.bytes) || (large.is_packed && BeginsAlike(again.bytes, cut.bytes)),
        "before the cut nothing changes");
    const bool may_lack_last = text.ends_with('\n');  // A member of nothing.
    fuzz::Require(!cut.is_whole || may_lack_last || large.is_packed || cut.bytes != text,
                  "what is cut off is not whole");
  }
  return 0;
}
