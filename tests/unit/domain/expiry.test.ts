import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ChainHead,
  computeFirstPostingBound,
  computeValidForMs,
  type ExpiryBound,
  isCertainlyPastBound,
  MARGIN_BLOCKS,
  mayBePastBound,
  mayShareChain,
} from "../../../lib/domain/expiry";

const frame: ChainHead = { slot: 21_001_000, height: 1_000 };
const bound: ExpiryBound = { lastValidBlockHeight: 1_150, frame };
const createHead = (blocks: number, slots = blocks): ChainHead => ({
  slot: frame.slot + slots,
  height: frame.height + blocks,
});

/** A random chain: each slot holds a block or none. Maps each slot to its block height, starting at the frame. */
const anyChain = fc.array(fc.boolean(), { minLength: 300, maxLength: 500 }).map((blocks) => {
  const heads = [frame];
  for (const block of blocks) {
    const { slot, height } = heads.at(-1)!;
    heads.push({ slot: slot + 1, height: height + (block ? 1 : 0) });
  }
  return heads;
});

test("a bound is past only if the answering node is past it by the margin, for any chain and any two nodes", () => {
  fc.assert(
    fc.property(anyChain, fc.nat(), fc.nat(), (heads, i, j) => {
      const [node, head] = [heads[i % heads.length]!, heads[j % heads.length]!];
      const isPast = isCertainlyPastBound(bound, node.slot, head);
      if (isPast) expect(node.height).toBeGreaterThan(bound.lastValidBlockHeight + MARGIN_BLOCKS);
      if (isPast) expect(mayBePastBound(bound, node.slot)).toBe(true);
      // The node's own head is enough to decide, so the decision always comes.
      expect(isCertainlyPastBound(bound, node.slot, node)).toBe(
        node.height > bound.lastValidBlockHeight + MARGIN_BLOCKS,
      );
    }),
  );
});

test("a first posting's bound is never before the real expiry of its blockhash, whichever node returned the height", () => {
  fc.assert(
    fc.property(anyChain, fc.nat(), fc.nat(), fc.nat(), (heads, i, j, k) => {
      const [reportedHead, newestHead] = [heads[i % heads.length]!, heads[j % heads.length]!];
      const blockhashHead = heads[k % ((j % heads.length) + 1)]!;
      const { lastValidBlockHeight } = computeFirstPostingBound(reportedHead, newestHead.slot);
      expect(lastValidBlockHeight).toBeGreaterThanOrEqual(blockhashHead.height + 150);
    }),
  );
});

test("a height that steps back never proves an expiry, whatever it was before", () => {
  const anyRollback = fc.record({
    heads: anyChain,
    at: fc.nat(),
    blocks: fc.integer({ min: 1, max: 400 }),
    i: fc.nat(),
    j: fc.nat(),
  });
  fc.assert(
    fc.property(anyRollback, ({ heads, at, blocks, i, j }) => {
      const rollbackIndex = at % heads.length;
      const [oldHeads, newHeads] = [heads.slice(0, rollbackIndex + 1), heads.slice(rollbackIndex)].map((part, side) =>
        part.map(({ slot, height }) => ({ slot, height: height - side * blocks })),
      ) as [ChainHead[], ChainHead[]];
      const [before, node] = [oldHeads[i % oldHeads.length]!, newHeads[j % newHeads.length]!];
      const isPast = isCertainlyPastBound(bound, node.slot, node);
      if (isPast) expect(node.height).toBeGreaterThan(bound.lastValidBlockHeight + MARGIN_BLOCKS);
      // As long as the new chain is not as high as the old one was, no reading of the old chain counts beside it.
      if (node.height < before.height) expect(mayShareChain(before, node)).toBe(false);
    }),
  );
});

describe("an impossible height", () => {
  test.each<[string, ChainHead]>([
    ["one that equals the slot", { slot: frame.slot + 200, height: frame.slot + 200 }],
    ["one that rose faster than the slots", createHead(200, 199)],
    ["one that fell", { slot: frame.slot + 200, height: 999 }],
  ])("never makes a bound past: %s", (_caseName, head) => {
    expect(mayShareChain(frame, head)).toBe(false);
    expect(isCertainlyPastBound(bound, frame.slot + 10_000, head)).toBe(false);
  });
});

test("expiry is undecided 32 blocks past the last valid block and certain at 33", () => {
  expect(isCertainlyPastBound(bound, createHead(182).slot, createHead(182))).toBe(false);
  expect(isCertainlyPastBound(bound, createHead(183).slot, createHead(183))).toBe(true);
  expect(isCertainlyPastBound(bound, createHead(182).slot, createHead(183))).toBe(false);
});

test("two heads may share a chain in either order, even without a block between them", () => {
  for (const later of [createHead(0, 0), createHead(0, 5), createHead(3, 5), createHead(5, 5)]) {
    expect(mayShareChain(frame, later)).toBe(true);
    expect(mayShareChain(later, frame)).toBe(true);
  }
  expect(mayShareChain(createHead(6, 5), frame)).toBe(false);
});

test("a node may be past the bound only from the first slot that could have reached its height", () => {
  expect(mayBePastBound(bound, createHead(182).slot)).toBe(false);
  expect(mayBePastBound(bound, createHead(183).slot)).toBe(true);
  // A node behind the frame has seen at most the frame's height.
  const mayBePast = (lastValidBlockHeight: number) => mayBePastBound({ lastValidBlockHeight, frame }, frame.slot - 500);
  expect(mayBePast(frame.height - MARGIN_BLOCKS - 1)).toBe(true);
  expect(mayBePast(frame.height - MARGIN_BLOCKS)).toBe(false);
});

test("a blockhash is valid for 150 slots of the measured time, less those that have passed since its own", () => {
  const blockhash = { lastValidBlockHeight: 1_150, slot: frame.slot };
  expect(computeValidForMs(blockhash, { newestSlot: frame.slot, slotMs: 200 })).toBe(30_000);
  expect(computeValidForMs(blockhash, { newestSlot: frame.slot + 50, slotMs: 398.5 })).toBe(39_850);
  expect(computeValidForMs(blockhash, { newestSlot: frame.slot - 1, slotMs: 200 })).toBe(30_000);
  expect(computeValidForMs(blockhash, { newestSlot: frame.slot + 151, slotMs: 200 })).toBe(0);
});

test("a first posting's bound adds one block per slot up to the newest slot", () => {
  expect(computeFirstPostingBound(frame, frame.slot + 7)).toEqual({ lastValidBlockHeight: 1_157, frame });
  expect(computeFirstPostingBound(frame, frame.slot - 7)).toEqual({ lastValidBlockHeight: 1_150, frame });
});
