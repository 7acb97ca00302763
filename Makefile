# make demo   a VO on this machine: simulated sites, real commands, users, owners, jobs of every kind; kept in demo/
# make test   everything that must hold: format, lints, spelling, tests, documentation, licences
# make check  the fast half of it, without the solver: format, lints, unit tests; below a minute when built
# make build  the whole program with the simulator and the HiGHS solver: target/release/walras
# make dist   the same, optimised as one and stripped: target/dist/walras
# make web    builds the web page, after a change in web/ (needs Node)
# make book   the documents as a book: target/book/index.html
# make audit  licences, sources and known holes of all dependencies, by cargo-deny (asks the network)
# make fuzz   feed a reader what no one would write: READER=scenario for SECONDS=60, by cargo-fuzz
# make lab    three real Slurm clusters on this machine (make lab-down stops them and leaves nothing)
# make lab-test  jobs on them, and everything broken once, with what must hold afterwards
# make lab-demo  the broker over them, with jobs of all kinds; ends by itself and leaves nothing
# make soak   live through simulated worlds with faults: SEEDS=N of them, from SEED=M on; then kill the service KILLS=N times, send it FUZZ=N requests that chance makes, and try everything on real clusters
# make bench  measure (see docs/performance.md)
# make bench-highs  the knapsack beside HiGHS
# make bench-assign  assignments to capacity beside HiGHS (ARGS=large for the larger ones)
#
# HiGHS takes minutes to build, once. The demo, `make check` and the service do without; the demo without the simulator too.

CARGO ?= cargo
export CARGO_TERM_COLOR ?= auto
# Many tests wait for a service more than they work.
export RUST_TEST_THREADS ?= 4

# What needs no solver (the tests of the simulator do).
LEAN = --workspace --exclude walras-solve --exclude walras-sim --no-default-features --features walras/simulator

.PHONY: demo lab lab-demo lab-down lab-test test check build dist web book audit fuzz soak bench bench-highs bench-assign

demo:
	scripts/setup demo
	$(CARGO) build --profile demo --locked --package walras --no-default-features
	target/demo/walras demo demo

lab:
	scripts/lab up

lab-demo:
	scripts/setup demo
	$(CARGO) build --profile demo --locked --package walras --no-default-features
	scripts/lab-demo target/demo/walras

lab-down:
	scripts/lab purge

lab-test:
	scripts/setup demo
	scripts/lab install
	$(CARGO) test --locked --package walras --no-default-features --test lab -- --include-ignored --nocapture --test-threads 1

test:
	scripts/setup test
	$(CARGO) fmt --all --check
	target/tools/python/bin/typos
	target/tools/python/bin/python scripts/run-tests

check:
	scripts/setup check
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(LEAN) --all-targets --locked -- --deny warnings
	$(CARGO) test $(LEAN) --lib --bins --locked --quiet

build:
	scripts/setup build
	$(CARGO) build --release --locked --package walras

dist:
	scripts/setup build
	$(CARGO) build --profile dist --locked --package walras

web:
	scripts/setup web
	cd web && export PATH="$(CURDIR)/target/tools/python/bin:$$PATH" && npm run types && npm run check && npm run build

book:
	scripts/setup book
	target/tools/bin/mdbook build

audit:
	scripts/setup audit
	target/tools/bin/cargo-deny check

# Sanitizers are no part of stable Rust's promises: this once it is told that we know.
fuzz:
	scripts/setup fuzz
	PATH="$(CURDIR)/target/tools/bin:$$PATH" RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run $(or $(READER),scenario) -- -max_total_time=$(or $(SECONDS),60)

soak:
	scripts/setup build
	AGAIN=1 SEED=$(or $(SEED),1) SEEDS=$(or $(SEEDS),10000) $(CARGO) test --release --locked --package walras-world --test seeds -- --nocapture
	SEED=$(or $(SEED),1) KILLS=$(or $(KILLS),1000) $(CARGO) test --release --locked --package walras --test service kill -- --nocapture
	SEED=$(or $(SEED),1) FUZZ=$(or $(FUZZ),1000000) $(CARGO) test --release --locked --package walras --test service chance_makes -- --nocapture
	scripts/lab install
	$(CARGO) test --release --locked --package walras --test lab -- --include-ignored --nocapture --test-threads 1

bench:
	scripts/setup build
	$(CARGO) bench --workspace --locked

bench-highs:
	scripts/setup build
	$(CARGO) run --release --locked --package walras-solve --example knapsack -- $(ARGS)

bench-assign:
	scripts/setup build
	$(CARGO) run --release --locked --package walras-solve --example assignments -- $(ARGS)
