// Requests that the agent gave up, which is noticed while another request, or this one, is
// answered.
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

/// Requests that the agent gave up, which is noticed while another request, or this one, is
/// answered. Two threads use it:
///
///   thread that reads         thread that answers
///   Notice("cancel 7")        Begin(6) … End()      7 is remembered
///                             Begin(7) -> false     never started
///   Notice("cancel 8")        Begin(8) …            a running statement is interrupted
///                             End() -> false        the answer is not sent
class Cancelled {
 public:
  /// For the thread that reads. Whether the line is a cancellation; a statement that runs for it
  /// ends soon, other work is finished and not answered.
  bool Notice(std::string_view line);

  /// For the thread that answers; `id` as JSON. False: it was given up before.
  bool Begin(const std::string& id);
  /// False: it was given up since.
  bool End();

 private:
  std::mutex mutex_;
  std::set<std::string> ids_;
  std::string current_;
};

// Messages of the Model Context Protocol, a line each: those of 2026-07-28, where each request
// names its version, and those of before, which begin with `initialize`.

inline constexpr std::size_t kMostRequest = std::size_t{1} << 20;  ///< Bytes of a line.

/// A tool that an agent can call. Schemas are JSON texts.
struct Tool {
  std::string_view name, title, description;
  std::string_view input, output;
  /// REQUIRES: the arguments fit `input`.
  std::function<Result<boost::json::object>(const boost::json::object& arguments)> call;
};

/// A text that begins a conversation: `{}`, or `{0}` and `{1}`, are its arguments.
struct Prompt {
  std::string_view name, title;
  std::span<const std::string_view> arguments;
  std::string_view text;
};

/// What an agent may read besides calling tools. Without functions the server offers neither
/// resources nor prompts.
struct Shelf {
  std::function<boost::json::array()> list;  ///< Rows of `resources/list`.
  std::function<Result<std::string>(const std::string& uri)> read;
  std::span<const Prompt> prompts;
};

class Protocol {
 public:
  /// `instructions` are for the agent, once. `cancelled` must outlive it.
  Protocol(std::vector<Tool> tools, std::string instructions, Cancelled& cancelled,
           Shelf shelf = {});

  /// The answer to a line, without its end; nothing for notifications, for answers to requests that
  /// we never send, and for requests that the agent gave up. Every other line gets one, also a line
  /// that is no JSON: agents wait for it. Errors of a tool are results with `isError`; only
  /// mistakes of the protocol are its errors. One call at a time.
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

/// The first mismatch between the arguments and their schema (types, `required`, no others); empty:
/// none. It understands only the keywords that the schemas of tools.cc use; `enum` and ranges are
/// the command's to check.
std::string Misfit(const boost::json::object& schema, const boost::json::object& arguments);

}  // namespace profgauge::cli::mcp
