import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LocalChain } from "../../../../lib/sandbox/chain/chain";
import { openStoredChain } from "../../../../lib/sandbox/chain/store";
import { TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import {
  createAddress,
  createMint,
  fundKeypair,
  ONE_SOL,
  putTokens,
  throwError,
  waitUntil,
} from "../../../support/chain/sandbox-rig";
import { createFolderForTest } from "../../../support/store/temp-folder";

/** Opens the chain in a folder until the test ends. */
function openFolder(directory = createFolderForTest(), slotMs = 50) {
  const { chain, close } = openStoredChain({ directory, onFailure: throwError, slotMs });
  onTestFinished(close);
  return { directory, chain };
}

/** Copies the files that a process killed at this moment would leave. */
function copyFiles(directory: string): string {
  const copy = createFolderForTest();
  cpSync(directory, copy, { recursive: true });
  return copy;
}

/** Opens the chain that a process killed at this moment would leave. */
const reopenCopy = (directory: string) => openFolder(copyFiles(directory)).chain;

/** Requests an airdrop and waits until it is confirmed. @returns its signature */
async function airdropAndConfirm(chain: LocalChain, address: string): Promise<string> {
  const signature = chain.airdrop(address, ONE_SOL);
  await waitUntil(() => chain.findCommitment(chain.findSignature(signature)!) !== "processed");
  return signature;
}

test("a process killed at the moment of a confirmation leaves the transaction", async () => {
  const { directory, chain } = openFolder();
  const address = createAddress();
  for (let round = 1; round <= 10; round++) {
    const signature = chain.airdrop(address, ONE_SOL);
    const info = chain.findSignature(signature)!;
    // Poll without a pause, so that the copy shows the exact moment of confirmation.
    while (chain.findCommitment(info) === "processed") await new Promise((resolve) => setImmediate(resolve));
    const reopenedChain = reopenCopy(directory);
    expect(reopenedChain.findSignature(signature)).toEqual(info);
    expect(reopenedChain.findTransaction(signature)).toEqual(chain.findTransaction(signature));
    expect(reopenedChain.getAccount(address)!.lamports).toBe(BigInt(round) * ONE_SOL);
    expect(reopenedChain.countTransactions()).toBe(chain.countTransactions());
  }
});

test("a transaction is never confirmed before it is on disk, however old it is", async () => {
  const { chain } = openFolder();
  const address = createAddress();
  const signature = chain.airdrop(address, ONE_SOL);
  chain.advanceSlots(100);
  const info = chain.findSignature(signature)!;
  const page = { limit: 10, commitment: "confirmed" } as const;
  for (const node of [chain, chain.createLaggingView(10)]) {
    expect(node.findCommitment(info)).toBe("processed");
    expect(node.listSignatures(address, page)).toEqual([]);
  }
  await waitUntil(() => chain.findCommitment(info) === "finalized");
  expect(chain.listSignatures(address, page)).toHaveLength(1);
});

test("a restart keeps the order of the history, closed and token accounts, blockhashes and the airdrops' count", async () => {
  const { directory, chain } = openFolder();
  const [address, emptiedAddress] = [createAddress(), createAddress()];
  chain.airdrop(emptiedAddress, ONE_SOL);
  await airdropAndConfirm(chain, address);
  chain.setAccount(emptiedAddress, { lamports: 0n, owner: address, data: new Uint8Array() });
  chain.addPastPayments(address, [createAddress()]);
  putTokens(chain, address, createMint(chain, fundKeypair(chain), 6, TOKEN_PROGRAM), 5n);
  const { blockhash } = chain.getLatestBlockhash();
  const lastSignature = await airdropAndConfirm(chain, address);
  const reopenedChain = reopenCopy(directory);
  expect(reopenedChain.getAccount(emptiedAddress)).toBeNull();
  expect(reopenedChain.isBlockhashValid(blockhash)).toBe(true);
  expect(reopenedChain.getGenesisHash()).toBe(chain.getGenesisHash());
  expect(reopenedChain.listTokenAccounts(address)).toEqual(chain.listTokenAccounts(address));
  expect(reopenedChain.getSlot()).toBeGreaterThanOrEqual(chain.getSlot());
  const page = { limit: 1_000, commitment: "confirmed" } as const;
  expect(reopenedChain.listSignatures(address, page)).toEqual(chain.listSignatures(address, page));
  expect(reopenedChain.listSignatures(address, page)).toHaveLength(82);
  // With the same count, blockhash and amount it would be the same transaction.
  expect(reopenedChain.airdrop(address, ONE_SOL)).not.toBe(lastSignature);
});

test("a write that a crash has torn leaves the chain of the write before", async () => {
  const { directory, chain } = openFolder();
  const [address, lateAddress] = [createAddress(), createAddress()];
  await airdropAndConfirm(chain, address);
  const copy = copyFiles(directory);
  await airdropAndConfirm(chain, lateAddress);
  const pages = [copy, directory].map((folder) => splitPages(readFileSync(join(folder, "chain.mdb"))));
  const [earlyPages, latePages] = pages as [Buffer[], Buffer[]];
  // The first two pages say which pages are in use. LMDB writes them last.
  const changedPages = latePages.map((_, i) => i).filter((i) => i > 1 && !earlyPages[i]?.equals(latePages[i]!));
  expect(changedPages.length).toBeGreaterThan(3);
  const tornPages = latePages.map((page, i) => (changedPages.slice(0, -2).includes(i) ? page : earlyPages[i]));
  writeFileSync(join(copy, "chain.mdb"), Buffer.concat(tornPages.map((page) => page ?? Buffer.alloc(PAGE_BYTES))));
  const { chain: tornChain } = openFolder(copy);
  expect(tornChain.getAccount(address)!.lamports).toBe(ONE_SOL);
  expect(tornChain.getAccount(lateAddress)).toBeNull();
  await airdropAndConfirm(tornChain, lateAddress);
  expect(reopenCopy(copy).getAccount(lateAddress)!.lamports).toBe(ONE_SOL);
});

const PAGE_BYTES = 4096;
const splitPages = (bytes: Buffer) =>
  Array.from({ length: bytes.length / PAGE_BYTES }, (_, i) => bytes.subarray(i * PAGE_BYTES, (i + 1) * PAGE_BYTES));
