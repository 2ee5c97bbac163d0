#include "readers/reader.h"

#include <utility>

namespace profgauge::readers {

Result<std::vector<Profile>> Reader::ReadRanks(ByteSource& source,
                                               const ReadOptions& options) const {
  PROFGAUGE_TRY(auto profile, Read(source, options));
  std::vector<Profile> one;
  one.push_back(std::move(profile));
  return one;
}

std::optional<Error> Reader::Refuse(const std::string&, std::string_view) const {
  return std::nullopt;
}

std::optional<Error> Reader::RefuseTables(const std::string&, const std::set<std::string>&) const {
  return std::nullopt;
}

std::optional<Error> Reader::RefuseFolder(const std::string&,
                                          const std::vector<std::string>&) const {
  return std::nullopt;
}

std::optional<WriterAndTime> Reader::WriterOf(const std::string&) const { return std::nullopt; }

std::vector<std::string> Reader::OutputsOf(const std::string&, std::vector<std::string>&) const {
  return {};
}

std::string Reader::FullerThan(const std::string&, const std::vector<std::string>&) const {
  return {};
}

Status Reader::ReadParts(std::vector<std::string>&, const ReadOptions&, Run&) const { return {}; }

Status Reader::Settle(const std::string&, Run&) const { return {}; }

}  // namespace profgauge::readers
