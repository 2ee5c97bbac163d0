// Any bytes as a trace: read complete and incomplete, with one worker and with three.
//
// Held: nothing crashes or hangs, a profile that comes out keeps the model's promises (Finish
// checks them), and the number of workers changes nothing.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "base/byte_source.h"
#include "readers/kineto/kineto_reader.h"
#include "support/json_mutator.h"

PROFGAUGE_FUZZ_JSON

namespace {

using profgauge::Profile;

std::string Told(const profgauge::Result<Profile>& profile) {
  if (!profile) return profile.error().code + "\n" + profile.error().message;
  std::string text;
  for (const auto name : profile->host.name) text += std::string(profile->Name(name)) + "\n";
  for (std::size_t i = 0; i < static_cast<std::size_t>(profgauge::Counter::kCount_); ++i) {
    text += std::to_string(profile->log[static_cast<profgauge::Counter>(i)]) + " ";
  }
  return text + std::to_string(profile->last);
}

std::string ReadWith(std::span<const std::byte> bytes, bool allow_incomplete, unsigned threads) {
  const auto source = profgauge::MakeMemorySource("fuzz", bytes);
  const auto reader = profgauge::readers::MakeKinetoReader();
  const auto profile = reader->Read(
      *source, {.allow_incomplete = allow_incomplete, .threads = threads, .progress = {}});
  if (!profile && profile.error().kind == profgauge::ErrorKind::kInternal) {
    std::fprintf(stderr, "internal error: %s\n", profile.error().message.c_str());
    std::abort();
  }
  return Told(profile);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  ReadWith(bytes, false, 1);
  if (ReadWith(bytes, true, 1) != ReadWith(bytes, true, 3)) {
    std::fprintf(stderr, "the number of workers changes the result\n");
    std::abort();
  }
  return 0;
}
