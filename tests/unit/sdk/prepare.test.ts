import { expect, test } from "vitest";
import { createClient, createPreparer, NotAsShown, type PreparedSave } from "../../../lib/sdk";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeBase64 } from "../../support/fixtures/test-transactions";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import { type Answer, createSdkService, MAKER, OWNER } from "../../support/worlds/sdk-service";

const REQUEST = {
  wallet: OWNER,
  serviceWallet: toTestWallet("service").address,
  purchasesUsd: [27.63],
  plan: "tree" as const,
};

/** Creates a backend without any key, and the page's wallet. */
function createBackend(...answers: Answer[]) {
  const service = createSdkService(...answers);
  const client = createClient({ baseUrl: "https://roundup.example", apiKey: "key", fetch: service.fetch });
  const preparer = createPreparer({ client, origin: "sandbox", clock: service.clock });
  const prepare = async (): Promise<PreparedSave> => {
    const answer = await preparer.prepareSave(REQUEST);
    return answer.status === "ready" ? JSON.parse(JSON.stringify(answer.prepared)) : expect.fail(answer.status);
  };
  const signPrepared = ({ transaction }: PreparedSave) => service.wallet.signTransaction(transaction);
  return { service, preparer, prepare, sign: signPrepared };
}

test("the SDK sends a prepared saving once when the wallet signs minutes later", async () => {
  const { service, preparer, prepare, sign } = createBackend();
  const prepared = await prepare();
  expect(prepared.validForMs).toBe(30_000);
  expect([prepared.breakdown.roundUpUsd, service.listSentTransactions()]).toEqual([0.37, []]);
  const signed = await sign(prepared);
  await service.clock.sleep(120_000);
  expect(await preparer.submit(prepared, signed)).toMatchObject({ status: "done" });
  expect(await preparer.submit(prepared, signed)).toMatchObject({ status: "done" });
  expect(new Set(service.listSentTransactions())).toEqual(new Set([signed]));
});

test("the SDK rebuilds an expired saving for a new signature", async () => {
  const { service, preparer, prepare, sign } = createBackend({ status: 422, code: "transaction_expired" });
  const prepared = await prepare();
  const answer = await preparer.submit(prepared, await sign(prepared));
  if (answer.status !== "stale") expect.fail(answer.status);
  expect(answer.prepared.transaction).not.toBe(prepared.transaction);
  expect(await preparer.submit(answer.prepared, await sign(answer.prepared))).toMatchObject({ status: "done" });
  expect(new Set(service.listSentTransactions()).size).toBe(2);
});

test("the SDK sends only one of two preparations of the same saving", async () => {
  const { service, preparer, prepare, sign } = createBackend();
  const [firstPrepared, secondPrepared] = [await prepare(), await prepare()];
  expect(await preparer.submit(firstPrepared, await sign(firstPrepared))).toMatchObject({ status: "done" });
  expect(await preparer.submit(secondPrepared, await sign(secondPrepared))).toMatchObject({ status: "stale" });
  expect(service.listSentTransactions()).toHaveLength(1);
});

test("the SDK learns the outcome of a lost submission without a new signature", async () => {
  const { service, preparer, prepare, sign } = createBackend(...Array.from({ length: 6 }, (): Answer => "lost"));
  const prepared = await prepare();
  const signed = await sign(prepared);
  expect(await preparer.submit(prepared, signed)).toMatchObject({ status: "unknown" });
  expect(await preparer.submit(prepared, signed)).toMatchObject({ status: "done" });
  expect(new Set(service.listSentTransactions()).size).toBe(1);
});

test("the SDK sends nothing if the signed bytes or the stored preparation contain another transfer", async () => {
  const { service, preparer, prepare, sign } = createBackend();
  const prepared = await prepare();
  const base64 = composeBase64(OWNER, [buildSystemTransfer(OWNER, MAKER, 1n)]);
  const refusal = { status: "failed", error: expect.any(NotAsShown) };
  expect(await preparer.submit(prepared, await service.wallet.signTransaction(base64))).toMatchObject(refusal);
  const { unsigned, transaction } = prepared.build;
  const build = { ...prepared.build, unsigned: { ...unsigned!, base64 }, transaction: { ...transaction!, base64 } };
  const tampered = { ...(await prepare()), transaction: base64, build };
  expect(await preparer.submit(tampered, await sign(tampered))).toMatchObject(refusal);
  expect(service.listSentTransactions()).toEqual([]);
});
