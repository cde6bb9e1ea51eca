import { expect, test } from "vitest";
import { toIsoWeek } from "../../lib/domain/marks";
import { DAY_MS } from "../../lib/domain/time";
import { createSaver, expectBreakdownMoved, requestSaving, type Saver } from "../support/chain/chain";
import { get, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

const buildTopup = (saver: Saver, fields: object) => requestSaving(saver, "/api/topup", fields);
/** The period of the day a week from now, and the next one. */
const [WEEK, NEXT_WEEK] = [7, 14].map((days) => toIsoWeek(Date.now() + days * DAY_MS));

test("200: moves the exact amount once per period", async () => {
  const saver = await createSaver();
  const { transaction, breakdown } = await readData(buildTopup(saver, { amountUsd: 5, period: WEEK }));
  const competingTopup = await readData(buildTopup(saver, { amountUsd: 6, period: WEEK }));
  expect(breakdown).toMatchObject({ roundUpUsd: 5, serviceFeePercent: 0.25, serviceFeeUsd: 0.0125, plan: "forest" });
  await expectBreakdownMoved(saver, signTransaction(transaction!.base64, saver.user.keys), breakdown);
  const { items } = await readData(get(`/api/activity/${saver.serviceWallet.address}`));
  expect(items[0]).toMatchObject({ type: "round_up", topup: true, serviceFeeLamports: breakdown.serviceFeeLamports });
  for (const answer of [
    await postSigned(signTransaction(competingTopup.transaction!.base64, saver.user.keys), saver.user.headers),
    await buildTopup(saver, { amountUsd: 5, period: WEEK }),
  ])
    expectFailure(answer, "already_saved");
  expect((await buildTopup(saver, { amountUsd: 5, period: NEXT_WEEK })).status).toBe(200);
});
