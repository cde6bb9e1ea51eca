import fc from "fast-check";
import { expect, test } from "vitest";
import { createFairQueue } from "../../../../lib/clients/quota/fair-queue";

test("the queue serves every owner's first item before any second, and each owner's items in order", () => {
  const anyOwners = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 });
  fc.assert(
    fc.property(anyOwners, (owners) => {
      const queue = createFairQueue<{ owner: string; itemIndex: number }>();
      const counts: Record<string, number> = {};
      for (const owner of owners) {
        counts[owner] = (counts[owner] ?? -1) + 1;
        queue.add(owner, { owner, itemIndex: counts[owner] });
      }
      const servedItems = owners.map(() => queue.takeNext()!);
      expect(servedItems.map(({ itemIndex }) => itemIndex)).toEqual(
        servedItems.map(({ itemIndex }) => itemIndex).sort((a, b) => a - b),
      );
      expect(new Set(servedItems.map(({ owner, itemIndex }) => `${owner}${itemIndex}`)).size).toBe(owners.length);
      expect([queue.takeNext(), queue.getSize()]).toEqual([undefined, 0]);
    }),
  );
});

test("the queue serves a new owner after one item of each earlier owner", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "a2", "a3"]) queue.add("a", item);
  expect(queue.takeNext()).toBe("a1");
  queue.add("b", "b1");
  expect([queue.takeNext(), queue.takeNext(), queue.takeNext()]).toEqual(["a2", "b1", "a3"]);
});

test("the queue drops the newest item of the owner with most items", () => {
  const queue = createFairQueue<string>();
  expect(queue.removeLast()).toBeUndefined();
  for (const item of ["a1", "b1", "a2", "b2", "a3"]) queue.add(item[0]!, item);
  expect([queue.removeLast(), queue.getSize(), queue.takeNext(), queue.takeNext()]).toEqual(["a3", 4, "a1", "b1"]);
});

test("the queue removes matching items for good", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "b1", "a2"]) queue.add(item[0]!, item);
  expect(queue.remove((item) => item.endsWith("1"))).toEqual(["a1", "b1"]);
  expect([queue.getSize(), queue.takeNext(), queue.takeNext()]).toEqual([1, "a2", undefined]);
});
