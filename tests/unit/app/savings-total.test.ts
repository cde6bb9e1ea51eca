import { afterEach, expect, test, vi } from "vitest";
import { readTotalUsd } from "@/app/_landing/savings-total";
import { getActivityContract } from "@/lib/contracts/get-activity";
import { getPortfolioContract } from "@/lib/contracts/get-portfolio";

const ITEM = { ...getActivityContract.exampleAnswer.items[0]!, tokenAccountDepositLamports: 2_000_000 };
const NEWEST = { ...ITEM, txSignature: "newest" };
const OLDEST = { ...ITEM, txSignature: "oldest" };

/** Answers with savings of $10, at $100 per SOL, and one page of activity. The browser has stored `stored`. */
function stubBrowser(nextBefore: string | null, stored: object | null = null) {
  const { network } = getActivityContract.exampleAnswer;
  vi.stubGlobal("localStorage", { getItem: () => stored && JSON.stringify({ network, ...stored }), setItem: () => {} });
  vi.stubGlobal("fetch", async (path: string) => {
    const data = path.startsWith("/api/portfolio")
      ? { ...getPortfolioContract.exampleAnswer, totalUsd: 10, solPriceUsd: 100 }
      : { walletAddress: "me", network, items: [NEWEST], nextBefore };
    return Response.json({ ok: true, data });
  });
}
afterEach(() => vi.unstubAllGlobals());

test("the total includes the deposits of the whole history", async () => {
  stubBrowser(null);
  expect(await readTotalUsd("one page")).toBe(10.2);
  stubBrowser("newest", { items: [NEWEST, OLDEST], nextBefore: null });
  expect(await readTotalUsd("newer pages stored")).toBe(10.4);
});

test("there is no total while older transactions have not been read", async () => {
  stubBrowser("newest");
  expect(await readTotalUsd("nothing stored")).toBeNull();
});
