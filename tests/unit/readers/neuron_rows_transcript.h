// The contents of a Neuron JSON document, as text, so that two ways to read it can be compared with
// each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "readers/neuron/json_stream.h"

namespace profgauge::readers::neuron {

class RowTranscript final : public RowReceiver {
 public:
  void BeginTable(std::string_view name) override {
    text += "table ";
    text += name;
    text += '\n';
  }
  void Row(const Record& record, std::uint64_t index, bool whole) override {
    text += "row " + std::to_string(index) + (whole ? " whole" : "");
    for (int i = 1; i < static_cast<int>(Key::kCount_); ++i) {
      const auto key = static_cast<Key>(i);
      if (!record.Has(key)) continue;
      text += " " + std::to_string(i) + "=" + std::string(record.Text(key));
      if (const auto integer = record.Integer(key)) text += "/" + std::to_string(*integer);
      char real[64];
      std::snprintf(real, sizeof(real), "/%a", record.Real(key, -7.5));
      text += real;
    }
    for (const std::int64_t id : record.predecessors()) text += " <" + std::to_string(id);
    for (const auto& [name, value] : record.All()) {
      text += " " + name + ":" + std::to_string(value.index());
    }
    text += '\n';
  }

  std::string text;
};

/// Tables called "skip…" are not wanted, those called "all…" with all fields.
inline Interest InterestForTranscript(std::string_view table) {
  if (table.starts_with("skip")) return Interest::kSkip;
  return table.starts_with("all") ? Interest::kAllFields : Interest::kRows;
}

/// The document fed in pieces of `size` bytes.
inline std::string RowsOf(std::string_view document, std::size_t size, Rows rows) {
  RowTranscript transcript;
  RowReplay replay(transcript);
  JsonStream stream(InterestForTranscript, rows);
  Piece piece;
  const auto took = [&](const Status& status) {
    if (status) {
      replay.Take(piece.log);
      return true;
    }
    transcript.text += "error " + std::to_string(status.error().where.offset) + " " +
                       status.error().message + "\n";
    return false;
  };
  bool going = true;
  for (std::size_t at = 0; going && at < document.size(); at += size) {
    going = took(stream.Feed(document.substr(at, size), piece));
  }
  // Rows before an error are not given to anybody.
  if (!going || !took(stream.End(piece)))
    return transcript.text.substr(transcript.text.rfind("error "));
  return transcript.text + std::to_string(stream.complete()) + " " + std::to_string(stream.rows()) +
         " " + std::to_string(stream.not_numbers()) + "\n";
}

}  // namespace profgauge::readers::neuron
