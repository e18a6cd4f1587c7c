// SPDX-License-Identifier: Apache-2.0
//
// tracebook quiz and tracebook hint: a chapter's questions, asked, checked, and helped with.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/claims_report.h"
#include "common/workbook/lab/code_exercise.h"
#include "common/workbook/lab/grade.h"
#include "common/workbook/lab/hints.h"
#include "common/workbook/lab/question_text.h"
#include "common/workbook/lab/quiz.h"
#include "common/workbook/lab/sql_exercise.h"
#include "common/workbook/lab/tool_name.h"
#include "common/workbook/lab/variants.h"
#include "common/workbook/lab/words.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

struct QuizCommand {
  std::string chapter;
  std::string question;
  std::string answers;
  std::string trace;
  bool start = false;
  bool check = false;
  bool list = false;
  bool handout = false;
};

/// The questions, and the files that the command line names.
struct QuizFiles {
  explicit QuizFiles(const QuizCommand& wish)
      : sheet(chapter_questions(find_chapter(wish.chapter).stem)),
        number(find_chapter(wish.chapter).number()),
        answers(wish.answers.empty() ? answers_file(sheet.chapter) : fs::path(wish.answers)) {}

  /// Is anything there, be it a link that leads nowhere? What it is, reading it tells.
  [[nodiscard]] bool started() const {
    std::error_code error;
    return fs::exists(fs::symlink_status(answers, error));
  }

  QuestionSheet sheet;
  std::string number;
  fs::path answers;
};

/// InputError unless there is such a trace, or none is named.
void expect_trace(const fs::path& trace) {
  std::error_code error;
  if (trace.empty() || fs::exists(trace, error)) return;
  throw InputError(trace.string() +
                   ": no such trace; expected a trace of yours, or none for the chapter's "
                   "recording");
}

/// The student's trace: of the command line, else of the answers (relative to the checkout), or "".
fs::path own_trace(const QuizCommand& wish, const AnswerSheet& answers) {
  fs::path trace = !wish.trace.empty()     ? fs::path(wish.trace)
                   : answers.trace.empty() ? fs::path()
                                           : workbook_root() / answers.trace;
  expect_trace(trace);
  return trace;
}

/// The options given, for the commands that messages tell the reader to type.
std::string carried_options(const QuizCommand& wish) {
  std::string out;
  if (!wish.answers.empty()) out += " --answers " + shell_word(wish.answers);
  if (!wish.trace.empty()) out += " --trace " + shell_word(wish.trace);
  return out;
}

/// The answers. InputError saying how to get a readable file, if this one cannot be read at all.
AnswerSheet answers_of(const QuizFiles& files, const QuizCommand& wish) {
  try {
    return read_answers(files.answers, files.sheet);
  } catch (const InputError& error) {
    const std::string to = wish.answers.empty() ? "" : " --answers " + shell_word(wish.answers);
    std::error_code ignored;
    const bool can_mend = fs::is_regular_file(files.answers, ignored);
    throw InputError(std::string(error.what()) + (can_mend ? "; mend it, or move" : "; move") +
                     " it away and `" + tool_name() + " quiz " + files.number + " --start" + to +
                     "` makes a fresh one");
  }
}

/// In a class the student's recordings, which hang on the name in the answers.
void choose_recordings(AnswerKeys& keys, const QuizFiles& files, const QuizCommand& wish,
                       const AnswerSheet& answers) {
  const std::string seed = class_seed();
  if (seed.empty()) return;
  std::string student = answers.student;
  if (trimmed(student).empty()) student = known_student(files.answers.parent_path());
  if (student.empty()) {
    throw CannotJudge(shown_path(files.answers) +
                      ": expected your name behind \"student\", by which "
                      "this class's recordings are chosen; `" +
                      tool_name() + " quiz " + files.number + carried_options(wish) +
                      "` asks for it");
  }
  keys.choose(seed, student);
}

int start(const QuizFiles& files, const QuizCommand& wish) {
  const std::string again = tool_name() + " quiz " + files.number;
  const std::string options = carried_options(wish);
  const bool fresh = start_answers(files.sheet, files.answers);
  if (!fresh) answers_of(files, wish);  // nobody is sent to write into what cannot be read
  if (fresh && !class_seed().empty()) {
    save_student(files.answers, known_student(files.answers.parent_path()));
  }
  std::cout << (fresh ? "Made " : "There already, and left as it is: ") << shown_path(files.answers)
            << "\n"
            << wrapped("Write your answers there: `" + again + " --list" + options +
                           "` shows the questions in full, `" + again + " --check" + options +
                           "` judges the answers. Or let `" + again + options + "` ask you.",
                       0, stdout_terminal().width);
  if (!class_seed().empty()) {
    std::cout << "Your recordings are chosen by the name behind \"student\": write it first.\n";
  }
  return static_cast<int>(ExitCode::kGood);
}

void print_points(double points, std::size_t of) {
  std::cout << "points: " << points_text(points) << " of " << of << "\n";
}

int check_answers(const QuizFiles& files, const QuizCommand& wish) {
  if (!files.started()) {
    if (!files.sheet.handout) print_points(0, files.sheet.questions.size());
    throw CannotJudge("the questions of " + files.sheet.chapter + " are not started; begin with `" +
                      tool_name() + " quiz " + files.number + carried_options(wish) + "`");
  }
  const AnswerSheet answers = answers_of(files, wish);
  AnswerKeys keys;
  choose_recordings(keys, files, wish, answers);
  fs::path own;
  std::string own_fault;
  try {
    own = own_trace(wish, answers);
  } catch (const InputError& error) {
    if (!wish.trace.empty()) throw;  // of the command line: nothing else is meant
    own_fault = error.what();
  }
  const JudgedSheet judged = judge_sheet(files.sheet, answers, keys, own, own_fault);
  const std::string options = carried_options(wish);
  std::cout << judged_text(judged, files.number, stdout_terminal().width, options);
  if (!judged.handout) print_points(sheet_points(judged, answers), judged.answers.size());
  const std::string closing = closing_text(judged, files.number, options);
  if (judged.exit_code() == static_cast<int>(ExitCode::kCannotJudge)) throw CannotJudge(closing);
  std::cout << wrapped(closing, 0, stdout_terminal().width);
  return judged.exit_code();
}

/// Prints all questions, whatever the answers are like; what is wrong with these comes at the end.
int list_questions(const QuizFiles& files, const QuizCommand& wish) {
  const Terminal terminal = stdout_terminal();
  AnswerSheet answers;
  std::vector<JudgedAnswer> judged;
  std::string broken;
  std::string unknown;  // why it is not known which traces to read
  AnswerKeys keys;
  fs::path own = wish.trace;
  try {
    if (files.started()) answers = answers_of(files, wish);
  } catch (const InputError& error) {
    broken = error.what();
  }
  try {
    choose_recordings(keys, files, wish, answers);
  } catch (const CannotJudge& reason) {
    unknown = reason.what();
  }
  if (broken.empty() && unknown.empty()) {
    try {
      own = own_trace(wish, answers);
    } catch (const InputError& error) {
      broken = error.what();
    }
    judged = judge_sheet(files.sheet, answers, keys, own, broken).answers;
  }
  std::vector<fs::path> traces;
  for (const Question& question : files.sheet.questions) {
    traces.push_back(unknown.empty() ? keys.trace_of(files.sheet, question, own) : fs::path());
  }
  std::cout << question_list(files.sheet, judged, traces, terminal.width) << "\n"
            << wrapped("Your answers go into " + shown_path(files.answers) +
                           (files.started() ? ""
                                            : ", which `" + tool_name() + " quiz " + files.number +
                                                  " --start" + carried_options(wish) + "` makes") +
                           "; `" + tool_name() + " quiz " + files.number + " --check" +
                           carried_options(wish) + "` judges them.",
                       0, terminal.width);
  if (!broken.empty()) throw InputError(broken);
  if (!unknown.empty()) throw CannotJudge(unknown);
  return static_cast<int>(ExitCode::kGood);
}

int quiz(const QuizCommand& wish) {
  const QuizFiles files(wish);
  expect_trace(wish.trace);  // before a file is made for a command that is none
  if (wish.handout) {
    std::cout << handout_sheet(files.sheet.file);
    return static_cast<int>(ExitCode::kGood);
  }
  if (wish.start) return start(files, wish);
  if (wish.check) return check_answers(files, wish);
  if (wish.list) return list_questions(files, wish);
  start_answers(files.sheet, files.answers);
  const fs::path trace = own_trace(wish, answers_of(files, wish));
  const Terminal terminal = stdout_terminal();
  const bool person = terminal.is_terminal && isatty(STDIN_FILENO) == 1;
  const QuizStyle style{
      .width = terminal.width, .person = person, .options = carried_options(wish)};
  Quiz quiz(files.sheet, files.answers, trace, style, class_seed());
  return quiz.ask(std::cin, std::cout);
}

/// The question or exercise of that id. UsageError with all there are, if it is none.
Question named_question(const QuestionSheet& sheet, const std::string& id) {
  if (const Question* const named = sheet.find(id)) return *named;
  std::vector<std::string> ids;
  for (const Question& one : sheet.questions) ids.push_back(one.id);
  Question found;
  const auto look_at = [&](const auto& exercise) {
    ids.push_back(exercise.name());
    if (exercise.name() != id) return;
    found.id = exercise.name();
    found.prompt = exercise.title;
    found.hints = exercise.hints;
  };
  for (const SqlExercise& one : chapter_exercises(sheet.chapter)) look_at(one);
  for (const CodeExercise& one : chapter_code_exercises(sheet.chapter)) look_at(one);
  if (!found.id.empty()) return found;
  throw UsageError("hint: nothing called " + in_quotes(id) + " in " + sheet.chapter +
                   "; expected " + listed(ids, "or"));
}

/// The first question that is not right yet. No id if all of them are.
Question first_open_question(const QuizFiles& files, const QuizCommand& wish,
                             const AnswerSheet& answers) {
  AnswerKeys keys;
  choose_recordings(keys, files, wish, answers);
  const JudgedSheet judged = judge_sheet(files.sheet, answers, keys, own_trace(wish, answers));
  const Question* const open = first_open(files.sheet, judged);
  return open == nullptr ? Question() : *open;
}

bool is_right_already(const QuizFiles& files, const QuizCommand& wish, const AnswerSheet& answers,
                      const Question& question) {
  if (files.sheet.find(question.id) == nullptr || answers.answer(question.id).empty()) return false;
  AnswerKeys keys;
  choose_recordings(keys, files, wish, answers);
  const JudgedSheet judged = judge_sheet(files.sheet, answers, keys, own_trace(wish, answers));
  return std::any_of(judged.answers.begin(), judged.answers.end(), [&](const JudgedAnswer& one) {
    return one.id == question.id && one.outcome == AnswerOutcome::kRight;
  });
}

int hint(const QuizCommand& wish) {
  const QuizFiles files(wish);
  // First what may be wrong with the command: it makes no file then.
  expect_trace(wish.trace);
  Question question;
  if (!wish.question.empty()) question = named_question(files.sheet, wish.question);
  start_answers(files.sheet, files.answers);
  const AnswerSheet answers = answers_of(files, wish);
  if (wish.question.empty()) question = first_open_question(files, wish, answers);
  if (question.id.empty()) {
    std::cout << "All questions of " << files.sheet.chapter
              << (files.sheet.handout ? " are answered; they are judged when you hand them in.\n"
                                      : " are answered right.\n");
    return static_cast<int>(ExitCode::kGood);
  }
  if (is_right_already(files, wish, answers, question)) {
    std::cout << wrapped(question.id + " is answered right already; no hint is counted.", 0,
                         stdout_terminal().width);
    return static_cast<int>(ExitCode::kGood);
  }
  const int used = answers.hints_used(question.id);
  const GivenHint given = next_hint(question, used);
  const int width = stdout_terminal().width;
  std::cout << wrapped(question.id + ": " + question.prompt, 0, width)
            << wrapped(given.text, 0, width);
  if (given.used != used) save_hints(files.answers, question.id, given.used);
  return static_cast<int>(ExitCode::kGood);
}

void add_common_options(Subcommand& sub, QuizCommand& wish) {
  sub.add_option("chapter", wish.chapter, "03, or 03_schedule_tweak")
      .required()
      .type_name("CHAPTER");
  sub.add_option("--answers", wish.answers, "your answers (default: answers/NN_name.json)")
      .type_name("FILE");
  sub.add_option("--trace", wish.trace, "a trace of yours instead of the chapter's recording")
      .type_name("FILE");
}

}  // namespace

void add_quiz_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "quiz", "a chapter's questions on its trace: predict, read, compare");
  auto wish = std::make_shared<QuizCommand>();
  add_common_options(sub, *wish);
  const Argument start_flag = sub.add_flag("--start", wish->start, "only make the file of answers");
  const Argument check_flag =
      sub.add_flag("--check", wish->check, "judge the file of answers, ask nothing")
          .excludes(start_flag);
  sub.add_flag("--list", wish->list,
               "print all questions in full, with their traces and what is answered")
      .excludes(start_flag)
      .excludes(check_flag);
  sub.add_flag("--handout", wish->handout, "print the questions without their queries")
      .group("");  // not in --help: only `make handout` needs it
  sub.callback([wish, &command] { command.run = [wish] { return quiz(*wish); }; });
}

void add_hint_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "hint", "the next hint of a chapter's question");
  auto wish = std::make_shared<QuizCommand>();
  add_common_options(sub, *wish);
  sub.add_option(
         "question", wish->question,
         "its id, or an exercise's name (default: the first question that is not right yet)")
      .type_name("QUESTION");
  sub.callback([wish, &command] { command.run = [wish] { return hint(*wish); }; });
}

}  // namespace tracebook
