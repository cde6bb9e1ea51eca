import { describe, expect, test, vi } from "vitest";
import { createAuthText, createLinkText, createServiceWalletText } from "../../../lib/domain/signed-texts";
import type { RoundupOptions } from "../../../lib/sdk";
import { systemClock } from "../../../lib/sdk/platform";
import { AUTH_TEXT, SERVICE_WALLET_TEXT } from "../../support/fixtures/wallet-texts";
import { createSdkService, OWNER } from "../../support/worlds/sdk-service";

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
