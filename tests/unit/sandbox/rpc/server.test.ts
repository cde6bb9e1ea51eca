import { once } from "node:events";
import { createServer } from "node:net";
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { type LocalChain, openChain } from "../../../../lib/sandbox/chain/chain";
import { openServer, type SandboxServer } from "../../../../lib/sandbox/rpc/server";
import { buildPayment, createAddress, ONE_SOL, UNUSED_METHODS, waitUntil } from "../../../support/chain/sandbox-rig";

let chain: LocalChain;
/** The chain's time while a test stops it, ms since the epoch. Null while it follows the wall clock. */
let stoppedTimeMs: number | null = null;
let server: SandboxServer;
let connection: Connection;
const receivedPrices: unknown[] = [];
const reportedErrors: unknown[] = [];

beforeAll(async () => {
  chain = openChain({ now: () => stoppedTimeMs ?? Date.now() });
  const market = {
    handle: async (url: URL) => ({ status: url.pathname === "/price/v3" ? 200 : 404, body: { search: url.search } }),
  };
  const context = {
    chain,
    getInfo: () => ({ network: "sandbox", feeCollectors: ["x"] }),
    issueUsdc: () => "",
    setPrice: (...price: unknown[]) => void receivedPrices.push(price),
    listDailyPrices: UNUSED_METHODS.listDailyPrices,
  };
  server = await openServer({ context, market, port: 0, reportError: (error) => reportedErrors.push(error) });
  connection = new Connection(server.url, "confirmed");
});
afterEach(() => {
  stoppedTimeMs = null;
  expect(reportedErrors).toEqual([]);
});
afterAll(() => {
  // The websocket stays open after the last subscription and would reconnect for ever.
  (Reflect.get(connection, "_rpcWebSocket") as { setAutoReconnect(on: boolean): void }).setAutoReconnect(false);
  return server.close();
});

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: () => { id: unknown; result?: never; error?: { code: number; message: string; data?: never } };
}

async function postBody(body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
  const response = await fetch(server.url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

const createCall = (id: number, method: string, params: unknown[] = []) => ({ jsonrpc: "2.0", id, method, params });
const postJson = (body: unknown, headers?: Record<string, string>) => postBody(JSON.stringify(body), headers);
const callRpc = async (method: string, params?: unknown[]) => (await postJson(createCall(1, method, params))).json();

const advanceOneSlot = () => chain.advanceSlots(1);

describe("an unmodified web3.js Connection", () => {
  test("airdrops, transfers and confirms over the websocket", async () => {
    const from = Keypair.generate();
    const latestBlockhash = await connection.getLatestBlockhash();
    const airdropSignature = await connection.requestAirdrop(from.publicKey, 2 * LAMPORTS_PER_SOL);
    const confirmation = await connection.confirmTransaction({ signature: airdropSignature, ...latestBlockhash });
    expect(confirmation.value.err).toBeNull();
    expect(await connection.getBalance(from.publicKey)).toBe(2 * LAMPORTS_PER_SOL);
    const to = Keypair.generate().publicKey;
    const transaction = new Transaction().add(buildPayment(from, to, 1e9));
    const signature = await sendAndConfirmTransaction(connection, transaction, [from]);
    expect(await connection.getBalance(to)).toBe(1e9);
    expect((await connection.getAccountInfo(to))!.owner.equals(SystemProgram.programId)).toBe(true);
    const signatures = [signature, airdropSignature, bs58.encode(new Uint8Array(64))];
    const { value: statuses } = await connection.getSignatureStatuses(signatures);
    expect(statuses.map((status) => status?.err)).toEqual([null, null, undefined]);
  });
});

describe("JSON-RPC", () => {
  test("answers batches in order, and notifications with an empty body", async () => {
    const batch = [createCall(1, "getSlot"), { jsonrpc: "2.0", method: "getSlot" }, createCall(2, "nothing"), 7];
    expect(JSON.parse((await postJson(batch)).text)).toEqual([
      expect.objectContaining({ id: 1, result: expect.any(Number) }),
      expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32601 }) }),
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
    ]);
    const longBatch = Array.from({ length: 300 }, (_, id) => createCall(id, "getBlockHeight"));
    expect(JSON.parse((await postJson(longBatch)).text)).toHaveLength(300);
    expect((await postJson({ jsonrpc: "2.0", method: "getSlot" })).text).toBe("");
    for (const wrongBatch of [[], Array(1001).fill(createCall(1, "getSlot"))])
      expect((await postJson(wrongBatch)).json().error!.code).toBe(-32600);
  });

  test.each([
    ["{", -32700],
    ["", -32700],
    ["7", -32600],
    ["null", -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"getSlot"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"getSlot"}', -32600],
    ['{"jsonrpc":"2.0","id":1}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"getSlot","params":{}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"toString"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
  ])("answers %s with %i", async (body, code) => {
    const answer = await postBody(body);
    expect(answer.status).toBe(200);
    expect(answer.json().error!.code).toBe(code);
  });

  const address = createAddress();
  test.each<[string, unknown[]]>([
    ["getBalance", []],
    ["getBalance", [`1${address}`]],
    ["getAccountInfo", [address, { encoding: "xml" }]],
    ["getAccountInfo", [address, { dataSlice: { offset: -1, length: 2 } }]],
    ["getMultipleAccounts", [Array(101).fill(address)]],
    ["getTokenAccountsByOwner", [address, { mint: address }]],
    ["getSignatureStatuses", [Array(257).fill("abc")]],
    ["requestAirdrop", [address, 9e15]],
    ["sendTransaction", ["A".repeat(1648), { encoding: "base64" }]],
    ["sandbox_setPrice", ["BTC", -1]],
  ])("answers -32602 to %s with bad parameters (%#)", async (method, params) => {
    expect((await callRpc(method, params)).error!.code).toBe(-32602);
  });

  test("answers 413 to more than a megabyte and keeps running", async () => {
    expect((await postBody("x".repeat(1024 * 1024 + 1))).status).toBe(413);
    expect((await callRpc("getHealth")).result).toBe("ok");
  });

  test("refuses other HTTP methods and pages of other sites", async () => {
    const putResponse = await fetch(server.url, { method: "PUT" });
    expect(putResponse.status).toBe(405);
    expect(putResponse.headers.get("allow")).toContain("POST");
    const foreignPageAnswer = await postBody("{}", { origin: "https://example.com" });
    expect(foreignPageAnswer.status).toBe(403);
    const localPageAnswer = await postJson(createCall(1, "getSlot"), { origin: "http://localhost:3000" });
    expect(localPageAnswer.headers.get("access-control-allow-origin")).toBe("http://localhost:3000");
    for (const headers of [putResponse.headers, foreignPageAnswer.headers, localPageAnswer.headers])
      expect(headers.get("x-sandbox")).toBe("true");
  });
});

describe("the websocket", () => {
  const openSocket = async () => {
    const socket = new WebSocket(server.url.replace("http", "ws").replace(/\d+$/, (port) => String(Number(port) + 1)));
    const messages: {
      id?: number;
      result?: unknown;
      error?: { code: number };
      method?: string;
      params?: { result: unknown; subscription?: number };
    }[] = [];
    socket.onmessage = ({ data }) => void messages.push(JSON.parse(String(data)));
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return { socket, messages };
  };

  test("notifies once at the requested commitment, even if the transaction was sent before the subscription", async () => {
    const { socket, messages } = await openSocket();
    const signature = chain.airdrop(createAddress(), ONE_SOL);
    const subscribeToSignature = (id: number, commitment: string) =>
      socket.send(JSON.stringify(createCall(id, "signatureSubscribe", [signature, { commitment }])));
    subscribeToSignature(1, "processed");
    subscribeToSignature(2, "finalized");
    await waitUntil(() => messages.some((message) => message.params));
    expect(messages.filter((message) => message.params)).toHaveLength(1);
    chain.advanceSlots(40);
    await waitUntil(() => messages.filter((message) => message.params).length === 2);
    expect(messages.at(-1)!.params!.result).toMatchObject({ value: { err: null } });
    socket.close();
  });

  test("reports only the changes of the subscribed account", async () => {
    const to = Keypair.generate().publicKey;
    const changes: number[] = [];
    const id = connection.onAccountChange(to, ({ lamports }) => void changes.push(lamports));
    // Repeat the airdrop, because the client does not report when its subscription is active.
    await waitUntil(() => chain.airdrop(to.toBase58(), ONE_SOL) && changes.length > 0);
    const balance = Number(chain.getAccount(to.toBase58())!.lamports);
    await waitUntil(() => changes.at(-1) === balance);
    const { socket, messages } = await openSocket();
    const params = [to.toBase58(), { encoding: "base64" }];
    socket.send(JSON.stringify(createCall(1, "accountSubscribe", params)));
    await waitUntil(() => messages[0]?.result);
    chain.airdrop(createAddress(), ONE_SOL);
    chain.airdrop(to.toBase58(), ONE_SOL);
    await waitUntil(() => messages.length === 2 && changes.at(-1) === balance + 1e9);
    chain.airdrop(to.toBase58(), 2n * ONE_SOL);
    await waitUntil(() => messages.length === 3 && changes.at(-1) === balance + 3e9);
    expect(messages[1]!.params!.result).toMatchObject({ value: { lamports: balance + 1e9 } });
    await connection.removeAccountChangeListener(id);
    socket.close();
  });

  /** Opens a socket with one subscription. @returns its id and the results of its notifications */
  const subscribeTo = async (method: string, params: unknown[] = []) => {
    const { socket, messages } = await openSocket();
    onTestFinished(() => socket.close());
    socket.send(JSON.stringify(createCall(1, method, params)));
    const id = await waitUntil(() => messages.find((message) => message.id === 1)?.result as number);
    const listResults = () => messages.flatMap(({ params: notification }) => notification?.result ?? []);
    return { socket, messages, id, listResults };
  };

  test("reports each slot and its root once, until the subscription ends", async () => {
    stoppedTimeMs = Date.now();
    const slots = await subscribeTo("slotSubscribe");
    const roots = await subscribeTo("rootSubscribe");
    const firstSlot = chain.getSlot();
    advanceOneSlot();
    await waitUntil(() => slots.listResults().length === 1);
    chain.advanceSlots(2);
    await waitUntil(() => slots.listResults().length === 3 && roots.listResults().length === 3);
    const expectedSlots = [1, 2, 3].map((age) => firstSlot + age);
    expect(slots.listResults()).toEqual(expectedSlots.map((slot) => ({ slot, parent: slot - 1, root: slot - 32 })));
    expect(roots.listResults()).toEqual(expectedSlots.map((slot) => slot - 32));
    expect(slots.messages.at(-1)).toMatchObject({ method: "slotNotification", params: { subscription: slots.id } });
    slots.socket.send(JSON.stringify(createCall(2, "rootUnsubscribe", [slots.id])));
    slots.socket.send(JSON.stringify(createCall(3, "slotUnsubscribe", [slots.id])));
    await waitUntil(() => slots.messages.find((message) => message.id === 3));
    expect(slots.messages.slice(-2)).toMatchObject([{ error: { code: -32602 } }, { result: true }]);
    advanceOneSlot();
    await waitUntil(() => roots.listResults().length === 4);
    expect(slots.listResults()).toHaveLength(3);
  });

  test("reports the logs of all transactions, or of those that mention an address, once they are confirmed", async () => {
    stoppedTimeMs = Date.now();
    const [to, other] = [createAddress(), createAddress()];
    const all = await subscribeTo("logsSubscribe", ["all", { commitment: "processed" }]);
    const mentions = await subscribeTo("logsSubscribe", [{ mentions: [to] }, { commitment: "confirmed" }]);
    const signatures = [to, other].map((address) => chain.airdrop(address, ONE_SOL));
    await waitUntil(() => all.listResults().length === 2);
    expect(mentions.listResults()).toEqual([]);
    const logs = expect.arrayContaining(["Program 11111111111111111111111111111111 success"]);
    const slot = chain.getSlot();
    const results = signatures.map((signature) => ({ context: { slot }, value: { signature, err: null, logs } }));
    expect(all.listResults()).toEqual(results);
    advanceOneSlot();
    await waitUntil(() => mentions.listResults().length === 1);
    expect(mentions.listResults()).toEqual([results[0]]);
  });

  test("reports the accounts of a program that a transaction writes, if they pass the filters", async () => {
    const wallet = createAddress();
    const systemAccounts = await subscribeTo("programSubscribe", [
      SystemProgram.programId.toBase58(),
      { encoding: "base64", commitment: "processed", filters: [{ dataSize: 0 }] },
    ]);
    const largeAccounts = await subscribeTo("programSubscribe", [
      SystemProgram.programId.toBase58(),
      { commitment: "processed", filters: [{ dataSize: 1 }] },
    ]);
    chain.airdrop(wallet, ONE_SOL);
    await waitUntil(() => systemAccounts.listResults().length === 2);
    expect(systemAccounts.listResults()).toContainEqual(
      expect.objectContaining({ value: { pubkey: wallet, account: expect.objectContaining({ lamports: 1e9 }) } }),
    );
    expect(largeAccounts.listResults()).toEqual([]);
  });

  test("answers bad messages and keeps running", async () => {
    const { socket, messages } = await openSocket();
    const badMessages = [
      "{",
      "7",
      '{"id":1,"method":"blockSubscribe","params":["all"]}',
      '{"id":2,"method":"signatureSubscribe","params":["x"]}',
      '{"id":3,"method":"signatureUnsubscribe","params":[99]}',
    ];
    for (const text of badMessages) socket.send(text);
    await waitUntil(() => messages.length === 5);
    expect(messages.map((message) => message.error?.code)).toEqual([-32700, -32600, -32601, -32602, -32602]);
    socket.close();
  });
});

describe("the server", () => {
  const occupyPort = async (port: number) => {
    const otherServer = createServer().listen(port, "127.0.0.1");
    await once(otherServer, "listening");
    return otherServer;
  };

  test("opens another free pair of ports if the requested port or the next one is taken", async () => {
    const context = { chain, ...UNUSED_METHODS };
    const options = { context, market: null, reportError: () => {} };
    const port = Number(new URL(server.url).port);
    const otherServer = await openServer({ ...options, port });
    expect(otherServer.url).not.toBe(server.url);
    await otherServer.close();
    const freePort = Number(new URL(otherServer.url).port);
    const portOccupant = await occupyPort(freePort + 1);
    const thirdServer = await openServer({ ...options, port: freePort });
    expect(thirdServer.url).not.toBe(otherServer.url);
    await thirdServer.close();
    const exactServer = openServer({ ...options, port: freePort, requiresExactPort: true });
    await expect(exactServer).rejects.toThrow(/Ports \d+ and \d+ on 127.0.0.1/);
    await new Promise((resolve) => portOccupant.close(resolve));
  });
});
