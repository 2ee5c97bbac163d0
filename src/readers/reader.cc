#include "readers/reader.h"

#include <utility>

namespace profgauge {

Result<std::vector<Profile>> Reader::ReadRanks(ByteSource& source,
                                               const ReadOptions& options) const {
  PROFGAUGE_TRY(auto profile, Read(source, options));
  std::vector<Profile> one;
  one.push_back(std::move(profile));
  return one;
}

}  // namespace profgauge
