// Runs a fuzz target over files and the files of folders, without libFuzzer: how the seeds and past
// crashes are replayed by ctest. Folders that do not exist are skipped. `--mutants N` runs N
// mutants of each file, too, by the target's own mutator where it has one: always the same ones, or
// others with `--first N`. `--sampled`: like a campaign, runs slow checks for a sample of the
// inputs. The input that ended the program is left in crash-replay.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

#include "support/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                                                     std::size_t size,
                                                                     std::size_t max_size,
                                                                     unsigned seed);

namespace {

std::minstd_rand random_numbers;
std::size_t Below(std::size_t n) { return random_numbers() % n; }

}  // namespace

/// One byte changed, dropped or added.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size) {
  const auto byte = static_cast<std::uint8_t>(Below(256));
  const std::size_t choice = Below(3), at = size == 0 ? 0 : Below(size);
  if (size == 0 || (choice == 0 && size < max_size)) {
    if (size == max_size) return size;
    std::copy_backward(data + at, data + size, data + size + 1);
    data[at] = byte;
    return size + 1;
  }
  if (choice == 1 && size > 1) {
    std::copy(data + at + 1, data + size, data + at);
    return size - 1;
  }
  data[at] = byte;
  return size;
}

namespace {

const std::vector<std::uint8_t>* running = nullptr;

void LeaveInput(int number) {
  std::signal(number, SIG_DFL);
  if (std::FILE* file = running == nullptr ? nullptr : std::fopen("crash-replay", "wb")) {
    std::fwrite(running->data(), 1, running->size(), file);
    std::fclose(file);
  }
  std::raise(number);
}

void Run(const std::vector<std::uint8_t>& bytes) {
  running = &bytes;
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  running = nullptr;
}

/// Each is a mutant of the one before, and every eighth of the file.
void RunMutants(const std::vector<std::uint8_t>& file, int first, int count) {
  constexpr std::size_t kRoom = 16384;  // As ci/fuzz.sh has it: a summary is longer than its trace.
  std::vector<std::uint8_t> bytes = file;
  for (int i = first; i < first + count; ++i) {
    if (i % 8 == 0) bytes = file;
    const std::size_t size = bytes.size();
    bytes.resize(size + kRoom);
    random_numbers.seed(static_cast<unsigned>(i) + 1);
    const auto mutate = [&](std::uint8_t* data, std::size_t max_size) {
      return LLVMFuzzerCustomMutator != nullptr
                 ? LLVMFuzzerCustomMutator(data, size, max_size, static_cast<unsigned>(i))
                 : LLVMFuzzerMutate(data, size, max_size);
    };
    bytes.resize(mutate(bytes.data(), bytes.size()));
    Run(bytes);
  }
}

}  // namespace

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(number, LeaveInput);
  std::vector<fs::path> files;
  int mutants = 0, first = 0;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--sampled") {
      profgauge::fuzz::takes_samples = true;
      continue;
    }
    if ((argument == "--mutants" || argument == "--first") && i + 1 < count) {
      (argument == "--mutants" ? mutants : first) = std::atoi(arguments[++i]);
      continue;
    }
    const fs::path path = arguments[i];
    if (fs::is_regular_file(path)) files.push_back(path);
    if (!fs::is_directory(path)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(stream)),
                                          std::istreambuf_iterator<char>());
    Run(bytes);
    RunMutants(bytes, first, mutants);
  }
  std::printf("%zu files replayed, %d mutants of each\n", files.size(), mutants);
  return files.empty() ? 1 : 0;
}
