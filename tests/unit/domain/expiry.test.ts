import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boundAtFirstPosting,
  type ChainHead,
  type ExpiryBound,
  fits,
  isPast,
  MARGIN_BLOCKS,
  mayBePast,
} from "../../../lib/domain/expiry";

const frame: ChainHead = { slot: 21_001_000, height: 1_000 };
const bound: ExpiryBound = { lastValidBlockHeight: 1_150, frame };
const at = (blocks: number, slots = blocks): ChainHead => ({ slot: frame.slot + slots, height: frame.height + blocks });

/** A chain as nodes see it: from slot to slot either a block or none. Heights by slot, from the frame on. */
const chains = fc.array(fc.boolean(), { minLength: 300, maxLength: 500 }).map((blocks) => {
  const heads = [frame];
  for (const block of blocks) {
    const { slot, height } = heads.at(-1)!;
    heads.push({ slot: slot + 1, height: height + (block ? 1 : 0) });
  }
  return heads;
});

test("of any chain and any two nodes: past is said only when the asked node is past by the margin", () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.nat(), (heads, i, j) => {
      const [asked, head] = [heads[i % heads.length]!, heads[j % heads.length]!];
      const past = isPast(bound, asked.slot, head);
      if (past) expect(asked.height).toBeGreaterThan(bound.lastValidBlockHeight + MARGIN_BLOCKS);
      if (past) expect(mayBePast(bound, asked.slot)).toBe(true);
      // Nor is it held back for ever: a head of the asked node's own moment is enough.
      expect(isPast(bound, asked.slot, asked)).toBe(asked.height > bound.lastValidBlockHeight + MARGIN_BLOCKS);
    }),
  );
});

test("of any chain: a blockhash posted at a moment is never older than its bound says, whoever told the height", () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.nat(), fc.nat(), (heads, i, j, k) => {
      const [told, newest] = [heads[i % heads.length]!, heads[j % heads.length]!];
      const blockhashAt = heads[k % ((j % heads.length) + 1)]!;
      const { lastValidBlockHeight } = boundAtFirstPosting(told, newest.slot);
      expect(lastValidBlockHeight).toBeGreaterThanOrEqual(blockhashAt.height + 150);
    }),
  );
});

describe("a height that is no height", () => {
  test.each<[string, ChainHead]>([
    ["the slot", { slot: frame.slot + 200, height: frame.slot + 200 }],
    ["one that outran the slots", at(200, 199)],
    ["one that went back", { slot: frame.slot + 200, height: 999 }],
  ])("%s: never past", (_what, head) => {
    expect(fits(frame, head)).toBe(false);
    expect(isPast(bound, frame.slot + 10_000, head)).toBe(false);
  });
});

test("the margin: at 32 blocks past the last valid one it is not certain, at 33 it is", () => {
  expect(isPast(bound, at(182).slot, at(182))).toBe(false);
  expect(isPast(bound, at(183).slot, at(183))).toBe(true);
  expect(isPast(bound, at(182).slot, at(183))).toBe(false);
});

test("two moments of one chain fit in either order, also when no block came between them", () => {
  for (const later of [at(0, 0), at(0, 5), at(3, 5), at(5, 5)]) {
    expect(fits(frame, later)).toBe(true);
    expect(fits(later, frame)).toBe(true);
  }
  expect(fits(at(6, 5), frame)).toBe(false);
});

test("a node may be past the bound only from the slot on at which every slot since could have had a block", () => {
  expect(mayBePast(bound, at(182).slot)).toBe(false);
  expect(mayBePast(bound, at(183).slot)).toBe(true);
  // A node behind the frame saw at most what the frame did.
  expect(mayBePast({ ...bound, lastValidBlockHeight: frame.height - MARGIN_BLOCKS - 1 }, frame.slot - 500)).toBe(true);
  expect(mayBePast({ ...bound, lastValidBlockHeight: frame.height - MARGIN_BLOCKS }, frame.slot - 500)).toBe(false);
});

test("a first posting's bound counts a block for each slot up to the newest, and no block for slots before the head", () => {
  expect(boundAtFirstPosting(frame, frame.slot + 7)).toEqual({ lastValidBlockHeight: 1_157, frame });
  expect(boundAtFirstPosting(frame, frame.slot - 7)).toEqual({ lastValidBlockHeight: 1_150, frame });
});
