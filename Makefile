# Everything that is done with this tree. The environments .venv and .tools are made on first use and again
# when pyproject.toml or tools/requirements.txt change, when the tree was moved, or when their Python is gone.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?=
ARGS ?=

# Without cached bytecode, every process that the tests start compiles the code anew: half of their time.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
PIP_INSTALL := -m pip --disable-pip-version-check install --quiet --prefer-binary

# An environment keeps the path at which it was made. One that is unusable here counts as not made.
usable = $(shell test -x $(1)/bin/python && test "`cat $(1)/.made-at 2>/dev/null`" = "$(CURDIR)" && echo yes)

# $(call environment,FOLDER): makes the environment; one that was made by hand and works is kept.
works = $(1)/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
define environment
	@if test -e $(1)/.made-at || ! $(works); then \
	    python=$$(sh tools/find_python.sh $(PYTHON)) && rm -rf $(1) && "$$python" -m venv $(1); \
	fi
	@pwd -P > $(1)/.made-at
endef

# The distribution was called fairplay once: an environment that has it under both names would have every command twice.
define install
	@$(call locked,.venv) $(BIN)/python -m pip uninstall --quiet --quiet --yes fairplay
	@$(call locked,.venv) $(BIN)/python $(PIP_INSTALL) --editable '.[$(EXTRAS)]'
endef

##@ Use

.PHONY: demo
demo: .venv/.ready ## a tournament over real gRPC, shown live, with well-behaved and broken players
	@$(BIN)/fairplay demo $(ARGS)

.PHONY: bench
bench: .venv/.ready-dev ## measure speed; writes benchmarks/results.json
	@$(BIN)/python -m benchmarks $(ARGS)

.PHONY: bench-docs
bench-docs: bench ## the same, and puts the figures into docs/performance.md
	@$(BIN)/python -m benchmarks --docs

.PHONY: bench-quick
bench-quick: .venv/.ready-dev ## the same in under a minute
	@$(BIN)/python -m benchmarks --quick $(ARGS)

##@ Change

# What a test of the longer runs may take, in seconds; `make test` has what pyproject.toml says.
LONG_S := 600

# One worker more than two cores, since many tests wait for limits and for programs to start.
.PHONY: test
test: .venv/.ready-dev ## run the tests, in some three minutes (ARGS="-k fish -x" to choose)
	@$(BIN)/python -m pytest -n 3 --dist worksteal -m "not slow and not sandbox and not postgresql and not web" $(ARGS)

.PHONY: test-slow
test-slow: .venv/.ready-dev ## run the tests that take long: every command of the docs, ...
	@$(BIN)/python -m pytest --timeout $(LONG_S) -n 2 --dist worksteal -m "slow and not postgresql" $(ARGS)

.PHONY: test-sandbox
test-sandbox: .venv/.ready-dev ## run programs that mean harm in sandboxes (bubblewrap), next to sound ones
	@$(BIN)/python -m pytest --timeout $(LONG_S) -m sandbox -rs tests/sandbox $(ARGS)

.PHONY: test-postgresql
test-postgresql: .venv/.ready-dev ## keep records in PostgreSQL (Debian: postgresql), started for it, and kill it
	@$(BIN)/python -m pytest --timeout $(LONG_S) -m postgresql -rs $(or $(ARGS),tests/server tests/robustness)

.PHONY: test-web
test-web: .venv/.ready-dev ## drive the pages in the system's Chromium: play by clicks and keys, look for what keeps people out
	@$(BIN)/python -m pytest --timeout $(LONG_S) -m web -rs tests/web $(ARGS)

.PHONY: zoo
zoo: .venv/.ready-dev ## try all broken players on the suite, an hour; writes build/zoo.md (ARGS="--sample 100")
	@$(BIN)/python -m tools.zoo $(ARGS)

.PHONY: fuzz
fuzz: .venv/.ready-dev ## attack a server with 1,000,000 random frames and requests, up to half an hour (ARGS="--frames 9999")
	@$(BIN)/python -m tools.fuzz $(ARGS)

.PHONY: cluster-kills
cluster-kills: .venv/.ready-dev ## kill workers of a tournament and look for lost games (ARGS="--games 10000 --kills 2")
	@$(BIN)/python -m tools.cluster_kills $(ARGS)

.PHONY: test-languages
test-languages: .venv/.ready .tools/.ready ## build and try the players in other languages (says what it needs)
	@$(BIN)/python -m tools.test_languages $(ARGS)

.PHONY: check-languages-generate
check-languages-generate: .venv/.ready .tools/.ready ## make code of the protos for nine languages, and compile what is compiled here
	@$(BIN)/python -m tools.generate_languages $(ARGS)

API_LINTER := api-linter -I ../../proto --config rules.yaml --set-exit-status --output-format github

.PHONY: lint-api
lint-api: ## hold the protos against Google's API guidelines, as tools/api_linter/rules.yaml says; needs go
	@go -C tools/api_linter tool $(API_LINTER) $$(cd proto && find fairplay -name '*.proto' | sort)

.PHONY: all-checks
all-checks: ## run all of these, and the quick tests on other Pythons; goes on where it was interrupted
	@python3 -m tools.all_checks $(ARGS)

.PHONY: check
check: check-style check-imports check-types check-proto check-generated check-reference check-requirements ## everything that is checked without running the code

.PHONY: check-style
check-style: .venv/.ready-dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .

.PHONY: check-imports
check-imports: .venv/.ready-dev
	@$(BIN)/lint-imports --no-cache --no-logo

.PHONY: check-types
check-types: .venv/.ready-dev
	$(BIN)/python -m mypy --strict --no-error-summary

.PHONY: check-proto
check-proto: .venv/.ready-dev
	$(BIN)/buf lint proto
	$(BIN)/buf format --diff --exit-code proto
	$(BIN)/buf breaking proto --against proto/image.binpb

.PHONY: check-generated
check-generated: .tools/.ready
	.tools/bin/python -m tools.generate --check

.PHONY: check-reference
check-reference: .venv/.ready-dev
	$(BIN)/python -m tools.docs_reference --check

.PHONY: check-requirements
check-requirements: .venv/.ready-dev
	$(BIN)/python -m tools.requirements --check

.PHONY: format
format: .venv/.ready-dev ## put code and protos into their standard form
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .
	$(BIN)/buf format --write proto

.PHONY: generate
generate: .tools/.ready ## make generated/ from proto/
	.tools/bin/python -m tools.generate

.PHONY: reference
reference: .venv/.ready-dev ## make docs/reference/ from the comments of the protos
	@$(BIN)/python -m tools.docs_reference

.PHONY: requirements
requirements: .venv/.ready-dev ## make docs/requirements.md: what is required, and what shows it
	@$(BIN)/python -m tools.requirements

.PHONY: screenshots
screenshots: .venv/.ready-dev ## make docs/pictures/ in the system's Chromium
	@$(BIN)/python -m tools.screenshots

##@ Release

.PHONY: image
image: .venv/.ready-dev ## keep the protos as they are now as the ones that later ones must not break
	$(BIN)/buf build proto --exclude-source-info --output proto/image.binpb

.PHONY: certified
certified: .venv/.ready-dev ## certify and list what plays here; writes build/certified/site (ARGS="--games fish,nim")
	@$(BIN)/python -m tools.certified $(ARGS)

.PHONY: release
release: .venv/.ready-dev .tools/.ready ## make dist/: all packages, checksums, bill of materials (ARGS="go npm" for some)
	@$(BIN)/python -m tools.release $(ARGS)

.PHONY: release-check
release-check: .venv/.ready-dev .tools/.ready ## try dist/ as strangers would, and make it again: the same bytes (ARGS="--once go")
	@$(BIN)/python -m tools.release.check $(ARGS)

# By the first of the three that answers, which docker does not without its daemon.
.PHONY: container
container: ## build the image of a server, with docker, podman or buildah (ARGS="--build-arg BASE=IMAGE")
	@for each in docker podman buildah; do \
	    $$each info >/dev/null 2>&1 || continue; \
	    version=$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml); \
	    exec $$each build --file deploy/Dockerfile --tag "fairplay:$$version" $(ARGS) .; \
	done; echo "An image needs docker with its daemon, podman or buildah, and none answers (Debian: buildah)." >&2; exit 2

.PHONY: site
site: .venv/.ready-dev .tools/.ready ## make build/site: all pages with search, every link checked
	@$(BIN)/python -m tools.site $(ARGS)

.PHONY: wheel
wheel: .venv/.ready-dev ## build dist/*.whl and dist/*.tar.gz
	$(BIN)/python -m build

##@ Keep tidy

.PHONY: help
help: ## this list
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "%s\n", substr($$0, 5) } \
	    /^[a-z-]+:.*## / { printf "  make %-24s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: clean
clean: ## remove environments, caches and builds
	rm -rf .venv .tools .bench dist build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf examples/go/bin examples/go/gen examples/rust/target examples/java/target examples/cpp/build
	rm -rf examples/typescript/dist examples/typescript/src/gen examples/typescript/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environments ----------------------------------------------------------------------------------------------

# One at a time, also where make runs several recipes side by side.
locked = $(if $(shell command -v flock),flock $(1)/.made-at)

ifneq ($(call usable,.venv),yes)
.PHONY: .venv/.made-at
endif
.venv/.made-at:
	$(call environment,.venv)

.venv/.ready: EXTRAS := certify,terminal,web
.venv/.ready: .venv/.made-at pyproject.toml
	@echo "Setting up .venv ..."
	$(install)
	@touch $@

.venv/.ready-dev: EXTRAS := dev
.venv/.ready-dev: .venv/.made-at pyproject.toml
	@echo "Setting up .venv with what development needs ..."
	$(install)
	@touch .venv/.ready $@

ifneq ($(call usable,.tools),yes)
.PHONY: .tools/.made-at
endif
.tools/.made-at:
	$(call environment,.tools)

.tools/.ready: .tools/.made-at tools/requirements.txt
	@echo "Setting up .tools, which makes the stubs and the site ..."
	@.tools/bin/python $(PIP_INSTALL) --requirement tools/requirements.txt
	@touch $@
