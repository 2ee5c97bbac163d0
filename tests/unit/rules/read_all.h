// A whole file as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace profgauge::rules {

/// Empty when the file is not there.
inline std::string ReadAll(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace profgauge::rules
