import fc from "fast-check";

// A failing property kills the mutant. Shrinking its counterexample would only take time.
fc.configureGlobal({ endOnFailure: true });
