// Paths that an agent may name: files and folders below some folders, wherever links lead.
#pragma once

#include <string>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::cli::mcp {

class Roots {
 public:
  /// None: the folder of the repository, else the working folder. Errors: kUsage, of a folder that
  /// is not there.
  static Result<Roots> Of(const std::vector<std::string>& folders);

  /// Errors: kUsage "mcp/outside-roots" if the path, or an entry of the folder, leads out;
  /// "mcp/no-such-file".
  Status Check(const std::string& path) const;
  /// Whether a path that need not exist is below a root.
  bool Holds(const std::string& path) const;
  const std::vector<std::string>& folders() const { return folders_; }

 private:
  std::vector<std::string> folders_;  // Canonical.
};

}  // namespace profgauge::cli::mcp
