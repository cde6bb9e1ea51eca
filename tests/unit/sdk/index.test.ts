import { describe, expect, test, vi } from "vitest";
import { createAuthText, createLinkText, createServiceWalletText } from "../../../lib/domain/signed-texts";
import {
  createClient,
  createPreparer,
  createRoundup,
  doubtText,
  NotAsShown,
  type PreparedSave,
  type RoundupOptions,
} from "../../../lib/sdk";
import { createMemoryStorage, systemClock } from "../../../lib/sdk/platform";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { PRICES_USD, setPrices } from "../../support/fakes/fake-deps";
import { composeBase64 } from "../../support/fixtures/test-transactions";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import { AUTH_TEXT, SERVICE_WALLET_TEXT } from "../../support/fixtures/wallet-texts";
import { type Answer, createSdkService, MAKER, OWNER } from "../../support/worlds/sdk-service";

const SAVE = { purchasesUsd: [27.63], plan: "tree" as const };
const INVEST = { allocations: [{ asset: "BTC" as const, pct: 100 }], slippageBps: 100, thresholdUsd: 5 };
const SELL = { asset: "BTC", into: "USDC", amountBaseUnits: "15000", slippageBps: 100 } as const;
const WITHDRAW = { destination: OWNER, asset: null, amountBaseUnits: null };
const approve = () => true;

describe("an SDK client", () => {
  test("refuses more purchases than fit into one transaction", async () => {
    const service = createSdkService();
    const purchasesUsd = Array.from({ length: 501 }, () => 27.63);
    await expect(service.start().save({ ...SAVE, purchasesUsd }, approve)).rejects.toThrow("At most 500 purchases");
    expect(service.listSentTransactions()).toEqual([]);
  });

  test("saves, tops up, invests, sells and withdraws with one sign-in and one key derivation", async () => {
    const service = createSdkService();
    const roundup = service.start();
    const results = [
      await roundup.save(SAVE, approve),
      await roundup.topup({ amountUsd: 5, period: "2026-W47" }, approve),
      await roundup.invest(INVEST, approve),
      await roundup.sell(SELL, approve),
      await roundup.withdraw(WITHDRAW, approve),
    ];
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill("done"));
    expect(new Set(service.listSentTransactions()).size).toBe(5);
    expect(service.requests).toEqual([AUTH_TEXT, SERVICE_WALLET_TEXT, SERVICE_WALLET_TEXT]);
  });
});

test("a build that leaves the wallet's owner too little time is built again and confirmed again", async () => {
  for (const [signingMs, confirmations] of [
    [undefined, 1],
    [10_000, 2],
  ] as const) {
    const service = createSdkService();
    let nowMs = 1_790_000_000_000;
    const clock = { ...systemClock, now: () => nowMs };
    const confirm = vi
      .fn(() => true)
      .mockImplementationOnce(() => {
        nowMs += 16_000;
        return true;
      });
    const roundup = service.start({ clock, signingMs });
    expect(await roundup.save(SAVE, confirm)).toMatchObject({ status: "done" });
    expect(confirm).toHaveBeenCalledTimes(confirmations);
  }
});

describe("an abort", () => {
  const ABORTED = { name: "AbortError" };

  test("ends a read that waits for a sign-in, without ending the sign-in", async () => {
    const service = createSdkService();
    const [controller, roundup] = [new AbortController(), service.start()];
    const [abortedRead, otherRead] = [roundup.prices({ signal: controller.signal }), roundup.prices()];
    controller.abort();
    await expect(abortedRead).rejects.toMatchObject(ABORTED);
    expect(await otherRead).toMatchObject({ prices: { SOL: 150 } });
  });

  test.each(["confirm", "wallet"])("ends a payment in its %s step before anything is sent", async (step) => {
    const service = createSdkService();
    const controller = new AbortController();
    let resume = (): void => {};
    const pause = () =>
      new Promise<void>((resolve) => {
        resume = resolve;
        controller.abort();
      });
    const signedTransactions: string[] = [];
    const signTransaction = async (transaction: string) => {
      if (step === "wallet") await pause();
      signedTransactions.push(transaction);
      return service.wallet.signTransaction(transaction);
    };
    const roundup = service.start({ wallet: { ...service.wallet, signTransaction } });
    const confirm = async () => {
      if (step === "confirm") await pause();
      return true;
    };
    await expect(roundup.save(SAVE, confirm, { signal: controller.signal })).rejects.toMatchObject(ABORTED);
    resume();
    await new Promise(setImmediate);
    expect([signedTransactions.length, service.listSentTransactions()]).toEqual([step === "wallet" ? 1 : 0, []]);
    expect(await roundup.prices()).toMatchObject({ prices: { SOL: 150 } });
  });

  test("lets the next call learn the outcome of signed bytes that were being posted", async () => {
    const service = createSdkService();
    const controller = new AbortController();
    const fetch: RoundupOptions["fetch"] = async (address, init) => {
      if (address.endsWith("/execute") && !controller.signal.aborted) {
        controller.abort();
        return new Promise(() => {});
      }
      return service.fetch!(address, init);
    };
    const roundup = service.start({ fetch });
    await expect(roundup.save(SAVE, approve, { signal: controller.signal })).rejects.toMatchObject(ABORTED);
    const failIfAsked = () => expect.fail("asked");
    expect(await roundup.save(SAVE, failIfAsked)).toMatchObject({ status: "done" });
    expect(service.listSentTransactions()).toHaveLength(1);
  });
});

describe("a client for one deployment", () => {
  const ORIGIN = "https://roundup.example";
  const createTexts = (origin: string) => ({
    auth: createAuthText(origin),
    message: createServiceWalletText(origin),
    link: createLinkText(origin),
  });

  test("refuses to sign for a service that claims to be the sandbox", async () => {
    const service = createSdkService();
    const roundup = service.start({ origin: undefined });
    await expect(roundup.save(SAVE, approve)).rejects.toThrow(`not for “${ORIGIN}”`);
    expect(service.requests).toEqual([]);
  });

  test("refuses to derive a key for another deployment after a valid sign-in", async () => {
    const service = createSdkService();
    Object.assign(service.texts, { ...createTexts("https://evil.example"), auth: AUTH_TEXT });
    await expect(service.start().invest(INVEST, approve)).rejects.toThrow("https://evil.example");
    expect(service.requests).toEqual([AUTH_TEXT]);
  });

  test("refuses sandbox swaps on mainnet, in the service and in the client", async () => {
    const service = createSdkService();
    Object.assign(service.texts, createTexts(ORIGIN));
    const serviceRefusal = await service.start({ origin: ORIGIN }).invest(INVEST, approve);
    expect(serviceRefusal).toMatchObject({ status: "failed", error: { code: "network_mismatch" } });
    // Without the network in the request, the service cannot check it.
    const fetchWithoutNetwork: RoundupOptions["fetch"] = (address, init) => {
      const { network: _, ...body } = JSON.parse(String(init.body ?? "{}"));
      return service.fetch!(address, { ...init, ...(init.body !== undefined && { body: JSON.stringify(body) }) });
    };
    const clientRefusal = await service.start({ origin: ORIGIN, fetch: fetchWithoutNetwork }).invest(INVEST, approve);
    expect(clientRefusal).toMatchObject({ status: "failed", error: { reason: "not_one_swap" } });
    expect(service.listSentTransactions()).toEqual([]);
  });

  test("is not created for an origin that names no deployment", () => {
    expect(() => createSdkService().start({ origin: "mainnet" })).toThrow(RangeError);
  });
});

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

const TOPUP = { amountUsd: 5 };

/** Creates a client that has topped up and invested at honest prices. `quoteSol` changes the price of SOL, in USD. */
async function createFundedClient(options: Partial<RoundupOptions> = {}) {
  const service = createSdkService();
  const roundup = service.start(options);
  expect([(await roundup.topup(TOPUP, approve)).status, (await roundup.invest(INVEST, approve)).status]).toEqual([
    "done",
    "done",
  ]);
  const sentBefore = service.listSentTransactions().length;
  const quoteSol = (SOL: number) => {
    service.prices.SOL = SOL;
    setPrices(service.deps, { usd: { ...PRICES_USD, SOL } });
  };
  return { service, roundup, quoteSol, countSent: () => service.listSentTransactions().length - sentBefore };
}

describe("a service with false prices", () => {
  test("is refused a swap that loses 40 %, even if its prices match the build", async () => {
    const { service, roundup, countSent } = await createFundedClient();
    service.output.satoshi = "9000";
    service.prices.BTC = 166_667;
    const result = await roundup.invest(INVEST, approve);
    expect(result).toMatchObject({ status: "refused", reason: expect.stringMatching(/BTC.*\$166,667.*\$100,000/) });
    expect(countSent()).toBe(0);
  });

  test("is refused a swap at a false SOL price", async () => {
    const { service, roundup, countSent } = await createFundedClient();
    service.output.satoshi = "9000";
    expect(await roundup.invest(INVEST, approve)).toMatchObject({ status: "failed", error: { reason: "implausible" } });
    service.prices.SOL = 90;
    expect(await roundup.invest(INVEST, approve)).toMatchObject({ status: "refused" });
    expect(countSent()).toBe(0);
  });

  test.each([0.000001, 1e9])("cannot block a withdrawal by quoting SOL at $%d", async (SOL) => {
    const { roundup, quoteSol } = await createFundedClient();
    quoteSol(SOL);
    expect(await roundup.withdraw(WITHDRAW, approve)).toMatchObject({ status: "done" });
  });
});

test("a moved price is used after the user confirms it", async () => {
  const requests: string[] = [];
  const acceptPrices: RoundupOptions["acceptPrices"] = (doubts) => requests.push(doubtText(doubts)) > 1;
  const { roundup, quoteSol, countSent } = await createFundedClient({ acceptPrices });
  quoteSol(75);
  expect(await roundup.topup(TOPUP, approve)).toMatchObject({ status: "refused" });
  expect(await roundup.topup(TOPUP, approve)).toMatchObject({ status: "done" });
  expect(await roundup.topup(TOPUP, approve), "the confirmation is stored").toMatchObject({ status: "done" });
  expect([requests.length, countSent()]).toEqual([2, 2]);
  expect(requests[0]).toContain("$75.00");
});

test("a moved price is used after an acceptPrices confirms it that the caller sets after it created the client", async () => {
  const storage = createMemoryStorage();
  const { service, quoteSol } = await createFundedClient({ storage });
  const { fetch, clock, wallet } = service;
  const baseUrl = "https://roundup.example";
  const options: RoundupOptions = { baseUrl, origin: "sandbox", wallet, fetch, clock, storage };
  const roundup = createRoundup(options);
  quoteSol(75);
  expect(await roundup.topup(TOPUP, approve)).toMatchObject({ status: "refused" });
  options.acceptPrices = approve;
  expect(await roundup.topup(TOPUP, approve)).toMatchObject({ status: "done" });
});
