import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createExampleRequest } from "../../lib/contracts/examples";
import { WalletAddress } from "../../lib/contracts/scalars";
import { ASSETS } from "../../lib/domain/assets";
import { expectFailure } from "../support/client/answers";
import { type Answer, call, createWallet, data, get, type Wallet } from "../support/client/client";
import { nameOperations, OPERATIONS, type OperationRequest, WITH_BODY } from "../support/client/operations";
import { NOT_WALLETS } from "../support/fixtures/addresses";
import { testWallet } from "../support/fixtures/test-wallets";

/* Wrong body fields of every operation in the registry. Each gets a planned refusal in the envelope, never a 500. */

/** Fields that accept 0, and therefore -0. */
const TAKES_ZERO = ["txValueUsd", "index"];
/** Fields that accept an empty text in the schema. The parser of the signature or transaction then refuses it. */
const TAKES_EMPTY = ["signature", "proof", "signedTransaction"];

/** Signs only requests that are wrong, so it must never have any effect. */
let wallet: Wallet;
beforeAll(async () => {
  wallet = await createWallet();
});

const sendRaw = ({ method, path }: OperationRequest, raw: string) =>
  call(method, path, { headers: { ...wallet.headers, "content-type": "application/json" }, raw });

/**
 * Writes a body as JSON text with one member given as text, so that it can contain what JSON.stringify never writes.
 */
function withMember(body: Record<string, unknown>, name: string, text: string): string {
  const { [name]: _, ...others } = body;
  return `${JSON.stringify(others).slice(0, -1)}${Object.keys(others).length > 0 ? "," : ""}${JSON.stringify(name)}:${text}}`;
}

interface Field {
  name: string;
  required: boolean;
  type: string;
  isEnum: boolean;
  isAddress: boolean;
}

/** The members that an operation's body may have, from its published schema. */
function listFields({ contract }: OperationRequest): Field[] {
  const schema = z.toJSONSchema(contract.body ?? z.strictObject({}), { io: "input" });
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, property]) => {
    const {
      type = "unknown",
      enum: values,
      pattern,
    } = property as { type?: string; enum?: unknown[]; pattern?: string };
    const isAddress = pattern === WalletAddress.meta()!.pattern;
    return { name, required: required.includes(name), type, isEnum: values !== undefined, isAddress };
  });
}

/** JSON texts that no field of the type accepts. */
function listWrongValues({ type, name, isEnum }: Field): string[] {
  switch (type) {
    case "number":
    case "integer": {
      const zero = TAKES_ZERO.includes(name) ? [] : ["0", "-0", "0.0"];
      const strings = ['"27.63"', '"NaN"', '"Infinity"', '"0x10"', '""'];
      const numbers = ["1e309", "-1e309", "-1", "-0.01", "1e308", "9007199254740993e10"];
      return [...strings, ...numbers, ...zero, "true", "null", "[]", "[1]", "{}", '{"valueOf":1}'];
    }
    case "string": {
      const others = ["5", "0", "true", "null", "[]", "{}", '["BTC"]', '{"length":44}'];
      const texts = isEnum ? ['"__proto__"', '"constructor"', '"toString"', '"btc"', '"BTC "', '"Sprout"'] : [];
      return [...others, ...texts, ...(TAKES_EMPTY.includes(name) ? [] : ['""'])];
    }
    case "array":
      return ['""', '"BTC"', "5", "true", "null", "{}", "[]", "[null]", "[[]]", '["1"]', '{"0":1,"length":1}'];
    case "boolean":
      return ['"true"', '"false"', "1", "0", "null", "[]", "{}"];
    default:
      throw new Error(`tests/api/bad-fields.test.ts does not know wrong values of type ${type}`);
  }
}

/** Expects a 400 with an issue that names the field or a part of it. */
function expectIssueAt(answer: Answer, name: string, about: string): void {
  expectFailure(answer, answer.body?.code === "invalid_address" ? "invalid_address" : "invalid_request", about);
  const paths = answer.body.issues?.map(({ path }) => path.split(".")[0]);
  expect({ about, paths }).toEqual({ about, paths: expect.arrayContaining([name]) });
  expect(answer.body.error).toContain(name);
}

describe.each(nameOperations(WITH_BODY))("%s: fields of the body", (_name, operation) => {
  const body = operation.body ?? {};
  const fields = listFields(operation);

  test("400: names each missing required field", async () => {
    for (const { name } of fields.filter(({ required }) => required)) {
      const { [name]: _, ...others } = body;
      const answer = await call(operation.method, operation.path, { headers: wallet.headers, body: others });
      expectIssueAt(answer, name, name);
      expect(answer.body?.issues).toContainEqual({ path: name, message: "is required" });
    }
  });

  test("400: refuses wrong types, out-of-range numbers and infinities instead of coercing them", async () => {
    for (const field of fields) {
      for (const value of listWrongValues(field)) {
        const answer = await sendRaw(operation, withMember(body, field.name, value));
        expectIssueAt(answer, field.name, `${field.name}: ${value}`);
      }
    }
  });

  test("400 invalid_address: refuses every text that is not a wallet's address", async () => {
    for (const { name } of fields.filter(({ isAddress }) => isAddress)) {
      for (const [about, text] of Object.entries(NOT_WALLETS)) {
        const answer = await sendRaw(operation, JSON.stringify({ ...body, [name]: text }));
        expectFailure(answer, "invalid_address", `${name}: ${about}`);
        expect(answer.body.issues?.map(({ path }) => path)).toEqual([name]);
      }
    }
  });

  test("400 invalid_json: refuses numbers that JSON does not have", async () => {
    for (const { name } of fields.filter(({ type }) => type === "number" || type === "integer")) {
      for (const value of [
        "NaN",
        "Infinity",
        "-Infinity",
        "0x10",
        "01",
        ".5",
        "5.",
        "+5",
        "1_000",
        "1n",
        "undefined",
      ]) {
        const answer = await sendRaw(operation, withMember(body, name, value));
        expectFailure(answer, "invalid_json", `${name}: ${value}`);
      }
    }
  });

  test("400: refuses every unknown field by name", async () => {
    const names = [
      "surprise",
      "constructor",
      "__proto__",
      "prototype",
      "toString",
      "hasOwnProperty",
      "then",
      "txvalueusd",
    ];
    for (const name of names) {
      for (const value of ["1", "null", '{"network":"sandbox"}']) {
        const answer = await sendRaw(operation, withMember(body, name, value));
        expectFailure(answer, "invalid_request", name);
        expect(answer.body.issues?.[0]?.path).toBe(name);
        expect(answer.body.issues?.[0]?.message).toMatch(/^is not a field of this request/);
      }
    }
  });

  test("400: answers long, numerous or unprintable field names with a short, printable message", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`unknown${i}`, i]));
    const odd = { ["n".repeat(10_000)]: 1, "<script>\u0000\n\u202e": 1, "": 1 };
    for (const extra of [many, ...Object.entries(odd).map(([name, value]) => ({ [name]: value }))]) {
      const answer = await sendRaw(operation, JSON.stringify({ ...body, ...extra }));
      expectFailure(answer, "invalid_request");
      expect(answer.text.length).toBeLessThan(2_000);
      expect(answer.text).toMatch(/^[\x20-\x7e…]+$/);
    }
  });

  test("400: refuses JSON that is nested as deeply as 16 KiB allow", async () => {
    const nested = "[".repeat(7_000) + "]".repeat(7_000);
    const objects = `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`;
    for (const value of [nested, objects]) {
      expectFailure(await sendRaw(operation, withMember(body, "unknown", value)), "invalid_request");
      for (const { name, type } of fields.filter(({ type }) => type !== "unknown").slice(0, 2)) {
        expectIssueAt(await sendRaw(operation, withMember(body, name, value)), name, `${name} (${type})`);
      }
    }
  });
});

/** Changes to the example's body or query, and the member that the refusal names. Undefined removes a field. */
type Refusal = [changes: Record<string, unknown>, member: string];
const each = (name: string, ...values: unknown[]): Refusal[] => values.map((value) => [{ [name]: value }, name]);
const split = (...pcts: unknown[]) => ({ allocations: pcts.map((pct, i) => ({ asset: ["BTC", "ETH"][i], pct })) });

const TERMS = [
  ...each("plan", "bonsai", null),
  ...each("roundToUsd", 0.009, 100.01),
  ...each("ceiling", 100.01),
  ...each("multiplier", 11, 1.5),
];
/** No option removes the fee. */
const FEE_OPTIONS = [...each("serviceFeeLamports", 0), ...each("feeCollector", "none")];

/** Values just outside each bound, and broken rules between fields. */
const OUT_OF_BOUNDS: Record<string, Refusal[]> = {
  "calculate-round-up": [...TERMS, ...each("txValueUsd", 1_000_000.01), ...each("ceilingUsd", 1)],
  "build-wrap": [...TERMS, ...FEE_OPTIONS, ...each("txValueUsd", 1_000_000.01), ...each("reference", "o".repeat(65))],
  "build-wrap-batch": [
    ...TERMS,
    ...FEE_OPTIONS,
    ...each("txValuesUsd", Array(501).fill(1)),
    [{ txValuesUsd: [1, -1] }, "txValuesUsd.1"],
    [{ txValuesUsd: [1_000_000.01] }, "txValuesUsd.0"],
    ...each("txValueUsd", 1.2),
    [{ through: "5".repeat(88), reference: "o" }, "reference"],
  ],
  "build-topup": [
    ...each("amountUsd", 0.49, 10_000.01),
    ...each("period", "two words", "a".repeat(33), "a:b", "2026-W01"),
    ...each("plan", "forest"),
    [{ period: "w1", reference: "o" }, "reference"],
  ],
  "quote-swap": [
    ...each("inputLamports", 0.5, 1_000_000_000_000_001),
    ...each("slippageBps", 1_001, 1.5),
    ...each("targetAsset", "DOGE", ASSETS.BTC.mint),
    ...each("outputMint", ASSETS.BTC.mint),
  ],
  "build-swap": [
    ...[split(50, 49.99), split(50, 50.01), split(33.3333333, 66.6666667)].map(
      (changes): Refusal => [changes, "allocations"],
    ),
    ...[split(0, 100), split(-50, 150), split("100")].map((changes): Refusal => [changes, "allocations.0.pct"]),
    [{ allocations: [50, 50].map((pct) => ({ asset: "BTC", pct })) }, "allocations"],
    [{ allocations: [{ asset: "DOGE", pct: 100 }] }, "allocations.0.asset"],
    [{ allocations: [{ asset: "BTC", pct: 100, mint: "x" }] }, "allocations.0.mint"],
    ...each("targetAsset", "SOL", "XRP"),
    [{ targetAsset: "XRP", ...split(50, 50) }, "targetAsset"],
    ...each("threshold", 1_000_000.01),
    ...each("slippageBps", 1_001),
    ...each("destination", "somewhere"),
  ],
  "execute-swap": [...each("skipFeeCheck", true), ...each("skipPreflight", true), ...each("transaction", true)],
  "build-sale": [
    ...each("all", undefined, false),
    [{ all: true, amount: "1" }, "all"],
    ...["0", "1.5"].map((amount): Refusal => [{ all: undefined, amount }, "amount"]),
    ...each("asset", "SOL"),
    ...each("into", "ETH"),
    [{ asset: "USDC", into: "USDC" }, "into"],
    ...each("slippageBps", 1_001),
    ...each("threshold", 5),
  ],
  "build-withdraw": [
    ...each("all", undefined, false),
    [{ asset: "BTC" }, "all"],
    ...each("amount", "1"),
    [{ all: undefined, asset: "DOGE" }, "asset"],
    ...["0", "1.5", "-1", "18446744073709551616", "9".repeat(5_000)].map(
      (amount): Refusal => [{ all: undefined, asset: "BTC", amount }, "amount"],
    ),
  ],
  "derive-wallet": [
    ...each("index", 256, 0.5),
    ...each("proof", undefined),
    [{ publicKey: undefined }, "signature"],
    [{ publicKey: undefined, proof: undefined }, "signature"],
    [{ publicKey: undefined, proof: undefined, signature: "A".repeat(201) }, "signature"],
    [{ signature: "AA==" }, "signature"],
    [{ publicKey: undefined, signature: "AA==" }, "proof"],
    ...each("wallet", testWallet("owner").address),
  ],
  "generate-key": [
    ...each("expiresInDays", 366, 1.5),
    ...each("name", "   ", "x".repeat(61), "a\nb", "a\u0000b", "a\u202eb"),
  ],
  airdrop: each("sol", 10.000000001, 11),
  "build-payments": each("count", 8, 1.5),
  "get-accumulator": each(
    "threshold",
    "0",
    "-1",
    "1000001",
    "1e400",
    "five",
    "0x10",
    "NaN",
    "Infinity",
    "",
    "1,5",
    " 5",
  ),
  "get-activity": [
    ...each("limit", "0", "51", "1.5", "ten"),
    ...each("before", "", "abc", "1".repeat(88), "1".repeat(9_000), "0".repeat(87)),
    ...each("after", "x"),
  ],
  "get-events": [...each("after", "-1"), ...each("wait", "21")],
  "get-price-history": [...each("asset", "DOGE"), ...each("days", "0", "1826", "1.5")],
  "get-health": each("probe", "start"),
  "get-overview": each("serviceWallet", "nonsense"),
};

test.each(Object.entries(OUT_OF_BOUNDS))(
  "400: %s refuses each value just outside its bounds",
  async (name, refused) => {
    const { contract, method, path, body } = OPERATIONS.find(({ contract }) => contract.operation === name)!;
    for (const [changes, member] of refused) {
      const query = new URLSearchParams({ ...createExampleRequest(contract).query, ...changes } as Record<
        string,
        string
      >);
      const { headers } = wallet;
      const answer = await (body
        ? call(method, path, { headers, body: { ...body, ...changes } })
        : call(method, `${path.split("?")[0]}?${query}`, { headers }));
      expectIssueAt(answer, member.split(".")[0]!, JSON.stringify(changes).slice(0, 200));
      expect(answer.body?.issues?.map((issue) => issue.path)).toContain(member);
    }
  },
);

test("no invalid request creates a key", async () => {
  expect((await data(get("/api/keys", { headers: wallet.headers }))).keys).toEqual([]);
});
