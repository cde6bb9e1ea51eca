import { beforeAll, expect, inject, test, vi } from "vitest";
import { EXAMPLE_SERVICE_WALLET, EXAMPLE_WALLET } from "../../lib/contracts/examples";
import {
  createCallerAddress,
  createWallet,
  deriveServiceWallet,
  fund,
  record,
  type Wallet,
} from "../support/client/client";
import { checkAnswer } from "../support/client/contract-check";
import { appendQuery, nameOperations, OPERATIONS, type OperationRequest } from "../support/client/operations";

/* Sends every operation through both servers. vitest.config.ts lists the other tests that also run through Next. */

let saver: Wallet;
let serviceWallet: string;
beforeAll(async () => {
  saver = await createWallet();
  serviceWallet = (await deriveServiceWallet(saver)).address;
  await fund(saver.address, 1, 10);
  await fund(serviceWallet, 1);
  // Both show new transactions when their slot is over, so that delay is not a difference between them.
  for (const serverKind of ["server", "next"] as const) {
    for (const address of [saver.address, serviceWallet]) {
      const expectListed = async () => {
        const { shape } = await sendRequest(serverKind, "GET", `/api/activity/${address}`, {});
        expect(shape).toMatchObject({ data: { items: [expect.anything()] } });
      };
      await vi.waitFor(expectListed, { timeout: 30_000 });
    }
  }
});

interface ComparedAnswer {
  status: number;
  code: string | null;
  headers: string[];
  shape: unknown;
}

/** The names and types of members, and for a list those of its first member. */
function describeShape(value: unknown): unknown {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.slice(0, 1).map(describeShape);
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, describeShape(member)]));
}

async function sendRequest(
  serverKind: "server" | "next",
  method: string,
  path: string,
  init: RequestInit,
): Promise<ComparedAnswer> {
  const addressHeader = serverKind === "server" ? "x-forwarded-for" : "x-test-address";
  const headers = { ...(init.headers as Record<string, string>), [addressHeader]: createCallerAddress() };
  const response = await fetch(inject("apps")[serverKind] + path, { ...init, method, headers });
  const text = await response.text();
  record("responses.txt", text);
  checkAnswer(method, path, { status: response.status, headers: response.headers, text });
  const body = text === "" ? null : JSON.parse(text);
  // Each HTTP server chooses its own headers for connections, body framing and caches.
  const serverHeaders = ["connection", "keep-alive", "transfer-encoding", "content-length", "date", "vary"];
  const names = [...response.headers.keys()].filter((name) => !serverHeaders.includes(name)).sort();
  return { status: response.status, code: body?.code ?? null, headers: names, shape: describeShape(body) };
}

async function expectSameAnswer(method: string, path: string, init: RequestInit): Promise<ComparedAnswer> {
  const serverAnswer = await sendRequest("server", method, path, init);
  expect(await sendRequest("next", method, path, init)).toEqual(serverAnswer);
  return serverAnswer;
}

/** In place of the example's wallets. */
const insertSaverWallets = (text: string) =>
  text.replaceAll(EXAMPLE_WALLET, saver.address).replaceAll(EXAMPLE_SERVICE_WALLET, serviceWallet);

function buildRequest({ path, body }: OperationRequest): { path: string; init: RequestInit } {
  const headers = { ...saver.headers, ...(body && { "content-type": "application/json" }) };
  return { path: insertSaverWallets(path), init: { headers, body: body && insertSaverWallets(JSON.stringify(body)) } };
}

/** Each needs a signature of its caller or an existing key. */
const REFUSED_OPERATIONS = ["execute-transaction", "derive-wallet", "revoke-key"];

test.each(nameOperations(OPERATIONS))(
  "%s returns the same status, headers and body shape through both servers",
  async (name, operation) => {
    const { path, init } = buildRequest(operation);
    const { method } = operation;
    const { status } = await expectSameAnswer(method, path, init);
    if (!REFUSED_OPERATIONS.includes(name)) expect(status).toBe(200);
    await expectSameAnswer(method, appendQuery(path, "?surprise=1"), init);
    await expectSameAnswer(method, path, { ...init, headers: { ...init.headers, "x-signature": "AA==" } });
    // A header carries bytes: fetch sends this text as curl sends UTF-8.
    const cyrillic = Buffer.from("я".repeat(40)).toString("latin1");
    await expectSameAnswer(method, path, { ...init, headers: { ...init.headers, "x-wallet": cyrillic } });
    await expectSameAnswer("PATCH", path, {});
    await expectSameAnswer("OPTIONS", path, { headers: { origin: "https://example.org" } });
    if (method === "POST") {
      await expectSameAnswer(method, path, { ...init, body: "{" });
      await expectSameAnswer(method, path, { ...init, headers: saver.headers });
    }
  },
);
