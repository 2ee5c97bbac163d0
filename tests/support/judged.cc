#include "support/judged.h"

#include <unistd.h>

#include <fstream>

namespace profgauge::edit {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kMostPlaces = 6;
using Places = std::vector<std::string>;

std::string Short(const json::value& value) {
  std::string text = json::serialize(value);
  constexpr std::size_t kMost = 160;
  if (text.size() > kMost) text = text.substr(0, kMost) + "…";
  return text;
}

void Compare(const json::value& a, const json::value& b, const std::string& at, Places& places) {
  if (places.size() >= kMostPlaces || a == b) return;
  const auto* objects = a.if_object();
  const auto* others = b.if_object();
  if (objects != nullptr && others != nullptr) {
    for (const auto& [key, value] : *objects) {
      const std::string path = at + "/" + std::string(key);
      const json::value* other = others->if_contains(key);
      Compare(value, other == nullptr ? json::value() : *other, path, places);
    }
    for (const auto& [key, value] : *others) {
      if (!objects->contains(key)) places.push_back(at + "/" + std::string(key) + ": only then");
    }
    return;
  }
  const auto* lists = a.if_array();
  const auto* list = b.if_array();
  if (lists != nullptr && list != nullptr && lists->size() == list->size()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      Compare((*lists)[i], (*list)[i], at + "/" + std::to_string(i), places);
    }
    return;
  }
  places.push_back(at + ": " + Short(a) + " → " + Short(b));
}

std::string Joined(const Places& places) {
  std::string text;
  for (const std::string& place : places) text += "\n  " + place;
  return text;
}

std::string DifferenceOfEndings(const Answer& a, const Answer& b) {
  if (a.refused == b.refused && a.exit == b.exit) return "";
  const auto text = [](const Answer& answer) {
    return "exit " + std::to_string(answer.exit) + " " + answer.refused;
  };
  return "\n  " + text(a) + " → " + text(b);
}

// Findings by rule, without rows of evidence and what follows from those.
enum class Told : std::uint8_t { kAll, kNumbers, kMessages };
json::object Findings(const Answer& answer, Told told) {
  json::object found;
  for (const json::value& finding : answer.report.at("findings").as_array()) {
    json::object kept;
    for (const std::string_view key : {"level", "status", "message", "metric", "gain", "reason"}) {
      if (told == Told::kNumbers && (key == "message" || key == "reason")) continue;
      const bool is_number = key == "metric" || key == "gain" || key == "reason";
      if (told == Told::kMessages && is_number) continue;
      if (const json::value* value = finding.as_object().if_contains(key)) kept[key] = *value;
    }
    found[std::string(finding.at("key").as_string())] = std::move(kept);
  }
  return found;
}

}  // namespace

Recorded Recorded::Copy() const {
  Recorded copy;
  for (const auto& [name, edit] : files) copy.files.emplace_back(name, edit->Copy());
  return copy;
}

const json::value* Answer::Find(std::string_view pointer) const {
  boost::system::error_code error;
  return report.is_object() ? report.find_pointer(pointer, error) : nullptr;
}

std::optional<double> Answer::Metric(std::string_view id) const {
  const json::value* value = Find("/metrics/" + std::string(id) + "/value");
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

Answer Judge(const std::vector<std::pair<std::string, std::string>>& files, bool as_folder,
             const EvaluateOptions& options) {
  const fs::path folder = fs::temp_directory_path() / "judged";
  fs::remove_all(folder);
  std::vector<std::string> paths;
  for (const auto& [name, bytes] : files) {
    const fs::path path = folder / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    paths.push_back(path.string());
  }
  if (as_folder) paths = {folder.string()};
  Answer answer;
  const auto recording = Load(paths, {});
  if (!recording) {
    answer.refused = recording.error().code + ": " + recording.error().message;
    return answer;
  }
  const auto judged = Evaluate(*recording, options);
  if (!judged) {
    answer.refused = judged.error().front().code + ": " + judged.error().front().message;
    return answer;
  }
  answer.exit = judged->exit_code();
  answer.report = json::parse(Render(*judged, Format::kJson).value_or("{}"));
  return answer;
}

Answer Judge(const Recorded& run, bool as_folder, const EvaluateOptions& options) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [name, edit] : run.files) files.emplace_back(name, edit->Bytes());
  return Judge(files, as_folder, options);
}

std::string Difference(const Answer& a, const Answer& b, std::vector<std::string> parts) {
  std::string ending = DifferenceOfEndings(a, b);
  if (!ending.empty() || a.report.is_null()) return ending;
  Places places;
  if (parts.empty()) {
    for (const auto& [key, value] : a.report.as_object()) {
      if (key != "provenance") parts.push_back("/" + std::string(key));
    }
  }
  for (const std::string& part : parts) {
    const json::value *before = a.Find(part), *after = b.Find(part);
    if (before == nullptr && after == nullptr) continue;
    Compare(before == nullptr ? json::value() : *before, after == nullptr ? json::value() : *after,
            part, places);
  }
  return Joined(places);
}

std::string DifferenceOfJudgement(const Answer& a, const Answer& b) {
  const std::string text = Difference(a, b,
                                      {"/verdict/status", "/verdict/reasons", "/gate", "/metrics",
                                       "/plan/steps", "/diagnosis/bottleneck", "/diagnosis/text"});
  if (!text.empty() || a.report.is_null()) return text;
  Places places;
  Compare(Findings(a, Told::kAll), Findings(b, Told::kAll), "/findings", places);
  return Joined(places);
}

std::string DifferenceOfNumbers(const Answer& a, const Answer& b) {
  const std::string text = Difference(a, b, {"/verdict/status", "/verdict/counts", "/metrics"});
  if (!text.empty() || a.report.is_null()) return text;
  Places places;
  Compare(Findings(a, Told::kNumbers), Findings(b, Told::kNumbers), "/findings", places);
  return Joined(places);
}

std::string DifferenceOfFindings(const Answer& a, const Answer& b) {
  if (a.report.is_null() || b.report.is_null()) return "";
  Places places;
  Compare(Findings(a, Told::kMessages), Findings(b, Told::kMessages), "/findings", places);
  return Joined(places);
}

}  // namespace profgauge::edit
