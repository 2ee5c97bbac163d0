// AWS Neuron: device profiles as neuron-profile and neuron-explorer export them (JSON,
// summary-json, summary-text, tables as Parquet or CSV) and the system profile.
//
//   form            written by                                       begins with
//   JSON            `view --output-format json`, up to SDK 2.33      {"instruction": [{...
//   summary-json    the same with `summary-json`; maybe after lines  {"n_0a73...": {...
//                   of a log
//   summary-text    the same with `summary-text`                     total_time   0.0018
//   Parquet         neuron-explorer since 2.27: a folder of tables   PAR1
//   CSV             the viewer's export, a table a file; sampled     timeline_track,...
//   system profile  `view -d DIR`: JSON or Parquet; the host's data  {"trace_events": [{...
//
// The layers, from bytes to the model:
//
//   JSON     json_document (pieces) ─ json_stream (rows; RowReader the plain ones) ── row_log ┐
//   CSV      text/csv ─ file_tables ──────────────────────────────────────────────────────────┤
//   Parquet  parquet/ ─ file_tables ──────────────────────────────────────────────────────────┤
//                                          record (a row by keys) ─ import (Take, Finish) ────┘
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// A file with summaries of several NeuronCores gives a profile of each (ReadRanks). Errors, all
/// kInput: "neuron/truncated", "neuron/invalid-json", "neuron/time-base", "neuron/no-rows",
/// "neuron/columns", "neuron/two-exports", "neuron/too-large"; for raw files "neuron/ntff",
/// "neuron/neff", "neuron/raw".
std::unique_ptr<Reader> MakeNeuronReader();

namespace neuron {
struct TableFiles;
}
/// Reads the tables of one profile, one file each, in the order of `tables`. The profile's source
/// is the folder if there are several Parquet tables, else the first file. REQUIRES: at least one
/// path. Errors: kInput, like those of one file.
Result<Profile> ReadNeuronTables(const neuron::TableFiles& tables, const ReadOptions& options);

}  // namespace profgauge::readers
