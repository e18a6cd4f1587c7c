// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>
#include <utility>
#include <vector>

#include "common/analysis/averages.h"
#include "common/render/wrap.h"
#include "common/trace/error.h"
#include "tracebook_version.h"

namespace tracebook {
namespace {

/// Steps, and the product of steps and repeats, stay countable.
constexpr std::int64_t kMaxSteps = 1'000'000;
/// A matrix of this size would not fit any GPU: 2^40 elements.
constexpr std::int64_t kMaxSize = std::int64_t{1} << 20;

/// Whole numbers of at least `minimum`, with a message that says so.
CLI::Validator whole_number(std::int64_t minimum, std::int64_t maximum) {
  const auto check = [minimum, maximum](const std::string& text) -> std::string {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= minimum && value <= maximum) return "";
    return "expected a whole number from " + std::to_string(minimum) + " to " +
           std::to_string(maximum) + ", got \"" + text + "\"";
  };
  return {check, ""};
}

std::string listed(const std::vector<std::string>& choices) {
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  return list;
}

CLI::Validator one_of(const std::vector<std::string>& choices) {
  const std::string list = listed(choices);
  const auto check = [choices, list](const std::string& text) -> std::string {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return "";
    return "expected one of " + list + ", got \"" + text + "\"";
  };
  return {check, ""};
}

CLI::Validator sort_key() {
  const auto check = [](const std::string& text) -> std::string {
    try {
      Averages none;
      sort_averages(none, text);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  return {check, ""};
}

void read_activities(const std::string& list, Knobs& knobs) {
  knobs.record_cpu = false;
  knobs.record_cuda = false;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "cpu") {
      knobs.record_cpu = true;
    } else if (name == "cuda") {
      knobs.record_cuda = true;
    } else {
      throw UsageError("--activities: expected cpu, cuda or cpu,cuda, got \"" + list + "\"");
    }
  }
  if (!knobs.record_cpu && !knobs.record_cuda) {
    throw UsageError("--activities: expected cpu, cuda or cpu,cuda, got \"" + list + "\"");
  }
}

/// All options of a chapter, bound to one ChapterOptions.
class Parser {
 public:
  explicit Parser(const ChapterInfo& chapter)
      : chapter_(chapter), app_(chapter.title + "\n" + chapter.question, chapter.stem) {
    options_.knobs = chapter.defaults;
    app_.set_version_flag("--version", chapter.stem + " " + version());
    add_work();
    add_schedule();
    add_extra();
    add_output();
    add_comparisons();
  }

  /// False if help or the version was asked for, and printed.
  bool parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      std::cout << fitted_to_stdout(app_.help());
      return false;
    } catch (const CLI::Success& wish) {
      app_.exit(wish, std::cout, std::cerr);
      return false;
    } catch (const CLI::ParseError& error) {
      throw UsageError(one_line(error.what()) + " (see " + chapter_.stem + " --help)");
    }
    finish();
    return true;
  }

  [[nodiscard]] const ChapterOptions& options() const { return options_; }

 private:
  void whole(const std::string& flag, std::int64_t& value, std::int64_t minimum,
             std::int64_t maximum, const std::string& help) {
    app_.add_option(flag, value, help)
        ->check(whole_number(minimum, maximum))
        ->capture_default_str()
        ->type_name("N");
  }

  void add_work() {
    Knobs& knobs = options_.knobs;
    whole("--size", knobs.size, 1, kMaxSize, "matrices are N x N");
    app_.add_option("--dtype", knobs.dtype, "element type: " + listed(chapter_.dtypes))
        ->check(one_of(chapter_.dtypes))
        ->capture_default_str()
        ->type_name("TYPE");
    if (chapter_.batches) {
      app_.add_option("--batch", knobs.batch, "N matrices per tensor (default: plain 2D)")
          ->check(whole_number(1, kMaxSize))
          ->type_name("N");
    }
    app_.add_flag("--warmup,!--no-warmup", knobs.warmup,
                  std::string("run the step ten times before the profiler starts (default: ") +
                      (knobs.warmup ? "yes)" : "no)"));
  }

  void add_schedule() {
    Knobs& knobs = options_.knobs;
    whole("--wait", knobs.wait, 0, kMaxSteps, "schedule: steps to skip");
    whole("--profiler-warmup", knobs.profiler_warmup, 0, kMaxSteps,
          "schedule: steps profiled but not recorded");
    whole("--active", knobs.active, 1, kMaxSteps, "schedule: steps recorded");
    whole("--repeat", knobs.repeat, 1, kMaxSteps, "schedule: cycles");
    whole("--steps", knobs.steps, 0, kMaxSteps, "steps in all (0: what the schedule needs)");
    activities_option_ =
        app_.add_option("--activities", activities_, "what to record: cpu, cuda or cpu,cuda")
            ->type_name("LIST");
  }

  void add_extra() {
    for (const ExtraKnob& knob : chapter_.extra_knobs) {
      options_.knobs.extra.try_emplace(knob.flag, knob.default_value);
      app_.add_option("--" + knob.flag, options_.knobs.extra[knob.flag], knob.help)
          ->check(knob.choices.empty() ? whole_number(knob.minimum, knob.maximum)
                                       : one_of(knob.choices))
          ->capture_default_str()
          ->type_name(knob.choices.empty() ? "N" : "NAME");
    }
  }

  void add_output() {
    app_.add_option("--sort-by", options_.sort_by, "order of the table, by torch's names")
        ->check(sort_key())
        ->capture_default_str()
        ->type_name("KEY");
    app_.add_option("--row-limit", options_.row_limit, "rows of the table (-1: all)")
        ->check(whole_number(-1, INT32_MAX))
        ->capture_default_str()
        ->type_name("N");
    app_.add_option("--out", options_.out, "folder for the artefacts")
        ->capture_default_str()
        ->type_name("DIR");
    CLI::Option* const live = app_.add_flag("--live", live_, "record now; needs a GPU");
    replay_ = app_.add_option("--replay", options_.replay_file,
                              "read the recording of these knobs, or FILE")
                  ->expected(0, 1)
                  ->type_name("[FILE]")
                  ->excludes(live);
    app_.add_flag("--list-recordings", options_.list_recordings,
                  "print the recordings that --replay knows");
    app_.add_flag("--list-variants", options_.list_variants,
                  "print the runs that the lesson shows, one command line each");
    app_.add_flag("--list-comparisons", options_.list_comparisons,
                  "print the options that compare several runs, one a line");
    app_.add_flag("--gpu-status", options_.gpu_status,
                  "say whether a GPU can be used here, and if not, why");
  }

  void add_comparisons() {
    for (const RunComparison& comparison : chapter_.comparisons) {
      app_.add_flag_callback(
          "--" + comparison.flag,
          [this, &comparison] {
            if (options_.comparison != nullptr) {
              throw UsageError("--" + options_.comparison->flag + " and --" + comparison.flag +
                               ": one table at a time");
            }
            options_.comparison = &comparison;
          },
          comparison.help);
    }
  }

  /// A file, and the runs of a comparison, are what they are: a knob beside them would be ignored.
  void refuse_idle_knobs() const {
    const std::string idle = knob_arguments(chapter_, options_.knobs);
    if (options_.comparison != nullptr && !options_.replay_file.empty()) {
      throw UsageError("--" + options_.comparison->flag + " has runs of its own; --replay " +
                       options_.replay_file + " would not be read");
    }
    if (idle.empty()) return;
    if (options_.comparison != nullptr) {
      throw UsageError("--" + options_.comparison->flag + " has runs of its own, given in " +
                       chapter_.stem + "/knobs.h; " + idle + " would change nothing");
    }
    if (!options_.replay_file.empty()) {
      throw UsageError("--replay " + options_.replay_file + " shows that file as it is; " + idle +
                       " would change nothing");
    }
  }

  void finish() {
    if (activities_option_->count() > 0) read_activities(activities_, options_.knobs);
    if (live_) options_.mode = RunMode::kLive;
    if (replay_->count() > 0) options_.mode = RunMode::kReplay;
    const Knobs& knobs = options_.knobs;
    const std::int64_t cycle = knobs.wait + knobs.profiler_warmup + knobs.active;
    if (cycle > kMaxSteps || knobs.repeat > kMaxSteps / cycle) {
      throw UsageError("the schedule asks for more than " + std::to_string(kMaxSteps) + " steps");
    }
    if (knobs.steps != 0 && knobs.steps < cycle) {
      throw UsageError("--steps " + std::to_string(knobs.steps) +
                       ": too few, nothing would be recorded; wait + profiler-warmup + active is " +
                       std::to_string(cycle));
    }
    refuse_idle_knobs();
  }

  static std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  const ChapterInfo& chapter_;
  ChapterOptions options_;
  std::string activities_;
  bool live_ = false;
  CLI::App app_;
  CLI::Option* activities_option_ = nullptr;
  CLI::Option* replay_ = nullptr;
};

}  // namespace

std::optional<ChapterOptions> parse_chapter_options(const ChapterInfo& chapter, int argc,
                                                    const char* const* argv) {
  Parser parser(chapter);
  if (!parser.parse(std::vector<std::string>(argv + 1, argv + argc))) return std::nullopt;
  return parser.options();
}

Knobs parse_knobs(const ChapterInfo& chapter, const std::string& arguments) {
  std::istringstream words(arguments);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  Parser parser(chapter);
  if (!parser.parse(std::move(list))) throw UsageError("no knobs in \"" + arguments + "\"");
  return parser.options().knobs;
}

}  // namespace tracebook
