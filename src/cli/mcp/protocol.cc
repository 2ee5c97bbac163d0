#include "cli/mcp/protocol.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/text.h"
#include "profgauge/version.h"
#include "query/guard.h"

namespace profgauge::cli::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kMethod = "notifications/cancelled";
// Most ids that are remembered; otherwise an id whose request never comes would stay forever.
constexpr std::size_t kMostRemembered = 1'000;

}  // namespace

// Parses only lines that contain the method's name, because most are no cancellation. Begin() and
// End() use the id later; a running statement of that request is interrupted now.
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
  // The longest id that is remembered, because a longer one belongs to no request.
  constexpr std::size_t kLongestId = 128;
  const std::string id = json::serialize(*request);
  if (id.size() > kLongestId) return true;
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

namespace {

namespace json = boost::json;

constexpr std::string_view kModern = "2026-07-28";
// The older versions, newest first. The newest is the answer to an unknown version.
constexpr std::array<std::string_view, 4> kLegacy = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                     "2024-11-05"};
constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kServerKey = "io.modelcontextprotocol/serverInfo";
constexpr int kParseError = -32700, kInvalidRequest = -32600, kNoMethod = -32601,
              kInvalidParams = -32602, kUnsupportedVersion = -32022, kNoResource = -32002;
constexpr int kMostDepth = 64;
constexpr std::int64_t kListLives = 3'600'000;  // ms; the list does not change.

struct RpcError {
  int code;
  std::string message;
  json::value data = nullptr;
};

json::object ServerInfo() {
  return {{"name", "profgauge"}, {"title", "ProfGauge"}, {"version", std::string(kVersion)}};
}

// An error in the form of JSON-RPC 2.0. `id` is null if the request's id could not be read.
json::object ErrorMessage(const json::value& id, const RpcError& error) {
  json::object body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}};
}

const json::object* ObjectAt(const json::object& of, std::string_view key) {
  const json::value* found = of.if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

std::string_view TextAt(const json::object& of, std::string_view key) {
  const json::value* found = of.if_contains(key);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string())
                                                : std::string_view();
}

std::string_view TypeOf(const json::value& value) {
  if (value.is_string()) return "string";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  if (value.is_int64() || value.is_uint64()) return "integer";
  return value.is_double() ? "number" : value.is_bool() ? "boolean" : "null";
}

// True if the value has the type. An integer is also a number; an empty `type` fits everything.
bool FitsType(const json::value& value, std::string_view type) {
  return type.empty() || TypeOf(value) == type || (type == "number" && TypeOf(value) == "integer");
}

}  // namespace

std::string Misfit(const json::object& schema, const json::object& arguments) {
  const json::object& properties = schema.at("properties").get_object();
  if (const json::value* required = schema.if_contains("required")) {
    for (const json::value& name : required->get_array()) {
      if (!arguments.contains(std::string_view(name.get_string()))) {
        return fmt::format("`{}` is missing", std::string_view(name.get_string()));
      }
    }
  }
  for (const auto& argument : arguments) {
    const std::string_view name(argument.key().data(), argument.key().size());
    const json::object* property = ObjectAt(properties, name);
    if (property == nullptr) return fmt::format("`{}` is no argument", PrintableShort(name));
    // The schema has one type or a list of types.
    std::vector<std::string_view> types = {TextAt(*property, "type")};
    if (const json::value* several = property->if_contains("type");
        several && several->is_array()) {
      types.clear();
      for (const json::value& one : several->get_array()) types.push_back(one.get_string());
    }
    const bool fits = std::ranges::any_of(
        types, [&](std::string_view type) { return FitsType(argument.value(), type); });
    if (!fits) {
      return fmt::format("`{}` needs {}, found {}", name, fmt::join(types, " or "),
                         TypeOf(argument.value()));
    }
    const json::object* items = ObjectAt(*property, "items");
    if (items == nullptr || !argument.value().is_array()) continue;
    for (const json::value& item : argument.value().get_array()) {
      if (FitsType(item, TextAt(*items, "type"))) continue;
      return fmt::format("`{}` needs a list of {}, found {}", name, TextAt(*items, "type"),
                         TypeOf(item));
    }
  }
  return {};
}

struct Protocol::Request {
  json::value id;
  std::string_view method;
  json::object params;
  bool is_modern = false;
};

Protocol::Protocol(std::vector<Tool> tools, std::string instructions, Cancelled& cancelled,
                   Shelf shelf)
    : tools_(std::move(tools)),
      instructions_(std::move(instructions)),
      cancelled_(cancelled),
      shelf_(std::move(shelf)) {}

json::object Protocol::ListOfTools() const {
  json::array list;
  for (const Tool& tool : tools_) {
    list.push_back(json::object{{"name", tool.name},
                                {"title", tool.title},
                                {"description", tool.description},
                                {"inputSchema", json::parse(tool.input)},
                                {"outputSchema", json::parse(tool.output)},
                                {"annotations",
                                 {{"readOnlyHint", true},
                                  {"destructiveHint", false},
                                  {"idempotentHint", true},
                                  {"openWorldHint", false}}}});
  }
  return {{"tools", std::move(list)}};
}

json::object Protocol::Call(const Request& request) const {
  const std::string_view name = TextAt(request.params, "name");
  const auto tool = std::find_if(tools_.begin(), tools_.end(),
                                 [name](const Tool& one) { return one.name == name; });
  if (tool == tools_.end()) {
    throw RpcError{kInvalidParams, fmt::format("unknown tool `{}`", PrintableShort(name))};
  }
  const json::value* given = request.params.if_contains("arguments");
  if (given != nullptr && !given->is_object()) {
    throw RpcError{kInvalidParams, "`arguments` is no object"};
  }
  const json::object arguments = given == nullptr ? json::object() : given->get_object();
  if (const std::string why = Misfit(json::parse(tool->input).get_object(), arguments);
      !why.empty()) {
    throw RpcError{kInvalidParams, fmt::format("{}: {}", name, why)};
  }
  profgauge::Result<json::object> answer = tool->call(arguments);
  json::object result;
  if (answer) {
    result["content"] = {json::object{{"type", "text"}, {"text", json::serialize(*answer)}}};
    result["structuredContent"] = *std::move(answer);
    return result;
  }
  const Error& error = answer.error();
  json::array notes;
  for (const std::string& note : error.notes) notes.emplace_back(Printable(note));
  const json::object told = {
      {"code", error.code}, {"message", Printable(error.message)}, {"notes", std::move(notes)}};
  result["content"] = {json::object{{"type", "text"}, {"text", json::serialize(told)}}};
  result["isError"] = true;
  return result;
}

json::object Protocol::ReadResource(const Request& request) const {
  const std::string uri(TextAt(request.params, "uri"));
  const profgauge::Result<std::string> text = shelf_.read(uri);
  if (!text) throw RpcError{kNoResource, Printable(text.error().message)};
  return {{"contents",
           {json::object{{"uri", uri}, {"mimeType", "text/plain"}, {"text", ValidUtf8(*text)}}}}};
}

json::object Protocol::ListOfPrompts() const {
  json::array list;
  for (const Prompt& prompt : shelf_.prompts) {
    json::array arguments;
    for (const std::string_view name : prompt.arguments) {
      arguments.push_back(json::object{{"name", name}, {"required", true}});
    }
    list.push_back(json::object{
        {"name", prompt.name}, {"title", prompt.title}, {"arguments", std::move(arguments)}});
  }
  return {{"prompts", std::move(list)}};
}

json::object Protocol::GetPrompt(const Request& request) const {
  const std::string_view name = TextAt(request.params, "name");
  const auto prompt = std::ranges::find(shelf_.prompts, name, &Prompt::name);
  if (prompt == shelf_.prompts.end()) {
    throw RpcError{kInvalidParams, fmt::format("unknown prompt `{}`", PrintableShort(name))};
  }
  const json::object* given = ObjectAt(request.params, "arguments");
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  for (const std::string_view argument : prompt->arguments) {
    const std::string_view value = given == nullptr ? std::string_view() : TextAt(*given, argument);
    if (value.empty()) throw RpcError{kInvalidParams, fmt::format("`{}` is missing", argument)};
    values.push_back("`" + PrintableShort(value, 200) + "`");
  }
  const json::object content = {{"type", "text"}, {"text", fmt::vformat(prompt->text, values)}};
  return {{"description", prompt->title},
          {"messages", {json::object{{"role", "user"}, {"content", content}}}}};
}

json::object Protocol::Result(const Request& request) const {
  json::object result;
  const bool has_shelf = static_cast<bool>(shelf_.list);
  json::object capabilities = {{"tools", json::object()}};
  if (has_shelf) capabilities["resources"] = capabilities["prompts"] = json::object();
  if (request.method == "tools/list") {
    result = ListOfTools();
  } else if (request.method == "tools/call") {
    result = Call(request);
  } else if (has_shelf && request.method == "resources/list") {
    result = {{"resources", shelf_.list()}};
  } else if (has_shelf && request.method == "resources/templates/list") {
    result = {{"resourceTemplates", json::array()}};
  } else if (has_shelf && request.method == "resources/read") {
    result = ReadResource(request);
  } else if (has_shelf && request.method == "prompts/list") {
    result = ListOfPrompts();
  } else if (has_shelf && request.method == "prompts/get") {
    result = GetPrompt(request);
  } else if (request.method == "server/discover") {
    result = {{"supportedVersions", {kModern}},
              {"capabilities", capabilities},
              {"instructions", instructions_}};
  } else if (request.method == "ping" && !request.is_modern) {
    return result;
  } else if (request.method == "initialize" && !request.is_modern) {
    const std::string_view asked = TextAt(request.params, "protocolVersion");
    const bool is_known = std::find(kLegacy.begin(), kLegacy.end(), asked) != kLegacy.end();
    return {{"protocolVersion", is_known ? asked : kLegacy.front()},
            {"capabilities", capabilities},
            {"serverInfo", ServerInfo()},
            {"instructions", instructions_}};
  } else {
    throw RpcError{kNoMethod, fmt::format("unknown method `{}`", PrintableShort(request.method))};
  }
  if (!request.is_modern) return result;
  result["resultType"] = "complete";
  result["_meta"] = {{kServerKey, ServerInfo()}};
  const bool is_fixed = request.method == "tools/list" || request.method == "prompts/list" ||
                        request.method == "server/discover";
  if (is_fixed) {
    result["ttlMs"] = kListLives;
    result["cacheScope"] = "public";
  }
  return result;
}

std::optional<std::string> Protocol::Answer(std::string_view line) const {
  const auto written = [](const json::object& message) { return json::serialize(message); };
  if (line.size() > kMostRequest) {
    return written(ErrorMessage(nullptr, {kInvalidRequest, "the request is larger than 1 MiB"}));
  }
  json::parse_options options;
  options.max_depth = kMostDepth;
  json::error_code failed;
  const json::value message = json::parse(line, failed, {}, options);
  if (failed) return written(ErrorMessage(nullptr, {kParseError, "the line is no JSON"}));
  const json::object* object = message.if_object();
  if (object == nullptr || TextAt(*object, "jsonrpc") != "2.0" ||
      TextAt(*object, "method").empty()) {
    // The line is an answer, which is ignored, because we send no requests.
    if (object != nullptr && (object->contains("result") || object->contains("error"))) return {};
    return written(ErrorMessage(nullptr, {kInvalidRequest, "the line is no request"}));
  }
  Request request;
  if (const json::value* id = object->if_contains("id")) request.id = *id;
  if (request.id.is_null()) return std::nullopt;
  if (!request.id.is_string() && !request.id.is_int64()) {
    return written(ErrorMessage(nullptr, {kInvalidRequest, "`id` is no text and no number"}));
  }
  request.method = TextAt(*object, "method");
  if (const json::object* params = ObjectAt(*object, "params")) request.params = *params;
  if (!cancelled_.Begin(json::serialize(request.id))) return std::nullopt;
  std::string answer = written(AnswerTo(request));
  return cancelled_.End() ? std::optional(std::move(answer)) : std::nullopt;
}

json::object Protocol::AnswerTo(Request& request) const {
  try {
    if (const json::object* meta = ObjectAt(request.params, "_meta")) {
      const std::string_view version = TextAt(*meta, kVersionKey);
      request.is_modern = !version.empty();
      if (request.is_modern && version != kModern) {
        throw RpcError{kUnsupportedVersion, "unsupported protocol version",
                       json::object{{"supported", {kModern}}, {"requested", version}}};
      }
    }
    return {{"jsonrpc", "2.0"}, {"id", request.id}, {"result", Result(request)}};
  } catch (const RpcError& error) {
    return ErrorMessage(request.id, error);
  }
}

}  // namespace profgauge::cli::mcp
