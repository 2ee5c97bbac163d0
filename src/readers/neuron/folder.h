// Neuron's files in folders, except profiles of one file each.
//
//   DATA/profiles/global/NAME@latest/      ProfilesBelow(): read instead of DATA
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

/// How to record a readable profile. All help texts about Neuron's files contain this text.
inline constexpr std::string_view kExport =
    "export the profile with `neuron-explorer view -n MODEL.neff -s PROFILE.ntff --ingest-only "
    "--display-name NAME`, then pass the folder `profiles/global/NAME@latest`; before SDK 2.27 "
    "with `neuron-profile view -n MODEL.neff -s PROFILE.ntff --output-format json --output-file "
    "profile.json`";

/// The folders of neuron-explorer's profiles, whose names end in @latest: those in
/// `profiles/global` of the data folder `folder` or, if there are none, those in `folder`.
std::vector<std::string> ProfilesBelow(const std::string& folder);

/// The error for a file that only Neuron's tools read; nullopt for other files. The file's name
/// decides, because these formats are not documented; `head` is not used.
std::optional<Error> RefuseRaw(const std::string& path, std::string_view head);

/// Reads the profiles whose tables are separate files, one profile per folder, and removes these
/// files from `files`. Errors: those of OrderTables() and ReadNeuronTables().
Status ReadTableFiles(std::vector<std::string>& files, const ReadOptions& options, Run& run);

/// A system profile beside device profiles is not a rank but the host of their run: its memory and
/// CPU data are moved to the first device profile. If there are several system profiles, the first
/// one is used. Does nothing without a device profile.
void SettleHost(Run& run);

// Recognizes Neuron's file formats by their content.

/// kNone: another format. kJson: tables, summaries by name, or the system profile.
enum class Form : std::uint8_t { kNone, kJson, kSummaryText, kCsv };
/// Finds the format by the first bytes of a file, not by its name.
Form FormOf(std::string_view head);

/// The start of the document: a brace at the begin of the text, or at the begin of a line after log
/// lines. npos if there is none.
std::size_t DocumentStart(std::string_view text);
/// True if the first line is the header of a table of schema 7.4.0.
bool IsTable(std::string_view text);

/// The first line without its line end.
std::string_view FirstLine(std::string_view text);
/// The bytes as text, without a copy.
std::string_view AsText(std::span<const std::byte> bytes);

// Finds which files of a folder are tables of one profile, and which tables.

/// Moves the files that are tables to the end, and returns the first of them. If one Parquet file
/// has a table's name, all Parquet files of its folder are tables. A single CSV file is no table.
std::vector<std::string>::iterator TablesOf(std::vector<std::string>& files);

/// Table files of one folder in reading order: tables that define times come first, then parts of a
/// table by number.
struct TableFiles {
  std::vector<std::string> paths;
  std::vector<std::string> skipped;  ///< "path: reason": another file has the whole table.
  std::vector<std::string> missing;  ///< "Instruction: part 1": parts of tables.
};
/// Orders the table files. Errors: kInput "neuron/two-exports".
Result<TableFiles> OrderTables(std::vector<std::string> paths);

}  // namespace profgauge::readers::neuron
