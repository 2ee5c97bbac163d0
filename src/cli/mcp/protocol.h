// The Model Context Protocol: messages, tools, and requests that an agent canceled.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::cli::mcp {

/// The requests that an agent canceled. A cancellation may arrive while its own request or another
/// one is answered. Two threads use this class:
///
///   thread that reads         thread that answers
///   Notice("cancel 7")        Begin(6) … End()      7 is remembered
///                             Begin(7) -> false     never started
///   Notice("cancel 8")        Begin(8) …            a running statement is interrupted
///                             End() -> false        the answer is not sent
class Cancelled {
 public:
  /// For the reading thread. True if the line is a cancellation. If its request runs a statement,
  /// that ends soon; other requests end normally, but their answer is not sent.
  bool Notice(std::string_view line);

  /// For the answering thread, before it answers request `id` (as JSON). False if it was canceled.
  bool Begin(const std::string& id);
  /// For the same thread, after the answer. False if the request was canceled since Begin().
  bool End();

 private:
  std::mutex mutex_;
  std::set<std::string> ids_;
  std::string current_;
};

// Answers messages of the Model Context Protocol, one per line. In version 2026-07-28, each request
// names its version; in older versions, a session begins with `initialize`.

inline constexpr std::size_t kMostRequest = std::size_t{1} << 20;  ///< Bytes of a line.

/// A tool that an agent can call. Its schemas are JSON texts.
struct Tool {
  std::string_view name, title, description;
  std::string_view input, output;
  /// Called only with arguments that match the schema `input`.
  std::function<Result<boost::json::object>(const boost::json::object& arguments)> call;
};

/// A text that begins a conversation; `{}`, or `{0}` and `{1}`, are replaced by its arguments.
struct Prompt {
  std::string_view name, title;
  std::span<const std::string_view> arguments;
  std::string_view text;
};

/// The resources and prompts that an agent may read. If the functions are empty, the server offers
/// neither.
struct Shelf {
  std::function<boost::json::array()> list;  ///< Rows of `resources/list`.
  std::function<Result<std::string>(const std::string& uri)> read;
  std::span<const Prompt> prompts;
};

class Protocol {
 public:
  /// `instructions` for the agent are sent once. `cancelled` must outlive the object.
  Protocol(std::vector<Tool> tools, std::string instructions, Cancelled& cancelled,
           Shelf shelf = {});

  /// The answer to a line, without its line end; nullopt for notifications, for answers (we send no
  /// requests), and for canceled requests. Every other line gets an answer, even one that is no
  /// JSON, because agents wait for it. Errors of a tool are results with `isError`; only protocol
  /// errors are errors. One call at a time.
  std::optional<std::string> Answer(std::string_view line) const;

 private:
  struct Request;
  boost::json::object AnswerTo(Request& request) const;
  boost::json::object Result(const Request& request) const;
  boost::json::object ListOfTools() const;
  boost::json::object Call(const Request& request) const;
  boost::json::object ReadResource(const Request& request) const;
  boost::json::object ListOfPrompts() const;
  boost::json::object GetPrompt(const Request& request) const;

  std::vector<Tool> tools_;
  std::string instructions_;
  Cancelled& cancelled_;
  Shelf shelf_;
};

/// The first mismatch between arguments and their schema: a wrong type, a missing `required` name,
/// or an unknown name. Empty if there is none. Supports only the keywords that tools.cc uses;
/// commands check `enum` and ranges.
std::string Misfit(const boost::json::object& schema, const boost::json::object& arguments);

}  // namespace profgauge::cli::mcp
