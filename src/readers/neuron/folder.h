// Neuron's files in a folder beyond profiles of one file each.
//
//   DATA/profiles/global/NAME@latest/      ProfilesBelow(): read in place of DATA
//     Metadata.parquet                     read first: an error of a table names its version
//     Summary.parquet                      read second
//     Instruction_0.parquet, _1, ...       parts of one table, by their numbers
//     Instruction.csv                      skipped: its Parquet table is used
//   DIR/*.csv                              tables of one profile, if any has a header of one
//   DIR/system_profile.json                the host of the device profiles beside it
//   DIR/*.ntff, *.neff, ntrace.pb          refused, with the command that exports them
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "readers/reader.h"

namespace profgauge::readers::neuron {

/// How to record a readable capture: part of all help texts about Neuron's files.
inline constexpr std::string_view kExport =
    "export the profile with `neuron-explorer view -n MODEL.neff -s PROFILE.ntff --ingest-only "
    "--display-name NAME`, then pass the folder `profiles/global/NAME@latest`; before SDK 2.27 "
    "with `neuron-profile view -n MODEL.neff -s PROFILE.ntff --output-format json --output-file "
    "profile.json`";

/// The folders of neuron-explorer's profiles in its data folder, in `profiles/global` of it or in
/// `folder`; none where there are none.
std::vector<std::string> ProfilesBelow(const std::string& folder);

/// The kind of a file that only Neuron's tools read; nothing for others. By its name: the formats
/// are not documented. `head` is not used.
std::optional<Error> RefuseRaw(const std::string& path, std::string_view head);

/// Tables of one profile, a file each, are one profile: reads those, and takes them out of `files`.
/// Files of several folders are a profile of each folder. Errors: of OrderTables() and
/// ReadNeuronTables().
Status ReadTableFiles(std::vector<std::string>& files, const ReadOptions& options, Run& run);

/// A system profile beside device profiles is the host of the same run, no rank: its data about
/// memory and CPUs goes to the first of them. The first of several system profiles counts. Nothing
/// without a device profile.
void SettleHost(Run& run);

// Recognizes Neuron's forms by their content.

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

// The tables of one profile, a file for each: which files of a folder are tables, and which tables.

/// Moves the files that are tables after the others, and returns where they begin. In a folder in
/// which one Parquet file has the name of a table, all are; one file only of CSV is read like any.
std::vector<std::string>::iterator TablesOf(std::vector<std::string>& files);

/// Files of tables of one folder, in the order in which they are read: tables that define
/// times come first, parts of a table by their numbers.
struct TableFiles {
  std::vector<std::string> paths;
  std::vector<std::string> skipped;  ///< "path: reason": of a table that another file has whole.
  std::vector<std::string> missing;  ///< "Instruction: part 1": of tables in parts.
};
/// Errors: kInput "neuron/two-exports".
Result<TableFiles> OrderTables(std::vector<std::string> paths);

}  // namespace profgauge::readers::neuron
