#include "readers/neuron/hand_over.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace profgauge::readers::neuron {
namespace {

/// A ring of pieces between the two threads.
class Ring {
 public:
  /// For the thread that makes pieces.
  void Make(const std::function<bool(Piece&)>& make) {
    try {
      while (Piece* const piece = Free()) {
        if (!make(*piece)) break;
        const std::lock_guard lock(mutex_);
        ++made_;
        changed_.notify_one();
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    End();
  }

  /// For the thread that takes them; until the other one ended.
  void Take(const std::function<void(const Piece&)>& take) {
    while (const Piece* const piece = Ready()) {
      take(*piece);
      const std::lock_guard lock(mutex_);
      ++taken_;
      changed_.notify_one();
    }
  }

  /// No pieces follow, or none are wanted any more.
  void End() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }
  void Rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  Piece* Free() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || made_ - taken_ < pieces_.size(); });
    return ended_ ? nullptr : &pieces_[made_ % pieces_.size()];
  }
  const Piece* Ready() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || made_ > taken_; });
    return made_ > taken_ ? &pieces_[taken_ % pieces_.size()] : nullptr;
  }

  std::array<Piece, 4> pieces_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t made_ = 0, taken_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
};

void TakeEach(const std::function<bool(Piece&)>& make,
              const std::function<void(const Piece&)>& take) {
  for (Piece piece; make(piece);) take(piece);
}

/// Ends the other thread, however this one goes on.
class Joined {
 public:
  Joined(Ring& ring, std::thread& other) : ring_(ring), other_(other) {}
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;
  ~Joined() {
    ring_.End();
    other_.join();
  }

 private:
  Ring& ring_;
  std::thread& other_;
};

}  // namespace

void HandOver(bool aside, const std::function<bool(Piece&)>& make,
              const std::function<void(const Piece&)>& take) {
  Piece first;
  if (!make(first)) return;
  take(first);
  // What fits into one piece is not worth a thread.
  constexpr std::size_t kSmall = std::size_t{64} << 10;
  if (!aside || first.text.size() < kSmall) return TakeEach(make, take);
  Ring ring;
  std::thread other;
  try {
    other = std::thread([&] { ring.Make(make); });
  } catch (const std::system_error&) {
    return TakeEach(make, take);
  }
  {
    const Joined joined(ring, other);
    ring.Take(take);
  }
  ring.Rethrow();
}

}  // namespace profgauge::readers::neuron
