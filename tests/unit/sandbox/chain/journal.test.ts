import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { describe, expect, onTestFinished, test } from "vitest";
import type { LocalChain } from "../../../../lib/sandbox/chain/chain";
import { openSavedChain, startSaver } from "../../../../lib/sandbox/chain/saved-chain";
import { ONE_SOL, toAddress, waitUntil } from "../../../support/chain/sandbox-rig";
import { createFolderForTest } from "../../../support/store/temp-folder";

const failOnLog = (line: string) => expect.unreachable(line);

/** A save delay longer than any test, so that new changes are in the journal only. */
const NEVER_MS = 3_600_000;

/** Opens a chain in a temporary folder, and saves its changes until the test ends. */
async function openSavedFolder(saveDelayMs?: number) {
  const folder = createFolderForTest();
  const chain = openSavedChain(folder, failOnLog);
  const saver = startSaver(chain, folder, failOnLog, saveDelayMs);
  onTestFinished(() => saver.close());
  return { folder, chain };
}

const listJournals = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("chain.journal-"));

/** Requests an airdrop and waits until it is confirmed. @returns its signature */
async function airdropAndConfirm(chain: LocalChain, address: string): Promise<string> {
  const signature = chain.airdrop(address, ONE_SOL);
  chain.advanceSlots(1);
  await waitUntil(() => chain.findCommitment(chain.findSignature(signature)!) !== "processed");
  return signature;
}

/** Waits until the chain in the folder has been saved once. */
const waitForSave = (folder: string) => waitUntil(() => readdirSync(folder).includes("chain.json"));

/** Copies the files that a process killed at this moment would leave. */
async function copyFiles(folder: string): Promise<string> {
  const copy = createFolderForTest();
  // Skip the temporary file: it may be renamed during the copy, and it is never read.
  cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith(".new") });
  return copy;
}

/** Opens the chain that a process killed at this moment would leave. */
const reopenCopy = async (folder: string) => openSavedChain(await copyFiles(folder), failOnLog);

describe("transactions of a saved chain", () => {
  test("are on disk at the moment when they are confirmed, at any point of a save", async () => {
    const { folder, chain } = await openSavedFolder();
    const address = toAddress(Keypair.generate());
    for (let round = 1; round <= 30; round++) {
      const signature = chain.airdrop(address, ONE_SOL);
      chain.advanceSlots(1);
      const info = chain.findSignature(signature)!;
      // Poll without a pause, so that the copy shows the exact moment of confirmation.
      while (chain.findCommitment(info) === "processed") await new Promise((resolve) => setImmediate(resolve));
      const reopenedChain = await reopenCopy(folder);
      expect(reopenedChain.findSignature(signature)).toEqual(info);
      expect(reopenedChain.getAccount(address)!.lamports).toBe(BigInt(round) * ONE_SOL);
      expect(reopenedChain.countTransactions()).toBe(chain.countTransactions());
    }
  });

  test("are never confirmed before they are on disk, however old they are", async () => {
    const { chain } = await openSavedFolder();
    const address = toAddress(Keypair.generate());
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

  test("are confirmed at once after a restart, while the first save still runs", async () => {
    const { folder, chain } = await openSavedFolder();
    const address = toAddress(Keypair.generate());
    const signature = await airdropAndConfirm(chain, address);
    const copy = await copyFiles(folder);
    const reopenedChain = openSavedChain(copy, failOnLog);
    const saver = startSaver(reopenedChain, copy, failOnLog);
    onTestFinished(() => saver.close());
    const page = { limit: 10, commitment: "confirmed" } as const;
    expect(reopenedChain.listSignatures(address, page)).toMatchObject([{ signature }]);
  });

  test("leave an emptied account empty after a restart", async () => {
    const { folder, chain } = await openSavedFolder();
    const address = toAddress(Keypair.generate());
    chain.airdrop(address, ONE_SOL);
    await waitForSave(folder);
    chain.setAccount(address, { lamports: 0n, owner: address, data: new Uint8Array() });
    const lastSignature = await airdropAndConfirm(chain, toAddress(Keypair.generate()));
    const reopenedChain = await reopenCopy(folder);
    expect(reopenedChain.getAccount(address)).toBeNull();
    expect(reopenedChain.getSlot()).toBeGreaterThanOrEqual(chain.getSlot());
    expect(reopenedChain.airdrop(address, ONE_SOL)).not.toBe(lastSignature);
  });
});

describe("the journal's files", () => {
  test("are read up to a truncated or damaged line", async () => {
    const { folder, chain } = await openSavedFolder(NEVER_MS);
    await waitForSave(folder);
    const addresses = [0, 1].map(() => toAddress(Keypair.generate()));
    for (const address of addresses) await airdropAndConfirm(chain, address);
    for (const damage of [
      (text: string) => text.slice(0, -20),
      (text: string) => text.replace(/.{9}\n$/, "damage!!!\n"),
    ]) {
      const copy = await copyFiles(folder);
      const journalPath = join(copy, listJournals(copy)[0]!);
      writeFileSync(journalPath, damage(readFileSync(journalPath, "utf8")));
      const reopenedChain = openSavedChain(copy, failOnLog);
      expect(addresses.map((address) => reopenedChain.getAccount(address)?.lamports ?? 0n)).toEqual([ONE_SOL, 0n]);
      // The reopened chain must not append to the damaged file, which is read only up to the damaged line.
      const saver = startSaver(reopenedChain, copy, failOnLog, NEVER_MS);
      await airdropAndConfirm(reopenedChain, addresses[1]!);
      expect((await reopenCopy(copy)).getAccount(addresses[1]!)!.lamports).toBe(ONE_SOL);
      await saver.close();
    }
  });

  test("are deleted by a save", async () => {
    const { folder, chain } = await openSavedFolder();
    const address = toAddress(Keypair.generate());
    for (let i = 0; i < 30; i++) {
      chain.airdrop(address, ONE_SOL);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitUntil(() => listJournals(folder).length === 0);
  });

  test("of a damaged chain are not applied to the new chain that replaces it", async () => {
    const { folder, chain } = await openSavedFolder(NEVER_MS);
    const address = toAddress(Keypair.generate());
    await waitForSave(folder);
    await airdropAndConfirm(chain, address);
    const copy = await copyFiles(folder);
    writeFileSync(join(copy, "chain.json"), "{}");
    expect(openSavedChain(copy, () => {}).getAccount(address)).toBeNull();
    expect(listJournals(copy)).toEqual([]);
  });
});
