import { Keypair, PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { buildInstruction, toWritable } from "../../../lib/solana/instructions";
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { buildTokenAccountData, PLAIN_MINT, readMintRules, readTokenAccount } from "../../../lib/solana/token-accounts";
import {
  buildCreateAssociatedTokenAccount,
  buildMintToChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import { buildSigned, fundKeypair, openStoppedChain, toAddress, toWeb3 } from "../../support/chain/sandbox-rig";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const repeatByte = (length: number, value = 0) => Array<number>(length).fill(value);

/** Mint extensions by their size and the Token-2022 instructions that set them up before the mint is initialized. */
const EXTENSIONS: Record<string, { length: number | null; init: (key: number[]) => number[]; fault?: RegExp }> = {
  none: { length: null, init: () => [] },
  "transfer fee": { length: 108, init: (key) => [26, 0, 1, ...key, 1, ...key, 10, 0, ...repeatByte(8, 255)] },
  "non-transferable": { length: 0, init: () => [32], fault: /non-transferable/ },
  "transfer hook": { length: 64, init: (key) => [36, 0, ...key, ...key], fault: /transfer hook/ },
  "transfer hook without a program": { length: 64, init: (key) => [36, 0, ...key, ...repeatByte(32)] },
  "accounts begin frozen": { length: 1, init: () => [28, 0, 2] },
  "accounts begin open": { length: 1, init: () => [28, 0, 1] },
  pausable: { length: 33, init: (key) => [44, 0, ...key] },
  "permanent delegate": { length: 32, init: (key) => [35, ...key] },
};

const { chain } = openStoppedChain();
const issuer = fundKeypair(chain);

function runTransaction(signers: Keypair[], instructions: TransactionInstruction[]): void {
  const { blockhash } = chain.getLatestBlockhash();
  const raw = buildSigned(blockhash, signers, instructions).serialize();
  expect(chain.findTransaction(chain.send(raw, { skipPreflight: true }))?.err).toBeNull();
}

/** Tag of the token instruction that initializes a mint. Source: `TokenInstruction::InitializeMint2`. */
const INITIALIZE_MINT = 20;

/** Lets the program create a mint with the extension, and the issuer's associated account. */
function createMint(program: string, length: number | null, init: number[]): { mint: string; account: string } {
  const key = Keypair.generate();
  const [owner, mint] = [toAddress(issuer), toAddress(key)];
  const space = length === null ? 82 : 165 + 1 + 4 + length;
  const authority = [...issuer.publicKey.toBytes()];
  const onMint = (data: number[]) => toWeb3(buildInstruction(program, [toWritable(mint)], Uint8Array.from(data)));
  const create = SystemProgram.createAccount({
    fromPubkey: issuer.publicKey,
    newAccountPubkey: key.publicKey,
    lamports: Number(chain.computeRentExemptMinimum(space)),
    space,
    programId: new PublicKey(program),
  });
  const open = toWeb3(buildCreateAssociatedTokenAccount({ payer: owner, owner, mint }, program));
  const extension = init.length > 0 ? [onMint(init)] : [];
  runTransaction(
    [issuer, key],
    [create, ...extension, onMint([INITIALIZE_MINT, 6, ...authority, 1, ...authority]), open],
  );
  return { mint, account: deriveAssociatedTokenAddress(owner, mint, program) };
}

const readData = (address: string) => chain.getAccount(address)!.data;

// The program itself creates the accounts whose size and state the reader predicts.
test.each(Object.entries(EXTENSIONS))(
  "a Token-2022 mint predicts the size and state of its accounts, with the extension: %s",
  (name, { length, init, fault }) => {
    const { mint, account } = createMint(TOKEN_2022_PROGRAM, length, init([...issuer.publicKey.toBytes()]));
    const rules = readMintRules(readData(mint));
    expect(readData(account)).toHaveLength(rules.accountBytes);
    expect(readTokenAccount(readData(account))).toEqual({
      owner: toAddress(issuer),
      amount: 0n,
      isFrozen: rules.hasFrozenNewAccounts,
      isNative: false,
      isClosable: true,
      requiresMemo: false,
    });
    expect(rules.hasFrozenNewAccounts).toBe(name === "accounts begin frozen");
    expect(rules.fault).toEqual(fault ? expect.stringMatching(fault) : null);
  },
);

test("an account of the original Token program has 165 bytes, an amount and an owner", () => {
  const { mint, account } = createMint(TOKEN_PROGRAM, null, []);
  const issue = { destination: account, authority: toAddress(issuer), mint, amount: 2n ** 64n - 1n, decimals: 6 };
  runTransaction([issuer], [toWeb3(buildMintToChecked(issue))]);
  expect(readData(account)).toHaveLength(PLAIN_MINT.accountBytes);
  expect(readTokenAccount(readData(account))).toMatchObject({ owner: toAddress(issuer), amount: 2n ** 64n - 1n });
});

describe("readTokenAccount and readMintRules", () => {
  const OWNER = toTestWallet("owner").address;
  const createAccountData = () => buildTokenAccountData(NATIVE_MINT, OWNER);
  /** Appends the type byte of an account and one extension entry. */
  const appendExtension = (type: number, value: number[]) =>
    Uint8Array.from([...createAccountData(), 2, type, 0, value.length, 0, ...value]);

  test("report an account with another close authority as not closable", () => {
    const data = createAccountData();
    data[129] = 1;
    expect(readTokenAccount(data)!.isClosable).toBe(false);
    data.copyWithin(133, 32, 64);
    expect(readTokenAccount(data)!.isClosable).toBe(true);
  });

  test("report withheld transfer fees and confidential balances as not closable", () => {
    expect(readTokenAccount(appendExtension(2, repeatByte(8)))!.isClosable).toBe(true);
    expect(readTokenAccount(appendExtension(2, [1, ...repeatByte(7)]))!.isClosable).toBe(false);
    expect(readTokenAccount(appendExtension(2, [1]))!.isClosable).toBe(false);
    expect(readTokenAccount(appendExtension(5, repeatByte(295)))!.isClosable).toBe(false);
  });

  test("report a required memo, a frozen state and wrapped SOL", () => {
    expect(readTokenAccount(appendExtension(8, [1]))!.requiresMemo).toBe(true);
    expect(readTokenAccount(appendExtension(8, [0]))!.requiresMemo).toBe(false);
    const data = createAccountData();
    data[108] = 2;
    data[109] = 1;
    expect(readTokenAccount(data)).toMatchObject({ isFrozen: true, isNative: true });
  });

  test("report a paused mint as not transferable", () => {
    const createMintData = (paused: number) =>
      Uint8Array.from([...repeatByte(165), 1, 26, 0, 33, 0, ...repeatByte(32), paused]);
    expect(readMintRules(createMintData(0)).fault).toBeNull();
    expect(readMintRules(createMintData(1)).fault).toMatch(/paused/);
  });

  test("report a mint that is too short as not readable", () => {
    for (let length = 0; length < 82; length++)
      expect(readMintRules(new Uint8Array(length)).fault).toMatch(/could not be read/);
  });

  test("read truncated data without error", () => {
    const whole = appendExtension(2, repeatByte(8));
    for (let length = 0; length <= whole.length; length++) {
      const read = readTokenAccount(whole.subarray(0, length));
      expect(read === null).toBe(length < 165);
    }
  });
});
