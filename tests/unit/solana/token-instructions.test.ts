import type { Keypair } from "@solana/web3.js";
import { beforeEach, describe, expect, test } from "vitest";
import { readTokenAccount } from "../../../lib/sandbox/chain/token-accounts";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildMintToChecked,
  buildRevoke,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";

import {
  buildSigned,
  createMint,
  fundKeypair,
  openStoppedChain,
  toAddress,
  toWeb3,
} from "../../support/chain/sandbox-rig";

// The real programs run these instructions, so a wrong tag, account order or derivation fails.
describe.each([
  ["the Token program", TOKEN_PROGRAM],
  ["Token-2022", TOKEN_2022_PROGRAM],
])("%s", (_, program) => {
  const { chain } = openStoppedChain();
  const decimals = 6;
  let [owner, friend] = [fundKeypair(chain), fundKeypair(chain)];
  let mint: string;
  const deriveAccount = (key: Keypair) => deriveAssociatedTokenAddress(toAddress(key), mint, program);
  const readAmount = (key: Keypair) => readTokenAccount(chain.getAccount(deriveAccount(key)))?.amount;

  function runInstructions(signer: Keypair, instructions: InstructionLike[]) {
    const { blockhash } = chain.getLatestBlockhash();
    const transaction = buildSigned(blockhash, [signer], instructions.map(toWeb3));
    return chain.findTransaction(chain.send(transaction.serialize(), { skipPreflight: true }))?.err;
  }

  const createOpening = (payer: Keypair, key = payer) =>
    buildCreateAssociatedTokenAccount({ payer: toAddress(payer), owner: toAddress(key), mint }, program);
  const createTransfer = (authority: Keypair, amount: bigint) => {
    const accounts = { source: deriveAccount(owner), destination: deriveAccount(friend) };
    return buildTransferChecked({ ...accounts, authority: toAddress(authority), mint, amount, decimals }, program);
  };

  beforeEach(() => {
    [owner, friend] = [fundKeypair(chain), fundKeypair(chain)];
    mint = createMint(chain, owner, decimals, program);
    const issued = { mint, destination: deriveAccount(owner), authority: toAddress(owner), amount: 1_000n, decimals };
    const issue = buildMintToChecked(issued, program);
    expect(runInstructions(owner, [createOpening(owner), createOpening(owner, friend), issue])).toBeNull();
  });

  test("transfers issued tokens, and creating an account again changes nothing", () => {
    expect(runInstructions(friend, [createOpening(friend, owner)])).toBeNull();
    expect(runInstructions(owner, [createTransfer(owner, 400n)])).toBeNull();
    expect([readAmount(owner), readAmount(friend)]).toEqual([600n, 400n]);
  });

  test("lets a delegate transfer up to the approved amount until a revoke", () => {
    const grant = { account: deriveAccount(owner), owner: toAddress(owner) };
    const delegate = toAddress(friend);
    expect(
      runInstructions(owner, [buildApproveChecked({ ...grant, delegate, mint, amount: 300n, decimals }, program)]),
    ).toBeNull();
    expect(runInstructions(friend, [createTransfer(friend, 301n)])).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(runInstructions(friend, [createTransfer(friend, 100n)])).toBeNull();
    expect(runInstructions(owner, [buildRevoke(grant, program)])).toBeNull();
    expect(runInstructions(friend, [createTransfer(friend, 50n)])).toEqual({ InstructionError: [0, { Custom: 4 }] });
    expect(readAmount(friend)).toBe(100n);
  });

  test("closes an emptied account and sends its deposit to the destination", () => {
    const destination = toAddress(friend);
    const close = buildCloseAccount({ account: deriveAccount(owner), destination, owner: toAddress(owner) }, program);
    const deposit = chain.getAccount(deriveAccount(owner))!.lamports;
    const lamportsBefore = chain.getAccount(destination)!.lamports;
    expect(runInstructions(owner, [close])).toEqual({ InstructionError: [0, { Custom: 11 }] });
    expect(runInstructions(owner, [createTransfer(owner, 1_000n), close])).toBeNull();
    expect(chain.getAccount(deriveAccount(owner))).toBeNull();
    expect(chain.getAccount(destination)).toMatchObject({ lamports: lamportsBefore + deposit, owner: SYSTEM_PROGRAM });
  });
});
