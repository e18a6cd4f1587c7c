// SPDX-License-Identifier: Apache-2.0
//
// How fast a trace is read and written. bench.py says how fast and how large whole processes are.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <cstdint>
#include <string>

#include "common/trace/long_run.h"
#include "common/trace/reader.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

void read(benchmark::State& state, const std::string& text, const ReadOptions& options) {
  for (auto _ : state) {
    const ReadResult result = read_trace_text(text, "long run", options);
    if (result.events != kLongRunEvents) state.SkipWithError("events are missing");
  }
  count(state);
}

void read_all(benchmark::State& state) { read(state, long_run(), {}); }
BENCHMARK(read_all)->Unit(benchmark::kMillisecond);

void read_lean(benchmark::State& state) {
  read(state, long_run(), {.keep_args = false, .keep_flows = false});
}
BENCHMARK(read_lean)->Unit(benchmark::kMillisecond);

/// The same with one bare nan a window: all of it goes through the tolerant scanner.
void read_broken(benchmark::State& state) {
  static const std::string kText = [] {
    std::string broken = long_run();
    constexpr std::size_t kWindow = std::size_t{1} << 20U;
    const std::string zero = "\"queued\": 0,";
    for (std::size_t at = broken.find(zero); at != std::string::npos;
         at = broken.find(zero, at + kWindow)) {
      broken.replace(at, zero.size(), "\"queued\":nan");
      broken.insert(at + zero.size(), ",");
    }
    return broken;
  }();
  read(state, kText, {});
}
BENCHMARK(read_broken)->Unit(benchmark::kMillisecond);

std::string deflated(const std::string& text) {
  constexpr int kGzip = 16;
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8,
               Z_DEFAULT_STRATEGY);
  std::string copy = text;
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// MB/s of the text, not of the gzip file.
void read_gzip(benchmark::State& state) {
  static const std::string kData = deflated(long_run());
  read(state, kData, {});
}
BENCHMARK(read_gzip)->Unit(benchmark::kMillisecond);

void write(benchmark::State& state) {
  const Trace trace = read_trace_text(long_run(), "long run").trace;
  for (auto _ : state) benchmark::DoNotOptimize(write_trace_text(trace).size());
  count(state);
}
BENCHMARK(write)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracebook
