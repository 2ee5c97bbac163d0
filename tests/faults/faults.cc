// Loaded into the program (LD_PRELOAD), lets one call fail: the n-th allocation, read, write, open
// or rename. tests/faults/faults_test.py chooses it and looks at the program's reaction.
//
//   PROFGAUGE_FAULT=new:17            the 17th operator new finds no memory
//   PROFGAUGE_FAULT=large:3           the 3rd operator new of 16 KiB or more
//   PROFGAUGE_FAULT=behind:2          the first operator new after the 2nd file or folder that was
//                                     made
//   PROFGAUGE_FAULT=write:3:28        the 3rd write fails with errno 28
//   PROFGAUGE_FAULT=short:5           the 5th read or write moves one byte only
//   PROFGAUGE_FAULT_MARK=FILE         is made when the call came, and holds the path it was about
//
// Nothing here allocates.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr std::size_t kLarge = 16384;

struct Fault {
  char call[16] = {};
  long at = 0;
  int error = 0;
  std::atomic<long> seen = 0;
  std::atomic<bool> is_due = false;
};

Fault& TheFault() {
  static Fault fault;
  static const bool is_read = [] {
    const char* text = std::getenv("PROFGAUGE_FAULT");
    const char* colon = text == nullptr ? nullptr : std::strchr(text, ':');
    if (colon == nullptr) return false;
    const auto length = std::min<std::size_t>(static_cast<std::size_t>(colon - text), 15);
    std::memcpy(fault.call, text, length);
    char* end = nullptr;
    fault.at = std::strtol(colon + 1, &end, 10);
    if (*end == ':') fault.error = static_cast<int>(std::strtol(end + 1, nullptr, 10));
    return true;
  }();
  (void)is_read;
  return fault;
}

void Mark(const char* about) {
  const char* path = std::getenv("PROFGAUGE_FAULT_MARK");
  if (path == nullptr) return;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return;
  syscall(SYS_write, file, about, std::strlen(about));
  syscall(SYS_close, file);
}

bool Strikes(const char* call, const char* about) {
  Fault& fault = TheFault();
  if (fault.at == 0 || std::strcmp(fault.call, call) != 0) return false;
  if (++fault.seen != fault.at) return false;
  Mark(about);
  return true;
}

/// A file or folder was made: `behind` strikes with the next allocation.
void Made() {
  Fault& fault = TheFault();
  if (std::strcmp(fault.call, "behind") == 0 && ++fault.seen == fault.at) fault.is_due = true;
}

bool IsBehind() {
  if (!TheFault().is_due.exchange(false)) return false;
  Mark("memory");
  return true;
}

struct PathOf {
  explicit PathOf(int file) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t size = readlink(link, text, sizeof text - 1);
    text[std::max<ssize_t>(size, 0)] = '\0';
  }
  char text[4096];
};

template <class Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int Failed() {
  errno = TheFault().error;
  return -1;
}

void* Allocate(std::size_t size, std::size_t alignment) {
  // The program sets a handler first of all: before, its libraries initialize themselves.
  if (std::get_new_handler() != nullptr &&
      (Strikes("new", "memory") || (size >= kLarge && Strikes("large", "memory")) || IsBehind())) {
    return nullptr;
  }
  if (alignment <= alignof(std::max_align_t)) return std::malloc(std::max<std::size_t>(size, 1));
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* AllocateOrThrow(std::size_t size, std::size_t alignment) {
  void* memory = Allocate(size, alignment);
  if (memory != nullptr) return memory;
  if (std::new_handler handler = std::get_new_handler()) handler();  // Throws.
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return AllocateOrThrow(size, 1); }
void* operator new[](std::size_t size) { return AllocateOrThrow(size, 1); }
void* operator new(std::size_t size, std::align_val_t at) {
  return AllocateOrThrow(size, static_cast<std::size_t>(at));
}
void* operator new[](std::size_t size, std::align_val_t at) {
  return AllocateOrThrow(size, static_cast<std::size_t>(at));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }

extern "C" {

int open(const char* path, int flags, ...) {
  static auto* const real = Real<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const auto mode =
      static_cast<unsigned>(va_arg(arguments, int));  // Whatever, where none is given.
  va_end(arguments);
  const int file = real(path, flags, mode);
  if (file >= 0 && (flags & O_EXCL) != 0) Made();
  return file;
}

int mkdir(const char* path, unsigned mode) {
  static auto* const real = Real<int(const char*, unsigned)>("mkdir");
  const int status = real(path, mode);
  if (status == 0) Made();
  return status;
}

ssize_t read(int file, void* bytes, size_t size) {
  static auto* const real = Real<ssize_t(int, void*, size_t)>("read");
  const PathOf path(file);
  if (Strikes("read", path.text)) return Failed();
  if (size > 1 && Strikes("short", path.text)) size = 1;
  return real(file, bytes, size);
}

// By which SQLite reads.
ssize_t pread64(int file, void* bytes, size_t size, off64_t offset) {
  static auto* const real = Real<ssize_t(int, void*, size_t, off64_t)>("pread64");
  const PathOf path(file);
  if (Strikes("read", path.text)) return Failed();
  return real(file, bytes, size, offset);
}

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const real = Real<ssize_t(int, const void*, size_t)>("write");
  const PathOf path(file);
  if (Strikes("write", path.text)) return Failed();
  if (size > 1 && Strikes("short", path.text)) size = 1;
  return real(file, bytes, size);
}

int close(int file) {
  static auto* const real = Real<int(int)>("close");
  const PathOf path(file);
  if (!Strikes("close", path.text)) return real(file);
  real(file);
  return Failed();
}

int rename(const char* from, const char* to) {
  static auto* const real = Real<int(const char*, const char*)>("rename");
  return Strikes("rename", to) ? Failed() : real(from, to);
}

}  // extern "C"
