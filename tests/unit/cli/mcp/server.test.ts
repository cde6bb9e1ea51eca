import { describe, expect, test } from "vitest";
import { DAY_MS } from "@/lib/domain/time";
import { type ActionPreview, createMachine, readText, startMcpClient } from "../../../support/client/mcp-rig";
import { PRICES_USD, setPrices } from "../../../support/fakes/fake-deps";
import { type Answer, createSdkService, MAKER, OWNER, THROUGH } from "../../../support/worlds/sdk-service";

const INVEST_ARGUMENTS = { allocations: [{ asset: "BTC", pct: 100 }] };
const SELL_ARGUMENTS = { asset: "BTC", into: "USDC", amountCoins: "0.00015" };
/** Takes $11.50 in SOL at $150, plus the network fee. */
const TOPUP_ARGUMENTS = { amountUsd: 11.5 };

type Service = ReturnType<typeof createSdkService>;
type ModelOptions = Parameters<typeof startMcpClient>[1];

/**
 * Creates a service whose `execute` returns these answers in turn, and connects a model to an MCP server for it.
 * `startOther` connects another model to another server on the same machine.
 */
async function startModel(options: ModelOptions = {}, ...answers: Answer[]) {
  const service = createSdkService(...answers);
  const machine = createMachine();
  const startOther = (otherOptions: ModelOptions = {}) => startMcpClient(service, { machine, ...otherOptions });
  return { service, model: await startOther(options), startOther };
}

/** Returns a fetch that answers calls to this path, and passes all others to the service. */
const createFetchWithAnswer =
  ({ fetch }: Service, path: string, body: object, status = 200): Service["fetch"] =>
  async (address, init) =>
    address.includes(path) ? Response.json(body, { status }) : fetch!(address, init);

describe("an honest model", () => {
  test("saves, tops up, invests, sells and withdraws with one transaction each", async () => {
    const { service, model } = await startModel();
    const results = [
      await model.act("save", { purchasesUsd: [27.63, 4.02], plan: "tree" }),
      await model.act("topup", { amountUsd: 2, period: "2026-W47" }),
      await model.act("invest", INVEST_ARGUMENTS),
      await model.act("sell", SELL_ARGUMENTS),
      await model.act("withdraw"),
    ];
    expect(results.map(({ status, transactions }) => [status, transactions.length])).toEqual(
      Array(5).fill(["done", 1]),
    );
    expect(new Set(service.listSentTransactions()).size).toBe(5);
  });

  test("invests USDC that reaches the threshold alone, and otherwise what it names or SOL", async () => {
    const { service, model } = await startModel();
    const previewWith = async (fields: object) =>
      (await model.preview("invest", { ...INVEST_ARGUMENTS, ...fields })).summary;
    expect(await previewWith({})).toMatch(/^Invest 0\.1 SOL into/);
    expect(await previewWith({ payWith: "USDC" })).toMatch(/^Invest 15 USDC into/);
    service.savedUsdc.units = 15_000_000n;
    expect(await previewWith({ thresholdUsd: 15.01 })).toMatch(/^Invest 0\.1 SOL into/);
    expect(await previewWith({ payWith: "SOL" })).toMatch(/^Invest 0\.1 SOL into/);
    const preview = await model.preview("invest", INVEST_ARGUMENTS);
    expect(preview.summary).toMatch(/^Invest 15 USDC into at least 0\.00015 BTC/);
    expect(await model.confirm("invest", preview)).toMatchObject({ status: "done" });
  });

  test("saves the oldest unsaved payments on the chain when the model does not name purchases", async () => {
    const { service, model } = await startModel();
    service.payments.push(4.02, 27.63);
    const preview = await model.preview("save", { plan: "tree" });
    expect(preview.summary).toMatch(
      /^Save \$0\.85, the change of 2 payments of \$31\.65 \(saves 2\.7 % of what you spent\): [\d.]+ SOL leaves/,
    );
    expect(await model.confirm("save", preview)).toMatchObject({ status: "done" });
    const bytes = Buffer.from(String(service.listSentTransactions()[0]), "base64").toString("latin1");
    expect(bytes).toContain(`roundup:2:through:${THROUGH}:after:none`);
  });

  test("names small payments and adds them up", async () => {
    const { service, model } = await startModel();
    service.payments.push(5.2, ...Array(120).fill(0.02));
    const small = { count: 120, sumUsd: 2.4 };
    expect(await model.ask("status")).toMatchObject({ notSavedYet: { payments: 121, small, totalUsd: 7.6 } });
    expect(await model.ask("spending")).toMatchObject({ batches: [{ purchasesUsd: [7.6], small }] });
    expect((await model.preview("save", { plan: "tree" })).summary).toMatch(
      /^Save \$0\.40, the change of 1 payment and 120 small ones, \$2\.40, of \$7\.60 in all \(saves 5\.3 % /,
    );
  });

  test("makes four calls for the preview and the confirmation of a saving", async () => {
    const service = createSdkService();
    service.payments.push(4.02, 27.63);
    const paths: string[] = [];
    const fetch: Service["fetch"] = (address, init) => {
      paths.push(new URL(String(address)).pathname.split("/").slice(2, 4).join("/"));
      return service.fetch!(address, init);
    };
    const model = await startMcpClient(service, { fetch });
    // Signs in and registers the service wallet.
    await model.ask("status");
    paths.length = 0;
    await model.act("save", { plan: "tree" });
    expect(paths).toEqual([`overview/${OWNER}`, "wrap/batch", "wrap/batch", "swap/execute"]);
  });

  test("gets the answers of all read-only tools", async () => {
    const { model } = await startModel();
    await model.act("topup", TOPUP_ARGUMENTS);
    const noMonth = { maxPerMonthUsd: null, movedInAMonthUsd: null };
    const limits = { maxPerActionUsd: 25, maxPerDayUsd: 50, movedInADayUsd: 11.500749, ...noMonth, keepSol: 0.05 };
    const status = { wallet: OWNER, walletSol: 10, limits: { ...limits, destinations: [OWNER] } };
    expect(await model.ask("status")).toMatchObject(status);
    expect(await model.ask("activity", { limit: 5 })).toMatchObject({ items: [{ type: "round_up", usdValue: 11.5 }] });
    expect(await model.ask("prices")).toMatchObject({ prices: { SOL: 150 }, plans: { forest: { roundToUsd: 1 } } });
    expect(await model.ask("roundup", { purchaseUsd: 27.63, plan: "tree" })).toMatchObject({ roundUpUsd: 0.37 });
    expect(await model.ask("spending")).toMatchObject({ batches: [] });
  });

  test("sees that money tools are not read-only and need a preview", async () => {
    const { model } = await startModel();
    const { tools } = await model.client.listTools();
    const moneyTools = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
    expect(moneyTools.map(({ name }) => name)).toEqual(["save", "topup", "invest", "sell", "withdraw"]);
    for (const { name, description, inputSchema, outputSchema } of moneyTools) {
      expect(description).toContain(
        `This moves real money, as preview_${name} showed it. It is refused if more than 1 % more SOL leaves (or 0.0001 SOL, if that is more), if more of another coin leaves, or if more than 1 % less arrives. Pass the token and the summary`,
      );
      expect([Object.keys(inputSchema.properties!), outputSchema?.type]).toEqual([["token", "summary"], "object"]);
    }
  });
});

describe("a tool call", () => {
  /** Returns a fetch that refuses the first requests with 429 and these values of Retry-After, in turn. */
  const createLimitedFetch =
    (service: Service, ...seconds: number[]): Service["fetch"] =>
    async (address, init) => {
      const waitSeconds = seconds.shift();
      if (waitSeconds === undefined) return service.fetch!(address, init);
      const headers = { "retry-after": `${waitSeconds}` };
      return Response.json({ ok: false, error: "Later.", code: "rate_limited" }, { status: 429, headers });
    };

  test("waits at most 10 s for the rate limit and then says when to ask again", async () => {
    const service = createSdkService();
    const model = await startMcpClient(service, { fetch: createLimitedFetch(service, 6, 5) });
    await expect(model.ask("prices")).rejects.toThrow(/^Rate limit reached\. Ask again in 5 s\.$/);
    expect(await model.ask("prices")).toMatchObject({ prices: { SOL: 150 } });
    const modelWithLongLimit = await startMcpClient(service, { fetch: createLimitedFetch(service, 43) });
    const startMs = service.clock.now();
    await expect(modelWithLongLimit.ask("prices")).rejects.toThrow("Ask again in 43 s.");
    expect(service.clock.now()).toBe(startMs);
  });

  test("reports each request and each wait as progress", async () => {
    const service = createSdkService();
    const { client } = await startMcpClient(service, { fetch: createLimitedFetch(service, 6) });
    const messages: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string }) => void messages.push(message);
    await client.callTool({ name: "preview_topup", arguments: TOPUP_ARGUMENTS }, { onprogress });
    expect(messages.slice(0, 3)).toEqual(["GET /api/auth", "Rate limit reached. Waiting 6 s.", "GET /api/auth"]);
    expect(messages).toContain("POST /api/topup");
  });
});

describe("a client that sends arguments in other forms", () => {
  test.each(["status", "prices"])("may send a field to %s, which takes none", async (tool) => {
    const { model } = await startModel();
    expect(await model.ask(tool, { random_string: "dummy" })).toEqual(await model.ask(tool));
  });

  test.each<[string, string, object, object]>([
    ["numbers as text", "topup", { amountUsd: "11.5" }, TOPUP_ARGUMENTS],
    ["a list as text", "save", { purchasesUsd: "[27.63, 4.02]" }, { purchasesUsd: [27.63, 4.02] }],
    ["a list of texts", "save", { purchasesUsd: ["27.63", "4.02"] }, { purchasesUsd: [27.63, 4.02] }],
    ["texts in a list of objects", "invest", { allocations: [{ asset: "BTC", pct: "100" }] }, INVEST_ARGUMENTS],
    ["empty optional texts", "topup", { ...TOPUP_ARGUMENTS, period: "", reference: " " }, TOPUP_ARGUMENTS],
    ["null for optional fields", "withdraw", { asset: null, amountCoins: null, destination: null }, {}],
    ["empty text for an optional number", "invest", { ...INVEST_ARGUMENTS, slippageBps: "" }, INVEST_ARGUMENTS],
  ])("gets the same preview with %s", async (_habit, action, given, meant) => {
    const { model } = await startModel();
    const [first, second] = [await model.preview(action, { ...given }), await model.preview(action, { ...meant })];
    expect([first.summary, first.leaves]).toEqual([second.summary, second.leaves]);
  });

  test.each(["11,5", "1e1", "0x10", "-5", "$5", "5 USD", "99999999999999999", "", null])(
    "is refused the amount %j, which could mean something else",
    async (amountUsd) => {
      const { model } = await startModel();
      expect((await model.call("preview_topup", { amountUsd })).isError).toBe(true);
    },
  );
});

describe("a manipulated model", () => {
  test("can use a token only once, also in concurrent calls", async () => {
    const { service, model } = await startModel();
    const preview = await model.preview("topup", TOPUP_ARGUMENTS);
    const results = await Promise.allSettled([model.confirm("topup", preview), model.confirm("topup", preview)]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(model.confirm("topup", preview)).rejects.toThrow("used before");
    expect(service.listSentTransactions()).toHaveLength(1);
  });

  test("cannot run two actions at once, even through two servers", async () => {
    const { service, model, startOther } = await startModel();
    const models = [model, await startOther()];
    const previews = await Promise.all(models.map(({ preview }) => preview("topup", TOPUP_ARGUMENTS)));
    const results = await Promise.allSettled(models.map(({ confirm }, i) => confirm("topup", previews[i]!)));
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(service.listSentTransactions()).toHaveLength(1);
  });

  test("can use a token after 59 s but not after 60 s", async () => {
    const { service, model } = await startModel();
    const previewA = await model.preview("topup", TOPUP_ARGUMENTS);
    const previewB = await model.preview("topup", TOPUP_ARGUMENTS);
    await service.clock.sleep(59_000);
    expect(await model.confirm("topup", previewA)).toMatchObject({ status: "done" });
    await service.clock.sleep(1_000);
    await expect(model.confirm("topup", previewB)).rejects.toThrow("older than a minute");
    expect(service.listSentTransactions()).toHaveLength(1);
  });

  test.each<[string, (preview: Pick<ActionPreview, "token" | "summary">) => Record<string, unknown>, string]>([
    ["a changed amount", ({ token, summary }) => ({ token, summary: summary.replace("11.5", "1.5") }), "not what"],
    ["an amount beside the token", (preview) => ({ ...preview, amountUsd: 9_000 }), "Unrecognized key"],
    ["no summary", ({ token }) => ({ token }), "summary"],
    ["an invented token", ({ summary }) => ({ token: "id-0", summary }), "unknown"],
    ["a list as the token", ({ token, summary }) => ({ token: [token], summary }), "token"],
    ["__proto__", ({ summary }) => ({ token: "__proto__", summary }), "unknown"],
  ])("cannot send anything with %s", async (_caseName, createArguments, expectedWords) => {
    const { service, model } = await startModel();
    const { token, summary } = await model.preview("topup", TOPUP_ARGUMENTS);
    const result = await model.call("topup", createArguments({ token, summary }));
    expect([result.isError, readText(result)]).toEqual([true, expect.stringContaining(expectedWords)]);
    expect(service.listSentTransactions()).toEqual([]);
  });

  test("sends nothing by passing a token to the wrong tool", async () => {
    const { service, model } = await startModel();
    const preview = await model.preview("topup", TOPUP_ARGUMENTS);
    await expect(model.confirm("withdraw", preview)).rejects.toThrow("Pass it to topup.");
    expect(service.listSentTransactions()).toEqual([]);
    expect(await model.confirm("topup", preview)).toMatchObject({ status: "done" });
  });

  test("hears that a transaction may have landed when the disk fails after the sending", async () => {
    const service = createSdkService();
    const machine = createMachine();
    const { set } = machine.storage;
    machine.storage.set = (key, value) => {
      if (service.listSentTransactions().length > 0) throw new Error("no space left");
      return set(key, value);
    };
    const model = await startMcpClient(service, { machine });
    await expect(model.act("topup", TOPUP_ARGUMENTS)).rejects.toThrow(/may have landed.*before you repeat/);
    expect(service.listSentTransactions()).toHaveLength(1);
  });

  /** One service and one model for all cases below, because none of them may change the service. */
  const sharedRig = startModel();
  test.each([
    ["preview_withdraw", { destination: MAKER }, "Nothing is sent there"],
    ["preview_withdraw", { destination: "not an address" }, "destination"],
    ["preview_withdraw", { amountCoins: "1" }, "needs an asset"],
    ["preview_withdraw", { asset: "SOL", amountCoins: "1e9" }, "amountCoins"],
    ["preview_sell", { asset: "BTC", into: "BTC" }, "into"],
    ["preview_sell", { asset: "BTC", into: "USDC", amountCoins: "-1" }, "amountCoins"],
    ["preview_topup", { amountUsd: -5 }, "amountUsd"],
    ["preview_topup", { amountUsd: 5, userPubkey: MAKER }, "Unrecognized key"],
    ["preview_save", { purchasesUsd: [], plan: "tree" }, "purchasesUsd"],
    ["preview_invest", { allocations: [{ asset: "DOGE", pct: 100 }] }, "allocations"],
    ["preview_invest", { allocations: [{ asset: "BTC", pct: 100 }], slippageBps: 9_999 }, "slippageBps"],
  ])("cannot call %s with %j", async (tool, args, expectedWords) => {
    const { service, model } = await sharedRig;
    const result = await model.call(tool, args);
    expect([result.isError, readText(result)]).toEqual([true, expect.stringContaining(expectedWords)]);
    expect(service.listSentTransactions()).toEqual([]);
  });

  test("can withdraw to a destination from a start-up flag", async () => {
    const { model } = await startModel({ bounds: { destinations: [MAKER] } });
    expect((await model.preview("withdraw", { destination: MAKER })).summary).toContain(`to ${MAKER}`);
  });

  test("never receives a private key or a message signature from a tool", async () => {
    const { model } = await startModel();
    const results = [await model.call("status"), await model.call("preview_withdraw")];
    const { token, summary } = await model.preview("topup", TOPUP_ARGUMENTS);
    results.push(await model.call("topup", { token, summary }));
    const text = JSON.stringify([results, model.logLines]);
    const walletSeed = new Uint8Array(32).fill(7);
    for (const encoding of ["hex", "base64"] as const)
      expect(text).not.toContain(Buffer.from(walletSeed).toString(encoding));
    // A signature of 64 bytes in base64.
    expect(text).not.toMatch(/[A-Za-z0-9+/]{86}==/);
  });
});

describe("the limits", () => {
  test("refuse a single action that moves too much", async () => {
    const { service, model } = await startModel();
    await expect(model.preview("topup", { amountUsd: 25 })).rejects.toThrow("One action may move at most $25.00");
    expect(service.listSentTransactions()).toEqual([]);
  });

  test("apply to the sum of 24 hours, whenever the previews were made", async () => {
    const { service, model } = await startModel();
    const previews = [];
    for (let i = 0; i < 5; i++) previews.push(await model.preview("topup", TOPUP_ARGUMENTS));
    const results = [];
    for (const preview of previews)
      results.push(await model.confirm("topup", preview).then(({ status }) => status, String));
    expect(results).toEqual([...Array(4).fill("done"), expect.stringContaining("$50.00 may be moved in 24 hours")]);
    await service.clock.sleep(DAY_MS);
    expect(await model.act("topup", TOPUP_ARGUMENTS)).toMatchObject({ status: "done" });
  });

  test("apply to the sum of a month, also after a restart, until the month ends", async () => {
    const bounds = { perMonthMicroUsd: 30_000_000n };
    const { service, model, startOther } = await startModel({ bounds });
    for (let i = 0; i < 2; i++) {
      await model.act("topup", TOPUP_ARGUMENTS);
      await service.clock.sleep(DAY_MS);
    }
    const other = await startOther({ bounds });
    expect(await other.ask("status")).toMatchObject({
      limits: { movedInADayUsd: 0, maxPerMonthUsd: 30, movedInAMonthUsd: 23.001498 },
    });
    await expect(other.act("topup", TOPUP_ARGUMENTS)).rejects.toThrow(
      "after $23.001498 this month. At most $30.00 may be moved in a month.",
    );
    const { clock } = service;
    while (new Date(clock.now()).getDate() !== 1) await clock.sleep(DAY_MS);
    expect(await other.act("topup", TOPUP_ARGUMENTS)).toMatchObject({ status: "done" });
  });

  test("count swaps and withdrawals of other programs, but not deposits", async () => {
    const { service, model } = await startModel();
    const item = { time: new Date(service.clock.now()).toISOString(), status: "confirmed", amounts: [] };
    for (const [type, usdValue] of Object.entries({ swap: 20, withdrawal: 15, deposit: 500 }))
      service.activity.push({ ...item, txSignature: type, type, usdValue });
    expect(await model.ask("status")).toMatchObject({ limits: { movedInADayUsd: 35 } });
    await expect(model.preview("invest", INVEST_ARGUMENTS)).rejects.toThrow("may be moved in 24 hours");
  });

  test("survive a restart and the loss of the state files", async () => {
    const { service, startOther } = await startModel();
    for (let i = 0; i < 4; i++) await (await startOther()).act("topup", TOPUP_ARGUMENTS);
    const modelWithoutState = await startMcpClient(service);
    await expect(modelWithoutState.act("topup", TOPUP_ARGUMENTS)).rejects.toThrow("may be moved in 24 hours");
    service.activityView.isShown = false;
    await expect((await startOther()).act("topup", TOPUP_ARGUMENTS)).rejects.toThrow("may be moved in 24 hours");
    expect(service.listSentTransactions()).toHaveLength(4);
  });

  test("count a pending transaction once and a refused one never", async () => {
    const refusal = { status: 422, code: "simulation_failed" };
    const { service, model } = await startModel({}, ...Array(6).fill("lost"), "landed", refusal);
    expect(await model.act("topup", TOPUP_ARGUMENTS)).toMatchObject({ status: "unknown" });
    const readMovedUsd = async () =>
      (await model.ask<{ limits: { movedInADayUsd: number } }>("status")).limits.movedInADayUsd;
    expect(await readMovedUsd()).toBe(11.500749);
    // The next preview first resolves the pending transaction, which has landed.
    await model.preview("topup", TOPUP_ARGUMENTS);
    expect([new Set(service.listSentTransactions()).size, await readMovedUsd()]).toEqual([1, 11.500749]);
    await expect(model.act("topup", TOPUP_ARGUMENTS)).rejects.toThrow("simulation_failed");
    expect(await readMovedUsd()).toBe(11.500749);
  });

  test("block actions when the day's activity cannot be counted", async () => {
    const service = createSdkService();
    const time = new Date(service.clock.now()).toISOString();
    const deposit = { type: "deposit", time, status: "confirmed", amounts: [], txSignature: THROUGH };
    for (let i = 0; i < 6; i++) service.activity.push(deposit);
    const page = { items: [deposit], nextBefore: THROUGH };
    const floodedFetch = createFetchWithAnswer(service, "/api/activity/", { ok: true, data: page });
    const failure = { ok: false, error: "Away.", code: "upstream_unavailable" };
    const unavailableFetch = createFetchWithAnswer(service, "/api/activity/", failure, 502);
    for (const [fetch, reason] of [[floodedFetch, "more activity"] as const, [unavailableFetch, "Away."] as const])
      await expect((await startMcpClient(service, { fetch })).preview("topup", TOPUP_ARGUMENTS)).rejects.toThrow(
        reason,
      );
    expect(service.listSentTransactions()).toEqual([]);
  });

  test("count a saving in USDC in dollars, whoever signs it, and let it spend SOL for its costs", async () => {
    const bounds = { keepLamports: 10_000_000_000n, perDayMicroUsd: 12_000_000n };
    const { model } = await startModel({ bounds });
    const topup = { ...TOPUP_ARGUMENTS, payWith: "USDC" };
    const signed = await model.preview("topup", topup);
    expect(signed.summary).toMatch(
      /^Top up of \$11\.50: 11\.5 USDC leaves the wallet, with 0\.02875 USDC service fee\. The wallet also pays 0\.000005 SOL network fee and at most 0\.00\d+ SOL refundable deposit\.$/,
    );
    const preview = await model.preview("topup", { ...topup, by: "allowance" });
    expect(preview.summary).toContain("service fee. The savings wallet signs by the allowance and pays 0.000005 SOL");
    expect(preview).toMatchObject({ leaves: [{ asset: "USDC", amount: "11500000" }, { asset: "SOL" }] });
    expect(preview).toMatchObject({ arrives: [{ asset: "USDC", amount: "11471250" }], serviceFeeUnits: 28_750 });
    expect(await model.confirm("topup", preview)).toMatchObject({ status: "done" });
    // The most that the deposit can be counts too.
    await expect(model.confirm("topup", signed)).rejects.toThrow("This moves $11.806642, after $11.806642");
  });

  test("preserve the wallet's minimum balance", async () => {
    const { model } = await startModel({ bounds: { keepLamports: 9_950_000_000n } });
    await expect(model.preview("topup", TOPUP_ARGUMENTS)).rejects.toThrow("keep less than its minimum of 9.95 SOL");
    expect((await model.preview("topup", { amountUsd: 5 })).summary).toContain("Top up of $5.00");
  });

  test("preserve the minimum balance for a preview from before another action", async () => {
    const service = createSdkService();
    let pendingLamports = 10_000_000_000;
    const fetch: Service["fetch"] = async (address, init) => {
      const response = await service.fetch!(address, init);
      if (!String(address).includes("/api/overview/")) return response;
      const { ok, data } = await response.json();
      return Response.json({ ok, data: { ...data, portfolio: { ...data.portfolio, pendingLamports } } });
    };
    const model = await startMcpClient(service, { fetch, bounds: { keepLamports: 9_900_000_000n } });
    const previewA = await model.preview("topup", TOPUP_ARGUMENTS);
    const previewB = await model.preview("topup", TOPUP_ARGUMENTS);
    expect(await model.confirm("topup", previewA)).toMatchObject({ status: "done" });
    pendingLamports = 9_920_000_000;
    await expect(model.confirm("topup", previewB)).rejects.toThrow("minimum of 9.9 SOL");
  });
});

describe("a service that quotes SOL too low", () => {
  const ONE_DOLLAR_LIMIT = { perActionMicroUsd: 1_000_000n };
  /** Sets the price that the service reports, and the price that its builds use. */
  const setSolPrices = (service: Service, statedUsd: number, buildUsd: number) => {
    service.prices.SOL = statedUsd;
    setPrices(service.deps, { usd: { ...PRICES_USD, SOL: buildUsd } });
  };

  test("cannot pass off a top-up that takes $400 as a small action", async () => {
    const { service, model } = await startModel({ bounds: ONE_DOLLAR_LIMIT });
    setSolPrices(service, 0.0001, 10);
    await expect(model.preview("topup", { amountUsd: 27 })).rejects.toThrow("This moves $27");
    expect(service.listSentTransactions()).toEqual([]);
  });

  test("is limited by the price of the build and by the confirmed price", async () => {
    const { service, model, startOther } = await startModel();
    await model.act("topup", { amountUsd: 1 });
    const limitedModel = await startOther({ bounds: ONE_DOLLAR_LIMIT });
    setSolPrices(service, 0.0001, 150);
    await expect(limitedModel.preview("topup", { amountUsd: 1 })).rejects.toThrow("This moves $1.000749");
    await expect(limitedModel.preview("invest", INVEST_ARGUMENTS)).rejects.toThrow("SOL costs $0.0001");
    setSolPrices(service, 140, 140);
    await expect(limitedModel.preview("invest", INVEST_ARGUMENTS), "0.1 SOL at the confirmed $150").rejects.toThrow(
      "This moves $15",
    );
  });

  test("cannot block a withdrawal with a price that moved too far", async () => {
    const { service, model } = await startModel();
    await model.act("topup", TOPUP_ARGUMENTS);
    setSolPrices(service, 75, 75);
    await expect(model.preview("topup", TOPUP_ARGUMENTS)).rejects.toThrow("It was $150.00 when it was confirmed");
    expect(await model.act("withdraw")).toMatchObject({ status: "done" });
    expect(service.listSentTransactions()).toHaveLength(2);
  });
});

test("answers and the log contain no control characters of the service", async () => {
  const service = createSdkService();
  const error = "No.\u001b[2K\r\u202eall is well\u009b1A\nNothing was sent.";
  const fetch = createFetchWithAnswer(service, "/api/topup", { ok: false, error, code: "no_route" }, 422);
  const model = await startMcpClient(service, { fetch });
  for (const text of [readText(await model.call("preview_topup", TOPUP_ARGUMENTS)), model.logLines.at(-1)])
    expect(text).toContain("No.all is well Nothing was sent.");
});

test.each([
  ["done", 149.9],
  ["The figures have changed since the preview", 147],
])("a confirmation is answered with “%s” after the SOL price moves from 150 to %d USD", async (expected, SOL) => {
  const { service, model } = await startModel();
  const preview = await model.preview("topup", TOPUP_ARGUMENTS);
  setPrices(service.deps, { usd: { ...PRICES_USD, SOL } });
  const answer = await model.confirm("topup", preview).then(({ status }) => status, String);
  expect(answer).toContain(expected);
  expect(service.listSentTransactions()).toHaveLength(expected === "done" ? 1 : 0);
});
