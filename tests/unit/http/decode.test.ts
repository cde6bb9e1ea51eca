import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import type { Contract } from "../../../lib/contracts/define";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import type { NamedNetwork } from "../../../lib/domain/signed-texts";
import { AppError } from "../../../lib/errors";
import { decodeInput, MAX_BODY_BYTES } from "../../../lib/http/decode";
import { toIncomingRequest } from "../../../lib/http/web-door";

const WALLET = "9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs";
const OTHER_WALLET = "4ywDjoeqfRyotBJwRJ5TxsjPqtkxfn19NSZGH4CspL33";
const JSON_TYPE = { "content-type": "application/json" };

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

interface RequestOptions {
  contract?: Contract;
  headers?: Record<string, string>;
  search?: string;
  params?: Record<string, unknown>;
  /** The network that the deployment serves. */
  network?: NamedNetwork;
}

function decodeRequest(body: Body | undefined, options: RequestOptions = {}) {
  const { contract = calculateRoundUpContract, headers = JSON_TYPE, search = "" } = options;
  const { params = {}, network = "sandbox" } = options;
  const streamOptions = body instanceof ReadableStream ? { duplex: "half" } : {};
  const url = `http://localhost/api/somewhere${search}`;
  const request = new Request(url, { method: contract.method, headers, body, ...streamOptions });
  return decodeInput(toIncomingRequest(request), params, contract, network);
}

const decodeFields = (fields: unknown, options?: RequestOptions) => decodeRequest(JSON.stringify(fields), options);
const decodeQuery = (search: string) =>
  decodeRequest(undefined, { contract: getAccumulatorContract, search, params: { address: WALLET } });

async function catchRefusal(pending: Promise<unknown>) {
  const error = await pending.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  const { code, message, details, status } = error as AppError;
  expect(message.length).toBeLessThan(400);
  return { code, message, status, issues: details.issues ?? [] };
}

describe("fields", () => {
  test("named __proto__ are refused at every level of body and query", async () => {
    const topRefusal = await catchRefusal(decodeRequest('{"txValueUsd":1,"__proto__":{"plan":"forest"}}'));
    expect(topRefusal).toMatchObject({ code: "invalid_request", issues: [{ path: "__proto__" }] });
    const nestedBody = `{"serviceWalletPubkey":"${OTHER_WALLET}","allocations":[{"asset":"BTC","pct":100,"__proto__":{"x":1}}]}`;
    const nestedRefusal = await catchRefusal(decodeRequest(nestedBody, { contract: buildSwapContract }));
    expect(nestedRefusal).toMatchObject({ code: "invalid_request", issues: [{ path: "allocations.0.__proto__" }] });
    expect((await catchRefusal(decodeQuery("?__proto__=1"))).issues[0]?.path).toBe("__proto__");
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test("with unknown names are reported with a short printable name in any script", async () => {
    const findReportedName = async (name: string) =>
      (await catchRefusal(decodeFields({ txValueUsd: 1, [name]: 1 }))).issues[0]!.path;
    expect(await findReportedName(`\u0007<b>${"é".repeat(5_000)}`)).toBe(`?<b>${"é".repeat(56)}`);
    for (const name of ["ümlaut", "u\u0308", "名前", "имя", "संख्या", "שם", "٣", "€_1", "𝒳"]) {
      expect(await findReportedName(name)).toBe(name);
    }
    const invisible =
      "\u0000 \u007f \u0085 \u00ad \u034f \u115f \u200b \u200f \u2028 \u202e \u2066 \u2800 \u3000 \u3164 \ufeff \ufe0f";
    expect(await findReportedName(invisible)).toBe(invisible.replace(/[^ ]/g, "?"));
    expect(await findReportedName("\ud800")).toBe("?");
    expect(await findReportedName("𝒳".repeat(100))).toBe("𝒳".repeat(60));
  });
});

test("the network field accepts the short name of mainnet-beta in body and query", async () => {
  for (const name of ["mainnet-beta", "mainnet"]) {
    const deployment = { network: "mainnet-beta", search: `?network=${name}` } as const;
    expect(await decodeFields({ txValueUsd: 1, network: name }, deployment)).toEqual({ txValueUsd: 1 });
  }
  const refusal = { code: "network_mismatch", message: expect.stringMatching(/serves mainnet-beta/) };
  for (const name of ["sandbox", "Mainnet", "mainnet-alpha", "beta"]) {
    const pending = decodeFields({ txValueUsd: 1, network: name }, { network: "mainnet-beta" });
    expect(await catchRefusal(pending)).toMatchObject(refusal);
  }
});

describe("a body", () => {
  /** Creates an endless body in pieces of this size. Counts the bytes read and reports when it is cancelled. */
  function createEndlessBody(pieceBytes: number) {
    const progress = { bytes: 0 };
    let reportCancel: () => void;
    const cancelled = new Promise<void>((resolve) => {
      reportCancel = resolve;
    });
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        progress.bytes += pieceBytes;
        controller.enqueue(new Uint8Array(pieceBytes).fill(0x20));
      },
      cancel: () => reportCancel(),
    });
    return { progress, stream, cancelled };
  }

  test("is counted in bytes, not in characters", async () => {
    const text = JSON.stringify({ txValueUsd: 1, plan: "é".repeat(MAX_BODY_BYTES / 2) });
    expect(text.length).toBeLessThan(MAX_BODY_BYTES);
    expect((await catchRefusal(decodeRequest(text))).code).toBe("body_too_large");
  });

  test.each([1, 1_000, 100_000])(
    "is refused at its first excess byte if it arrives in pieces of %i bytes",
    async (piece) => {
      let remainingBytes = MAX_BODY_BYTES + 1;
      const stream = new ReadableStream<Uint8Array>({
        pull(controller) {
          // The stream sends no more after the last piece, and does not end.
          if (remainingBytes > 0) controller.enqueue(new Uint8Array(Math.min(piece, remainingBytes)).fill(0x20));
          remainingBytes -= piece;
          return remainingBytes > 0 ? undefined : new Promise<void>(() => {});
        },
      });
      expect((await catchRefusal(decodeRequest(stream))).code).toBe("body_too_large");
    },
  );

  test.each([1_000, 100_000])(
    "is read for at most 4 MiB if it is endless and arrives in pieces of %i bytes",
    async (piece) => {
      const { progress, stream, cancelled } = createEndlessBody(piece);
      expect((await catchRefusal(decodeRequest(stream))).code).toBe("body_too_large");
      await cancelled;
      expect(progress.bytes).toBeLessThanOrEqual(4 * 1024 * 1024 + MAX_BODY_BYTES + 3 * piece);
    },
  );

  test("that breaks off is invalid_json, not body_too_large", async () => {
    const stream = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("reset")) });
    expect((await catchRefusal(decodeRequest(stream))).code).toBe("invalid_json");
  });
});

test("any JSON is accepted or refused with an AppError", async () => {
  const anyBody = fc.oneof(
    fc.json(),
    fc.string(),
    fc.record({ txValueUsd: fc.jsonValue(), extra: fc.jsonValue() }).map((fields) => JSON.stringify(fields)),
  );
  const property = fc.asyncProperty(anyBody, async (text) => {
    const outcome = await decodeRequest(text).catch((error) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(AppError);
  });
  await fc.assert(property, { numRuns: 200 });
});
