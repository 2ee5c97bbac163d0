// The data of one rank that a run needs, without the rank's events: named columns of whole numbers
// and of texts. The analysis (analysis/ranks) defines the meaning of columns; here they are
// kept, written and read back, the same content as the same bytes.
//
// A summary travels as a profile without rows that carries it, encoded and compressed. So whatever
// takes profiles takes summaries, in any mixture.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

struct Summary {
  std::map<std::string, std::vector<std::int64_t>, std::less<>> numbers;
  std::map<std::string, std::vector<std::string>, std::less<>> texts;

  /// Empty where there is no such column.
  const std::vector<std::int64_t>& Numbers(std::string_view column) const;
  const std::vector<std::string>& Texts(std::string_view column) const;
  /// The first number or text of a column, else `otherwise`.
  std::int64_t Number(std::string_view column, std::int64_t otherwise = 0) const;
  std::string Text(std::string_view column) const;

  friend bool operator==(const Summary&, const Summary&) = default;
};

/// Layout; `n` is a varint (7 bits a byte, lowest first, the top bit says that more follow), `±n` a
/// zigzag varint (0, -1, 1, -2 as 0, 1, 2, 3), "text" is n and then that many bytes:
///
///   n columns of numbers   each: "name", n values, ±n each: the difference to the one before
///   n texts                each: "text", sorted, every text once
///   n columns of texts     each: "name", n values, n each: the place among the texts
///
/// Columns are in the order of their names, so equal summaries are equal bytes.
std::string EncodeSummary(const Summary& summary);
/// Nothing unless the bytes are exactly one complete summary. Accepts any bytes.
/// A file of some kilobytes could name one long text millions of times: all texts together may take
/// 256 MiB.
std::optional<Summary> DecodeSummary(std::string_view bytes);

/// Columns of a finished profile: its source, devices, groups, facts and import log. The
/// analysis adds its own columns.
Summary BeginSummary(const Profile& profile);
/// The summary's data about its profile; a summary without it represents no profile.
Profile DescribedBy(const Summary& summary, const std::string& path);
/// The profile that represents the summary; `path` is the file that it was read from.
/// Kept compressed in Profile::summary: a run of thousands of ranks is in memory together.
Profile ProfileOfSummary(const Summary& summary, const std::string& path);
/// The same of one that is encoded; nothing where DecodeSummary() gives nothing.
std::optional<Profile> ProfileOfSummary(std::string_view encoded, const std::string& path);
/// The summary that a profile represents; nothing for a profile.
std::optional<Summary> SummaryOf(const Profile& profile);
/// As EncodeSummary() gave it. REQUIRES: IsSummary(profile).
std::string EncodedSummaryOf(const Profile& profile);
bool IsSummary(const Profile& profile);

}  // namespace profgauge
