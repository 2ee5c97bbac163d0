// Linked into every test program: each process has a separate folder for temporary files, so that
// two tests that run simultaneously, even two of one file, never write to the same path.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace {

class OwnFolder {
 public:
  OwnFolder() : path_(std::filesystem::temp_directory_path() / "profgauge_test_XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) {
      path_.clear();
      return;
    }
    // Read by `testing::TempDir` and by `std::filesystem::temp_directory_path`.
    ::setenv("TEST_TMPDIR", path_.c_str(), 1);
    ::setenv("TMPDIR", path_.c_str(), 1);
  }
  ~OwnFolder() {
    // A forked child that ends by `exit` must leave the folder to its parent.
    if (path_.empty() || ::getpid() != owner_) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

 private:
  const ::pid_t owner_ = ::getpid();
  std::string path_;
};

const OwnFolder kOwnFolder;

}  // namespace
