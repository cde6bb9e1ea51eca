import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ChainHead,
  computeFirstPostingBound,
  type ExpiryBound,
  isPast,
  MARGIN_BLOCKS,
  mayBePast,
  mayShareChain,
} from "../../../lib/domain/expiry";

const frame: ChainHead = { slot: 21_001_000, height: 1_000 };
const bound: ExpiryBound = { lastValidBlockHeight: 1_150, frame };
const at = (blocks: number, slots = blocks): ChainHead => ({ slot: frame.slot + slots, height: frame.height + blocks });

/** A random chain: each slot holds a block or none. Maps each slot to its block height, starting at the frame. */
const chains = fc.array(fc.boolean(), { minLength: 300, maxLength: 500 }).map((blocks) => {
  const heads = [frame];
  for (const block of blocks) {
    const { slot, height } = heads.at(-1)!;
    heads.push({ slot: slot + 1, height: height + (block ? 1 : 0) });
  }
  return heads;
});

test("calls a bound past only when the asked node is past it by the margin, for any chain and any two nodes", () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.nat(), (heads, i, j) => {
      const [asked, head] = [heads[i % heads.length]!, heads[j % heads.length]!];
      const past = isPast(bound, asked.slot, head);
      if (past) expect(asked.height).toBeGreaterThan(bound.lastValidBlockHeight + MARGIN_BLOCKS);
      if (past) expect(mayBePast(bound, asked.slot)).toBe(true);
      // A head of the asked node's own slot is enough to decide, so the answer is not delayed for ever.
      expect(isPast(bound, asked.slot, asked)).toBe(asked.height > bound.lastValidBlockHeight + MARGIN_BLOCKS);
    }),
  );
});

test("never makes a bound younger than the blockhash posted at that moment, whichever node gave the height", () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.nat(), fc.nat(), (heads, i, j, k) => {
      const [told, newest] = [heads[i % heads.length]!, heads[j % heads.length]!];
      const blockhashAt = heads[k % ((j % heads.length) + 1)]!;
      const { lastValidBlockHeight } = computeFirstPostingBound(told, newest.slot);
      expect(lastValidBlockHeight).toBeGreaterThanOrEqual(blockhashAt.height + 150);
    }),
  );
});

describe("an impossible height", () => {
  test.each<[string, ChainHead]>([
    ["the slot", { slot: frame.slot + 200, height: frame.slot + 200 }],
    ["one that outran the slots", at(200, 199)],
    ["one that went back", { slot: frame.slot + 200, height: 999 }],
  ])("never proves an expiry: %s", (_what, head) => {
    expect(mayShareChain(frame, head)).toBe(false);
    expect(isPast(bound, frame.slot + 10_000, head)).toBe(false);
  });
});

test("is undecided 32 blocks past the last valid block and certain at 33", () => {
  expect(isPast(bound, at(182).slot, at(182))).toBe(false);
  expect(isPast(bound, at(183).slot, at(183))).toBe(true);
  expect(isPast(bound, at(182).slot, at(183))).toBe(false);
});

test("fits two heads of one chain in either order, even with no block between them", () => {
  for (const later of [at(0, 0), at(0, 5), at(3, 5), at(5, 5)]) {
    expect(mayShareChain(frame, later)).toBe(true);
    expect(mayShareChain(later, frame)).toBe(true);
  }
  expect(mayShareChain(at(6, 5), frame)).toBe(false);
});

test("allows a node to be past the bound only from the slot where every slot since could have had a block", () => {
  expect(mayBePast(bound, at(182).slot)).toBe(false);
  expect(mayBePast(bound, at(183).slot)).toBe(true);
  // A node behind the frame has seen at most the frame's height.
  expect(mayBePast({ ...bound, lastValidBlockHeight: frame.height - MARGIN_BLOCKS - 1 }, frame.slot - 500)).toBe(true);
  expect(mayBePast({ ...bound, lastValidBlockHeight: frame.height - MARGIN_BLOCKS }, frame.slot - 500)).toBe(false);
});

test("bounds a first posting by one block per slot up to the newest slot, and adds none for earlier slots", () => {
  expect(computeFirstPostingBound(frame, frame.slot + 7)).toEqual({ lastValidBlockHeight: 1_157, frame });
  expect(computeFirstPostingBound(frame, frame.slot - 7)).toEqual({ lastValidBlockHeight: 1_150, frame });
});
