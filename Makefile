# The front door. The build proper is CMakeLists.txt, booting and measuring is tools/mxk; here they get short names.
CPUS ?= 4
NODES ?= 2
MEM ?= 2G
BENCH ?=

.DEFAULT_GOAL := help
.PHONY: help setup elf iso run bench test unit system lint clean
MAKEFLAGS += --no-print-directory
export PYTHONDONTWRITEBYTECODE := 1

# GCC 12's TSan cannot place its shadow when the kernel randomises addresses by more than 28 bits.
unrandomised := $(shell [ "$$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -le 28 ] || echo setarch -R)
# $(call build,PRESET,TARGET): configures once; says what is wrong, nothing else.
build = { [ -e build/$(1)/build.ninja ] || cmake --preset $(1) --log-level=WARNING >/dev/null; } \
        && cmake --build --preset $(1) --target $(2) -- --quiet

help: ## this list
	@echo 'make TARGET [CPUS=4] [NODES=2] [MEM=2G] [BENCH="topology; bench ..."]'
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do \
	    printf '  %-8s %s\n' "$$name" "$$text"; done

setup: ## install what is missing (Debian packages, Python environment)
	@tools/setup

elf: setup ## build/metal/mxk.elf
	@$(call build,metal,mxk.elf)

iso: setup ## build/metal/mxk.iso, for BIOS and UEFI
	@$(call build,metal,mxk.iso)

run: setup ## boot and talk to the console (Ctrl-A X quits)
	@tools/mxk run --cpus $(CPUS) --nodes $(NODES) --mem $(MEM)

bench: setup ## measure; results in build/results/latest
	@tools/mxk bench $(if $(BENCH),-- '$(BENCH)')

test: ## everything: lint, unit and system tests
	@$(MAKE) lint
	@$(MAKE) unit
	@$(MAKE) system

# A lost wake-up shows as a hang; the deadline makes it a failure.
unit: setup ## unit tests on the host, under ASan+UBSan and under TSan
	@$(call build,linux-asan,mxk-unit)
	@echo 'unit tests, ASan+UBSan:' && timeout 300 build/linux-asan/mxk-unit --gtest_brief=1
	@$(call build,linux-tsan,mxk-unit)
	@echo 'unit tests, TSan:' && timeout 300 $(unrandomised) build/linux-tsan/mxk-unit --gtest_brief=1

system: elf iso ## boot the kernel in QEMU in many shapes and use it like a person
	@echo 'system tests:' && build/venv/bin/python -m pytest tests/system -q -n 2 -p no:cacheprovider

lint: setup ## formats, house rules, clang-tidy, ruff
	@cmake --preset linux-asan --log-level=WARNING >/dev/null
	@cmake --preset metal --log-level=WARNING >/dev/null
	@tools/lint

clean: ## remove what was built; results and the Python environment stay
	@rm -rf build/metal build/linux-asan build/linux-tsan
