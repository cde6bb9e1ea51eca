import { createHash } from "node:crypto";
import bs58 from "bs58";
import { expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { createThroughMark, formatMark } from "../../../lib/domain/marks";
import { createReferenceMark } from "../../../lib/domain/reference";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import { addDraftBudget, chooseBudget, describeShape, NO_PRIORITY_FEE, toDecoded } from "../../../lib/solana/budget";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import { NATIVE_MINT, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  countDerivationSteps,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { ONE_SOL, openStoppedChain, putAccount, putTokens } from "../../support/chain/sandbox-rig";
import { createSeededRandom } from "../../support/fakes/seeded-random";
import { appendExtensions, type Extensions } from "../../support/fixtures/token-account";

/** The number of transactions that are compared with another one of their shape. */
const RUNS = 10_000;
const SEED = Number(process.env.FUZZ_SEED ?? 42);

/** Owners whose accounts for USDC are derived in 9 to 18 steps. Most random owners have fewer. */
const RARE_OWNERS = [670, 367, 80, 1_814, 2_547, 5_873, 24_648, 254_455, 67_514, 2_877];

const random = createSeededRandom(SEED);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
const pickInteger = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
const toOwner = (number: number) => bs58.encode(createHash("sha256").update(`owner ${number}`).digest());
const pickBytes = (length: number) => Uint8Array.from({ length }, () => pickInteger(0, 255));
const pickAddress = () => bs58.encode(pickBytes(32));

interface Token {
  mint: string;
  program: string;
  accountExtensions: Extensions;
}

const repeatByte = (length: number) => new Uint8Array(length);
const IMMUTABLE_OWNER: Extensions[number] = [7, repeatByte(0)];
/** The extensions of Token-2022 mints, and of their accounts. The numbers are those of `ExtensionType`. */
const MINT_KINDS: [mint: Extensions, account: Extensions][] = [
  [[], []],
  [[[1, repeatByte(108)]], [[2, repeatByte(8)]]],
  [[[3, repeatByte(32)]], []],
  [[[12, repeatByte(32)]], []],
  [
    [
      [1, repeatByte(108)],
      [12, repeatByte(32)],
      [18, repeatByte(64)],
    ],
    [[2, repeatByte(8)]],
  ],
];

const { chain } = openStoppedChain();

function createTokens(): Token[] {
  const others = Array.from({ length: 8 }, (_, i) => {
    const mint = i === 0 ? ASSETS.USDC.mint : pickAddress();
    putAccount(chain, mint, TOKEN_PROGRAM, encodeMint(null, 6));
    return { mint, program: TOKEN_PROGRAM, accountExtensions: [] };
  });
  const newer = MINT_KINDS.flatMap(([mintExtensions, accountExtensions]) =>
    [1, 2].map(() => {
      const mint = pickAddress();
      putAccount(chain, mint, TOKEN_2022_PROGRAM, appendExtensions(encodeMint(null, 6), 1, mintExtensions));
      return { mint, program: TOKEN_2022_PROGRAM, accountExtensions: [IMMUTABLE_OWNER, ...accountExtensions] };
    }),
  );
  return [...others, ...newer];
}

const TEXTS = ["order 7", "Bestellung für Zoë", "注文 №42 🧾", "x".repeat(64)];
const MEMO_LETTERS = ["a", "5", ":", "é", "文", "🧾"];

function pickMemo(): string {
  const kind = pickInteger(0, 5);
  if (kind <= 1)
    return formatMark(createThroughMark(bs58.encode(pickBytes(64)), pick(["none", bs58.encode(pickBytes(64))])));
  if (kind === 2) return formatMark({ kind: "topup", value: pick(["2026-W48", "2026-11-29", "my-own.period_1", "a"]) });
  if (kind === 3) return formatMark(createReferenceMark(pickAddress(), `${pick(TEXTS)} ${pickInteger(0, 1e9)}`));
  const letters = kind === 4 ? MEMO_LETTERS.slice(0, 3) : MEMO_LETTERS;
  return Array.from({ length: pickInteger(1, 120) }, () => pick(letters)).join("");
}

function createSaving(payer: string): InstructionLike[] {
  const serviceWallet = pickAddress();
  if (random() < 0.5)
    chain.setAccount(serviceWallet, { lamports: ONE_SOL, owner: SYSTEM_PROGRAM, data: repeatByte(0) });
  const reference = random() < 0.3 ? pickAddress() : undefined;
  return [
    buildSystemTransfer(payer, serviceWallet, BigInt(pickInteger(2_000_000, 900_000_000)), reference),
    buildSystemTransfer(payer, pickAddress(), BigInt(pickInteger(2_000_000, 9_000_000))),
    ...(random() < 0.9 ? [buildMemo(pickMemo(), payer)] : []),
  ];
}

/** Moves one token account to the destination, or only closes it. */
function createMove(payer: string, destination: string, token: Token): InstructionLike[] {
  const { mint, program, accountExtensions } = token;
  const source = pickAddress();
  const kind = random();
  if (kind < 0.1) {
    putTokens(chain, payer, NATIVE_MINT, BigInt(pickInteger(0, 1e9)), { address: source });
    return [buildCloseAccount({ account: source, destination: payer, owner: payer })];
  }
  const amount = kind < 0.2 ? 0n : BigInt(pickInteger(1, 2 ** 50));
  putTokens(chain, payer, mint, amount, { address: source, program, extensions: accountExtensions });
  const close = buildCloseAccount({ account: source, destination: payer, owner: payer }, program);
  if (amount === 0n) return [close];
  const target = deriveAssociatedTokenAddress(destination, mint, program);
  const isOpen = chain.getAccount(target)?.owner === program;
  return [
    ...(isOpen ? [] : [buildCreateAssociatedTokenAccount({ payer, owner: destination, mint }, program)]),
    buildTransferChecked({ source, destination: target, authority: payer, mint, amount, decimals: 6 }, program),
    ...(random() < 0.8 ? [close] : []),
  ];
}

function createWithdrawal(payer: string, tokens: Token[]): InstructionLike[] {
  const rareOwner = random() < 0.1 ? pick(RARE_OWNERS) : null;
  const destination = toOwner(rareOwner ?? pickInteger(10_000, 1e9));
  const chosenTokens =
    rareOwner === null ? Array.from({ length: pickInteger(1, 2) }, () => pick(tokens)) : [tokens[0]!];
  const uniqueTokens = [...new Set(chosenTokens)];
  for (const { mint, program, accountExtensions } of uniqueTokens) {
    const address = deriveAssociatedTokenAddress(destination, mint, program);
    const state = random();
    // Anyone can send SOL to an address before the token account is opened there.
    if (state < 0.1)
      chain.setAccount(address, { lamports: ONE_SOL / 1000n, owner: SYSTEM_PROGRAM, data: repeatByte(0) });
    else if (state < 0.3) putTokens(chain, destination, mint, 5n, { address, program, extensions: accountExtensions });
    else chain.setAccount(address, { lamports: 0n, owner: SYSTEM_PROGRAM, data: repeatByte(0) });
  }
  const moves = uniqueTokens.flatMap((token) => createMove(payer, destination, token));
  return random() < 0.5 ? moves : [...moves, buildSystemTransfer(payer, destination, BigInt(pickInteger(1e7, 1e9)))];
}

interface Sample {
  unitsUsed: number;
  payer: string;
  instructions: InstructionLike[];
}

/** Simulates a transaction. @returns the units that it used. @throws Error when it fails */
function simulate(payer: string, instructions: InstructionLike[]): number {
  const { blockhash } = chain.getLatestBlockhash();
  const { bytes } = composeTransaction({ payer, instructions, blockhash });
  const { err, unitsConsumed, logs } = chain.simulate(bytes, { sigVerify: false, replaceRecentBlockhash: true });
  if (err !== null) throw new Error(`${JSON.stringify(err)}\n${logs.join("\n")}`);
  return unitsConsumed;
}

test("a transaction gets by with the units that any other transaction of its shape used", () => {
  const tokens = createTokens();
  const shapes = new Map<string, { least: Sample; most: Sample }>();
  // The first transaction of a shape is compared with none.
  for (let run = 0; run - shapes.size < RUNS; run++) {
    const payer = pickAddress();
    chain.setAccount(payer, { lamports: 100n * ONE_SOL, owner: SYSTEM_PROGRAM, data: repeatByte(0) });
    const instructions = run % 3 === 0 ? createSaving(payer) : createWithdrawal(payer, tokens);
    const sample = { payer, instructions, unitsUsed: simulate(payer, addDraftBudget(instructions)) };
    const shape = describeShape(instructions.map(toDecoded));
    const { least, most } = shapes.get(shape) ?? { least: sample, most: sample };
    shapes.set(shape, {
      least: sample.unitsUsed < least.unitsUsed ? sample : least,
      most: sample.unitsUsed > most.unitsUsed ? sample : most,
    });
  }
  const coarseShapes = [...shapes].flatMap(([shape, { least, most }]) => {
    const { unitLimit } = chooseBudget(most.instructions, NO_PRIORITY_FEE, least.unitsUsed);
    return unitLimit < most.unitsUsed ? [`${shape}: ${least.unitsUsed} to ${most.unitsUsed} units`] : [];
  });
  expect(coarseShapes).toEqual([]);
});

test("the owners of rare accounts have each number of derivation steps from 9 to 18", () => {
  const countSteps = (owner: number) => countDerivationSteps(toOwner(owner), ASSETS.USDC.mint, TOKEN_PROGRAM);
  expect(RARE_OWNERS.map(countSteps)).toEqual(Array.from({ length: RARE_OWNERS.length }, (_, i) => 9 + i));
});
