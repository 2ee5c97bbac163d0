#include "cli/mcp/cancelled.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "query/guard.h"

namespace profgauge::cli::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kMethod = "notifications/cancelled";
// Ids that no request follows would stay for ever.
constexpr std::size_t kMostRemembered = 1'000;

}  // namespace

bool Cancelled::Notice(std::string_view line) {
  if (line.find(kMethod) == std::string_view::npos) return false;
  json::error_code failed;
  const json::value message = json::parse(line, failed);
  const json::object* object = failed ? nullptr : message.if_object();
  if (object == nullptr || object->contains("id")) return false;
  const json::value* method = object->if_contains("method");
  if (method == nullptr || *method != json::value(kMethod)) return false;
  const json::value* params = object->if_contains("params");
  const json::object* about = params == nullptr ? nullptr : params->if_object();
  const json::value* request = about == nullptr ? nullptr : about->if_contains("requestId");
  if (request == nullptr) return true;
  const std::string id = json::serialize(*request);
  const std::lock_guard lock(mutex_);
  if (ids_.size() >= kMostRemembered) ids_.clear();
  ids_.insert(id);
  if (id == current_) query::InterruptStatements(true);
  return true;
}

bool Cancelled::Begin(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (ids_.erase(id) > 0) return false;
  current_ = id;
  query::InterruptStatements(false);
  return true;
}

bool Cancelled::End() {
  const std::lock_guard lock(mutex_);
  const bool is_wanted = ids_.erase(current_) == 0;
  current_.clear();
  return is_wanted;
}

}  // namespace profgauge::cli::mcp
