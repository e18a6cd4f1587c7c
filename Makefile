# SPDX-License-Identifier: Apache-2.0
#
# Short names for what CMake does; `make help` lists them. Variables:
#   CUDA=ON|OFF   live runs; else where a CUDA Toolkit is found    N=03        a chapter
#   PRESET=asan   another preset of CMakePresets.json              ARGS="…"    a chapter's options
#   BUILD=folder  another build folder                             JOBS=4      parallel jobs
#   BIN=folder    programs built elsewhere, for live and record    WERROR=ON   warnings are errors
#   SECONDS=120   how long to fuzz                                 HUGE=1      bench: also over 4 GiB
#   SEED=1        fuzz the same inputs again; handout SEED=word: recordings by student
#   SELF_CHECK=1  handout: keep the queries                        ONLY=exercises record these alone

PRESET ?= default
ifeq ($(PRESET),default)
BUILD ?= build
else
BUILD ?= build-$(PRESET)
endif
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
BIN ?=
SECONDS ?= 120

options := $(if $(CUDA),-DTRACEBOOK_CUDA=$(CUDA)) $(if $(WERROR),-DTRACEBOOK_WERROR=$(WERROR))
setup := sh cmake/setup.sh
configure = sh cmake/configure.sh $(PRESET) $(BUILD) $(options)
build = cmake --build $(BUILD) -j $(JOBS)

.PHONY: start programs no_chapter test lint format chapter check next lab hint reset handout live record bench fuzz clean help
.DEFAULT_GOAL := help

start: programs ## set up what is missing, build, run chapter 01
	@$(BUILD)/bin/01_cold_trace

programs:
	@$(setup) run
	@$(configure)
	@$(build) --target programs

test: ## set up, build, run every test that this machine can run
	@$(setup) run test
	@$(configure) -DTRACEBOOK_TESTS=ON
	@$(build)
	@sh cmake/run_tests.sh $(BUILD) $(JOBS)

chapter: $(if $(N),programs,no_chapter) ## run a chapter: make chapter N=03 ARGS="--size 4096"
	@n=$$(printf '%02d' $$(echo $(N) | sed 's/^0*//')); set -- $(BUILD)/bin/$${n}_*; \
	  test -x "$$1" || { echo "there is no chapter $$n; there are:"; ls chapters; exit 2; } >&2; \
	  exec "$$1" $(ARGS)

check: $(if $(N),programs,no_chapter) ## check a chapter's claims, answers, exercises: make check N=03
	@$(BUILD)/bin/tracebook check $(N) $(ARGS)
	@sh cmake/check_lab.sh $(BUILD)/bin/tracebook $(N)

next: programs ## where you stand, and the one thing to do next
	@$(BUILD)/bin/tracebook next $(ARGS)

lab: programs ## a screen that checks your work at each save (of one chapter: N=03)
	@$(BUILD)/bin/tracebook lab $(N) $(ARGS)

hint: $(if $(N),programs,no_chapter) ## the next hint of a chapter's questions: make hint N=03
	@$(BUILD)/bin/tracebook hint $(N) $(ARGS)

reset: $(if $(N),programs,no_chapter) ## begin a chapter anew; asks, and keeps a copy: make reset N=03
	@$(BUILD)/bin/tracebook reset $(N) $(ARGS)

handout: programs ## class: the students' archive, without solutions and queries
	@sh cmake/handout.sh $(BUILD)/bin/tracebook $(BUILD)

live: $(if $(BIN),,programs) ## GPU: run chapters and code exercises live; fails without one
	@$(if $(BIN),:,$(build) --target code_exercises)
	@BIN=$(or $(BIN),$(BUILD)/bin) sh cmake/live.sh

record: $(if $(BIN),,programs) ## GPU: make fresh recordings (of one chapter: N=03)
	@$(if $(BIN),:,$(build) --target code_exercises)
	@BIN=$(or $(BIN),$(BUILD)/bin) N=$(N) ONLY=$(ONLY) sh cmake/record.sh

no_chapter:
	@echo "say which chapter: make $(MAKECMDGOALS) N=03" >&2; exit 2

bench: ## set up, build, run the benchmarks; large traces beside json.load
	@$(setup) run bench
	@$(configure) -DTRACEBOOK_BENCH=ON
	@$(build)
	@for program in $(BUILD)/bench/*; do echo "$$program"; $$program $(ARGS) || exit; done
	@python3 common/cli/bench.py $(BUILD)/bin $(if $(HUGE),--huge)

fuzz: ## set up, build, run the fuzzer over reading, analysis, drawing
	@$(setup) run test fuzz
	@sh cmake/configure.sh fuzz build-fuzz $(options) -DTRACEBOOK_TESTS=ON
	@cmake --build build-fuzz -j $(JOBS) --target trace_fuzz trace_reader_broken_test trace_reader_phases_test trace_reader_test
	@sh cmake/fuzz.sh build-fuzz $(SECONDS) $(JOBS) $(SEED)

lint: ## set up, check format, dependencies, headers, clang-tidy
	@$(setup) run test lint
	@$(configure) -DTRACEBOOK_TESTS=ON
	@sh cmake/lint.sh $(BUILD) $(JOBS)

format: ## set up, format all sources in place
	@$(setup) lint
	@git ls-files -co --exclude-standard '*.h' '*.cuh' '*.cpp' '*.cu' | xargs $(or $(CLANG_FORMAT),clang-format-16) -i

clean: ## remove the build folders
	rm -rf build build-*

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | awk -F '\t' '{ printf "  make %-9s %s\n", $$1, $$2 }'
	@sed -n '4,10s/^# *//p' Makefile
