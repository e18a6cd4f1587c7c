// SPDX-License-Identifier: Apache-2.0
//
// Tiny traces as text, of the kinds that real files are, and what the analysis says of them. For
// tests; times in us.
//
//   const auto trace = Wild().op("aten::mm", 0, 20).call("cudaLaunchKernel", 2, 5, 1)
//                            .kernel("gemm", 10, 20, 1).answer();
//   trace.row("aten::mm");   // "1|15.0|20.0|20.0|20.0"
//   trace.health();          // "good"
#pragma once

#include <cstdio>
#include <string>

#include "common/analysis/averages.h"
#include "common/analysis/database.h"
#include "common/analysis/diagnose/diagnose.h"
#include "common/analysis/sql_sample_trace.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"

namespace tracebook {

/// Events as a file would hold them.
class Wild {
 public:
  Wild& add(const std::string& event) {
    events_ += (events_.empty() ? "" : ",\n") + event;
    return *this;
  }
  Wild& range(const std::string& cat, const std::string& name, double ts, double dur,
              const std::string& args = "", const std::string& lane = R"("pid":100,"tid":1)") {
    return add(R"({"ph":"X","cat":")" + cat + R"(","name":")" + name + R"(",)" + lane +
               R"(,"ts":)" + number(ts) + R"(,"dur":)" + number(dur) + R"(,"args":{)" + args +
               "}}");
  }
  Wild& op(const std::string& name, double ts, double dur, const std::string& args = "") {
    return range("cpu_op", name, ts, dur, args);
  }
  Wild& step(int number, double ts, double dur) {
    return range("user_annotation", "ProfilerStep#" + std::to_string(number), ts, dur);
  }
  Wild& call(const std::string& name, double ts, double dur, int correlation,
             const std::string& args = "") {
    return range("cuda_runtime", name, ts, dur, linked(correlation, args));
  }
  Wild& kernel(const std::string& name, double ts, double dur, int correlation,
               const std::string& args = "", int stream = 7) {
    return range("kernel", name, ts, dur, linked(correlation, args),
                 R"("pid":0,"tid":)" + std::to_string(stream));
  }
  /// An op that launches one kernel, which starts 10 us later.
  Wild& run(double ts, int correlation, double kernel_dur = 20) {
    op("aten::mm", ts, 20);
    call("cudaLaunchKernel", ts + 2, 5, correlation);
    return kernel("gemm", ts + 10, kernel_dur, correlation);
  }

  /// What is asked of the trace.
  struct Answer {
    Trace trace;
    Structure structure;

    [[nodiscard]] std::string sql(const std::string& query) const {
      const Database database(trace, structure);
      return text_of(database.query(query));
    }
    /// "calls|self CPU|CPU total|self device|device total", "" without such a row.
    [[nodiscard]] std::string row(const std::string& key, const std::string& type = "CPU") const {
      return sql(
          "SELECT count, self_cpu_time_total, cpu_time_total, self_device_time_total, "
          "device_time_total FROM average WHERE key = '" +
          key + "' AND device_type = '" + type + "'");
    }
    [[nodiscard]] std::string health() const { return sql("SELECT health FROM info"); }
    [[nodiscard]] Diagnosis diagnosis() const { return diagnose(trace, structure); }
    /// Whether X14 advises against trusting it.
    [[nodiscard]] bool flagged() const {
      for (const Finding& finding : diagnosis().findings) {
        if (finding.id == "X14") return finding.severity == Severity::kAdvice;
      }
      return false;
    }
  };
  [[nodiscard]] Answer answer(const std::string& members = "") const {
    return of("{" + members + R"("traceEvents":[)" + events_ + "]}");
  }
  static Answer of(const std::string& text) {
    Answer out{read_trace_text(text, "wild").trace, {}};
    out.structure = build_structure(out.trace);
    return out;
  }

 private:
  static std::string number(double us) {
    std::string text(64, '\0');
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.3f", us)));
    return text;
  }
  static std::string linked(int correlation, const std::string& args) {
    return "\"correlation\":" + std::to_string(correlation) + (args.empty() ? "" : "," + args);
  }
  std::string events_;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tracebook
