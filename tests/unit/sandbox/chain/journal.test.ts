import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSavedChain, startSaver } from "../../../../lib/sandbox/chain/persist";
import { addressOf, createFolder, SOL, waitUntil } from "../../../support/chain/sandbox-rig";

const noLog = (line: string) => expect.unreachable(line);

/** A save delay longer than any test, so that new changes are in the journal only. */
const NEVER_MS = 3_600_000;

async function openHere(saveDelayMs?: number) {
  const folder = await createFolder();
  const chain = openSavedChain(folder, noLog);
  const saver = startSaver(chain, folder, noLog, saveDelayMs);
  onTestFinished(() => saver.close());
  return { folder, chain };
}

const readJournal = (folder: string) => {
  const [name] = readdirSync(folder).filter((file) => file.startsWith("chain.journal-"));
  return join(folder, name!);
};

/** Copies the files that a process killed at this moment would leave. */
async function leftBehind(folder: string): Promise<string> {
  const copy = await createFolder();
  // Skip the temporary file: it may be renamed during the copy, and it is never read.
  cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith(".new") });
  return copy;
}

describe("confirmed transactions", () => {
  test("are on disk at the moment they are confirmed, at any point of a save", async () => {
    const { folder, chain } = await openHere();
    const address = addressOf(Keypair.generate());
    for (let round = 1; round <= 30; round++) {
      const signature = chain.airdrop(address, SOL);
      chain.advanceSlots(1);
      const info = chain.findSignature(signature)!;
      // Poll without a pause, so that the copy shows the exact moment of confirmation.
      while (chain.findCommitment(info) === "processed") await new Promise((resolve) => setImmediate(resolve));
      const again = openSavedChain(await leftBehind(folder), noLog);
      expect(again.findSignature(signature)).toEqual(info);
      expect(again.getAccount(address)!.lamports).toBe(BigInt(round) * SOL);
      expect(again.countTransactions()).toBe(chain.countTransactions());
    }
  });

  test("are never confirmed before they are on disk, whatever their age", async () => {
    const { chain } = await openHere();
    const signature = chain.airdrop(addressOf(Keypair.generate()), SOL);
    chain.advanceSlots(100);
    const info = chain.findSignature(signature)!;
    expect(chain.findCommitment(info)).toBe("processed");
    const page = { limit: 10, commitment: "confirmed" } as const;
    expect(chain.listSignatures(addressOf(Keypair.generate()), page)).toEqual([]);
    await waitUntil(() => chain.findCommitment(info) === "finalized");
  });

  test("are confirmed at once after a restart, while the first save still runs", async () => {
    const { folder, chain } = await openHere();
    const address = addressOf(Keypair.generate());
    const signature = chain.airdrop(address, SOL);
    chain.advanceSlots(1);
    await waitUntil(() => chain.findCommitment(chain.findSignature(signature)!) !== "processed");
    const copy = await leftBehind(folder);
    const again = openSavedChain(copy, noLog);
    const saver = startSaver(again, copy, noLog);
    onTestFinished(() => saver.close());
    expect(again.listSignatures(address, { limit: 10, commitment: "confirmed" })).toMatchObject([{ signature }]);
  });

  test("leave an emptied account empty after a restart", async () => {
    const { folder, chain } = await openHere();
    const address = addressOf(Keypair.generate());
    chain.airdrop(address, SOL);
    await waitUntil(() => readdirSync(folder).includes("chain.json"));
    chain.setAccount(address, { lamports: 0n, owner: address, data: new Uint8Array() });
    const lastSignature = chain.airdrop(addressOf(Keypair.generate()), SOL);
    chain.advanceSlots(1);
    await waitUntil(() => chain.findCommitment(chain.findSignature(lastSignature)!) !== "processed");
    const again = openSavedChain(await leftBehind(folder), noLog);
    expect(again.getAccount(address)).toBeNull();
    expect(again.getSlot()).toBeGreaterThanOrEqual(chain.getSlot());
    expect(again.airdrop(address, SOL)).not.toBe(lastSignature);
  });
});

describe("the journal's files", () => {
  test("are read up to a truncated or damaged line", async () => {
    const { folder, chain } = await openHere(NEVER_MS);
    await waitUntil(() => readdirSync(folder).includes("chain.json"));
    const addresses = [0, 1].map(() => addressOf(Keypair.generate()));
    for (const address of addresses) {
      const signature = chain.airdrop(address, SOL);
      chain.advanceSlots(1);
      await waitUntil(() => chain.findCommitment(chain.findSignature(signature)!) !== "processed");
    }
    for (const damage of [
      (text: string) => text.slice(0, -20),
      (text: string) => text.replace(/.{9}\n$/, "damage!!!\n"),
    ]) {
      const copy = await leftBehind(folder);
      const file = readJournal(copy);
      writeFileSync(file, damage(readFileSync(file, "utf8")));
      const again = openSavedChain(copy, noLog);
      expect(addresses.map((address) => again.getAccount(address)?.lamports ?? 0n)).toEqual([SOL, 0n]);
      // Later changes are not lost behind the damaged line.
      const saver = startSaver(again, copy, noLog, NEVER_MS);
      const signature = again.airdrop(addresses[1]!, SOL);
      again.advanceSlots(1);
      await waitUntil(() => again.findCommitment(again.findSignature(signature)!) !== "processed");
      expect(openSavedChain(await leftBehind(copy), noLog).getAccount(addresses[1]!)!.lamports).toBe(SOL);
      await saver.close();
    }
  });

  test("are deleted by a save and do not pile up", async () => {
    const { folder, chain } = await openHere();
    const address = addressOf(Keypair.generate());
    for (let i = 0; i < 30; i++) {
      chain.airdrop(address, SOL);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitUntil(() => readdirSync(folder).every((name) => !name.startsWith("chain.journal-")));
  });

  test("are not applied to a new chain when they belong to another one", async () => {
    const { folder, chain } = await openHere(NEVER_MS);
    const address = addressOf(Keypair.generate());
    await waitUntil(() => readdirSync(folder).includes("chain.json"));
    const signature = chain.airdrop(address, SOL);
    chain.advanceSlots(1);
    await waitUntil(() => chain.findCommitment(chain.findSignature(signature)!) !== "processed");
    const copy = await leftBehind(folder);
    writeFileSync(join(copy, "chain.json"), "{}");
    expect(openSavedChain(copy, () => {}).getAccount(address)).toBeNull();
    expect(readdirSync(copy).filter((name) => name.startsWith("chain.journal-"))).toEqual([]);
  });
});
