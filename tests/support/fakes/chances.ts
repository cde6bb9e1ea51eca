/** Numbers from 0 to below 1, the same for the same seed. */
export function chances(seed: number): () => number {
  let state = seed ^ 0x5bd1e995;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}
