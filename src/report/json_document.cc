#include "report/json_document.h"

#include <boost/json/error.hpp>

#include "base/errors.h"
#include "base/exact_json.h"

namespace profgauge::report {
namespace {

namespace json = boost::json;

Error NotJson(const std::string& name, std::size_t offset, std::string_view message) {
  return InputErrorAt(name, offset, "report/not-json", std::string(message),
                      "`render` reads a report.json that `check` or `report` wrote with --json");
}

}  // namespace

Result<json::value> ParseJsonDocument(std::string_view text, const std::string& name) {
  json::error_code error;
  std::size_t parsed = 0;
  json::value document = ParseExactJson(text, {}, error, parsed);
  if (!error) return document;
  if (error == json::error::incomplete) {
    return Fail(NotJson(name, parsed, "the report ends early"));
  }
  if (error == json::error::extra_data) {
    return Fail(NotJson(name, parsed, "expected the end of the report, found more text"));
  }
  return Fail(
      NotJson(name, parsed,
              "expected a report.json, found " + (error == json::error::too_deep
                                                      ? std::string("values nested deeper than 32")
                                                      : "a text that is not JSON")));
}

}  // namespace profgauge::report
