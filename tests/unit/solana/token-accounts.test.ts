import { Keypair, SystemProgram, TransactionInstruction } from "@solana/web3.js";
import { beforeAll, describe, expect, test } from "vitest";
import type { LocalChain } from "../../../lib/sandbox/chain/chain";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { PLAIN_MINT, readMintRules, readTokenAccount } from "../../../lib/solana/token-accounts";
import {
  createAssociatedTokenAccountIdempotent,
  deriveAssociatedTokenAddress,
  mintToChecked,
} from "../../../lib/solana/token-instructions";
import { addressOf, fundKeypair, openStoppedChain, sign, toWeb3 } from "../../support/chain/sandbox-rig";

const bytes = (length: number, value = 0) => Array<number>(length).fill(value);

/** Mint extensions by their size and the Token-2022 instructions that set them up before the mint is initialized. */
const EXTENSIONS: Record<string, { length: number; init: (authority: number[]) => number[]; fault?: RegExp }> = {
  none: { length: 0, init: () => [] },
  "transfer fee": { length: 108, init: (key) => [26, 0, 1, ...key, 1, ...key, 10, 0, ...bytes(8, 255)] },
  "non-transferable": { length: 0, init: () => [32], fault: /non-transferable/ },
  "transfer hook": { length: 64, init: (key) => [36, 0, ...key, ...key], fault: /transfer hook/ },
  "transfer hook without a program": { length: 64, init: (key) => [36, 0, ...key, ...bytes(32)] },
  "accounts begin frozen": { length: 1, init: () => [28, 0, 2] },
  "accounts begin open": { length: 1, init: () => [28, 0, 1] },
  pausable: { length: 33, init: (key) => [44, 0, ...key] },
  "permanent delegate": { length: 32, init: (key) => [35, ...key] },
};

let chain: LocalChain;
let issuer: Keypair;

beforeAll(() => {
  ({ chain } = openStoppedChain());
  issuer = fundKeypair(chain);
});

function run(signers: Keypair[], instructions: TransactionInstruction[]): void {
  const { blockhash } = chain.getLatestBlockhash();
  const raw = sign(blockhash, signers, instructions).serialize();
  expect(chain.findTransaction(chain.send(raw, { skipPreflight: true }))?.err).toBeNull();
}

/** Lets the program create a mint with the extension, and the issuer's associated account. */
function makeMint(program: string, length: number | null, init: number[]): { mint: string; account: string } {
  const key = Keypair.generate();
  const mint = addressOf(key);
  const space = length === null ? 82 : 165 + 1 + 4 + length;
  const authority = [...issuer.publicKey.toBytes()];
  const onMint = (data: number[]) =>
    new TransactionInstruction({
      programId: toWeb3({ programId: program, accounts: [], data: "" }).programId,
      keys: [{ pubkey: key.publicKey, isSigner: false, isWritable: true }],
      data: Buffer.from(data),
    });
  const create = SystemProgram.createAccount({
    fromPubkey: issuer.publicKey,
    newAccountPubkey: key.publicKey,
    lamports: Number(chain.computeRentExemptMinimum(space)),
    space,
    programId: onMint([]).programId,
  });
  const open = createAssociatedTokenAccountIdempotent(
    { payer: addressOf(issuer), owner: addressOf(issuer), mint },
    program,
  );
  const extension = init.length > 0 ? [onMint(init)] : [];
  run([issuer, key], [create, ...extension, onMint([20, 6, ...authority, 1, ...authority]), toWeb3(open)]);
  return { mint, account: deriveAssociatedTokenAddress(addressOf(issuer), mint, program) };
}

const dataOf = (address: string) => chain.getAccount(address)!.data;

// The program itself creates the accounts whose size and state the reader predicts.
describe.each(Object.entries(EXTENSIONS))("Token-2022, %s", (name, { length, init, fault }) => {
  test("predicts the account's size and state and whether the token can be sent", () => {
    const data = init([...issuer.publicKey.toBytes()]);
    const { mint, account } = makeMint(TOKEN_2022_PROGRAM, name === "none" ? null : length, data);
    const rules = readMintRules(dataOf(mint));
    expect(dataOf(account)).toHaveLength(rules.accountBytes);
    expect(readTokenAccount(dataOf(account))).toEqual({
      owner: addressOf(issuer),
      amount: 0n,
      frozen: rules.newAccountsFrozen,
      native: false,
      closable: true,
      wantsMemo: false,
    });
    expect(rules.newAccountsFrozen).toBe(name === "accounts begin frozen");
    if (fault) expect(rules.fault).toMatch(fault);
    else expect(rules.fault).toBeNull();
  });
});

test("reads 165 bytes, amount and owner of the original program", () => {
  const { mint, account } = makeMint(TOKEN_PROGRAM, null, []);
  const issue = { destination: account, authority: addressOf(issuer), mint, amount: 2n ** 64n - 1n, decimals: 6 };
  run([issuer], [toWeb3(mintToChecked(issue))]);
  expect(dataOf(account)).toHaveLength(PLAIN_MINT.accountBytes);
  expect(readTokenAccount(dataOf(account))).toMatchObject({ owner: addressOf(issuer), amount: 2n ** 64n - 1n });
});

describe("accounts that the program refuses to close or to transfer to", () => {
  const base = () => {
    const data = new Uint8Array(165);
    data.fill(7, 32, 64);
    data[108] = 1;
    return data;
  };
  /** Appends the type byte of an account and one extension entry. */
  const extended = (type: number, value: number[]) =>
    Uint8Array.from([...base(), 2, type, 0, value.length, 0, ...value]);

  test("include one with another close authority", () => {
    const own = base();
    own[129] = 1;
    own.fill(7, 133, 165);
    expect(readTokenAccount(own)!.closable).toBe(true);
    own.fill(8, 133, 165);
    expect(readTokenAccount(own)!.closable).toBe(false);
  });

  test("include withheld transfer fees and confidential balances", () => {
    expect(readTokenAccount(extended(2, bytes(8)))!.closable).toBe(true);
    expect(readTokenAccount(extended(2, [1, ...bytes(7)]))!.closable).toBe(false);
    expect(readTokenAccount(extended(5, bytes(295)))!.closable).toBe(false);
  });

  test("include a required memo, a frozen state and wrapped SOL", () => {
    expect(readTokenAccount(extended(8, [1]))!.wantsMemo).toBe(true);
    expect(readTokenAccount(extended(8, [0]))!.wantsMemo).toBe(false);
    const data = base();
    data[108] = 2;
    data[109] = 1;
    expect(readTokenAccount(data)).toMatchObject({ frozen: true, native: true });
  });

  test("include those of a paused mint", () => {
    const mint = (paused: number) => Uint8Array.from([...bytes(165), 1, 26, 0, 33, 0, ...bytes(32), paused]);
    expect(readMintRules(mint(0)).fault).toBeNull();
    expect(readMintRules(mint(1)).fault).toMatch(/paused/);
  });

  test("reads entries that are too short without error, and lets a mint that is too short move nothing", () => {
    expect(readTokenAccount(extended(2, [1]))!.closable).toBe(false);
    for (let length = 0; length < 82; length++)
      expect(readMintRules(new Uint8Array(length)).fault).toMatch(/could not be read/);
  });

  test("reads truncated data without error", () => {
    const whole = extended(2, bytes(8));
    for (let length = 0; length <= whole.length; length++) {
      const read = readTokenAccount(whole.subarray(0, length));
      expect(read === null).toBe(length < 165);
    }
  });
});
