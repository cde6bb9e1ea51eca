import { describe, expect, test } from "vitest";
import { RESERVED_SAVINGS } from "@/lib/domain/allowance";
import { ASSETS } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import type { Reason } from "@/lib/domain/not-as-shown";
import { verifyAllowance, verifyRevocation } from "@/lib/sdk/verify/allowance";
import { buildSetComputeUnitLimit, buildSetComputeUnitPrice } from "@/lib/solana/compute-budget";
import type { InstructionLike } from "@/lib/solana/instructions";
import { buildMemo } from "@/lib/solana/memo";
import { TOKEN_2022_PROGRAM } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import {
  buildApproveChecked,
  buildCreateAssociatedTokenAccount,
  buildRevoke,
  buildTransferChecked,
} from "@/lib/solana/token-instructions";
import { FEE_COLLECTORS } from "../../../support/fakes/fake-deps";
import { catchReason } from "../../../support/fixtures/catch-reason";
import { addUnitLimit, composeBase64, createSystemInstruction } from "../../../support/fixtures/test-transactions";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { user } from "../../../support/worlds/relay-rig";
import { stageAllowance } from "../../../support/worlds/usdc-world";

const world = await stageAllowance();
const WALLET = user.address;
const SERVICE = world.serviceWallet.address;
const THIEF = toTestWallet("thief").address;
const { USDC, USDT } = ASSETS;
const REQUEST = { wallet: WALLET, serviceWallet: SERVICE, amountUsd: 25 };
const UNITS = 25_000_000n;

/** What the service builds for a new service wallet. */
const BUILD = await world.build(25);
type Four<T> = [T, T, T, T];
const [OPENING, FEE, RESERVE, APPROVAL] = BUILD.instructions as InstructionLike[] as Four<InstructionLike>;
const { breakdown: BREAKDOWN } = BUILD;
const [FEE_LAMPORTS, RESERVE_LAMPORTS] = [BREAKDOWN.serviceFeeLamports, BREAKDOWN.reserveLamports];
const collector = BREAKDOWN.feeCollector!;

type Build = typeof BUILD;
/** Returns a build with these instructions and members of the breakdown. */
function rebuild(instructions: InstructionLike[], breakdown: Partial<Build["breakdown"]> = {}, payer = WALLET): Build {
  const transaction = { ...BUILD.transaction!, base64: composeBase64(payer, addUnitLimit(instructions)) };
  return { ...BUILD, transaction, unsigned: transaction, breakdown: { ...BREAKDOWN, ...breakdown } };
}
const findRefusal = (build: Build, request = REQUEST) => catchReason(() => verifyAllowance(build, request));

const approveToken = { account: deriveUsdcAccount(WALLET), delegate: SERVICE, owner: WALLET, ...USDC, amount: UNITS };
const approve = (changes: Partial<typeof approveToken>, program?: string) =>
  buildApproveChecked({ ...approveToken, ...changes }, program);
const allBut = (index: number, ...replacement: InstructionLike[]) =>
  [OPENING, FEE, RESERVE, APPROVAL].toSpliced(index, 1, ...replacement);

describe("an honest allowance verifies", () => {
  test("for a new service wallet, with the most that its account can cost", () => {
    const figures = verifyAllowance(BUILD, REQUEST);
    expect(figures).toMatchObject({ reserveLamports: BigInt(RESERVE_LAMPORTS), serviceFeeLamports: 250n });
    expect(figures.tokenAccountDepositLamports).toBeGreaterThanOrEqual(BREAKDOWN.tokenAccountDepositLamports);
    const { totalLamports, ...costs } = figures;
    expect(totalLamports).toBe(Object.values(costs).reduce((sum, lamports) => sum + lamports, 0n));
  });

  test("for a service wallet that needs nothing", () => {
    const costs = { reserveLamports: 0, serviceFeeLamports: 0, tokenAccountDepositLamports: 0, feeCollector: null };
    const renewal = rebuild([APPROVAL], { ...costs, totalLamports: BREAKDOWN.networkFeeLamports });
    expect(verifyAllowance(renewal, REQUEST)).toMatchObject({ reserveLamports: 0n, totalLamports: 5_000n });
  });
});

describe("an allowance is refused", () => {
  test.each<[string, Reason, InstructionLike[]]>([
    ["for a thief", "other_wallet", allBut(3, approve({ delegate: THIEF }))],
    ["of another amount", "not_asked_for", allBut(3, approve({ amount: UNITS + 1n }))],
    ["of everything", "not_asked_for", allBut(3, approve({ amount: 2n ** 64n - 1n }))],
    ["of another token", "other_token", allBut(3, approve({ mint: USDT.mint }))],
    ["of another token program", "other_token", allBut(3, approve({}, TOKEN_2022_PROGRAM))],
    ["with other decimals", "other_token", allBut(3, approve({ decimals: 9 }))],
    ["of another account", "foreign_account", allBut(3, approve({ account: deriveUsdcAccount(THIEF) }))],
    ["twice, first for a thief", "unknown_instruction", [approve({ delegate: THIEF }), ...BUILD.instructions]],
    ["without the approval", "unknown_instruction", allBut(3)],
    ["without instructions", "unknown_instruction", []],
    ["with the reserve for a thief", "other_wallet", allBut(2, buildSystemTransfer(WALLET, THIEF, 990_880n))],
    ["with the fee for a thief", "sol_elsewhere", allBut(1, buildSystemTransfer(WALLET, THIEF, 250n))],
    ["with the fee for the wallet itself", "sol_elsewhere", allBut(1, buildSystemTransfer(WALLET, WALLET, 250n))],
    ["with a reserve that was not shown", "other_amount", allBut(2, buildSystemTransfer(WALLET, SERVICE, 990_881n))],
    ["with a fee above 0.25 %", "fee_too_high", allBut(1, buildSystemTransfer(WALLET, collector, 2_478n))],
    ["without the fee", "unknown_instruction", allBut(1)],
    ["with a third transfer", "unknown_instruction", [buildSystemTransfer(WALLET, THIEF, 1n), ...BUILD.instructions]],
    ["with a memo", "unknown_instruction", [buildMemo("x", WALLET), ...BUILD.instructions]],
    ["that hands the wallet to a program", "unknown_instruction", allBut(1, createSystemInstruction(WALLET, 1))],
    ["that opens a thief's account", "foreign_account", allBut(0, open(THIEF, USDC.mint))],
    ["that opens an account of another token", "foreign_account", allBut(0, open(SERVICE, USDT.mint))],
    ["that opens two accounts", "unknown_instruction", [OPENING, ...BUILD.instructions]],
    ["that moves USDC at once", "unknown_instruction", [transferUsdc(), ...BUILD.instructions]],
    ["with another required signer", "other_signer", [...BUILD.instructions, buildSystemTransfer(THIEF, WALLET, 1n)]],
    ["with a high unit limit", "network_fee", [buildSetComputeUnitLimit(1_400_000), ...BUILD.instructions]],
    ["with a high price", "network_fee", [buildSetComputeUnitPrice(10n ** 9n), ...BUILD.instructions]],
  ])("%s", (_name, reason, instructions) => {
    expect(findRefusal(rebuild(instructions))).toBe(reason);
  });

  test("with a reserve above rent and 20 fees, even if it is shown", () => {
    const lamports = 20_000_000;
    const hostile = rebuild(allBut(2, buildSystemTransfer(WALLET, SERVICE, BigInt(lamports))), {
      reserveLamports: lamports,
      totalLamports: BREAKDOWN.totalLamports - RESERVE_LAMPORTS + lamports,
    });
    expect(findRefusal(hostile)).toBe("too_much_sol");
    expect(RESERVED_SAVINGS).toBe(20n);
  });

  test.each<[string, Reason, Partial<Build["breakdown"]>]>([
    ["amount", "not_asked_for", { amountUsd: 5 }],
    ["units", "other_amount", { amountUnits: "5000000" }],
    ["reserve", "other_amount", { reserveLamports: RESERVE_LAMPORTS - 1 }],
    ["fee", "other_amount", { serviceFeeLamports: FEE_LAMPORTS - 1 }],
    ["deposit", "other_amount", { tokenAccountDepositLamports: 10_000_000 }],
    ["network fee", "network_fee", { networkFeeLamports: 0 }],
    ["total", "total", { totalLamports: BREAKDOWN.totalLamports - 1 }],
    ["collector", "sol_elsewhere", { feeCollector: FEE_COLLECTORS.find((address) => address !== collector)! }],
  ])("with another %s than its bytes have", (_name, reason, breakdown) => {
    expect(findRefusal({ ...BUILD, breakdown: { ...BREAKDOWN, ...breakdown } })).toBe(reason);
  });

  test("that another wallet pays, or in two forms", () => {
    expect(findRefusal(rebuild(BUILD.instructions, {}, THIEF))).toBe("other_signer");
    expect(findRefusal({ ...BUILD, unsigned: rebuild([APPROVAL]).unsigned })).toBe("two_transactions");
    expect(findRefusal({ ...BUILD, transaction: null })).toBe("nothing_to_sign");
  });
});

const open = (owner: string, mint: string) => buildCreateAssociatedTokenAccount({ payer: WALLET, owner, mint });
const transferUsdc = () =>
  buildTransferChecked({
    source: deriveUsdcAccount(WALLET),
    destination: deriveUsdcAccount(THIEF),
    authority: WALLET,
    ...USDC,
    amount: 1n,
  });

describe("a revocation", () => {
  const revoke = (changes = {}, program?: string) =>
    buildRevoke({ account: deriveUsdcAccount(WALLET), owner: WALLET, ...changes }, program);
  const toRevocation = (...instructions: InstructionLike[]) => {
    const { transaction, unsigned } = rebuild(instructions);
    return { transaction, unsigned, breakdown: { networkFeeLamports: 5_000, totalLamports: 5_000 } };
  };

  test("verifies", () => {
    expect(verifyRevocation(toRevocation(revoke()), WALLET)).toEqual({ networkFeeLamports: 5_000n });
  });

  test.each<[string, Reason, InstructionLike[]]>([
    ["of another account", "foreign_account", [revoke({ account: deriveUsdcAccount(THIEF) })]],
    ["of another token program", "unknown_instruction", [revoke({}, TOKEN_2022_PROGRAM)]],
    ["that approves instead", "unknown_instruction", [approve({ delegate: THIEF })]],
    ["with an approval", "unknown_instruction", [revoke(), approve({ delegate: THIEF })]],
    ["with a transfer", "unknown_instruction", [revoke(), buildSystemTransfer(WALLET, THIEF, 1n)]],
    ["without instructions", "unknown_instruction", []],
  ])("%s is refused", (_name, reason, instructions) => {
    expect(catchReason(() => verifyRevocation(toRevocation(...instructions), WALLET))).toBe(reason);
  });

  test("with a total that hides a cost is refused", () => {
    const build = toRevocation(revoke());
    const breakdown = { ...build.breakdown, totalLamports: 4_000 };
    expect(catchReason(() => verifyRevocation({ ...build, breakdown }, WALLET))).toBe("total");
  });
});
