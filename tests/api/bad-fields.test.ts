import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createExampleRequest } from "../../lib/contracts/examples";
import { WalletAddress } from "../../lib/contracts/scalars";
import { ASSETS } from "../../lib/domain/assets";
import { type Answer, callApi, createWallet, get, readData, type Wallet } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";
import { nameOperations, OPERATIONS, OPERATIONS_WITH_BODY, type OperationRequest } from "../support/client/operations";
import { NOT_WALLETS } from "../support/fixtures/addresses";
import { toTestWallet } from "../support/fixtures/test-wallets";

/* Wrong body fields of every operation in the registry. Each gets a planned refusal in the envelope, never a 500. */

const FIELDS_ACCEPTING_ZERO = ["txValueUsd", "index"];
/** Fields that accept an empty text in the schema. The parser of the signature or transaction then refuses it. */
const FIELDS_ACCEPTING_EMPTY = ["signature", "proof", "signedTransaction"];

/** Texts that are not JSON. All but `undefined` are numbers in JavaScript or other languages. */
const NOT_JSON_NUMBERS = "NaN Infinity -Infinity 0x10 01 .5 5. +5 1_000 1n undefined".split(" ");
/** Names that no body has, among them those of JavaScript's own members. */
const UNKNOWN_NAMES = "feeCollector skipFeeCheck constructor __proto__ prototype toString then txvalueusd".split(" ");

/** Signs only invalid requests, so it must never cause an effect. */
let wallet: Wallet;
beforeAll(async () => {
  wallet = await createWallet();
});

const sendRaw = ({ method, path }: OperationRequest, bodyText: string) =>
  callApi(method, path, { headers: { ...wallet.headers, "content-type": "application/json" }, rawBody: bodyText });

/** Writes JSON text with one member given as text, so that it can contain what JSON.stringify never writes. */
function writeBody(body: Record<string, unknown>, name: string, text: string): string {
  const { [name]: _, ...others } = body;
  return `${JSON.stringify(others).slice(0, -1)}${Object.keys(others).length > 0 ? "," : ""}${JSON.stringify(name)}:${text}}`;
}

interface Field {
  name: string;
  isRequired: boolean;
  type: string;
  isEnum: boolean;
  isAddress: boolean;
}

/** From the published schema of the body. */
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
    return { name, isRequired: required.includes(name), type, isEnum: values !== undefined, isAddress };
  });
}

function listWrongValues({ type, name, isEnum }: Field): string[] {
  switch (type) {
    case "number":
    case "integer": {
      const zero = FIELDS_ACCEPTING_ZERO.includes(name) ? [] : ["0", "-0", "0.0"];
      const strings = ['"27.63"', '"NaN"', '"Infinity"', '"0x10"', '""'];
      const numbers = ["1e309", "-1e309", "-1", "-0.01", "1e308", "9007199254740993e10"];
      return [...strings, ...numbers, ...zero, "true", "null", "[]", "[1]", "{}", '{"valueOf":1}'];
    }
    case "string": {
      const nonTexts = ["5", "0", "true", "null", "[]", "{}", '["BTC"]', '{"length":44}'];
      const texts = isEnum ? ['"__proto__"', '"constructor"', '"toString"', '"btc"', '"BTC "', '"Sprout"'] : [];
      return [...nonTexts, ...texts, ...(FIELDS_ACCEPTING_EMPTY.includes(name) ? [] : ['""'])];
    }
    case "array":
      return ['""', '"BTC"', "5", "true", "null", "{}", "[]", "[null]", "[[]]", '["1"]', '{"0":1,"length":1}'];
    case "object":
      return ['""', '"{}"', "5", "true", "null", "[]", "{}", '{"count":1,"sumUsd":0.5,"surprise":1}'];
    case "boolean":
      return ['"true"', '"false"', "1", "0", "null", "[]", "{}"];
    default:
      throw new Error(`tests/api/bad-fields.test.ts does not know wrong values of type ${type}`);
  }
}

/** The issue names the field or a part of it. */
function expectIssueAt(answer: Answer, name: string, caseName: string): void {
  expectFailure(answer, answer.body?.code === "invalid_address" ? "invalid_address" : "invalid_request", caseName);
  expect(
    answer.body.issues?.map(({ path }) => path.split(".")[0]),
    caseName,
  ).toContain(name);
  expect(answer.body.error).toContain(name);
}

describe.each(nameOperations(OPERATIONS_WITH_BODY))("%s: fields of the body", (_name, operation) => {
  const body = operation.body ?? {};
  const fields = listFields(operation);

  test("400: names each missing required field", async () => {
    for (const { name } of fields.filter(({ isRequired }) => isRequired)) {
      const { [name]: _, ...others } = body;
      const answer = await callApi(operation.method, operation.path, { headers: wallet.headers, body: others });
      expectIssueAt(answer, name, name);
      expect(answer.body?.issues).toContainEqual({ path: name, message: "is required" });
    }
  });

  test("400: refuses wrong types, out-of-range numbers and infinities instead of coercing them", async () => {
    for (const field of fields) {
      for (const value of listWrongValues(field)) {
        const answer = await sendRaw(operation, writeBody(body, field.name, value));
        expectIssueAt(answer, field.name, `${field.name}: ${value}`);
      }
    }
  });

  test("400 invalid_address: refuses every text that is not a wallet's address", async () => {
    for (const { name } of fields.filter(({ isAddress }) => isAddress)) {
      for (const [caseName, text] of Object.entries(NOT_WALLETS)) {
        const answer = await sendRaw(operation, JSON.stringify({ ...body, [name]: text }));
        expectFailure(answer, "invalid_address", `${name}: ${caseName}`);
        expect(answer.body.issues?.map(({ path }) => path)).toEqual([name]);
      }
    }
  });

  test("400 invalid_json: refuses numbers that JSON does not have", async () => {
    for (const { name } of fields.filter(({ type }) => type === "number" || type === "integer")) {
      for (const value of NOT_JSON_NUMBERS) {
        const answer = await sendRaw(operation, writeBody(body, name, value));
        expectFailure(answer, "invalid_json", `${name}: ${value}`);
      }
    }
  });

  test("400: refuses every unknown field by name", async () => {
    for (const name of UNKNOWN_NAMES) {
      for (const value of ["1", "null", '{"network":"sandbox"}']) {
        const answer = await sendRaw(operation, writeBody(body, name, value));
        expectFailure(answer, "invalid_request", name);
        expect(answer.body.issues?.[0]?.path).toBe(name);
        expect(answer.body.issues?.[0]?.message).toMatch(/^is not a field of this request/);
      }
    }
    const manyFields = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`unknown${i}`, i]));
    expect((await sendRaw(operation, JSON.stringify({ ...body, ...manyFields }))).text.length).toBeLessThan(2_000);
  });

  test("400: refuses JSON that is nested as deeply as 16 KiB allow", async () => {
    const nestedArrays = "[".repeat(7_000) + "]".repeat(7_000);
    const nestedObjects = `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`;
    for (const value of [nestedArrays, nestedObjects]) {
      expectFailure(await sendRaw(operation, writeBody(body, "unknown", value)), "invalid_request");
      for (const { name, type } of fields.filter(({ type }) => type !== "unknown").slice(0, 2)) {
        expectIssueAt(await sendRaw(operation, writeBody(body, name, value)), name, `${name} (${type})`);
      }
    }
  });
});

/** Changes to the example's body or query (undefined removes a field), and the member that the refusal names. */
type Refusal = [changes: Record<string, unknown>, member: string];
const listRefusals = (name: string, ...values: unknown[]): Refusal[] =>
  values.map((value) => [{ [name]: value }, name]);
const buildSplit = (...pcts: unknown[]) => ({ allocations: pcts.map((pct, i) => ({ asset: ["BTC", "ETH"][i], pct })) });

const ROUND_UP_TERM_REFUSALS = [
  ...listRefusals("plan", "bonsai", null),
  ...listRefusals("roundToUsd", 0.009, 100.01),
  ...listRefusals("ceiling", 100.01),
  ...listRefusals("multiplier", 11, 1.5),
];
/** Refused changes of each operation: values just outside a bound, and broken rules between fields. */
const REFUSALS_BY_OPERATION: Record<string, Refusal[]> = {
  "calculate-round-up": [...ROUND_UP_TERM_REFUSALS, ...listRefusals("txValueUsd", 1_000_000.01)],
  "build-wrap": [
    ...ROUND_UP_TERM_REFUSALS,
    ...listRefusals("txValueUsd", 1_000_000.01),
    ...listRefusals("reference", "o".repeat(65)),
  ],
  "build-wrap-batch": [
    ...ROUND_UP_TERM_REFUSALS,
    ...listRefusals("txValuesUsd", Array(501).fill(1)),
    [{ txValuesUsd: [1, -1] }, "txValuesUsd.1"],
    [{ txValuesUsd: [1_000_000.01] }, "txValuesUsd.0"],
    [{ through: "5".repeat(88), after: "none", reference: "o" }, "reference"],
    [{ through: "5".repeat(88) }, "after"],
  ],
  "build-topup": [
    ...listRefusals("amountUsd", 0.49, 10_000.01),
    ...listRefusals("period", "two words", "a".repeat(33), "a:b", "2026-W01"),
    [{ period: "w1", reference: "o" }, "reference"],
  ],
  "quote-swap": [
    ...listRefusals("inputLamports", 0.5, 1_000_000_000_000_001),
    ...listRefusals("slippageBps", 1_001, 1.5),
    ...listRefusals("targetAsset", "DOGE", ASSETS.BTC.mint),
    ...listRefusals("payWith", "BTC"),
    [{ inputLamports: undefined }, "inputLamports"],
    [{ inputAmount: "1" }, "inputAmount"],
    [{ payWith: "USDC" }, "inputAmount"],
    [{ payWith: "USDC", inputAmount: "1" }, "inputLamports"],
    [{ payWith: "USDC", inputLamports: undefined, inputAmount: "0" }, "inputAmount"],
  ],
  "build-swap": [
    ...[buildSplit(50, 49.99), buildSplit(50, 50.01), buildSplit(33.3333333, 66.6666667)].map(
      (changes): Refusal => [changes, "allocations"],
    ),
    ...[buildSplit(0, 100), buildSplit(-50, 150), buildSplit("100")].map(
      (changes): Refusal => [changes, "allocations.0.pct"],
    ),
    [{ allocations: [50, 50].map((pct) => ({ asset: "BTC", pct })) }, "allocations"],
    [{ allocations: [{ asset: "DOGE", pct: 100 }] }, "allocations.0.asset"],
    [{ allocations: [{ asset: "BTC", pct: 100, mint: "x" }] }, "allocations.0.mint"],
    ...listRefusals("targetAsset", "SOL", "XRP"),
    ...listRefusals("payWith", "BTC", null),
    [{ payWith: "USDC", targetAsset: "USDC" }, "targetAsset"],
    [{ targetAsset: "XRP", ...buildSplit(50, 50) }, "targetAsset"],
    ...listRefusals("threshold", 1_000_000.01),
    ...listRefusals("slippageBps", 1_001),
  ],
  "build-sale": [
    ...listRefusals("all", undefined, false),
    [{ all: true, amount: "1" }, "all"],
    ...["0", "1.5"].map((amount): Refusal => [{ all: undefined, amount }, "amount"]),
    ...listRefusals("asset", "SOL"),
    ...listRefusals("into", "ETH"),
    [{ asset: "USDC", into: "USDC" }, "into"],
    ...listRefusals("slippageBps", 1_001),
  ],
  "build-withdraw": [
    ...listRefusals("all", undefined, false),
    [{ asset: "BTC" }, "all"],
    ...listRefusals("amount", "1"),
    [{ all: undefined, asset: "DOGE" }, "asset"],
    ...["0", "1.5", "-1", "18446744073709551616", "9".repeat(5_000)].map(
      (amount): Refusal => [{ all: undefined, asset: "BTC", amount }, "amount"],
    ),
  ],
  "derive-wallet": [
    ...listRefusals("index", 256, 0.5),
    ...listRefusals("proof", undefined),
    [{ publicKey: undefined }, "signature"],
    [{ publicKey: undefined, proof: undefined }, "signature"],
    [{ publicKey: undefined, proof: undefined, signature: "A".repeat(201) }, "signature"],
    [{ signature: "AA==" }, "signature"],
    [{ publicKey: undefined, signature: "AA==" }, "proof"],
    ...listRefusals("wallet", toTestWallet("owner").address),
  ],
  "generate-key": [
    ...listRefusals("expiresInDays", 366, 1.5),
    ...listRefusals("name", "   ", "x".repeat(61), "a\nb", "a\u0000b", "a\u202eb"),
  ],
  airdrop: listRefusals("sol", 10.000000001, 11),
  "build-payments": listRefusals("count", 8, 1.5),
  "get-accumulator": listRefusals("threshold", ..."0 -1 1000001 1e400 five 0x10 NaN Infinity 1,5".split(" "), "", " 5"),
  "get-activity": [
    ...listRefusals("limit", "0", "51", "1.5", "ten"),
    ...listRefusals("before", "", "abc", "1".repeat(88), "1".repeat(9_000), "0".repeat(87)),
  ],
  "get-events": [...listRefusals("after", "-1"), ...listRefusals("wait", "21")],
  "get-price-history": [...listRefusals("asset", "DOGE"), ...listRefusals("days", "0", "1826", "1.5")],
  "get-health": listRefusals("probe", "start"),
  "get-overview": listRefusals("serviceWallet", "nonsense"),
};

test.each(Object.entries(REFUSALS_BY_OPERATION))(
  "400: %s refuses each invalid value and broken rule",
  async (name, refusals) => {
    const { contract, method, path, body } = OPERATIONS.find(({ contract }) => contract.operation === name)!;
    for (const [changes, member] of refusals) {
      const { headers } = wallet;
      const query = { ...createExampleRequest(contract).query, ...changes } as Record<string, string>;
      const answer = await (body
        ? callApi(method, path, { headers, body: { ...body, ...changes } })
        : callApi(method, `${path.split("?")[0]}?${new URLSearchParams(query)}`, { headers }));
      expectIssueAt(answer, member.split(".")[0]!, JSON.stringify(changes).slice(0, 200));
      expect(answer.body?.issues?.map((issue) => issue.path)).toContain(member);
    }
  },
);

test("no invalid request creates a key", async () => {
  expect((await readData(get("/api/keys", { headers: wallet.headers }))).keys).toEqual([]);
});
