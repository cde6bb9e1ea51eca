import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import type { Contract } from "../../../lib/contracts/define";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { AppError } from "../../../lib/errors";
import { decodeInput, MAX_BODY_BYTES } from "../../../lib/http/decode";
import { toIncoming } from "../../../lib/http/web-door";
import type { NetworkName } from "../../../lib/ports/network";

const WALLET = "9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs";
const OTHER = "4ywDjoeqfRyotBJwRJ5TxsjPqtkxfn19NSZGH4CspL33";
const PROGRAM_ADDRESS = "2dn9kGAgRHTRB4J6Ppgh2PxDKPXTT4fyi3g1UGgHpvGQ";
const JSON_TYPE = { "content-type": "application/json" };

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

interface Sent {
  contract?: Contract;
  headers?: Record<string, string>;
  search?: string;
  params?: Record<string, unknown>;
  /** The deployment's network. */
  network?: NetworkName;
}

function send(
  body: Body | undefined,
  {
    contract = calculateRoundUpContract,
    headers = JSON_TYPE,
    search = "",
    params = {},
    network = "sandbox",
  }: Sent = {},
) {
  const url = new URL(`http://localhost/api/somewhere${search}`);
  const streamed = body instanceof ReadableStream ? { duplex: "half" } : {};
  const request = new Request(url, {
    method: contract.method,
    headers,
    ...(body !== undefined && { body }),
    ...streamed,
  });
  return decodeInput(toIncoming(request), params, contract, network);
}

const sendFields = (fields: unknown, sent?: Sent) => send(JSON.stringify(fields), sent);
const read = (search: string) =>
  send(undefined, { contract: getAccumulatorContract, search, params: { address: WALLET } });

async function refused(pending: Promise<unknown>) {
  const error = await pending.then(
    () => expect.unreachable("was accepted"),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  const { code, message, details, status } = error as AppError;
  expect(message.length).toBeLessThan(400);
  return { code, message, status, issues: details.issues ?? [] };
}

describe("fields", () => {
  test("refuses __proto__ by name at every level, in body and query, without changing a prototype", async () => {
    const top = await refused(send('{"txValueUsd":1,"__proto__":{"plan":"forest"}}'));
    expect(top).toMatchObject({ code: "invalid_request", issues: [{ path: "__proto__" }] });
    const inside = `{"serviceWalletPubkey":"${OTHER}","allocations":[{"asset":"BTC","pct":100,"__proto__":{"x":1}}]}`;
    const nested = await refused(send(inside, { contract: buildSwapContract }));
    expect(nested).toMatchObject({ code: "invalid_request", issues: [{ path: "allocations.0.__proto__" }] });
    expect((await refused(read("?__proto__=1"))).issues[0]?.path).toBe("__proto__");
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test("reads -0 as a purchase of nothing, and accepts the smallest positive double", async () => {
    expect(await send('{"txValueUsd":-0}')).toEqual({ txValueUsd: -0 });
    expect(await send('{"txValueUsd":5e-324}')).toEqual({ txValueUsd: 5e-324 });
  });

  test("shortens an unknown field's name and makes it printable, in any script", async () => {
    const nameOf = async (name: string) => (await refused(sendFields({ txValueUsd: 1, [name]: 1 }))).issues[0]!.path;
    expect(await nameOf(`\u0007<b>${"é".repeat(5_000)}`)).toBe(`?<b>${"é".repeat(56)}`);
    for (const name of ["ümlaut", "u\u0308", "名前", "имя", "संख्या", "שם", "٣", "€_1", "𝒳"]) {
      expect(await nameOf(name)).toBe(name);
    }
    const invisible =
      "\u0000 \u007f \u0085 \u00ad \u034f \u115f \u200b \u200f \u2028 \u202e \u2066 \u2800 \u3000 \u3164 \ufeff \ufe0f";
    expect(await nameOf(invisible)).toBe(invisible.replace(/[^ ]/g, "?"));
    expect(await nameOf("\ud800")).toBe("?");
    expect(await nameOf("𝒳".repeat(100))).toBe("𝒳".repeat(60));
  });
});

describe("addresses", () => {
  const wrap = (fields: object) => refused(sendFields({ txValueUsd: 1, ...fields }, { contract: buildWrapContract }));

  test("reports a wrong address together with another error as invalid_request, with both fields named", async () => {
    const { code, issues } = await wrap({ userPubkey: PROGRAM_ADDRESS, serviceWalletPubkey: OTHER, plan: "oak" });
    expect(code).toBe("invalid_request");
    expect(issues.map(({ path }) => path).sort()).toEqual(["plan", "userPubkey"]);
  });

  test("reports an address that is a number as invalid_request", async () => {
    expect((await wrap({ userPubkey: 5, serviceWalletPubkey: OTHER })).code).toBe("invalid_request");
  });
});

describe("network", () => {
  test("accepts the short name of mainnet-beta on mainnet-beta, in body and query", async () => {
    for (const named of ["mainnet-beta", "mainnet"]) {
      const deployment = { network: "mainnet-beta", search: `?network=${named}` } as const;
      expect(await sendFields({ txValueUsd: 1, network: named }, deployment)).toEqual({ txValueUsd: 1 });
    }
    for (const named of ["sandbox", "Mainnet", "mainnet-alpha", "beta"]) {
      const pending = sendFields({ txValueUsd: 1, network: named }, { network: "mainnet-beta" });
      expect(await refused(pending)).toMatchObject({
        code: "network_mismatch",
        message: expect.stringMatching(/serves mainnet-beta/),
      });
    }
  });
});

describe("query", () => {
  test.each([
    ["5", 5],
    ["0.5", 0.5],
    [".5", 0.5],
    ["1e3", 1000],
  ])("reads threshold=%s as the number %d", async (text, threshold) => {
    expect(await read(`?threshold=${text}`)).toEqual({ address: WALLET, threshold });
  });
});

describe("size", () => {
  const padded = (bytes: number) => '{"txValueUsd":1}'.padEnd(bytes, " ");

  /** Creates an endless body in pieces of this size. Counts the bytes read and reports when it is cancelled. */
  function endless(piece: number) {
    const seen = { bytes: 0 };
    let giveUp: () => void;
    const cancelled = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        seen.bytes += piece;
        controller.enqueue(new Uint8Array(piece).fill(0x20));
      },
      cancel: () => giveUp(),
    });
    return { seen, stream, cancelled };
  }

  test("reads a stream of exactly 16 KiB", async () => {
    expect(await send(new Blob([padded(MAX_BODY_BYTES)]).stream())).toEqual({ txValueUsd: 1 });
  });

  test("counts the bytes of a body, not its characters", async () => {
    const text = JSON.stringify({ txValueUsd: 1, plan: "é".repeat(MAX_BODY_BYTES / 2) });
    expect(text.length).toBeLessThan(MAX_BODY_BYTES);
    expect((await refused(send(text))).code).toBe("body_too_large");
  });

  test("refuses a declared length over the limit without reading a byte", async () => {
    const { seen, stream } = endless(1_000);
    const headers = { ...JSON_TYPE, "content-length": String(MAX_BODY_BYTES + 1) };
    const before = seen.bytes;
    expect((await refused(send(stream, { headers }))).code).toBe("body_too_large");
    expect(seen.bytes - before).toBeLessThanOrEqual(1_000);
  });

  test.each([1, 1_000, 100_000])("refuses a body in pieces of %i bytes at the first byte too many", async (piece) => {
    let left = MAX_BODY_BYTES + 1;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        // The stream sends no more after the last piece, and does not end.
        if (left > 0) controller.enqueue(new Uint8Array(Math.min(piece, left)).fill(0x20));
        left -= piece;
        return left > 0 ? undefined : new Promise<void>(() => {});
      },
    });
    expect((await refused(send(stream))).code).toBe("body_too_large");
  });

  test.each([1_000, 100_000])("stops reading an endless body in pieces of %i bytes after 4 MiB", async (piece) => {
    const { seen, stream, cancelled } = endless(piece);
    expect((await refused(send(stream))).code).toBe("body_too_large");
    await cancelled;
    expect(seen.bytes).toBeLessThanOrEqual(4 * 1024 * 1024 + MAX_BODY_BYTES + 3 * piece);
  });

  test("refuses a body that breaks off as invalid_json", async () => {
    const stream = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("reset")) });
    expect((await refused(send(stream))).code).toBe("invalid_json");
  });
});

test("accepts or refuses any JSON with an AppError, never with another exception", async () => {
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.record({ txValueUsd: fc.jsonValue(), extra: fc.jsonValue() }).map((one) => JSON.stringify(one)),
  );
  const property = fc.asyncProperty(body, async (text) => {
    const outcome = await send(text).catch((error) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(AppError);
  });
  await fc.assert(property, { numRuns: 200 });
});
