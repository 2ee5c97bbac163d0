// Reads the files of a zip archive back, for tests that look into a workbook.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profgauge::render::testing {

inline std::uint32_t Little(const std::string& bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  }
  return value;
}

/// By way of the central directory. Entries are stored or deflated.
inline std::map<std::string, std::string> Unzip(const std::string& zip) {
  std::map<std::string, std::string> files;
  const std::size_t end = zip.rfind("PK\x05\x06");
  if (end == std::string::npos) {
    ADD_FAILURE() << "not a zip archive";
    return files;
  }
  std::size_t at = Little(zip, end + 16, 4);
  for (std::uint32_t n = Little(zip, end + 10, 2); n > 0; --n) {
    const std::uint32_t method = Little(zip, at + 10, 2), packed = Little(zip, at + 20, 4);
    const std::uint32_t size = Little(zip, at + 24, 4), name_size = Little(zip, at + 28, 2);
    const std::size_t local = Little(zip, at + 42, 4);
    const std::size_t data = local + 30 + Little(zip, local + 26, 2) + Little(zip, local + 28, 2);
    std::string text(size, '\0');
    if (method == 0) {
      text = zip.substr(data, size);
    } else {
      z_stream stream = {};
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zip.data() + data));
      stream.avail_in = packed;
      stream.next_out = reinterpret_cast<Bytef*>(text.data());
      stream.avail_out = size;
      inflateInit2(&stream, -15);
      EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
      inflateEnd(&stream);
    }
    files[zip.substr(at + 46, name_size)] = std::move(text);
    at += 46 + name_size + Little(zip, at + 30, 2) + Little(zip, at + 32, 2);
  }
  return files;
}

/// The texts of a workbook's cells, references resolved.
inline std::vector<std::string> SharedStrings(const std::map<std::string, std::string>& files) {
  const std::string& xml = files.at("xl/sharedStrings.xml");
  const std::pair<std::string_view, std::string_view> kReferences[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
  std::vector<std::string> texts;
  for (std::size_t at = 0; (at = xml.find("<t", at)) != std::string::npos;) {
    const std::size_t begin = xml.find('>', at) + 1, end = xml.find("</t>", begin);
    std::string text = xml.substr(begin, end - begin);
    for (const auto& [from, to] : kReferences) {
      for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
        text.replace(i, from.size(), to);
      }
    }
    texts.push_back(std::move(text));
    at = end;
  }
  return texts;
}

}  // namespace profgauge::render::testing
