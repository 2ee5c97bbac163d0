// Recognizes Neuron's forms by their content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace profgauge::readers::neuron {

/// kNone: another format. kJson: tables, summaries by name, or the system profile.
enum class Form : std::uint8_t { kNone, kJson, kSummaryText, kCsv };
/// The form by the first bytes of a file. The file's name does not matter.
Form FormOf(std::string_view head);

/// Where the document begins: its brace opens the text, or a line after lines of a log. npos: there
/// is none.
std::size_t DocumentStart(std::string_view text);
/// Whether the first line is the header of a table of schema 7.4.0.
bool IsTable(std::string_view text);

/// Without its line end.
std::string_view FirstLine(std::string_view text);
/// The same bytes as text; no copy.
std::string_view AsText(std::span<const std::byte> bytes);

}  // namespace profgauge::readers::neuron
