import { Keypair, VersionedTransaction } from "@solana/web3.js";
import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { type LocalChain, openChain } from "../../../lib/sandbox/chain/chain";
import { encodeMint, readTokenAccount } from "../../../lib/sandbox/chain/token-accounts";
import { encodeU64, type InstructionLike } from "../../../lib/solana/instructions";
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildMintToChecked,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { buildRevoke } from "../../support/chain/revoke";

test("a u64 is encoded as little-endian, and other values throw RangeError", () => {
  expect([...encodeU64(0x0102n)]).toEqual([2, 1, 0, 0, 0, 0, 0, 0]);
  expect([...encodeU64(2n ** 64n - 1n)]).toEqual(Array(8).fill(255));
  for (const invalid of [-1n, 2n ** 64n]) expect(() => encodeU64(invalid)).toThrow(RangeError);
});

// The real programs run these instructions, so a wrong tag, account order or derivation fails.
describe.each([
  ["the Token program", TOKEN_PROGRAM],
  ["Token-2022", TOKEN_2022_PROGRAM],
])("%s", (_, program) => {
  const { mint, decimals } = ASSETS.USDC;
  let chain: LocalChain;
  let owner: Keypair;
  let friend: Keypair;
  const readAddress = (key: Keypair) => key.publicKey.toBase58();
  const deriveAccount = (key: Keypair) => deriveAssociatedTokenAddress(readAddress(key), mint, program);
  const readAmount = (key: Keypair) => readTokenAccount(chain.getAccount(deriveAccount(key)))?.amount;

  function run(signer: Keypair, instructions: InstructionLike[]) {
    const { blockhash } = chain.getLatestBlockhash();
    const { bytes } = composeTransaction({ payer: readAddress(signer), instructions, blockhash });
    const transaction = VersionedTransaction.deserialize(bytes);
    transaction.sign([signer]);
    return chain.findTransaction(chain.send(transaction.serialize(), { skipPreflight: true }))?.err;
  }

  const createOpening = (payer: Keypair, key = payer) =>
    buildCreateAssociatedTokenAccount({ payer: readAddress(payer), owner: readAddress(key), mint }, program);
  const createTransfer = (authority: Keypair, amount: bigint) => {
    const ends = { source: deriveAccount(owner), destination: deriveAccount(friend) };
    return buildTransferChecked({ ...ends, authority: readAddress(authority), mint, amount, decimals }, program);
  };

  beforeEach(() => {
    chain = openChain();
    [owner, friend] = [Keypair.generate(), Keypair.generate()];
    for (const key of [owner, friend]) chain.airdrop(readAddress(key), 1_000_000_000n);
    const data = encodeMint(readAddress(owner), decimals);
    chain.setAccount(mint, { lamports: chain.computeRentExemptMinimum(data.length), owner: program, data });
    const issued = { mint, amount: 1_000n, decimals };
    const issue = buildMintToChecked(
      { destination: deriveAccount(owner), authority: readAddress(owner), ...issued },
      program,
    );
    expect(run(owner, [createOpening(owner), createOpening(owner, friend), issue])).toBeNull();
  });

  test("transfers issued tokens, and creating an account again changes nothing", () => {
    expect(run(friend, [createOpening(friend, owner)])).toBeNull();
    expect(run(owner, [createTransfer(owner, 400n)])).toBeNull();
    expect([readAmount(owner), readAmount(friend)]).toEqual([600n, 400n]);
  });

  test("lets a delegate transfer up to the approved amount until a revoke", () => {
    const grant = { account: deriveAccount(owner), owner: readAddress(owner) };
    const delegate = readAddress(friend);
    expect(run(owner, [buildApproveChecked({ ...grant, delegate, mint, amount: 300n, decimals }, program)])).toBeNull();
    expect(run(friend, [createTransfer(friend, 301n)])).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(run(friend, [createTransfer(friend, 100n)])).toBeNull();
    expect(run(owner, [buildRevoke(grant, program)])).toBeNull();
    expect(run(friend, [createTransfer(friend, 50n)])).toEqual({ InstructionError: [0, { Custom: 4 }] });
    expect(readAmount(friend)).toBe(100n);
  });

  test("closes an emptied account and sends its deposit to the destination", () => {
    const destination = readAddress(friend);
    const close = buildCloseAccount({ account: deriveAccount(owner), destination, owner: readAddress(owner) }, program);
    const deposit = chain.getAccount(deriveAccount(owner))!.lamports;
    const before = chain.getAccount(destination)!.lamports;
    expect(run(owner, [close])).toEqual({ InstructionError: [0, { Custom: 11 }] });
    expect(run(owner, [createTransfer(owner, 1_000n), close])).toBeNull();
    expect(chain.getAccount(deriveAccount(owner))).toBeNull();
    expect(chain.getAccount(destination)).toMatchObject({ lamports: before + deposit, owner: SYSTEM_PROGRAM });
  });
});
