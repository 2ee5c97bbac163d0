// Files of summaries (*.pgsum): gzip of a line that describes the contents, then the ranks.
//
//   $ zcat run.pgsum | head -1
//   {"kind":"profgauge-summary","schema":22,"ranks":8,"bytes":48123,"hash":"…"}
//
// After the line, for each rank:
//
//   | length: 8 bytes, the lowest first | EncodeSummary(): `length` bytes |
//
// Ranks are sorted by number, then by hash of their profile. A file of many ranks is the union of
// files of fewer: the order of merging does not change the bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/summary/summary.h"
#include "profgauge/error.h"

namespace profgauge {

/// Incremented with every change of the columns (ci/summary_columns.py) or of the format. Files of
/// other schemas are rejected: otherwise columns would be missing in some ranks of a run and not in
/// others.
inline constexpr std::int64_t kSummarySchema = 22;  // Columns: 5cadf7f3aed7

/// True if (decompressed) bytes begin like a file of summaries.
bool LooksLikeSummaries(std::string_view head);

/// Returns the file's bytes, compressed. The order of `ranks` has no effect, except that ranks with
/// the same number and hash keep it. Merging a file with itself is not rejected here.
std::string WriteSummaries(const std::vector<Summary>& ranks);
/// Like above, for profiles that represent summaries, without decoding. REQUIRES: all IsSummary().
std::string WriteSummaries(std::span<const Profile> stand_ins);

/// Reads the file's decompressed bytes. Errors: kInput "summary/newer", "summary/older",
/// "summary/truncated", "summary/damaged", at `path`.
Result<std::vector<Summary>> ReadSummaries(std::string_view bytes, const std::string& path);
/// Like ReadSummaries(), but returns the profiles that represent the summaries.
Result<std::vector<Profile>> ReadStandIns(std::string_view bytes, const std::string& path);

}  // namespace profgauge
