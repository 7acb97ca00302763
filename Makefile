# make demo   a VO on this machine: simulated sites, real commands, users, owners, jobs of every kind; kept in demo/
# make test   everything that must hold: format, lints, tests, documentation, licences
# make soak   live through simulated worlds with faults: SEEDS=N of them, from SEED=M on; then kill the service KILLS=N times
# make bench  measure (see docs/performance.md)
# make bench-highs  the knapsack beside HiGHS
# make bench-assign  assignments to capacity beside HiGHS (ARGS=large for the larger ones)
#
# The first build takes minutes: it compiles the HiGHS solver.

CARGO ?= cargo
export CARGO_TERM_COLOR ?= auto

.PHONY: demo test soak bench bench-highs bench-assign

demo:
	scripts/setup build
	$(CARGO) build --release --locked --package walras
	target/release/walras demo demo

test:
	scripts/setup test
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- --deny warnings
	$(CARGO) test --workspace --locked
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc --workspace --no-deps --locked --document-private-items
	target/tools/bin/cargo-deny check licenses bans sources

soak:
	scripts/setup build
	SEED=$(or $(SEED),1) SEEDS=$(or $(SEEDS),10000) $(CARGO) test --release --locked --package walras-world --test seeds -- --nocapture
	SEED=$(or $(SEED),1) KILLS=$(or $(KILLS),1000) $(CARGO) test --release --locked --package walras --test service kill -- --nocapture

bench:
	scripts/setup build
	$(CARGO) bench --workspace --locked

bench-highs:
	scripts/setup build
	$(CARGO) run --release --locked --package walras-solve --example knapsack -- $(ARGS)

bench-assign:
	scripts/setup build
	$(CARGO) run --release --locked --package walras-solve --example assignments -- $(ARGS)
