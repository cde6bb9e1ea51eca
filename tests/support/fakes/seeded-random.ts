/** Creates a generator of numbers in [0, 1). The same seed gives the same sequence. */
export function createSeededRandom(seed: number): () => number {
  let state = seed ^ 0x5bd1e995;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}
