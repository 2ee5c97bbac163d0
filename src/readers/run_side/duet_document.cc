#include "readers/run_side/document.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/exact_json.h"
#include "base/text.h"

namespace profgauge::readers {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr std::int64_t kDuetSchema = 1;
constexpr std::pair<std::string_view, DuetProcess> kProcesses[] = {
    {"both_loaded", DuetProcess::kBothLoaded},
    {"restarted", DuetProcess::kRestarted},
    {"one", DuetProcess::kOne},
};

Error DuetError(std::string code, std::string message) {
  return InputError("", std::move(code), std::move(message),
                    "`python -m profgauge.duet -a CMD -b CMD -o FOLDER` writes such a file");
}
Error Unreadable(std::string_view place, std::string_view expected) {
  return DuetError("duet/unreadable", fmt::format("`{}` is not {}", place, expected));
}

std::string TextAtKey(const json::object& object, const char* key) {
  const auto* found = object.if_contains(key);
  const auto* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

DuetSide SideAt(const json::object& object, const char* key) {
  DuetSide side;
  const auto* found = object.if_contains(key);
  const auto* keys = found == nullptr ? nullptr : found->if_object();
  if (keys == nullptr) return side;
  side.commit = TextAtKey(*keys, "commit");
  if (!IsRevision(side.commit)) side.commit.clear();
  const auto* work = keys->if_contains("per_step");
  if (work == nullptr || !work->is_object()) return side;
  for (const auto& [name, amount] : work->get_object()) {
    const std::string shown(name.data(), name.size());
    const double number = amount.is_number() ? amount.to_number<double>() : 0;
    if (IsRevision(shown) && number > 0 && std::isfinite(number)) side.work.emplace(shown, number);
  }
  return side;
}

Result<DuetBlock> BlockAt(const json::value& value, std::size_t number, std::size_t& steps) {
  const std::string place = fmt::format("blocks[{}]", number);
  const auto* object = value.if_object();
  if (object == nullptr) return Fail(Unreadable(place, "an object"));
  DuetBlock block;
  const std::string side = TextAtKey(*object, "side");
  if (side != "A" && side != "B") return Fail(Unreadable(place + ".side", "A or B"));
  block.is_b = side == "B";
  if (const auto* start = object->if_contains("start")) {
    if (start->if_int64() == nullptr || start->get_int64() < 0) {
      return Fail(Unreadable(place + ".start", "a whole number"));
    }
    block.start = start->get_int64();
  }
  const auto* lengths = object->if_contains("ns");
  if (lengths == nullptr || !lengths->is_array()) return Fail(Unreadable(place + ".ns", "a list"));
  steps += lengths->get_array().size();
  if (steps > kMostDuetSteps) {
    return Fail(DuetError("duet/too-large", fmt::format("over {} iterations", kMostDuetSteps)));
  }
  for (const json::value& length : lengths->get_array()) {
    const auto* ns = length.if_int64();
    if (ns == nullptr || *ns <= 0 || *ns > kMostStepLength) {
      return Fail(Unreadable(place + ".ns", "a list of whole nanoseconds above 0, up to a day"));
    }
    block.lengths.push_back(*ns);
  }
  return block;
}

Status ReadFields(const json::object& object, Duet& duet) {
  const auto* schema = object.if_contains("schema");
  if (schema == nullptr || schema->if_int64() == nullptr) {
    return Fail(Unreadable("schema", "a whole number"));
  }
  if (schema->get_int64() > kDuetSchema) {
    return Fail(DuetError("duet/newer", fmt::format("schema {} is newer than this program's {}",
                                                    schema->get_int64(), kDuetSchema)));
  }
  if (TextAtKey(object, "kind") != "duet") return Fail(Unreadable("kind", "\"duet\""));
  const std::string process = TextAtKey(object, "process");
  bool is_known = process.empty();
  for (const auto& [name, value] : kProcesses) {
    if (process != name) continue;
    duet.process = value;
    is_known = true;
  }
  if (!is_known) return Fail(Unreadable("process", "both_loaded, restarted or one"));
  if (const auto* warmup = object.if_contains("warmup")) {
    if (warmup->if_int64() == nullptr || warmup->get_int64() < 0) {
      return Fail(Unreadable("warmup", "a whole number"));
    }
    duet.warmup = warmup->get_int64();
  }
  duet.order = Printable(TextAtKey(object, "order"));
  duet.a = SideAt(object, "a");
  duet.b = SideAt(object, "b");
  const auto* blocks = object.if_contains("blocks");
  if (blocks == nullptr || !blocks->is_array()) return Fail(Unreadable("blocks", "a list"));
  if (blocks->get_array().size() > kMostRunRanges) {
    return Fail(DuetError("duet/too-large", fmt::format("over {} blocks", kMostRunRanges)));
  }
  std::size_t steps = 0;
  for (const json::value& block : blocks->get_array()) {
    PROFGAUGE_TRY(DuetBlock one, BlockAt(block, duet.blocks.size(), steps));
    duet.blocks.push_back(std::move(one));
  }
  return {};
}

}  // namespace

Result<Duet> ReadDuet(std::string_view text) {
  if (text.size() > kMostDuetBytes) {
    return Fail(DuetError("duet/too-large", fmt::format("over {} bytes", kMostDuetBytes)));
  }
  json::parse_options options;
  options.max_depth = kMostLevels;
  json::error_code error;
  std::size_t parsed = 0;
  const json::value value = ParseExactJson(WithoutByteOrderMark(text), options, error, parsed);
  if (error || !value.is_object()) {
    return Fail(DuetError("duet/unreadable", error ? fmt::format("no JSON, from byte {} on", parsed)
                                                   : std::string("the document is not an object")));
  }
  Duet duet;
  PROFGAUGE_CHECK(ReadFields(value.get_object(), duet));
  return duet;
}

std::string DuetFileOf(const std::string& path) {
  std::error_code code;
  const fs::path inside = fs::path(path) / kDuetName;
  if (fs::is_directory(path, code)) return fs::is_regular_file(inside, code) ? inside.string() : "";
  return fs::path(path).filename() == kDuetName && fs::is_regular_file(path, code) ? path : "";
}

}  // namespace profgauge::readers
