import fc from "fast-check";

// A failing property kills the mutant. Shrinking its counterexample would take longer than Stryker waits.
fc.configureGlobal({ endOnFailure: true });
