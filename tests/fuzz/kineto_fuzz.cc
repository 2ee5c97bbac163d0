// Any bytes as a trace: read complete and incomplete, with one worker and with three.
//
// Checks: nothing crashes or hangs, a profile that comes out keeps the model's promises (Finish
// checks them), and the number of workers changes nothing.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "readers/kineto/kineto_reader.h"
#include "support/fuzz.h"
#include "support/json_mutator.h"

PROFGAUGE_FUZZ_JSON

namespace {

using namespace profgauge;

std::string Told(const Result<Profile>& profile) {
  if (!profile) {
    fuzz::RequireReason(profile.error());
    return profile.error().code + "\n" + profile.error().message;
  }
  std::string text;
  for (const auto name : profile->host.name) text += std::string(profile->Name(name)) + "\n";
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    text += std::to_string(profile->log[static_cast<Counter>(i)]) + " ";
  }
  return text + std::to_string(profile->last);
}

std::string ReadWith(std::string_view text, bool allow_incomplete, unsigned threads) {
  const auto source = MakeMemorySource("fuzz", std::as_bytes(std::span(text)));
  static const auto reader = readers::MakeKinetoReader();
  return Told(reader->Read(
      *source, {.allow_incomplete = allow_incomplete, .threads = threads, .progress = {}}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  ReadWith(text, false, 1);
  const std::string told = ReadWith(text, true, 1);
  if (!fuzz::IsSampled(text, 64)) return 0;
  fuzz::Require(ReadWith(text, true, 3) == told, "the number of workers changes nothing");
  return 0;
}
