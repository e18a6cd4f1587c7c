// SPDX-License-Identifier: Apache-2.0
//
// How fast the table, the diagnosis and a grouped median follow from a trace that has been read.
#include <benchmark/benchmark.h>

#include "common/analysis/averages.h"
#include "common/analysis/database.h"
#include "common/analysis/diagnose/diagnose.h"
#include "common/trace/long_run.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"

namespace tracebook {
namespace {

const Trace& trace() {
  static const Trace kTrace = read_trace_text(long_run(), "long run").trace;
  return kTrace;
}

const Structure& structure() {
  static const Structure kStructure = build_structure(trace());
  return kStructure;
}

void link(benchmark::State& state) {
  trace();
  for (auto _ : state) benchmark::DoNotOptimize(build_structure(trace()).parent.data());
  count(state);
}
BENCHMARK(link)->Unit(benchmark::kMillisecond);

void table(benchmark::State& state) {
  structure();
  for (auto _ : state) benchmark::DoNotOptimize(key_averages(trace(), structure()).rows.data());
  count(state);
}
BENCHMARK(table)->Unit(benchmark::kMillisecond);

void find_causes(benchmark::State& state) {
  structure();
  for (auto _ : state) benchmark::DoNotOptimize(diagnose(trace(), structure()).findings.data());
  count(state);
}
BENCHMARK(find_causes)->Unit(benchmark::kMillisecond);

void grouped_median(benchmark::State& state) {
  structure();
  for (auto _ : state) {
    const Database database(trace(), structure());
    const QueryResult result =
        database.query("SELECT name, median(dur) FROM slice GROUP BY name ORDER BY 2 DESC");
    if (result.rows.size() != 3) state.SkipWithError("names are missing");
  }
  count(state);
}
BENCHMARK(grouped_median)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracebook
