// Any bytes as two chunks of events: read with learned layouts and only by the JSON parser.
//
// Checks: both say the same of every event, of the end, and of an error.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../unit/readers/layouts_transcript.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using profgauge::readers::kineto::EventParser;
  using profgauge::readers::kineto::TranscriptOf;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t half = text.find('\n');
  std::vector<std::string> chunks = {text.substr(0, half)};
  if (half != std::string::npos) chunks.push_back(text.substr(half + 1));
  chunks.push_back(chunks.back());
  if (TranscriptOf(chunks, EventParser::Layouts::kLearned) !=
      TranscriptOf(chunks, EventParser::Layouts::kNone)) {
    std::fprintf(stderr, "a learned layout changes the result\n");
    std::abort();
  }
  return 0;
}
