import { beforeEach, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { getActivity } from "@/lib/services/get-activity";
import { buildTransferChecked } from "@/lib/solana/token-instructions";
import { runFor } from "../../../../support/fakes/fake-deps";
import { user } from "../../../../support/worlds/relay-rig";
import { buildPull, card, shop, shopUsdc, stagePulls, toUnits, userUsdc } from "../../../../support/worlds/usdc-world";

let world: Awaited<ReturnType<typeof stagePulls>>;
beforeEach(async () => {
  world = await stagePulls();
});

/** Reads a page. The read of the token accounts waits a moment for other requests. */
const readPage = (query = {}) => runFor(100, world.deps, getActivity(world.deps, { address: user.address, ...query }));

/** Sends dollars to the user, in a transaction that names only the user's token account. */
const give = () => {
  const gift = { source: shopUsdc, destination: userUsdc, authority: shop.address, ...ASSETS.USDC };
  return world.sendNow([buildTransferChecked({ ...gift, amount: toUnits(1) })], shop);
};

test("a pulled payment is a withdrawal with its delegate", async () => {
  const signature = await world.pull(10.4);
  expect((await readPage()).items[0]).toMatchObject({
    txSignature: signature,
    type: "withdrawal",
    pulled: { by: card.address },
    usdValue: 10.4,
    amounts: [{ asset: "USDC", change: -10.4 }],
    networkFeeLamports: null,
  });
});

test.each([1, 2, 3, 5, 20])("pages of %i list each payment once, even if a slot holds several", async (limit) => {
  const signatures: string[] = [];
  for (const steps of [["pull", "pay", "pull"], ["pay"], ["pay", "pay"], ["give", "pull"], ["pull"], ["pay", "give"]]) {
    for (const step of steps) {
      if (step === "pay") signatures.push(world.sendPayment(1.5));
      if (step === "pull") signatures.push(world.sendNow([buildPull(1.5)], card));
      if (step === "give") give();
    }
    await world.deps.clock.advance(5_000);
  }
  const listed: string[] = [];
  let before: string | undefined;
  do {
    const { items, nextBefore } = await readPage({ limit, ...(before && { before }) });
    listed.push(...items.filter(({ usdValue }) => usdValue === 1.5).map(({ txSignature }) => txSignature));
    before = nextBefore ?? undefined;
  } while (before);
  expect([...listed].sort()).toEqual([...signatures].sort());
});

test("a pull is listed at once, although its token account did not change for a while", async () => {
  await world.pull(10.4);
  for (let i = 0; i < 3; i++) {
    await readPage();
    await world.deps.clock.advance(11_000);
  }
  expect((await readPage()).items[0]).toMatchObject({ usdValue: 10.4 });
  const newest = await world.pull(3.3);
  expect((await readPage()).items[0]).toMatchObject({ txSignature: newest, usdValue: 3.3 });
});
