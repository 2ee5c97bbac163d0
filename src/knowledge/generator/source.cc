#include "knowledge/generator/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace profgauge::knowledge {
namespace {

std::string Content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Source::Source(const std::filesystem::path& folder, const std::string& name) : name_(name) {
  try {
    root_ = YAML::LoadFile((folder / name).string());
  } catch (const YAML::Exception& error) {  // No such file, or no YAML.
    fmt::print(stderr, "{}:{}:{}: error: {}\n", name, error.mark.line + 1, error.mark.column + 1,
               error.msg);
    ++mistakes_;
  }
}

void Source::Complain(const YAML::Node& node, std::string_view message) {
  const YAML::Mark mark = node.Mark();
  fmt::print(stderr, "{}:{}:{}: error: {}\n", name_, mark.line + 1, mark.column + 1, message);
  ++mistakes_;
}

std::string Source::Text(const YAML::Node& map, const char* key) {
  std::string text = OptionalText(map, key);
  if (text.empty()) Complain(map, fmt::format("`{}` is missing", key));
  return text;
}

std::string Source::OptionalText(const YAML::Node& map, const char* key) {
  if (!map.IsMap()) return {};
  const YAML::Node value = map[key];
  if (!value) return {};
  if (value.IsScalar()) return value.Scalar();
  std::string joined;
  for (const YAML::Node& part : value) {
    if (part.IsScalar()) joined += part.Scalar();
  }
  return joined;
}

void Source::CheckKeys(const YAML::Node& map, std::initializer_list<std::string_view> keys) {
  if (!map.IsMap()) return Complain(map, "expected a mapping");
  for (const auto& entry : map) {
    const std::string& key = entry.first.Scalar();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      Complain(entry.first, fmt::format("unknown key `{}`", key));
    }
  }
}

std::string Camel(std::string_view snake) {
  std::string camel;
  bool starts = true;
  for (const char c : snake) {
    if (c == '_') {
      starts = true;
      continue;
    }
    camel += starts && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    starts = false;
  }
  return camel;
}

bool IsSnake(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), fits);
}

std::string Literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '\n') {
      literal += "\\n";
    } else {
      if (c == '"' || c == '\\') literal += '\\';
      literal += c;
    }
  }
  return literal + '"';
}

bool WriteIfChanged(const std::filesystem::path& path, std::string_view content) {
  if (std::filesystem::exists(path) && Content(path) == content) return true;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << content;
  out.close();
  return static_cast<bool>(out);
}

}  // namespace profgauge::knowledge
