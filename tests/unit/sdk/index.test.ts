import { describe, expect, test } from "vitest";
import { createAuthText, createLinkText, createServiceWalletText } from "../../../lib/domain/texts";
import type { RoundupOptions } from "../../../lib/sdk";
import { AUTH_TEXT, SERVICE_WALLET_TEXT } from "../../support/fixtures/texts";
import { createSdkService, OWNER } from "../../support/worlds/sdk-service";

const SAVE = { purchasesUsd: [27.63], plan: "tree" as const };
const INVEST = { allocations: [{ asset: "BTC" as const, pct: 100 }], slippageBps: 100, thresholdUsd: 5 };
const SELL = { asset: "BTC", into: "USDC", amountBaseUnits: "15000", slippageBps: 100 } as const;
const WITHDRAW = { destination: OWNER, asset: null, amountBaseUnits: null };
const yes = () => true;

describe("an SDK client", () => {
  test("refuses more purchases than fit into one transaction, because a retry would save the first part twice", async () => {
    const service = createSdkService();
    const purchasesUsd = Array.from({ length: 501 }, () => 27.63);
    await expect(service.start().save({ ...SAVE, purchasesUsd }, yes)).rejects.toThrow("At most 500 purchases");
    expect(service.listSent()).toEqual([]);
  });

  test("saves, tops up, invests, sells and withdraws with one sign-in and one key derivation", async () => {
    const service = createSdkService();
    const roundup = service.start();
    const results = [
      await roundup.save(SAVE, yes),
      await roundup.topup({ amountUsd: 5, period: "2026-W47" }, yes),
      await roundup.invest(INVEST, yes),
      await roundup.sell(SELL, yes),
      await roundup.withdraw(WITHDRAW, yes),
    ];
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill("done"));
    expect(new Set(service.listSent()).size).toBe(5);
    expect(service.requests).toEqual([AUTH_TEXT, SERVICE_WALLET_TEXT, SERVICE_WALLET_TEXT]);
  });

  test("shares one sign-in and one derivation between concurrent callers", async () => {
    const service = createSdkService();
    const roundup = service.start();
    const [one, two] = await Promise.all([roundup.serviceWallet(), roundup.serviceWallet()]);
    expect(one).toBe(two);
    expect(service.requests).toHaveLength(3);
  });

  test("keeps a newer sign-in when one from before a sign-out fails", async () => {
    const service = createSdkService();
    let rejectFirst = (_error: Error): void => {};
    const first = new Promise<never>((_resolve, reject) => {
      rejectFirst = reject;
    });
    let prompts = 0;
    const signMessage = async (message: Uint8Array) => {
      prompts += 1;
      return prompts === 1 ? first : service.wallet.signMessage(message);
    };
    const roundup = service.start({ wallet: { ...service.wallet, signMessage } });
    const abandoned = roundup.calls();
    while (prompts === 0) await new Promise(setImmediate);
    roundup.signOut();
    await roundup.calls();
    rejectFirst(new Error("rejected by the user"));
    await expect(abandoned).rejects.toThrow("rejected by the user");
    await roundup.calls();
    expect(prompts).toBe(2);
  });

  test("asks the wallet for new signatures after a sign-out", async () => {
    const service = createSdkService();
    const roundup = service.start();
    const before = await roundup.serviceWallet();
    roundup.signOut();
    expect(await roundup.serviceWallet()).toBe(before);
    expect(service.requests).toHaveLength(6);
  });
});

describe("an abort", () => {
  const aborted = { name: "AbortError" };

  test("ends a read that waits for the wallet's signature, and leaves the sign-in to other callers", async () => {
    const service = createSdkService();
    const [controller, roundup] = [new AbortController(), service.start()];
    const [read, other] = [roundup.prices({ signal: controller.signal }), roundup.prices()];
    controller.abort();
    await expect(read).rejects.toMatchObject(aborted);
    expect(await other).toMatchObject({ prices: { SOL: 150 } });
  });

  test.each(["confirm", "wallet"])(
    "ends a payment in its %s step, and nothing is signed or sent later",
    async (step) => {
      const service = createSdkService();
      const controller = new AbortController();
      let later = (): void => {};
      const pause = () =>
        new Promise<void>((resolve) => {
          later = resolve;
          controller.abort();
        });
      const signed: string[] = [];
      const signTransaction = async (transaction: string) => {
        if (step === "wallet") await pause();
        signed.push(transaction);
        return service.wallet.signTransaction(transaction);
      };
      const roundup = service.start({ wallet: { ...service.wallet, signTransaction } });
      const confirm = async () => {
        if (step === "confirm") await pause();
        return true;
      };
      await expect(roundup.save(SAVE, confirm, { signal: controller.signal })).rejects.toMatchObject(aborted);
      later();
      await new Promise(setImmediate);
      expect([signed.length, service.listSent()]).toEqual([step === "wallet" ? 1 : 0, []]);
      expect(await roundup.prices()).toMatchObject({ prices: { SOL: 150 } });
    },
  );

  test("while signed bytes are posted keeps them, and the next call learns their outcome", async () => {
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
    await expect(roundup.save(SAVE, yes, { signal: controller.signal })).rejects.toMatchObject(aborted);
    const never = () => expect.fail("asked");
    expect(await roundup.save(SAVE, never)).toMatchObject({ status: "done" });
    expect(service.listSent()).toHaveLength(1);
  });
});

describe("the configured deployment", () => {
  const real = "https://roundup.example";
  const textsOf = (origin: string) => ({
    auth: createAuthText(origin),
    message: createServiceWalletText(origin),
    link: createLinkText(origin),
  });

  test("refuses to sign for a service that claims to be the sandbox", async () => {
    const service = createSdkService();
    const roundup = service.start({ origin: undefined });
    await expect(roundup.save(SAVE, yes)).rejects.toThrow(`not for “${real}”`);
    expect(service.requests).toEqual([]);
  });

  test("refuses to derive a key for another deployment after a valid sign-in", async () => {
    const service = createSdkService();
    Object.assign(service.texts, { ...textsOf("https://evil.example"), auth: AUTH_TEXT });
    await expect(service.start().invest(INVEST, yes)).rejects.toThrow("https://evil.example");
    expect(service.requests).toEqual([AUTH_TEXT]);
  });

  test("refuses sandbox swaps on mainnet, in the service and in the client", async () => {
    const service = createSdkService();
    Object.assign(service.texts, textsOf(real));
    const honest = await service.start({ origin: real }).invest(INVEST, yes);
    expect(honest).toMatchObject({ status: "failed", error: { code: "network_mismatch" } });
    const { fetch } = lyingAbout(service);
    const lied = await service.start({ origin: real, fetch }).invest(INVEST, yes);
    expect(lied).toMatchObject({ status: "failed", error: { reason: "not_one_swap" } });
    expect(service.listSent()).toEqual([]);
  });

  /** Removes the network from each request, so that the service cannot check it. */
  function lyingAbout({ fetch }: ReturnType<typeof createSdkService>) {
    const lying: RoundupOptions["fetch"] = (address, init) => {
      const { network: _, ...body } = JSON.parse(String(init.body ?? "{}"));
      return fetch!(address, { ...init, ...(init.body !== undefined && { body: JSON.stringify(body) }) });
    };
    return { fetch: lying };
  }

  test.each(["mainnet", "roundup.example", "https://roundup.example/path", ""])(
    "refuses %j as a deployment",
    (origin) => {
      expect(() => createSdkService().start({ origin })).toThrow(RangeError);
    },
  );
});
