import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../../lib/domain/dollar-accounts";
import { attach } from "../../../../lib/sdk";
import type { PayTerms } from "../../../../lib/sdk/requests";
import { createKeyWallet } from "../../../../lib/sdk/sign/key-wallet";
import { fromBase64 } from "../../../../lib/solana/bytes";
import { buildTransferChecked } from "../../../../lib/solana/token-instructions";
import { decodeTransaction } from "../../../../lib/solana/transactions";
import { ONE_SOL, putTokens } from "../../../support/chain/sandbox-rig";
import { composeBase64 } from "../../../support/fixtures/test-transactions";
import { LONG_MS, stranger, user } from "../../../support/worlds/relay-rig";
import { stageUsdcWallet } from "../../../support/worlds/usdc-programs";

const { USDC } = ASSETS;
const [SIGNED, BY_ALLOWANCE]: [PayTerms, PayTerms] = [{ payWith: "USDC" }, { payWith: "USDC", by: "allowance" }];
const confirm = () => true;

test.each([
  ["signature", SIGNED],
  ["allowance, without the user's key", BY_ALLOWANCE],
])(
  "a saving by %s moves the change in USDC, and the signer pays only the network fee and a deposit",
  async (_by, pay) => {
    const world = await stageUsdcWallet();
    const { run, serviceWallet, readUnits, readLamports } = world;
    const roundup = pay.by ? await world.startWithoutUserKey() : world.start();
    const request = await world.pay();
    const [signer, other] = pay.by ? [serviceWallet, user.address] : [user.address, serviceWallet];
    const before = { units: readUnits(user.address), signer: readLamports(signer), other: readLamports(other) };
    const result = await run(roundup.save({ ...request, ...pay }, confirm));
    const { breakdown } = (result as Extract<typeof result, { status: "done" }>).transactions[0]!.about;
    expect(breakdown).toMatchObject({ roundUpUnits: 600_000, serviceFeeUnits: 1_500, userInvestmentUnits: 598_500 });
    expect(breakdown).toMatchObject({ roundUpLamports: 0, activationLamports: 0 });
    expect(before.units - readUnits(user.address)).toBe(600_000n);
    expect(readUnits(serviceWallet)).toBe(598_500n);
    const depositLamports = readLamports(deriveUsdcAccount(serviceWallet));
    expect(before.signer - readLamports(signer)).toBe(BigInt(breakdown.networkFeeLamports) + depositLamports);
    expect(breakdown.tokenAccountDepositLamports).toBeGreaterThanOrEqual(Number(depositLamports));
    expect(readLamports(other)).toBe(before.other);
    expect((await run(roundup.spending())).items).toEqual([]);
    // The next one opens no account, so the user's signature would not name the service wallet.
    expect(await run(roundup.topup({ amountUsd: 1, ...pay }, confirm))).toMatchObject({ status: "done" });
    await world.deps.clock.advance(5_000);
    const { items } = await run(roundup.activity());
    expect(items.map(({ type, usdValue }) => [type, usdValue])).toEqual([
      ["round_up", 0.9975],
      ["round_up", 0.5985],
    ]);
  },
);

describe("payments are saved once", () => {
  test("if the outcome of one saving is lost and the next one is of the other kind", async () => {
    const world = await stageUsdcWallet();
    const { run, readUnits } = world;
    const machine = world.createMachine();
    const [roundup, keyless] = [world.start(machine), await world.startWithoutUserKey(machine)];
    const request = await world.pay();
    world.isLost = (path) => path === "/api/swap/execute";
    expect(await run(roundup.save({ ...request, ...SIGNED }, confirm))).toMatchObject({ status: "unknown" });
    world.isLost = () => false;
    const second = run(keyless.save({ ...request, ...BY_ALLOWANCE }, confirm));
    expect(await second).toMatchObject({ status: "earlier", outcome: "landed" });
    const third = run(keyless.save({ ...request, ...BY_ALLOWANCE }, confirm));
    expect(await third).toMatchObject({ status: "elsewhere", error: { code: "already_saved" } });
    expect(readUnits(world.serviceWallet)).toBe(598_500n);
  });

  test.each([
    ["one machine", true],
    ["two machines", false],
  ])("if both kinds start at the same time on %s", async (_where, isShared) => {
    const world = await stageUsdcWallet();
    const machine = world.createMachine();
    const roundup = world.start(machine);
    const keyless = await world.startWithoutUserKey(isShared ? machine : world.createMachine());
    const request = await world.pay();
    const results = await world.run(
      Promise.all([
        roundup.save({ ...request, ...SIGNED }, confirm),
        keyless.save({ ...request, ...BY_ALLOWANCE }, confirm),
      ]),
    );
    expect(results.filter(({ status }) => status === "done")).toHaveLength(1);
    expect(world.readUnits(world.serviceWallet)).toBe(598_500n);
  });
});

test("the service wallet's key signs nothing that the user's own wallet must sign", async () => {
  const world = await stageUsdcWallet();
  const roundup = await world.startWithoutUserKey();
  world.setLamports(user.address, ONE_SOL);
  const request = await world.pay();
  for (const pay of [SIGNED, {}]) {
    const result = await world.run(roundup.save({ ...request, ...pay }, confirm));
    expect(result).toMatchObject({ status: "failed", error: { name: "RangeError" } });
  }
  expect(world.posted).toEqual([]);
});

test("a doubtful price of SOL stops a saving in SOL, and not one in USDC", async () => {
  const world = await stageUsdcWallet();
  world.setLamports(user.address, ONE_SOL);
  const roundup = world.start(world.createMachine());
  await roundup.priceGuard.confirm({ SOL: 150 });
  world.setSolPrice(450);
  await world.deps.clock.advance(LONG_MS);
  const save = (pay: PayTerms) => world.run(roundup.save({ purchasesUsd: [10.4], plan: "forest", ...pay }, confirm));
  expect(await save({})).toMatchObject({ status: "refused", reason: expect.stringContaining("SOL costs $450") });
  expect(await save(SIGNED)).toMatchObject({ status: "done" });
});

test.each<[string, PayTerms, { lamports?: bigint; units?: bigint }, RegExp]>([
  ["USDC", SIGNED, { units: 1n }, /^The wallet holds less than \$0\.60 of USDC\.$/],
  ["SOL in the wallet", SIGNED, { lamports: 0n }, /^The wallet holds too little SOL .+ It needs \$0\.\d\d of SOL/],
  ["SOL in the service wallet", BY_ALLOWANCE, { lamports: 0n }, /^The savings wallet holds too little SOL .+ \$0\.\d/],
])("a saving that cannot be paid says in dollars that it lacks %s", async (_what, pay, { lamports, units }, text) => {
  const world = await stageUsdcWallet();
  const roundup = world.start();
  if (units !== undefined) putTokens(world.chain, user.address, USDC.mint, units);
  if (lamports !== undefined) world.setLamports(pay.by ? world.serviceWallet : user.address, lamports);
  const result = await world.run(roundup.save({ purchasesUsd: [10.4], plan: "forest", ...pay }, confirm));
  expect(result).toMatchObject({ status: "refused", reason: expect.stringMatching(text) });
});

test("attach puts a saving in USDC before the payment that ends the app's transaction, and both land", async () => {
  const world = await stageUsdcWallet();
  const { chain, run, serviceWallet, readUnits } = world;
  const calls = await world.start().calls();
  const payment = buildTransferChecked({
    source: deriveUsdcAccount(user.address),
    destination: deriveUsdcAccount(stranger.address),
    authority: user.address,
    ...USDC,
    amount: 10_400_000n,
  });
  const terms = { plan: "forest", reference: "order-1", payWith: "USDC" } as const;
  const wrap = await run(
    calls.post("/api/wrap", {
      ...terms,
      txValueUsd: 10.4,
      userPubkey: user.address,
      serviceWalletPubkey: serviceWallet,
    }),
  );
  const { blockhash } = chain.getLatestBlockhash();
  const sale = composeBase64(user.address, [payment], { blockhash });
  const request = { ...terms, wallet: user.address, serviceWallet, purchasesUsd: [10.4] };
  expect(() => attach(sale, wrap, { ...request, payWith: "SOL" })).toThrow();
  const attached = attach(sale, wrap, request);
  const { compiledInstructions, staticAccountKeys } = decodeTransaction(fromBase64(attached)!).decoded.message;
  const lastKeys = compiledInstructions.at(-1)!.accountKeyIndexes.map((index) => staticAccountKeys[index]!.toBase58());
  expect(lastKeys).toEqual(payment.accounts.map(({ pubkey }) => pubkey));
  const before = readUnits(stranger.address);
  const signed = await createKeyWallet(user.keys.secretKey).signTransaction(attached);
  const signature = chain.send(Buffer.from(signed, "base64"));
  const landed = chain.findTransaction(signature)!;
  expect(landed).toMatchObject({ err: null });
  expect(readUnits(stranger.address) - before).toBe(10_400_000n);
  expect(readUnits(serviceWallet)).toBe(598_500n);
  await world.deps.clock.advance(5_000);
  const reference = await run(calls.get("/api/references/order-1"));
  expect(reference).toMatchObject({ state: "confirmed", transactions: [signature] });
});
