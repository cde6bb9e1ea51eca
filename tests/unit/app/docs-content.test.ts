import {
  ComputeBudgetProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import {
  type ApiCall,
  buildAddress,
  findUnsignedTransactions,
  formatCurl,
  toExampleValues,
} from "@/app/docs/_components/call";
import { listOperations } from "@/app/docs/_content/reference";
import { readWorkedFunction, WORKED_EXAMPLE } from "@/app/docs/_content/samples";
import { listFieldRows } from "@/app/docs/_content/schema-fields";
import { checkWrap } from "@/app/docs/_samples/check-wrap.mjs";
import { buildMemo } from "@/lib/solana/memo";
import { CONTRACTS } from "../../../lib/contracts";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { buildWithdrawContract } from "../../../lib/contracts/build-withdraw";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { EXAMPLE_KEY_ID } from "../../../lib/contracts/examples";
import { listErrorCodes } from "../../../lib/contracts/openapi-answers";
import { ERRORS } from "../../../lib/errors";
import { toWeb3 } from "../../support/chain/sandbox-rig";

/** Builds the call of an operation, as a console receives it. */
const buildCall = (id: string, exampleBody: Record<string, unknown> | null = null): ApiCall => {
  const { method, path, auth, parameters } = listOperations().find((operation) => operation.id === id)!;
  return { id, method, path, auth, parameters, exampleBody };
};

describe("the reference", () => {
  test("lists every operation of the registry with every error code", () => {
    expect(
      listOperations()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(CONTRACTS.map(({ operation }) => operation).sort());
    for (const contract of CONTRACTS) {
      const { errors } = listOperations().find(({ id }) => id === contract.operation)!;
      expect(errors.map(({ code }) => code).sort()).toEqual([...listErrorCodes(contract)].sort());
      for (const { status, code, sentence } of errors) {
        expect([status, sentence]).toEqual(ERRORS[code as keyof typeof ERRORS]);
      }
    }
  });

  test("describes each field's type, limits and members", () => {
    const { body, answer } = listOperations().find(({ id }) => id === "build-swap")!;
    expect(body!.fields).toContainEqual({
      path: "slippageBps",
      type: "integer",
      required: false,
      limits: ["1 to 1,000"],
      description: "The most that the price may move against you, in basis points. Default 100",
    });
    expect(body!.fields.map(({ path }) => path)).toContain("allocations[].pct");
    expect(answer.find(({ path }) => path === "reason")!.type).toBe("string or null");
    expect(answer.map(({ path }) => path)).toContain("transactions[].quote.minimumOutputAmount");
  });

  test("marks only the members that every shape of a response has as always present", () => {
    const { answer } = listOperations().find(({ id }) => id === "execute-swap")!;
    const rowsByPath = new Map(answer.map((row) => [row.path, row]));
    expect(rowsByPath.get("confirmed")).toMatchObject({ type: "true or false", required: true });
    expect(rowsByPath.get("slot")!.required).toBe(false);
    expect(rowsByPath.get("txSignature")!.required).toBe(true);
  });

  test("shows a record as one row", () => {
    const { answer } = listOperations().find(({ id }) => id === "list-plans")!;
    expect(answer.find(({ path }) => path === "assets.*")!.description).toMatch(/^One for each of BTC, /);
  });

  test("describes the bounds of a field in words", () => {
    const describeLimits = (schema: object) => listFieldRows({ properties: { x: schema } }, {})[0]!.limits;
    expect(describeLimits({ type: "number", exclusiveMinimum: 0, maximum: 5 })).toEqual(["more than 0", "at most 5"]);
    expect(describeLimits({ type: "integer", minimum: 0, maximum: 2 ** 53 - 1 })).toEqual(["at least 0"]);
    expect(describeLimits({ type: "string", maxLength: 60 })).toEqual(["at most 60 characters"]);
    expect(listFieldRows({ properties: { x: { enum: ["", "true"] } } }, {})[0]!.type).toBe("empty or true");
  });
});

describe("a call in the API console", () => {
  test("has an address with encoded path parameters and without empty query parameters", () => {
    const call = buildCall("get-accumulator");
    expect(buildAddress(call, { address: "a/b", threshold: " " })).toBe("/api/accumulator/a%2Fb");
    expect(buildAddress(call, { address: "x", threshold: "7.5" })).toBe("/api/accumulator/x?threshold=7.5");
    expect(toExampleValues(call)).toEqual({ address: expect.stringMatching(/^\w{43,44}$/), threshold: "" });
  });

  test("becomes a curl command with shell variables instead of credentials", () => {
    const line = formatCurl(buildCall("calculate-round-up", { txValueUsd: 27.63 }), "http://localhost:3000");
    expect(line).toContain('curl -s "http://localhost:3000/api/roundup"');
    expect(line).toContain("$SIGNATURE");
    expect(line).toContain(`-d '{"txValueUsd":27.63}'`);
    expect(formatCurl(buildCall("revoke-key"), "")).toContain(`-X DELETE "/api/keys/${EXAMPLE_KEY_ID}"`);
    expect(formatCurl(buildCall("list-plans"), "")).toBe('curl -s "/api/plans"');
  });

  test("lists the unsigned transactions of any response", () => {
    expect(findUnsignedTransactions(buildWrapContract.exampleAnswer)).toEqual([
      buildWrapContract.exampleAnswer.transaction?.base64,
    ]);
    expect(findUnsignedTransactions(buildSwapContract.exampleAnswer)).toHaveLength(1);
    expect(findUnsignedTransactions(buildWithdrawContract.exampleAnswer).length).toBeGreaterThan(0);
    expect(findUnsignedTransactions(null)).toEqual([]);
    expect(findUnsignedTransactions({ transaction: null, transactions: [] })).toEqual([]);
  });
});

describe("the sample that checks a round-up before signing", () => {
  const WRAP = buildWrapContract.exampleAnswer;
  const wallet = WRAP.instructions[0]!.accounts[0]!.pubkey;
  const service = WRAP.instructions[0]!.accounts[1]!.pubkey;

  test("accepts a transaction built by the service", () => {
    expect(() => checkWrap(WRAP, wallet, service)).not.toThrow();
  });

  /** Returns the answer with more instructions in its transaction. */
  const addInstructions = (...instructions: TransactionInstruction[]) => {
    const { message } = VersionedTransaction.deserialize(Buffer.from(WRAP.transaction!.base64, "base64"));
    const parts = TransactionMessage.decompile(message);
    parts.instructions.push(...instructions);
    const base64 = Buffer.from(new VersionedTransaction(parts.compileToV0Message()).serialize()).toString("base64");
    return { ...WRAP, transaction: { ...WRAP.transaction!, base64 } };
  };
  /** The answer with a limit of 1,000 compute units at one lamport each, so a fee of 1,000 lamports. */
  const pricedAnswer = addInstructions(
    ComputeBudgetProgram.setComputeUnitLimit({ units: 1000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 }),
  );

  test("accepts a compute price only within the displayed network fee", () => {
    const { networkFeeLamports, totalLamports } = WRAP.breakdown;
    const displayedFees = { networkFeeLamports: networkFeeLamports + 1000, totalLamports: totalLamports + 1000 };
    expect(() =>
      checkWrap({ ...pricedAnswer, breakdown: { ...WRAP.breakdown, ...displayedFees } }, wallet, service),
    ).not.toThrow();
    for (const lamports of [999, 20_000]) {
      const breakdown = { ...WRAP.breakdown, networkFeeLamports: lamports };
      expect(() => checkWrap({ ...pricedAnswer, breakdown }, wallet, service)).toThrow("Do not sign: the network fee");
    }
  });

  test("accepts only the memo of the `through` that was sent", () => {
    const through = "5".repeat(88);
    const withMemos = (...texts: string[]) => addInstructions(...texts.map((text) => toWeb3(buildMemo(text, wallet))));
    const memo = `roundup:1:through:${through}`;
    expect(() => checkWrap(withMemos(memo), wallet, service, through)).not.toThrow();
    for (const texts of [[], ["x"], [`${memo}5`], [memo, memo]]) {
      expect(() => checkWrap(withMemos(...texts), wallet, service, through)).toThrow("Do not sign");
    }
    expect(() => checkWrap(withMemos(memo), wallet, service)).toThrow("Do not sign");
  });

  test.each([
    ["a different payer", WRAP, service, service],
    ["savings to a different wallet", WRAP, wallet, wallet],
    ["a different fee", { ...WRAP, breakdown: { ...WRAP.breakdown, serviceFeeLamports: 1 } }, wallet, service],
    ["a different deposit", { ...WRAP, breakdown: { ...WRAP.breakdown, activationLamports: 7 } }, wallet, service],
    ["a different round-up", { ...WRAP, breakdown: { ...WRAP.breakdown, roundUpLamports: 20_000 } }, wallet, service],
    ["a fee above the plan's", { ...WRAP, breakdown: { ...WRAP.breakdown, serviceFeePercent: 0.25 } }, wallet, service],
    ["a different total", { ...WRAP, breakdown: { ...WRAP.breakdown, totalLamports: 1 } }, wallet, service],
  ])("refuses a transaction with %s", (_caseName, answer, owner, serviceWallet) => {
    expect(() => checkWrap(answer, owner, serviceWallet)).toThrow("Do not sign");
  });
});

test("the guides show complete functions of the worked example", () => {
  for (const name of ["signIn", "deriveServiceWallet", "signTransaction", "execute"]) {
    const text = readWorkedFunction(name);
    expect(text).toMatch(new RegExp(`^(//.*\\n)?(async )?function ${name}\\(`));
    expect(text.match(/^(async )?function /gm)).toHaveLength(1);
    expect(WORKED_EXAMPLE).toContain(`${text}\n\n`);
  }
  expect(() => readWorkedFunction("missing")).toThrow(RangeError);
});
