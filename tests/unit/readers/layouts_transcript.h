// An event parser's output for some chunks, as text, so that two can be compared with each other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "readers/kineto/event_parser.h"

namespace profgauge::readers::kineto {

class Transcript final : public EventReceiver {
 public:
  void Receive(const RawEvent& event) override {
    text += "event " + std::to_string(event.duplicate_keys);
    for (std::size_t i = 0; i < kFieldCount; ++i) {
      if ((event.present & RawEvent::Bit(static_cast<Field>(i))) == 0) continue;
      text += " " + std::to_string(i) + ":" + std::to_string(static_cast<int>(event.form[i])) + "=";
      text += event.text[i];
    }
    text += '\n';
  }
  void ReceiveOther() override { text += "other\n"; }

  std::string text;
};

/// The chunks one after the other through one parser.
inline std::string TranscriptOf(const std::vector<std::string>& chunks,
                                EventParser::Layouts layouts) {
  EventParser parser(layouts);
  Transcript transcript;
  for (const std::string& chunk : chunks) {
    const ParseEnd end = parser.Parse(chunk, transcript);
    transcript.text += "end " + std::to_string(static_cast<int>(end.state)) + " " +
                       std::to_string(end.offset) + " " + std::to_string(end.events) + " " +
                       end.reason + "\n";
  }
  return transcript.text;
}

}  // namespace profgauge::readers::kineto
