// What a run needs to know of one rank, without the rank's events: named columns of whole numbers
// and of texts. What the columns mean is the analysis' business (analysis/summary); here they are
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

std::string EncodeSummary(const Summary& summary);
/// Nothing when the bytes are no summary, whole and alone. Accepts any bytes.
std::optional<Summary> DecodeSummary(std::string_view bytes);

/// Of a finished profile: where it came from, its devices, groups, facts and import log. The
/// analysis adds its own columns.
Summary BeginSummary(const Profile& profile);
/// What the summary says of the profile that it was made from; it stands for nothing.
Profile DescribedBy(const Summary& summary, const std::string& path);
/// The profile that represents the summary; `path` is the file that it was read from.
Profile ProfileOfSummary(const Summary& summary, const std::string& path);
/// The same of one that is encoded; nothing where DecodeSummary() gives nothing.
std::optional<Profile> ProfileOfSummary(std::string_view encoded, const std::string& path);
/// The summary that a profile represents; nothing for a profile.
std::optional<Summary> SummaryOf(const Profile& profile);
/// As EncodeSummary() gave it. REQUIRES: IsSummary(profile).
std::string EncodedSummaryOf(const Profile& profile);
bool IsSummary(const Profile& profile);

}  // namespace profgauge
