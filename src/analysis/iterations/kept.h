// Caches a result for a rank that several analyses need.
#pragma once

#include <memory>
#include <mutex>

namespace profgauge::analysis::iterations {

/// One result for one rank, computed at the first request; safe for several threads. Copies share
/// it. Only one function, e.g. breakdown::WaitsOf(), accesses each object.
class Kept {
 public:
  /// `make()` returns a `T`, the same type in all calls.
  template <class T, class Make>
  const T& Of(Make make) const {
    std::call_once(state_->is_made, [&] { state_->made = std::make_shared<const T>(make()); });
    return *static_cast<const T*>(state_->made.get());
  }

 private:
  struct State {
    std::once_flag is_made;
    std::shared_ptr<const void> made;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace profgauge::analysis::iterations
