import { expect, test } from "vitest";
import { computeRetrySeconds } from "@/app/_client/queries/retry";

const computeWaits = (status: number, retryAfter: number | null = null) =>
  [1, 2, 3, 4, 5, 6, 20].map((retryCount) => computeRetrySeconds({ status, retryAfter }, retryCount));

test("the page retries a failed read until it succeeds, at first often and then once a minute", () => {
  expect(computeWaits(502)).toEqual([5, 10, 20, 40, 60, 60, 60]);
  expect(computeWaits(0), "without an answer").toEqual([5, 10, 20, 40, 60, 60, 60]);
});

test("the page waits at least as long as the service asks", () => {
  expect(computeWaits(503, 30)).toEqual([30, 30, 30, 40, 60, 60, 60]);
  expect(computeWaits(429, 90)).toEqual([90, 90, 90, 90, 90, 90, 90]);
});

test("the page does not retry a client error", () => {
  for (const status of [400, 404, 428]) expect(computeRetrySeconds({ status, retryAfter: null }, 1)).toBeNull();
});
