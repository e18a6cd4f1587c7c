// SPDX-License-Identifier: Apache-2.0
#include "common/trace/redact.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/trace/redact_args.h"
#include "common/trace/redact_ids.h"
#include "common/trace/redact_labels.h"
#include "common/trace/redact_names.h"

namespace tracebook {
namespace {

constexpr std::string_view kStandIn = "redacted";

/// Whether the table may merge rows of these by their names, so that a name must be treated alike
/// in all of them.
bool shares_names(NameRole role) { return role != NameRole::kPython && role != NameRole::kWork; }

bool is_made_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == text.npos;
}

/// The texts of the events' columns, each looked at once.
class Names {
 public:
  Names(const Trace& trace, const RedactOptions& options, StandIns& labels)
      : old_(trace.strings), keep_annotations_(options.keep_annotations), labels_(labels) {}

  void count(NameRole role, StringId id) {
    std::vector<Use>& uses = uses_[static_cast<std::size_t>(role)];
    if (uses.empty()) uses.resize(old_.size());
    if (uses[id].count++ > 0 || !shares_names(role)) return;
    if (kept_.empty()) kept_.resize(old_.size(), kGoes);
    if (is_known_name(role, old_.view(id))) {
      kept_[id] = kStays;
    } else if (role == NameRole::kAnnotation && keep_annotations_ && kept_[id] == kGoes) {
      kept_[id] = kStaysWithoutPaths;
    }
  }

  /// What stands in the new table of strings.
  StringId renamed(NameRole role, StringId id) {
    Use& use = uses_[static_cast<std::size_t>(role)][id];
    if (!use.done) {
      labels_.set_times(use.count);
      use.now = strings_.intern(instead_of(role, id));
      labels_.set_times(1);
      use.done = true;
    }
    return use.now;
  }

  StringTable take() { return std::move(strings_); }

 private:
  enum Fate : std::uint8_t { kGoes, kStaysWithoutPaths, kStays };
  struct Use {
    std::int64_t count = 0;
    StringId now = 0;
    bool done = false;
  };

  std::string instead_of(NameRole role, StringId id) {
    const std::string_view text = old_.view(id);
    if (text.empty()) return {};
    if (role == NameRole::kWork) return labels_.without_files(text);
    if (role == NameRole::kPython) return labels_.instead_of(noun_of(role), text);
    if (kept_[id] == kStays) return std::string(text);
    if (kept_[id] == kStaysWithoutPaths) return labels_.without_paths(text);
    const std::string_view start = known_beginning(role, text);
    const std::string_view hint = kind_hint(role, text);
    return std::string(start) + std::string(hint) + (hint.empty() ? "" : " ") +
           labels_.instead_of(noun_of(role), text.substr(start.size()), "name");
  }

  const StringTable& old_;
  bool keep_annotations_;
  StandIns& labels_;
  static constexpr std::size_t kRoles = static_cast<std::size_t>(NameRole::kDevice) + 1;
  std::array<std::vector<Use>, kRoles> uses_;
  std::vector<Fate> kept_;
  StringTable strings_;
};

class Redactor {
 public:
  Redactor(Trace& trace, const RedactOptions& options) : trace_(trace), options_(options) {}

  std::vector<TakenOut> redact() {
    if (options_.renumber) renumber(trace_);
    if (options_.hide_date) hide_date(trace_);
    events();
    args();
    lanes();
    head();
    return labels_.take();
  }

 private:
  /// Calls `each(role, id)` with every text of the events.
  template <typename Each>
  void each_text(const Each& each) {
    Slices& slices = trace_.slices;
    for (SliceId id = 0; id < slices.size(); ++id) {
      each(role_of(slices.category[id]), slices.name[id]);
      each(NameRole::kCategory, slices.category_text[id]);
    }
    for (Flow& flow : trace_.flows) {
      each(NameRole::kMark, flow.name);
      each(NameRole::kCategory, flow.category_text);
    }
    for (OtherEvent& event : trace_.others) {
      each(NameRole::kMark, event.name);
      each(NameRole::kCategory, event.category_text);
    }
    const auto lane = [&](EventId& id) {
      if (id.is_text) each(NameRole::kLane, id.text);
    };
    for (Track& track : trace_.tracks) {
      lane(track.pid);
      lane(track.tid);
    }
    for (ProcessName& process : trace_.processes) lane(process.pid);
    for (ThreadName& thread : trace_.threads) {
      lane(thread.pid);
      lane(thread.tid);
    }
  }

  void events() {
    Names names(trace_, options_, labels_);
    each_text([&](NameRole role, StringId id) { names.count(role, id); });
    each_text([&](NameRole role, StringId& id) { id = names.renamed(role, id); });
    trace_.strings = names.take();
  }

  void args() {
    std::string text;
    const auto rewrite = [&](ArgsRef& ref) {
      if (ref.size == 0) return;
      const std::string clean = redact_json(trace_.args(ref), ArgRule::kNothing, labels_);
      ref = {.offset = text.size(), .size = static_cast<std::uint32_t>(clean.size())};
      text += clean;
    };
    for (ArgsRef& ref : trace_.slices.args) rewrite(ref);
    for (OtherEvent& event : trace_.others) rewrite(event.args);
    trace_.args_text = std::move(text);
  }

  /// Names that are no more than shown: two may well have one stand-in.
  void shown_name(NameRole role, std::string& name) {
    if (is_known_name(role, name)) return;
    const std::string hint(kind_hint(role, name));
    name = hint + (hint.empty() ? "" : " ") + labels_.instead_of(noun_of(role), name);
  }

  void lanes() {
    for (ProcessName& process : trace_.processes) {
      shown_name(NameRole::kProcess, process.name);
      shown_name(NameRole::kLabel, process.labels);
    }
    for (ThreadName& thread : trace_.threads) {
      // "thread 474 (trainer)": Kineto's form, with the process's name.
      const auto bracket = thread.name.find(" (");
      const std::string start = thread.name.substr(0, bracket);
      if (bracket != std::string::npos && is_of_form("thread %d", start) &&
          !is_known_name(NameRole::kThread, thread.name)) {
        labels_.note("thread's process", thread.name, start);
        thread.name = start;
      }
      shown_name(NameRole::kThread, thread.name);
    }
  }

  void head() {
    Head& head = trace_.head;
    for (DeviceProperties& device : head.devices) shown_name(NameRole::kDevice, device.name);
    std::erase_if(head.members, [this](auto& member) {
      auto& [key, text] = member;
      const ArgRule rule = arg_rule(key);
      if (rule == ArgRule::kUnknown) {
        labels_.note("member", key + ": " + text, "");
        return true;
      }
      if (key == "traceName") {
        const std::string stand_in = '"' + std::string(kStandIn) + '"';
        if (text != stand_in) labels_.note("trace name", text, kStandIn);
        text = stand_in;
      } else {
        text = redact_json(text, rule, labels_, UnknownNumbers::kZero);
      }
      return false;
    });
    if (!head.provenance.empty()) provenance(head.provenance);
    // The reader takes the sentences of a recorder's issues from the file.
    for (Issue& issue : trace_.issues) {
      issue.says = issue.kind;
      std::ranges::replace(issue.says, '_', ' ');
    }
  }

  void provenance(Provenance& of) {
    const auto clear = [this](std::string& field, std::string_view characters) {
      if (!field.empty() && !is_made_of(field, characters)) {
        labels_.note("provenance", field, "");
        field.clear();
      }
    };
    constexpr std::string_view kVersion = "0123456789.";
    if (of.chapter != kStandIn) clear(of.chapter, "");
    clear(of.recording, "");
    clear(of.command, "");
    clear(of.commit, "0123456789abcdef");
    clear(of.recorded_at, options_.hide_date ? "" : "0123456789-:TZ.");
    for (std::string* field : {&of.driver, &of.cuda, &of.cublas, &of.cupti}) {
      clear(*field, kVersion);
    }
    shown_name(NameRole::kDevice, of.gpu);
    of.chapter = kStandIn;  // a provenance without one is none
  }

  Trace& trace_;
  RedactOptions options_;
  StandIns labels_;
};

}  // namespace

std::vector<TakenOut> redact(Trace& trace, const RedactOptions& options) {
  return Redactor(trace, options).redact();
}

}  // namespace tracebook
