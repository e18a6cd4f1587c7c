// SPDX-License-Identifier: Apache-2.0
//
// The one clock of a trace. CPU ranges read it themselves; CUPTI is told to read it too
// (cuptiActivityRegisterTimestampCallback) and maps the GPU's timestamps onto it. Two clocks that
// are merely close would show kernels before their launch.
//
//   const std::uint64_t begin = clock_ticks();   // in the hot path: one instruction
//   clock_ns(begin);                              // later: nanoseconds since 1970
//
// The processor's time stamp counter where the kernel itself trusts it (invariant, and chosen as
// clocksource, which implies that it agrees between cores): half the cost of clock_gettime.
// Elsewhere CLOCK_MONOTONIC, which never jumps when the wall clock is set, unlike CLOCK_REALTIME,
// which is CUPTI's own choice.
//
// Ticks become nanoseconds by one fixed line per process, measured at the first use against the
// wall clock over some milliseconds. That line is off by a few parts in a million: durations are
// off by as much, the absolute date drifts by some microseconds a second, and neither matters,
// since everything in a trace goes through the same line. Two clocks that are corrected separately
// would drift apart instead.
//
// Thread-safe. clock_ticks() needs a start_clock() before it.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace tracebook {

namespace detail {
/// Set once by start_clock().
extern bool clock_is_tsc;

inline std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000ULL +
         static_cast<std::uint64_t>(now.tv_nsec);
}
}  // namespace detail

/// Chooses and measures the clock; takes about 20 ms the first time, nothing later.
void start_clock();

inline std::uint64_t clock_ticks() {
#if defined(__x86_64__)
  if (detail::clock_is_tsc) return __rdtsc();
#endif
  return detail::monotonic_ns();
}

/// Nanoseconds since 1970 of a tick count; never decreasing.
std::int64_t clock_ns(std::uint64_t ticks);
/// Now, as clock_ns().
std::int64_t clock_now_ns();
/// "tsc" or "monotonic".
const char* clock_name();

}  // namespace tracebook
