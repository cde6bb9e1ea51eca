import fc from "fast-check";

// A failing property kills the mutant. Shrinking its counterexample would take longer than Stryker waits.
// Few runs suffice, because the other tests of a file check the edges.
fc.configureGlobal({ endOnFailure: true, numRuns: 10 });
