// What the two scanners in front of Boost.JSON are worth: of Kineto's events by layouts
// (readers/kineto/ skeleton.h), of Neuron's rows (readers/neuron/json_stream.h). Each document is
// read with and without; both give the same events and rows.
//
//   json_scanners_bench TRACE.json [NEURON.json]     prints megabytes a second of processor time
//
// A trace is read from its first event on, as one chunk.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "readers/kineto/document.h"
#include "readers/kineto/event_parser.h"
#include "readers/neuron/json_stream.h"

namespace {

namespace kineto = profgauge::readers::kineto;
namespace neuron = profgauge::readers::neuron;

struct Counter : kineto::EventReceiver {
  void Receive(const kineto::RawEvent&) override { ++events; }
  void ReceiveOther() override {}
  std::uint64_t events = 0;
};

std::uint64_t ReadTrace(std::string_view list, kineto::EventParser::Layouts layouts) {
  kineto::EventParser parser(layouts);
  Counter counter;
  parser.Parse(list, counter);
  return counter.events;
}

std::uint64_t ReadRows(std::string_view document, neuron::Rows rows) {
  neuron::JsonStream stream([](std::string_view) { return neuron::Interest::kRows; }, rows);
  neuron::Piece piece;
  while (!document.empty()) {
    const std::string_view bytes = document.substr(0, kineto::kChunkBytes);
    if (!stream.Feed(bytes, piece)) break;
    document.remove_prefix(bytes.size());
  }
  return stream.rows();
}

/// The fastest of five: other work on the machine only adds.
template <class Read>
void Time(const char* name, std::string_view text, Read read) {
  double least = 0;
  std::uint64_t count = 0;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t begin = std::clock();
    count = read(text);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (round == 0 || seconds < least) least = seconds;
  }
  std::printf("%-28s %8.0f MB/s %10llu\n", name, static_cast<double>(text.size()) / 1e6 / least,
              static_cast<unsigned long long>(count));
}

std::string TextOf(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string trace = TextOf(argv[1]);
  const std::size_t key = trace.find("\"traceEvents\"");
  const std::size_t open = key == std::string::npos ? key : trace.find('[', key);
  if (open == std::string::npos) return 2;
  const std::string_view list = std::string_view(trace).substr(open + 1);
  using Layouts = kineto::EventParser::Layouts;
  Time("events, by layouts", list, [](auto text) { return ReadTrace(text, Layouts::kLearned); });
  Time("events, by Boost.JSON", list, [](auto text) { return ReadTrace(text, Layouts::kNone); });
  if (argc < 3) return 0;
  const std::string document = TextOf(argv[2]);
  Time("rows, directly", document,
       [](auto text) { return ReadRows(text, neuron::Rows::kReadDirectly); });
  Time("rows, by Boost.JSON", document,
       [](auto text) { return ReadRows(text, neuron::Rows::kParse); });
}
