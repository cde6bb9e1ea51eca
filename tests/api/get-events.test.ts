import { expect, test } from "vitest";
import { buildWrapFor, createSaver } from "../support/chain/chain";
import { get, postSigned, readData, signTransaction } from "../support/client/client";

test("200: a waiting call returns a new saving with its reference", async () => {
  const saver = await createSaver();
  const readEvents = (query: string) => get(`/api/events?${query}`, { headers: saver.user.headers });
  expect(await readData(readEvents("after=0"))).toMatchObject({ events: [], next: 0 });
  const waiting = readData(readEvents("wait=20"));
  const { transaction } = await buildWrapFor(saver, { txValueUsd: 4.63, reference: "order 7" });
  const signedTransaction = signTransaction(transaction!.base64, saver.user.keys);
  const { txSignature } = await readData(postSigned(signedTransaction, saver.user.headers));
  const { events, next } = await waiting;
  expect(events).toMatchObject([
    { sequence: 1, type: "saving.confirmed", wallet: saver.user.address, txSignature, reference: "order 7" },
  ]);
  expect(await readData(readEvents(`after=${next}`))).toMatchObject({ events: [], next: 1 });
});
