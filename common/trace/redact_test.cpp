// SPDX-License-Identifier: Apache-2.0
//
// Secrets planted wherever a trace can hold text: none may be in the bytes that are written.
#include "common/trace/redact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/trace/hand_made.h"
#include "common/trace/reader.h"
#include "common/trace/redact_arg_rules.h"
#include "common/trace/redact_names.h"
#include "common/trace/structure.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

/// Every text in it that holds "SECRET" is one. SECRET\u0031 and the like test escapes.
constexpr std::string_view kPlanted = R"json({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "SECRET GPU", "numSms": 132, "SECRETkey": "SECRET"}],
  "trace_id": "SECRETtrace",
  "SECRETmember": {"SECRET": ["SECRET"]},
  "cuda_driver_version": "SECRET",
  "displayTimeUnit": "SECRET",
  "host_name": "SECRET.example.com",
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "hostname": "SECRET",
    "job_id": 918273645, "nccl_version": "2.21.5", "SECRETkey": 1,
    "pg_config": [{"pg_name": "SECRET", "pg_desc": "SECRET_pg", "backend_config": "SECRET",
                   "pg_size": 8, "ranks": [0, 1]}]},
  "tracebook": {"schema": 1, "chapter": "SECRET", "recording": "SECRET", "command": "SECRET --x",
    "commit": "SECRET", "recorded_at": "SECRET", "gpu": "SECRET", "driver": "SECRET",
    "cuda": "SECRET", "cublas": "SECRET", "cupti": "SECRET",
    "issues": [{"kind": "lost_records", "says": "SECRET", "count": 2}]},
  "baseTimeNanoseconds": 1795975185000000000,
  "traceEvents": [
  {"ph":"M","name":"process_name","pid":4711,"tid":0,"ts":0,"args":{"name":"SECRETtrainer.py"}},
  {"ph":"M","name":"process_labels","pid":4711,"tid":0,"ts":0,"args":{"labels":"CPU SECRET"}},
  {"ph":"M","name":"process_sort_index","pid":4711,"tid":0,"ts":0,"args":{"sort_index":4711}},
  {"ph":"M","name":"thread_name","pid":4711,"tid":815,"ts":0,
   "args":{"name":"thread 815 (SECRET)"}},
  {"ph":"M","name":"thread_name","pid":4711,"tid":816,"ts":0,"args":{"name":"SECRET loader"}},
  {"ph":"M","name":"SECRETmetadata","pid":4711,"tid":0,"ts":0,"args":{"SECRET":"SECRET"}},
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":4711,"tid":815,"ts":1,"dur":900},
  {"ph":"X","cat":"user_annotation","name":"SECRET project","pid":4711,"tid":815,"ts":2,"dur":800},
  {"ph":"X","cat":"user_annotation","name":"Optimizer.step#SECRETOptimizer.step","pid":4711,
   "tid":815,"ts":3,"dur":20},
  {"ph":"X","cat":"user_annotation","name":"nccl:SECRET","pid":4711,"tid":815,"ts":30,"dur":2},
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#SECRET","pid":4711,"tid":815,"ts":33,
   "dur":2},
  {"ph":"X","cat":"python_function","name":"/home/SECRET/train.py(12): SECRET","pid":4711,
   "tid":815,"ts":40,"dur":20,"args":{"Python id":1,"Python parent id":null,
   "Python module id":2}},
  {"ph":"X","cat":"python_function","name":"nn.Module: SECRETModel_0","pid":4711,"tid":815,
   "ts":41,"dur":10},
  {"ph":"X","cat":"cpu_op","name":"SECRET text \u2014 of an op","pid":4711,"tid":815,"ts":70,
   "dur":5,"args":{"External id":7,"Input Dims":[[64,32],[],"SECRET"],
   "Input type":["float","c10::BFloat16","__torch__.SECRET"],
   "Concrete Inputs":["","[1, 2]","SECRET","/data/SECRET"],
   "Call stack":"SECRET.py(3): f;x","Module Hierarchy":"SECRET","kernel_file":"/tmp/SECRET/k.py",
   "kernel_kwargs":"SECRET=1","SECRETkey":"x","other":{"SECRET":[{"x":"SECRET"},5]},
   "SECRET\u0031":"\u0053ECRET","dtype":"SECRET","Process Group Name":"SECRET",
   "Collective name":"SECRET","Sequence number":5}},
  {"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: SECRETFnBackward",
   "pid":4711,"tid":815,"ts":80,"dur":5},
  {"ph":"X","cat":"cpu_op","name":"SECRETFn","pid":4711,"tid":815,"ts":90,"dur":5},
  {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":4711,"tid":815,"ts":100,"dur":50,
   "args":{"External id":9}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":4711,"tid":815,"ts":110,"dur":5,
   "args":{"External id":9,"correlation":5,"cbid":211,"SECRET":"SECRET"}},
  {"ph":"X","cat":"cuda_runtime","name":"SECRETcall","pid":4711,"tid":815,"ts":116,"dur":1},
  {"ph":"X","cat":"cuda_driver","name":"cuSECRET /x","pid":4711,"tid":815,"ts":118,"dur":1},
  {"ph":"X","cat":"kernel","name":"f_/home/SECRET/k.cu<float>(C:\\Users\\SECRET)","pid":0,"tid":7,
   "ts":120,"dur":30,"args":{"External id":9,"correlation":5,"device":0,"stream":7,
   "grid":[4,1,1],"block":[128,1,1],"host":"SECRET","registers per thread":40}},
  {"ph":"X","cat":"kernel","name":"_ZN36_GLOBAL__N__1a2b3c4d_9_SECRET_cu_4d43fooEv","pid":0,
   "tid":7,"ts":160,"dur":3,"args":{"device":0,"stream":7}},
  {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":170,
   "dur":3,"args":{"device":0,"stream":7,"bytes":1024,"kind":"SECRET"}},
  {"ph":"X","cat":"gpu_user_annotation","name":"SECRET project","pid":0,"tid":7,"ts":119,"dur":60,
   "args":{"External id":3}},
  {"ph":"X","cat":"overhead","name":"SECRET Loading","pid":-1,"tid":0,"ts":200,"dur":3},
  {"ph":"X","cat":"cuda_sync","name":"SECRET Sync","pid":0,"tid":7,"ts":210,"dur":3,
   "args":{"cuda_sync_kind":"SECRET"}},
  {"ph":"X","cat":"Trace","name":"SECRET Profiler (0)","pid":"SECRETSpans","tid":"SECRETtid",
   "ts":0,"dur":900},
  {"ph":"X","cat":"SECRETcat","name":"SECRETevent","pid":"process SECRET","tid":"t","ts":300,
   "dur":3},
  {"ph":"B","cat":"SECRETcat","name":"SECRETbegin","pid":4711,"tid":816,"ts":300,
   "args":{"a":"SECRET"}},
  {"ph":"E","pid":4711,"tid":816,"ts":310,"args":{"b":"SECRET"}},
  {"ph":"s","id":5,"cat":"SECRETflow","name":"SECRETflow","pid":4711,"tid":815,"ts":110},
  {"ph":"f","id":5,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":120,"bp":"e"},
  {"ph":"i","cat":"SECRETinstant","s":"g","name":"SECRETinstant","pid":"Traces","tid":"SECRET",
   "ts":400,"args":{"SECRET":"SECRET"}},
  {"ph":"C","name":"SECRETcounter","pid":4711,"tid":815,"ts":410,"args":{"SECRETseries":3.5}},
  {"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":4711,"tid":815,"ts":420,
   "args":{"Total Allocated":512,"Device Type":1,"Addr":140000}}
  ],
  "traceName": "/home/SECRET/trace.json"
})json";

Trace planted() { return read_trace_text(kPlanted, "planted").trace; }

std::string redacted_text(Trace trace, const RedactOptions& options = {}) {
  redact(trace, options);
  return write_trace_text(trace);
}

bool holds(std::string text, std::string_view secret) {
  const auto lower = [](std::string& t) {
    std::ranges::transform(t, t.begin(), [](unsigned char c) { return std::tolower(c); });
  };
  std::string wanted(secret);
  lower(wanted);
  lower(text);
  return text.find(wanted) != std::string::npos;
}

TEST(Redact, NoPlantedSecretIsWritten) {
  ASSERT_EQ(planted().slices.size(), 23U) << "every one was read";
  ASSERT_EQ(planted().issues.size(), 1U);
  ASSERT_EQ(planted().issues[0].says, "SECRET") << "the sentence comes from the file";
  for (const RedactOptions& options :
       {RedactOptions{}, RedactOptions{.renumber = true, .hide_date = true}}) {
    const std::string text = redacted_text(planted(), options);
    EXPECT_FALSE(holds(text, "secret"))
        << text.substr(std::max<std::size_t>(text.find("SECRET"), 100) - 100, 200);
    for (const std::string_view other : {"918273645", "example.com", "/home", "/tmp", "Users"}) {
      EXPECT_FALSE(holds(text, other)) << other;
    }
  }
}

TEST(Redact, TheListTellsEachSecret) {
  Trace trace = planted();
  const std::vector<TakenOut> taken_out = redact(trace);
  const auto entry = [&](std::string_view what, std::string_view text) {
    const auto found = std::ranges::find_if(
        taken_out, [&](const TakenOut& each) { return each.what == what && each.text == text; });
    return found == taken_out.end() ? TakenOut{} : *found;
  };
  EXPECT_EQ(entry("annotation", "SECRET project").instead, "annotation 1");
  EXPECT_EQ(entry("annotation", "SECRET project").count, 2) << "on the CPU and on the GPU";
  EXPECT_EQ(entry("python frame", "nn.Module: SECRETModel_0").count, 1);
  EXPECT_EQ(entry("path", "f_/home/SECRET/k.cu").count, 1);
  EXPECT_EQ(entry("process", "SECRETtrainer.py").count, 1);
  EXPECT_EQ(entry("label", "CPU SECRET").count, 1);
  EXPECT_EQ(entry("trace name", "\"/home/SECRET/trace.json\"").count, 1);
  EXPECT_EQ(entry("provenance", "SECRET --x").count, 1);
  EXPECT_EQ(entry("arg", "SECRETkey").count, 2);
  EXPECT_EQ(entry("number", "918273645").instead, "0");
}

TEST(Redact, WhatIsKnownToBeHarmlessStays) {
  const std::string text = redacted_text(planted());
  for (const std::string_view kept : {"ProfilerStep#3",
                                      "aten::mm",
                                      "cudaLaunchKernel",
                                      "Optimizer.step#",
                                      "nccl:",
                                      "autograd::engine::evaluate_function: ",
                                      "Memcpy HtoD (Pinned -> Device)",
                                      "[memory]",
                                      "\"ac2g\"",
                                      "[64,32]",
                                      "\"c10::BFloat16\"",
                                      "\"[1, 2]\"",
                                      "\"grid\":[4,1,1]",
                                      "\"registers per thread\":40",
                                      "\"correlation\":5",
                                      "\"backend\": \"nccl\"",
                                      "\"rank\": 3",
                                      "\"nccl_version\": \"2.21.5\"",
                                      "\"bytes\":1024",
                                      "\"pid\": 4711",
                                      "1795975185000000000",
                                      "\"thread 815\"",
                                      "\"Traces\"",
                                      "\"Total Allocated\":512",
                                      "3fooEv"}) {
    EXPECT_NE(text.find(kept), std::string::npos) << kept;
  }
}

TEST(Redact, StructureTimesAndIdsStay) {
  const Trace before = planted();
  Trace after = planted();
  redact(after);
  ASSERT_EQ(after.slices.size(), before.slices.size());
  EXPECT_EQ(after.slices.ts_ns, before.slices.ts_ns);
  EXPECT_EQ(after.slices.dur_ns, before.slices.dur_ns);
  EXPECT_EQ(after.slices.correlation, before.slices.correlation);
  EXPECT_EQ(after.slices.external_id, before.slices.external_id);
  EXPECT_EQ(after.slices.category, before.slices.category);
  EXPECT_EQ(build_structure(after).launch, build_structure(before).launch);
  EXPECT_EQ(build_structure(after).parent, build_structure(before).parent);
  EXPECT_EQ(build_structure(after).step, build_structure(before).step);
}

TEST(Redact, ReadsBackCleanAndIsSoundJson) {
  Trace trace = planted();
  redact(trace);
  const std::string text = write_trace_text(trace);
  EXPECT_TRUE(nlohmann::json::accept(text));
  const ReadResult back = read_trace_text(text, "redacted");
  EXPECT_EQ(back.exit_code, 0);
  EXPECT_EQ(first_difference(trace, back.trace), "");
}

TEST(Redact, TwiceChangesNothingMore) {
  Trace trace = planted();
  redact(trace);
  const std::string once = write_trace_text(trace);
  redact(trace);
  EXPECT_EQ(write_trace_text(trace), once);
}

TEST(Redact, IdsStayHoweverOldKinetosWroteThem) {
  Trace trace = read_trace_text(R"([{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":1,
      "tid":1,"ts":1,"dur":1,"args":{"external id":5,"correlation":"17"}}])",
                                "t")
                    .trace;
  redact(trace);
  const Trace back = read_trace_text(write_trace_text(trace), "t").trace;
  EXPECT_EQ(back.slices.external_id.at(0), 5);
  EXPECT_EQ(back.slices.correlation.at(0), 17);
}

TEST(Redact, IdsStayThatStandAsText) {
  for (const auto& [text, id] : {std::pair("17", 17), std::pair("08", 8), std::pair("-3", -3)}) {
    Trace trace = read_trace_text(std::string(R"([{"ph":"X","cat":"kernel","name":"k","pid":0,
        "tid":7,"ts":1,"dur":1,"args":{"correlation":")") +
                                      text + R"("}}])",
                                  "t")
                      .trace;
    ASSERT_EQ(trace.slices.correlation.at(0), id) << text;
    redact(trace);
    EXPECT_EQ(read_trace_text(write_trace_text(trace), "t").trace.slices.correlation.at(0), id);
  }
}

/// Where events say no category, names and lanes do; a redacted trace must not read as another.
TEST(Redact, WhatTellsAKindStaysInTheStandIn) {
  const auto categories = [](const Trace& trace) { return trace.slices.category; };
  Trace named = read_trace_text(R"([
      {"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"secret GPU"}},
      {"ph":"M","name":"process_labels","pid":6,"tid":0,"args":{"labels":"secret NPU"}},
      {"ph":"X","name":"secret sum","pid":5,"tid":7,"ts":3,"dur":1},
      {"ph":"X","name":"secret sum","pid":6,"tid":7,"ts":3,"dur":1},
      {"ph":"X","name":"secret op","pid":7,"tid":7,"ts":3,"dur":1}])",
                                "t")
                    .trace;
  const auto of_processes = categories(named);
  EXPECT_EQ(of_processes, (std::vector{Category::kOther, Category::kOther, Category::kCpuOp}));
  redact(named);
  EXPECT_FALSE(holds(write_trace_text(named), "secret"));
  EXPECT_EQ(categories(read_trace_text(write_trace_text(named), "t").trace), of_processes);

  Trace trace = read_trace_text(R"([
      {"ph":"X","name":"secret op","pid":"host 9","tid":1,"ts":1,"dur":9},
      {"ph":"X","name":"cudaSecret it","pid":"host 9","tid":1,"ts":2,"dur":1},
      {"ph":"X","name":"ProfilerStep#secret","pid":"host 9","tid":1,"ts":20,"dur":1},
      {"ph":"X","name":"secret sum","pid":"secret GPU 3","tid":7,"ts":3,"dur":1},
      {"ph":"X","name":"work","pid":"secret Ascend Hardware","tid":8,"ts":3,"dur":1},
      {"ph":"X","name":"EVENT_secret","pid":"secret Ascend Hardware","tid":8,"ts":5,"dur":1}])",
                                "t")
                    .trace;
  const auto before = categories(trace);
  redact(trace);
  const std::string text = write_trace_text(trace);
  EXPECT_FALSE(holds(text, "secret")) << text;
  EXPECT_EQ(categories(read_trace_text(text, "t").trace), before) << text;
}

TEST(Redact, SameTextSameStandInOthersOthers) {
  HandMade made;
  made.annotation("load", 0, 10);
  made.annotation("train", 10, 20);
  made.annotation("load", 20, 30);
  made.op("load", 22, 28);  // the table merges it into the range around it
  made.annotation("annotation 1", 30, 40);
  redact(made.trace);
  const auto name = [&](SliceId id) { return std::string(made.trace.name(id)); };
  EXPECT_EQ(name(0), "annotation 1");
  EXPECT_EQ(name(1), "annotation 2");
  EXPECT_EQ(name(2), name(0));
  EXPECT_EQ(name(3), name(0)) << "else they would no longer merge";
  EXPECT_EQ(name(4), "annotation 3");
}

TEST(Redact, ARangeNamedAsAnOpOfTheTraceStaysLikeTheOp) {
  HandMade made;
  made.annotation("detach", 0, 10);
  made.op("detach", 1, 9);
  redact(made.trace);
  EXPECT_EQ(made.trace.name(0), "detach");
}

TEST(Redact, KeepAnnotationsKeepsAllButPaths) {
  HandMade made;
  made.annotation("evaluate v2", 0, 10);
  made.annotation("load /data/me/set.bin, 3/4", 10, 20);
  made.annotation("ask me@example.org", 20, 30);
  made.annotation("Torch-Compiled Region: 0/0", 30, 40);
  made.python("train.py(3): f", 1, 9);
  redact(made.trace, {.keep_annotations = true});
  EXPECT_EQ(made.trace.name(0), "evaluate v2");
  EXPECT_EQ(made.trace.name(1), "load path 1, path 2");
  EXPECT_EQ(made.trace.name(2), "ask path 3");
  EXPECT_EQ(made.trace.name(3), "Torch-Compiled Region: 0/0");
  EXPECT_EQ(made.trace.name(4), "python frame 1");
}

TEST(Redact, KernelNamesKeepTheirOperatorsAndTemplates) {
  constexpr std::string_view kName =
      "void at::native::elementwise_kernel<128, 4, f(at::TensorIteratorBase&)::{lambda(int)#1}, "
      "std::array<char*, 3ul> >(int, X::operator/(float) const, a->b, (anonymous namespace)::g)";
  HandMade made;
  made.kernel(kName, 0, 10);
  redact(made.trace);
  EXPECT_EQ(made.trace.name(0), kName);
}

TEST(Redact, MangledNamesStayReadable) {
  HandMade made;
  made.kernel("_ZN29_GLOBAL__N__1a2b_4_me_cu_1a2b3fooEi", 0, 10);
  made.kernel("_ZN29_GLOBAL__N__1a2b_4_me_cu_1a2b3barEi", 10, 20);
  redact(made.trace);
  EXPECT_EQ(made.trace.name(0), "_ZN18_GLOBAL__N__file_13fooEi");
  EXPECT_EQ(made.trace.name(1), "_ZN18_GLOBAL__N__file_13barEi");
}

TEST(Redact, RenumberMovesPidsAndTidsTogether) {
  Trace trace = planted();
  redact(trace, {.renumber = true});
  const std::string text = write_trace_text(trace);
  for (const std::string_view gone : {"4711", "815", "816"}) {
    EXPECT_FALSE(holds(text, gone)) << gone;
  }
  const Trace before = planted();
  EXPECT_EQ(build_structure(trace).parent, build_structure(before).parent);
  EXPECT_EQ(build_structure(trace).launch, build_structure(before).launch);
  EXPECT_EQ(trace.processes[0].pid.number, 1000);
  EXPECT_EQ(trace.processes[0].sort_index, 1000);
  EXPECT_EQ(read_trace_text(text, "renumbered").trace.tracks.size(), before.tracks.size());
}

TEST(Redact, HideDateMovesAllTimesAlike) {
  const Trace before = planted();
  Trace trace = planted();
  redact(trace, {.hide_date = true});
  EXPECT_EQ(trace.head.base_time_ns, 0);
  EXPECT_EQ(trace.window_ns().first, 1'000'000);
  EXPECT_EQ(trace.window_ns().second - trace.window_ns().first,
            before.window_ns().second - before.window_ns().first);
  EXPECT_FALSE(holds(write_trace_text(trace), "17959751"));
}

TEST(Redact, HideDateOfEpochTimesLeavesUnsetOnesUnset) {
  constexpr std::int64_t kEpoch_ns = 1'700'000'000'000'000'000;
  HandMade made;
  made.op("aten::mm", kEpoch_ns, kEpoch_ns + 50);
  const SliceId unset = made.kernel("gemm", 0, 0);
  made.trace.others.push_back({.phase = 'i', .ts_ns = 0, .args = {}});
  redact(made.trace, {.hide_date = true});
  EXPECT_EQ(made.trace.slices.ts_ns[0], 1'000'000);
  EXPECT_TRUE(has_impossible_time(made.trace, unset));
  EXPECT_FALSE(holds(write_trace_text(made.trace), "1700000"));
  EXPECT_FALSE(holds(write_trace_text(made.trace), "1699999"));
}

TEST(Redact, HideDateKeepsWhatIsNoClocksTime) {
  constexpr std::int64_t kEpoch_ns = 1'700'000'000'000'000'000;
  HandMade made;
  made.op("aten::mm", kEpoch_ns, kEpoch_ns + 50);
  const SliceId early = made.op("aten::add", -4'200'000'000'000'000'000, 0);
  const SliceId late = made.op("aten::add", 4'200'000'000'000'000'000, 0);
  made.trace.slices.dur_ns[early] = made.trace.slices.dur_ns[late] = 70;
  ASSERT_TRUE(has_impossible_time(made.trace, early) && has_impossible_time(made.trace, late));
  redact(made.trace, {.hide_date = true});
  EXPECT_FALSE(has_impossible_time(made.trace, 0));
  EXPECT_TRUE(has_impossible_time(made.trace, early));
  EXPECT_TRUE(has_impossible_time(made.trace, late));
}

TEST(Redact, NestsAsDeepAsTheTraceDoes) {
  constexpr std::size_t kDeep = 200'000;
  HandMade made;
  made.op("aten::mm", 0, 10);
  made.trace.slices.args[0] = made.trace.keep_args(R"({"x": )" + std::string(kDeep, '[') +
                                                   R"("SECRET")" + std::string(kDeep, ']') + "}");
  redact(made.trace);
  EXPECT_FALSE(holds(std::string(made.trace.args(0)), "secret"));
  EXPECT_EQ(made.trace.args(0).size(),
            2 * kDeep + std::string_view(R"({"arg 1": "text 1"})").size());
}

TEST(RedactNames, Forms) {
  EXPECT_TRUE(is_of_form("ProfilerStep#%d", "ProfilerStep#12"));
  EXPECT_FALSE(is_of_form("ProfilerStep#%d", "ProfilerStep#"));
  EXPECT_FALSE(is_of_form("ProfilerStep#%d", "ProfilerStep#1x"));
  EXPECT_TRUE(is_of_form("%q_data: compile_id=%d/%d", "a_data_data: compile_id=0/5"));
  EXPECT_TRUE(is_known_name(NameRole::kOp, "mylib::op"));
  EXPECT_FALSE(is_known_name(NameRole::kAnnotation, "mylib::op"));
  EXPECT_TRUE(is_known_name(NameRole::kAnnotation, "Optimizer.step#AdamW.step"));
  EXPECT_FALSE(is_known_name(NameRole::kAnnotation, "Optimizer.step#Mine.step"));
  EXPECT_TRUE(is_known_name(NameRole::kAnnotation, "nccl:all_reduce"));
  for (const char* gpu : {"NVIDIA H200", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "Tesla V100-PCIE-32GB",
                          "AMD Instinct MI300X", "NVIDIA GeForce RTX 4090 Laptop GPU", "gfx90a"}) {
    EXPECT_TRUE(is_known_name(NameRole::kDevice, gpu)) << gpu;
  }
  EXPECT_FALSE(is_known_name(NameRole::kDevice, "NVIDIA H200 of acme"));
  EXPECT_FALSE(is_known_name(NameRole::kDevice, "NVIDIA host0123x"));
  EXPECT_FALSE(is_known_name(NameRole::kMark, "host::job"));
  EXPECT_TRUE(is_known_name(NameRole::kCall, "cudaMemcpyAsync"));
  EXPECT_FALSE(is_known_name(NameRole::kCall, "customer"));
  EXPECT_TRUE(is_known_text(ArgRule::kNumbers, "[[1, 2], [3.5]]"));
  EXPECT_TRUE(is_known_text(ArgRule::kNumbers, "True"));
  EXPECT_FALSE(is_known_text(ArgRule::kNumbers, "10.1.2.3")) << "an address";
  EXPECT_TRUE(is_known_text(ArgRule::kTypes, "c10::complex<float>"));
  EXPECT_FALSE(is_known_text(ArgRule::kTypes, "c10::mine"));
}

TEST(Redact, KeepsOnlyHashesOfCompiledGraphs) {
  const std::string hash = "## Call CompiledFxGraph f" + std::string(51, 'a') + " ##";
  HandMade made;
  made.annotation(hash, 0, 10);
  made.annotation("## Call CompiledFxGraph secretmodel ##", 20, 30);
  redact(made.trace, {});
  EXPECT_EQ(made.trace.name(0), hash);
  EXPECT_EQ(made.trace.name(1).find("secretmodel"), std::string_view::npos);
}

}  // namespace
}  // namespace tracebook
