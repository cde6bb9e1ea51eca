import { describe, expect, test } from "vitest";
import { authText, linkText, serviceWalletText } from "../../../lib/domain/texts";
import { NotAsShown, type RoundupOptions } from "../../../lib/sdk";
import { memoryStorage, processLock } from "../../../lib/sdk/world";
import { toBase64 } from "../../../lib/solana/bytes";
import { systemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { blockhashOf } from "../../support/fakes/fake-deps";
import { AUTH_TEXT, SERVICE_WALLET_TEXT } from "../../support/fixtures/texts";
import { type Answer, createSdkService, MAKER, OWNER } from "../../support/worlds/sdk-service";

const SAVE = { purchases: [27.63], plan: "tree" as const };
const INVEST = { legs: [{ asset: "BTC" as const, pct: 100 }], slippageBps: 100, thresholdUsd: 5 };
const SELL = { asset: "BTC", into: "USDC", amount: "15000", slippageBps: 100 } as const;
const WITHDRAW = { destination: OWNER, asset: null, amount: null };
const yes = () => true;

describe("an SDK client", () => {
  test("refuses more purchases than fit into one transaction, because a retry would save the first part twice", async () => {
    const service = createSdkService();
    const purchases = Array.from({ length: 501 }, () => 27.63);
    await expect(service.start().save({ ...SAVE, purchases }, yes)).rejects.toThrow("At most 500 purchases");
    expect(service.sent()).toEqual([]);
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
    expect(new Set(service.sent()).size).toBe(5);
    expect(service.asked).toEqual([AUTH_TEXT, SERVICE_WALLET_TEXT, SERVICE_WALLET_TEXT]);
  });

  test("shares one sign-in and one derivation between concurrent callers", async () => {
    const service = createSdkService();
    const roundup = service.start();
    const [one, two] = await Promise.all([roundup.serviceWallet(), roundup.serviceWallet()]);
    expect(one).toBe(two);
    expect(service.asked).toHaveLength(3);
  });

  test("signs only after confirmation, and shows figures read from the bytes", async () => {
    const service = createSdkService();
    const shown: number[] = [];
    const result = await service.start().save(SAVE, ({ breakdown }) => {
      shown.push(breakdown.roundUpUsd);
      return false;
    });
    expect([result.status, shown, service.sent()]).toEqual(["cancelled", [0.37], []]);
  });

  test("sends nothing when the wallet adds a transfer", async () => {
    const service = createSdkService();
    const { wallet } = service;
    const other = composeTransaction({
      payer: OWNER,
      instructions: [systemTransfer(OWNER, MAKER, 1n)],
      blockhash: blockhashOf(9),
    });
    const changing = { ...wallet, signTransaction: () => wallet.signTransaction(toBase64(other.bytes)) };
    const result = await service.start({ wallet: changing }).save(SAVE, yes);
    expect(result).toMatchObject({ status: "failed", error: expect.any(NotAsShown) });
    expect(service.sent()).toEqual([]);
  });

  test("asks the wallet for new signatures after a sign-out", async () => {
    const service = createSdkService();
    const roundup = service.start();
    const before = await roundup.serviceWallet();
    roundup.signOut();
    expect(await roundup.serviceWallet()).toBe(before);
    expect(service.asked).toHaveLength(6);
  });
});

describe("when the connection is lost", () => {
  const LOST: Answer[] = Array.from({ length: 6 }, () => "lost");

  test("resends the same bytes, which land once", async () => {
    const service = createSdkService("lost", "lost");
    expect(await service.start().save(SAVE, yes)).toMatchObject({ status: "done" });
    expect([service.sent().length, new Set(service.sent()).size]).toEqual([3, 1]);
  });

  test("reports an unknown outcome, and resolves it in the next call before building anything", async () => {
    const service = createSdkService(...LOST);
    const roundup = service.start();
    expect(await roundup.save(SAVE, yes)).toMatchObject({ status: "unknown" });
    const never = () => expect.fail("asked");
    expect(await roundup.save(SAVE, never)).toMatchObject({ status: "done" });
    expect(new Set(service.sent()).size).toBe(1);
  });

  test("makes one sale, regardless of lost responses and retries", async () => {
    const service = createSdkService(...LOST);
    const roundup = service.start();
    expect(await roundup.sell(SELL, yes)).toMatchObject({ status: "unknown" });
    const never = () => expect.fail("asked");
    const result = await roundup.sell(SELL, never);
    expect(result).toMatchObject({ status: "done", transactions: [{ label: "Sell BTC" }] });
    expect(new Set(service.sent()).size).toBe(1);
  });
});

describe("two programs that share a storage", () => {
  const shared = () => ({ storage: memoryStorage(), lock: processLock() });

  test("do not pay twice: the second resolves the first one's payment", async () => {
    const service = createSdkService(
      ...Array.from({ length: 6 }, (): Answer => ({ status: 502, code: "upstream_invalid" })),
    );
    const world = shared();
    expect(await service.start(world).save(SAVE, yes)).toMatchObject({ status: "unknown" });
    const never = () => expect.fail("asked");
    expect(await service.start(world).save(SAVE, never)).toMatchObject({ status: "done" });
    expect(new Set(service.sent()).size).toBe(1);
  });

  test("do not pay concurrently: one pays, and the other reports the reason", async () => {
    const service = createSdkService();
    const world = shared();
    const results = await Promise.all([
      service.start(world).withdraw(WITHDRAW, yes),
      service.start(world).withdraw(WITHDRAW, yes),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["done", "failed"]);
    expect(new Set(service.sent()).size).toBe(1);
  });
});

describe("the configured deployment", () => {
  const real = "https://roundup.example";
  const textsOf = (origin: string) => ({
    auth: authText(origin),
    message: serviceWalletText(origin),
    link: linkText(origin),
  });

  test("refuses to sign for a service that claims to be the sandbox", async () => {
    const service = createSdkService();
    const roundup = service.start({ origin: undefined });
    await expect(roundup.save(SAVE, yes)).rejects.toThrow(`not for “${real}”`);
    expect(service.asked).toEqual([]);
  });

  test("refuses to derive a key for another deployment after a valid sign-in", async () => {
    const service = createSdkService();
    Object.assign(service.texts, { ...textsOf("https://evil.example"), auth: AUTH_TEXT });
    await expect(service.start().invest(INVEST, yes)).rejects.toThrow("https://evil.example");
    expect(service.asked).toEqual([AUTH_TEXT]);
  });

  test("refuses sandbox swaps on mainnet, in the service and in the client", async () => {
    const service = createSdkService();
    Object.assign(service.texts, textsOf(real));
    const honest = await service.start({ origin: real }).invest(INVEST, yes);
    expect(honest).toMatchObject({ status: "failed", error: { code: "network_mismatch" } });
    const { fetch } = lyingAbout(service);
    const lied = await service.start({ origin: real, fetch }).invest(INVEST, yes);
    expect(lied).toMatchObject({ status: "failed", error: { reason: "not_one_swap" } });
    expect(service.sent()).toEqual([]);
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
