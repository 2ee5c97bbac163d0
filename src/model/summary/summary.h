// A summary has the data of one rank that judging a run needs, without the rank's events: named
// columns of integers and of texts. The analysis (analysis/ranks) defines their meaning; this file
// stores, writes and reads them. Equal content gives equal bytes.
//
// A summary is passed on inside a profile without rows, encoded and compressed. So all code that
// takes profiles takes summaries too, in any mixture.
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

  /// Returns an empty list if there is no such column.
  const std::vector<std::int64_t>& Numbers(std::string_view column) const;
  const std::vector<std::string>& Texts(std::string_view column) const;
  /// The first number or text of a column; `otherwise` (or no text) if there is none.
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
/// Returns nullopt unless the bytes are exactly one complete summary. Accepts any bytes. All texts
/// together may take 256 MiB: a file of some kilobytes could name one long text millions of times.
std::optional<Summary> DecodeSummary(std::string_view bytes);

/// Columns of a finished profile: its source, devices, groups, facts and import log. The
/// analysis adds its own columns.
Summary BeginSummary(const Profile& profile);
/// A profile with the summary's data about its source; a summary without them gives an empty one.
Profile DescribedBy(const Summary& summary, const std::string& path);
/// Returns the profile that represents the summary; `path` is the file from which it was read.
/// Profile::summary keeps it compressed, because a run of thousands of ranks is in memory as a
/// whole.
Profile ProfileOfSummary(const Summary& summary, const std::string& path);
/// Like the above, for an encoded summary; nullopt if DecodeSummary() returns nullopt.
std::optional<Profile> ProfileOfSummary(std::string_view encoded, const std::string& path);
/// The summary that a profile represents; nullopt if the profile represents none.
std::optional<Summary> SummaryOf(const Profile& profile);
/// The bytes that EncodeSummary() returned. REQUIRES: IsSummary(profile).
std::string EncodedSummaryOf(const Profile& profile);
bool IsSummary(const Profile& profile);

}  // namespace profgauge
