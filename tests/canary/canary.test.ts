import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { deriveCollectors, deriveFunder } from "../../lib/operator/collectors";
import { recordOperatorSecrets } from "../support/app/app-for-file";
import {
  callApi,
  createWallet,
  deriveServiceWallet,
  fund,
  get,
  post,
  postSigned,
  readData,
  signTransaction,
} from "../support/client/client";
import { addNeedle, buildNeedles, encodeSecret, findSecrets, type Needles } from "../support/fixtures/secret-search";
import { publishedVectors } from "../support/fixtures/service-wallet-vectors";

/*
 * Runs after all other tests. Checks that no response, log line or built file of this run contains a secret. The check
 * skips the published test vectors, transaction signatures and other public data of the chain.
 */

const { recordings, dataDir } = inject("apps");
let needles: Needles;
let apiKeys: Set<string>;

/** Uses the service once as a user does, so that there is output to search even when no other test has run. */
async function useService(): Promise<string> {
  const user = await createWallet();
  const serviceWallet = await deriveServiceWallet(user);
  await fund(user.address, 1);
  const body = { txValueUsd: 27.63, userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
  const { transaction } = await readData(post("/api/wrap", body, { headers: user.headers }));
  await readData(postSigned(signTransaction(transaction!.base64, user.keys), user.headers));
  const key = await readData(post("/api/keys/generate", { name: "canary" }, { headers: user.headers }));
  await readData(post("/api/roundup", { txValueUsd: 3.4 }, { headers: { "x-api-key": key.apiKey } }));
  for (const path of ["/api/keys", `/api/portfolio/${serviceWallet.address}`])
    await get(path, { headers: user.headers });
  const wrongHeaders = { ...user.headers, "x-signature": serviceWallet.address };
  await post("/api/wrap", { ...body, secret: user.headers["x-signature"] }, { headers: user.headers });
  await post("/api/wallet/derive", { signature: user.headers["x-signature"] }, { headers: user.headers });
  await post("/api/wrap", body, { headers: wrongHeaders });
  return (await callApi("GET", "/api/plans")).headers.get("x-request-id")!;
}

const readLines = async (file: string) => (await readFile(join(recordings, file), "utf8")).split("\n").filter(Boolean);

/** Returns every value that tests recorded as a secret, except published values. */
async function readSecrets(): Promise<Uint8Array[]> {
  const published = publishedVectors.vectors.flatMap(({ ownerSeedHex, serviceSeedHex, signatureBase64 }) => {
    return [ownerSeedHex, serviceSeedHex, Buffer.from(signatureBase64, "base64").toString("hex")];
  });
  const secrets = new Set(await readLines("secrets.txt"));
  for (const hex of published) secrets.delete(hex);
  return [...secrets].map((hex) => Buffer.from(hex, "hex"));
}

/** Returns the private keys derived from the operator's seed. The collectors' public keys are not secret. */
async function deriveOperatorKeys(): Promise<Uint8Array[]> {
  const { seed } = JSON.parse(await readFile(join(dataDir, "chain/operator.json"), "utf8"));
  const bytes = Buffer.from(seed, "hex");
  return [...deriveCollectors(bytes), deriveFunder(bytes)].flatMap(({ secretKey }) => [
    secretKey,
    secretKey.slice(0, 32),
  ]);
}

const listLogFiles = async () => (await readdir(recordings)).filter((file) => file.endsWith(".log"));

beforeAll(async () => {
  const lastRequest = await useService();
  await recordOperatorSecrets(dataDir);
  needles = buildNeedles([...(await readSecrets()), ...(await deriveOperatorKeys())]);
  apiKeys = new Set(
    (await readFile(join(recordings, "responses.txt"), "utf8")).match(/\bru_(?:test|live)_[0-9A-Za-z_]{60,}/g),
  );
  // The server writes log lines after it has answered.
  const isLogged = async () => (await readFile(join(recordings, "server.log"), "utf8")).includes(lastRequest);
  await vi.waitUntil(isLogged, { timeout: 60_000, interval: 50 });
});

describe("the secret search", () => {
  test("has secrets to find and output to search", async () => {
    expect(needles.size).toBeGreaterThan(50);
    expect(apiKeys.size).toBeGreaterThan(0);
    expect((await readLines("responses.txt")).length).toBeGreaterThan(10);
    expect(await listLogFiles()).toEqual(expect.arrayContaining(["server.log", "next.log"]));
    expect((await readLines("server.log")).length).toBeGreaterThan(10);
    expect((await listBuiltFiles()).length).toBeGreaterThan(20);
  });

  test("finds a planted secret in every encoding and context", () => {
    for (const length of [32, 64]) {
      const secret = nacl.randomBytes(length);
      const plantedNeedles = buildNeedles([secret]);
      for (const text of encodeSecret(secret)) {
        const contexts = [text, `{"data":"${text}=="}`, `x${text}`, `Zz9${text}Zz9`, `at ${text}\n`, `/${text}/`];
        for (const surrounded of contexts) {
          expect(findSecrets(`first line\n${surrounded} and more`, plantedNeedles).length).toBeGreaterThan(0);
        }
        expect(findSecrets(text.slice(1), plantedNeedles)).toEqual([]);
      }
    }
  });

  test("finds the recorded secrets in requests", async () => {
    const { headers } = await createWallet();
    const recordedNeedles = buildNeedles(await readSecrets());
    expect(findSecrets(JSON.stringify(headers), recordedNeedles).length).toBe(1);
    const { treasury } = JSON.parse(await readFile(join(dataDir, "chain/operator.json"), "utf8"));
    expect(findSecrets(`to ${treasury}`, needles).length).toBe(1);
  });
});

test("no response of the run shows the treasury, the operator's seed, a signature or a derived seed", async () => {
  expect(findSecrets(await readFile(join(recordings, "responses.txt"), "utf8"), needles)).toEqual([]);
});

test("no log line shows a secret or an API key", async () => {
  const withKeys: Needles = new Map(needles);
  // The secret part of an API key follows its public id.
  for (const key of apiKeys) addNeedle(withKeys, key.split("_").slice(3).join("_"));
  for (const file of await listLogFiles()) {
    const found = findSecrets(await readFile(join(recordings, file), "utf8"), withKeys);
    expect({ file, found }).toEqual({ file, found: [] });
  }
});

test("no built file shows a secret", async () => {
  for (const file of await listBuiltFiles()) {
    expect({ file, found: findSecrets(await readFile(file, "latin1"), needles) }).toEqual({ file, found: [] });
  }
});

describe("log lines", () => {
  const REQUEST_FIELDS = [
    "level",
    "time",
    "operation",
    "status",
    "ms",
    "upstreamMs",
    "requestId",
    "traceId",
    "caller",
    "keyName",
    "wallet",
    "code",
    "fault",
  ];
  const PROCESS_FIELDS = [
    "level",
    "time",
    "sandbox",
    "sandboxRpc",
    "sandboxWebsocket",
    "feeCollectors",
    "listening",
    "network",
    "health",
    "ending",
    "notice",
  ];

  let lines: { file: string; line: string }[];
  let requests: Record<string, unknown>[];

  beforeAll(async () => {
    const each = async (file: string) => (await readLines(file)).map((line) => ({ file, line }));
    lines = (await Promise.all((await listLogFiles()).map(each))).flat();
    requests = lines
      .filter(({ line }) => line.startsWith("{"))
      .map(({ line }) => JSON.parse(line))
      .filter((line) => "operation" in line);
  });

  /** Expects that no line is at fault. One comparison for all lines, because there are tens of thousands. */
  const expectNoFaults = (findFaults: (line: string) => string[]) =>
    expect(
      lines.map((entry) => ({ ...entry, faults: findFaults(entry.line) })).filter(({ faults }) => faults.length > 0),
    ).toEqual([]);

  test("a line has only the allowed fields of its kind", () => {
    expectNoFaults((text) => {
      const line = text.startsWith("{") ? JSON.parse(text) : {};
      const allowed = "operation" in line ? REQUEST_FIELDS : PROCESS_FIELDS;
      return Object.keys(line).filter((name) => !allowed.includes(name));
    });
  });

  test("a request's line shortens its wallet and its fault", () => {
    expect(requests.some(({ wallet }) => wallet)).toBe(true);
    const isShort = (wallet: unknown) => /^[1-9A-HJ-NP-Za-km-z]{4}…[1-9A-HJ-NP-Za-km-z]{4}$/.test(String(wallet));
    const isReduced = (fault: unknown) => /^[\w :.…-]{1,120}$/.test(String(fault));
    const invalidLines = requests.filter(
      ({ wallet, fault }) => (wallet !== undefined && !isShort(wallet)) || (fault !== undefined && !isReduced(fault)),
    );
    expect(invalidLines).toEqual([]);
  });

  test("no line except the collectors' at startup contains a whole address or signature", () => {
    expectNoFaults((line) =>
      /"feeCollectors"|^FEE_COLLECTORS=/.test(line)
        ? []
        : (line.match(/\b[1-9A-HJ-NP-Za-km-z]{32,88}\b/g) ?? []).filter(isBytesInBase58),
    );
  });

  test("no line contains a caller's IP address", () => {
    expectNoFaults((line) => {
      // 127.0.0.1 is where the service itself listens and looks for its sandbox. No request's line names it.
      const isServiceAddress = (address: string) => address === "127.0.0.1" && !line.includes('"operation"');
      const v4 = (line.match(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g) ?? []).filter(
        (address) => isIPv4(address) && !isServiceAddress(address),
      );
      return [...v4, ...(line.match(/(?:[0-9a-f]{1,4}:){4}|2001:db8/gi) ?? [])];
    });
  });
});

/** Returns whether a word decodes to the length of an address or a signature. */
function isBytesInBase58(word: string): boolean {
  const bytes = bs58.decodeUnsafe(word);
  return bytes?.length === 32 || bytes?.length === 64;
}

async function listBuiltFiles(): Promise<string[]> {
  const folders = [".next/server", ".next/static"].filter(existsSync);
  const lists = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
  return lists
    .flat()
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
