import { expect, test } from "vitest";
import { createFloodWorld } from "../../support/worlds/flood-world";

const SENDS_PER_SECOND = 2;
/** How much longer a merchant's order may take beside a flood, ms. */
const MAX_DELAY_MS = (2 / SENDS_PER_SECOND) * 1_000;

test.each([1, 4, 50, 200])(
  "beside 220 transactions of %i addresses, each of a merchant's orders takes at most the time of two sends longer",
  async (addressCount) => {
    const world = await createFloodWorld(SENDS_PER_SECOND);
    const timeAlone = await world.measureOrder();
    world.flood(220, addressCount);
    const times = [await world.measureOrder()];
    await world.clock.advance(10_000);
    for (let order = 0; order < 4; order++) times.push(await world.measureOrder());
    expect(Math.max(...times)).toBeLessThanOrEqual(timeAlone + MAX_DELAY_MS);
  },
  60_000,
);
