// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/clock.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tracebook {

namespace detail {
bool clock_is_tsc = false;
}

namespace {

/// ns = base_ns + (ticks - base_ticks) * scale / 2^32
struct Line {
  std::uint64_t base_ticks = 0;
  std::int64_t base_ns = 0;
  std::uint64_t scale = std::uint64_t{1} << 32;
};
Line line;
std::once_flag started;

std::int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

bool kernel_trusts_tsc() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned kPowerLeaf = 0x80000007;
  constexpr unsigned kInvariantTsc = 1U << 8;
  if (__get_cpuid(kPowerLeaf, &eax, &ebx, &ecx, &edx) == 0 || (edx & kInvariantTsc) == 0) {
    return false;
  }
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return std::getline(file, name) && name == "tsc";
#else
  return false;
#endif
}

struct Pair {
  std::uint64_t ticks = 0;
  std::int64_t ns = 0;
};

/// A tick count and the `read` clock at the same moment: the tightest of several attempts, since
/// an interrupt between the two readings would tilt the line.
template <class Read>
Pair sample(Read read) {
  Pair best;
  std::uint64_t best_width = std::numeric_limits<std::uint64_t>::max();
  constexpr int kAttempts = 32;
  for (int i = 0; i < kAttempts; ++i) {
    const std::uint64_t before = clock_ticks();
    const auto ns = static_cast<std::int64_t>(read());
    const std::uint64_t width = clock_ticks() - before;
    if (width < best_width) {
      best_width = width;
      best = {before + width / 2, ns};
    }
  }
  return best;
}

void measure() {
  detail::clock_is_tsc = kernel_trusts_tsc();
  if (detail::clock_is_tsc) {
    // The rate comes from the monotonic clock: the wall clock might be set meanwhile.
    const Pair first = sample(detail::monotonic_ns);
    constexpr std::int64_t kBaseline = 20'000'000;
    while (static_cast<std::int64_t>(detail::monotonic_ns()) - first.ns < kBaseline) {
    }
    const Pair last = sample(detail::monotonic_ns);
    line.scale =
        static_cast<std::uint64_t>(static_cast<long double>(last.ns - first.ns) * 4294967296.0L /
                                   static_cast<long double>(last.ticks - first.ticks));
  }
  const Pair now = sample(wall_ns);
  line.base_ticks = now.ticks;
  line.base_ns = now.ns;
}

}  // namespace

void start_clock() { std::call_once(started, measure); }

std::int64_t clock_ns(std::uint64_t ticks) {
  __extension__ using Wide = __int128;
  const auto delta = static_cast<std::int64_t>(ticks - line.base_ticks);
  return line.base_ns + static_cast<std::int64_t>((Wide{delta} * Wide{line.scale}) >> 32);
}

std::int64_t clock_now_ns() { return clock_ns(clock_ticks()); }

const char* clock_name() { return detail::clock_is_tsc ? "tsc" : "monotonic"; }

}  // namespace tracebook
