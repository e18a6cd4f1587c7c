// SPDX-License-Identifier: Apache-2.0
//
// A redacted trace says the same as the one that it was made of: the same table but for names, the
// same diagnosis.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/analysis/averages.h"
#include "common/analysis/diagnose/diagnose.h"
#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/trace/redact.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

/// Every trace among the recordings, by file name.
std::map<std::string, Trace> recordings() {
  std::map<std::string, Trace> found;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(TRACEBOOK_SOURCE_DIR "/expected")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json.gz") && !name.ends_with(".json")) continue;
    try {
      found[name] = read_trace_file(entry.path()).trace;
    } catch (const InputError&) {
      continue;  // other JSON of ours
    }
  }
  return found;
}

void expect_same_table(const Trace& left, const Trace& right) {
  const Averages a = key_averages(left, build_structure(left));
  const Averages b = key_averages(right, build_structure(right));
  ASSERT_EQ(a.rows.size(), b.rows.size());
  EXPECT_EQ(a.self_cpu_total_ns, b.self_cpu_total_ns);
  EXPECT_EQ(a.self_device_total_ns, b.self_device_total_ns);
  std::map<std::string, std::string> now;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    SCOPED_TRACE(a.rows[i].key);
    EXPECT_EQ(a.rows[i].device_type, b.rows[i].device_type);
    EXPECT_EQ(a.rows[i].is_span, b.rows[i].is_span);
    EXPECT_EQ(a.rows[i].count, b.rows[i].count);
    EXPECT_EQ(a.rows[i].self_cpu_ns, b.rows[i].self_cpu_ns);
    EXPECT_EQ(a.rows[i].cpu_ns, b.rows[i].cpu_ns);
    EXPECT_EQ(a.rows[i].self_device_ns, b.rows[i].self_device_ns);
    EXPECT_EQ(a.rows[i].device_ns, b.rows[i].device_ns);
    EXPECT_EQ(now.try_emplace(a.rows[i].key, b.rows[i].key).first->second, b.rows[i].key);
  }
}

void expect_same_diagnosis(const Trace& left, const Trace& right) {
  const Diagnosis a = diagnose(left, build_structure(left));
  const Diagnosis b = diagnose(right, build_structure(right));
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.arithmetic, b.arithmetic);
  EXPECT_EQ(a.window_ns, b.window_ns);
  EXPECT_EQ(a.busy_ns, b.busy_ns);
  EXPECT_EQ(a.steps, b.steps);
  ASSERT_EQ(a.findings.size(), b.findings.size());
  for (std::size_t i = 0; i < a.findings.size(); ++i) {
    SCOPED_TRACE(a.findings[i].title);
    EXPECT_EQ(a.findings[i].id, b.findings[i].id);
    EXPECT_EQ(a.findings[i].severity, b.findings[i].severity);
    EXPECT_EQ(a.findings[i].share, b.findings[i].share);
    EXPECT_EQ(a.findings[i].occurrences, b.findings[i].occurrences);
    EXPECT_EQ(a.findings[i].evidence.size(), b.findings[i].evidence.size());
  }
}

TEST(Redacted, EveryRecordingSaysTheSame) {
  const auto traces = recordings();
  EXPECT_GE(traces.size(), 40U);
  for (const auto& [file, before] : traces) {
    SCOPED_TRACE(file);
    for (const RedactOptions& options :
         {RedactOptions{}, RedactOptions{.renumber = true, .hide_date = true}}) {
      Trace after = before;
      redact(after, options);
      const ReadResult back = read_trace_text(write_trace_text(after), "redacted");
      EXPECT_EQ(back.exit_code, 0);
      EXPECT_EQ(first_difference(after, back.trace), "");
      expect_same_table(before, back.trace);
      expect_same_diagnosis(before, back.trace);
    }
  }
}

/// Names that only we see change do not count: those of torch's own phases must stay, or the rules
/// would look for them in vain.
TEST(Redacted, CompiledRecordingsKeepWhatTorchWrites) {
  Trace trace =
      read_trace_file(TRACEBOOK_SOURCE_DIR "/expected/planted/recompile_shapes.json.gz").trace;
  for (const TakenOut& each : redact(trace)) {
    EXPECT_NE(each.what, "op") << each.text;
    EXPECT_NE(each.what, "annotation") << each.text;
    EXPECT_NE(each.what, "call") << each.text;
    EXPECT_NE(each.what, "overhead") << each.text;
    EXPECT_NE(each.what, "arg") << each.text;
    EXPECT_NE(each.what, "text") << each.text;
  }
}

}  // namespace
}  // namespace tracebook
