# make demo   plan the built-in example and draw it
# make test   everything that must hold: format, lints, tests, documentation, licences
# make soak   live through simulated worlds with faults: SEEDS=N of them, from SEED=M on
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
	mkdir -p demo
	target/release/walras plan --example --gantt demo/plan.svg
	@echo
	@echo "The picture is in demo/plan.svg. Try next:"
	@echo "  target/release/walras example > mine.yaml                a scenario to change"
	@echo "  target/release/walras plan mine.yaml --search criterion=finish"
	@echo "  target/release/walras plan mine.yaml --json              the same as data"

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

bench:
	scripts/setup build
	$(CARGO) bench --workspace --locked

bench-highs:
	scripts/setup build
	$(CARGO) run --release --locked --package walras-solve --example knapsack -- $(ARGS)

bench-assign:
	scripts/setup build
	$(CARGO) run --release --locked --package walras-solve --example assignments -- $(ARGS)
