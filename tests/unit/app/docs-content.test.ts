import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import {
  ComputeBudgetProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { GUIDES } from "@/app/docs/_content/guides";
import { listOperations } from "@/app/docs/_content/reference";
import { buildRequestSamples } from "@/app/docs/_content/request-samples";
import { API_VERSION } from "@/lib/contracts/version";
import { DEFAULT_KEY_DAYS, MAX_KEY_DAYS, MAX_KEYS_PER_WALLET } from "@/lib/domain/api-key";
import {
  BATCH_SIZE_RANGE,
  CALL_RATE_LIMIT,
  CEILING_USD_RANGE,
  OPTIONS_RATE_LIMIT,
  PAGE_RATE_LIMIT,
  PAYMENT_USD_RANGE,
  PLACES_PER_ADDRESS,
  PROBE_RATE_LIMIT,
  RATE_WINDOW_MS,
  ROUND_TO_USD_RANGE,
  SLIPPAGE_BPS_RANGE,
  THRESHOLD_USD_RANGE,
} from "@/lib/domain/limits";
import { createThroughMark, formatMark } from "@/lib/domain/marks";
import {
  DEFAULT_CEILING_USD,
  DEFAULT_PLAN,
  DEFAULT_SLIPPAGE_BPS,
  DEFAULT_THRESHOLD_USD,
  PLANS,
} from "@/lib/domain/plans";
import { SERVICE_WALLET_KDF } from "@/lib/domain/service-wallet";
import { createAuthText } from "@/lib/domain/signed-texts";
import { buildMemo } from "@/lib/solana/memo";
import { CONTRACTS } from "../../../lib/contracts";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { listErrorCodes } from "../../../lib/contracts/openapi-answers";
import { OFFCHAIN_FORMS } from "../../../lib/solana/offchain-message";
import { toWeb3 } from "../../support/chain/sandbox-rig";
import { importFence, readFence } from "../../support/fences";
import { publishedVectors } from "../../support/fixtures/service-wallet-vectors";

const { checkWrap } = await importFence<{
  checkWrap(answer: object, wallet: string, serviceWallet: string, batch?: { through: string; after: string }): void;
}>("docs/guides/verifying.md", "js check-wrap.mjs");

const readGuide = (slug: string) => GUIDES.find((guide) => guide.slug === slug)!.markdown;

test("the reference lists every operation of the registry with every error code", () => {
  const listed = listOperations().map(({ id, errors }) => [id, errors.toSorted()]);
  expect(listed).toEqual(CONTRACTS.map((contract) => [contract.operation, listErrorCodes(contract).sort()]));
});

test("every operation's Python sample is valid Python", (context) => {
  const programs = listOperations().map(({ body, ...operation }) => {
    const call = { ...operation, exampleBody: body?.example ?? null };
    return buildRequestSamples(call, "http://localhost:3000")[2]!.code;
  });
  const syntaxCheck = "import ast, json, sys\nfor code in json.load(sys.stdin): ast.parse(code)";
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
  } catch {
    context.skip("python3 is not installed");
  }
  execFileSync("python3", ["-c", syntaxCheck], { input: JSON.stringify(programs) });
});

describe("the sample that checks a saving before signing", () => {
  const WRAP = buildWrapContract.exampleAnswer;
  const wallet = WRAP.instructions[0]!.accounts[0]!.pubkey;
  const service = WRAP.instructions[1]!.accounts[1]!.pubkey;

  test("accepts a transaction built by the service", () => {
    expect(() => checkWrap(WRAP, wallet, service)).not.toThrow();
  });

  const addInstructions = (...instructions: TransactionInstruction[]) => {
    const { message } = VersionedTransaction.deserialize(Buffer.from(WRAP.transaction!.base64, "base64"));
    const parts = TransactionMessage.decompile(message);
    parts.instructions.push(...instructions);
    const base64 = Buffer.from(new VersionedTransaction(parts.compileToV0Message()).serialize()).toString("base64");
    return { ...WRAP, transaction: { ...WRAP.transaction!, base64 } };
  };
  /** 1,000 compute units at one lamport each. */
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

  test.each(["none", "7".repeat(88)])("accepts only the memo of the batch that was sent, after %s", (after) => {
    const batch = { through: "5".repeat(88), after };
    const withMemos = (...texts: string[]) => addInstructions(...texts.map((text) => toWeb3(buildMemo(text, wallet))));
    const memo = formatMark(createThroughMark(batch.through, after));
    expect(() => checkWrap(withMemos(memo), wallet, service, batch)).not.toThrow();
    for (const texts of [[], ["x"], [`${memo}5`], [memo.replace(/after:.*/, "after:1")], [memo, memo]]) {
      expect(() => checkWrap(withMemos(...texts), wallet, service, batch)).toThrow("Do not sign");
    }
    expect(() => checkWrap(withMemos(memo), wallet, service)).toThrow("Do not sign");
  });

  test.each([
    ["a different payer", WRAP, service, service],
    ["savings to a different wallet", WRAP, wallet, wallet],
    ["a different fee", { ...WRAP, breakdown: { ...WRAP.breakdown, serviceFeeLamports: 1 } }, wallet, service],
    ["a different deposit", { ...WRAP, breakdown: { ...WRAP.breakdown, activationLamports: 7 } }, wallet, service],
    ["a different saving", { ...WRAP, breakdown: { ...WRAP.breakdown, roundUpLamports: 20_000 } }, wallet, service],
    ["a fee above the plan's", { ...WRAP, breakdown: { ...WRAP.breakdown, serviceFeePercent: 0.25 } }, wallet, service],
    ["a different total", { ...WRAP, breakdown: { ...WRAP.breakdown, totalLamports: 1 } }, wallet, service],
  ])("refuses a transaction with %s", (_caseName, answer, owner, serviceWallet) => {
    expect(() => checkWrap(answer, owner, serviceWallet)).toThrow("Do not sign");
  });
});

describe("the guides", () => {
  test("link only to guides, sections and operations that exist", () => {
    const known = new Set(GUIDES.flatMap(({ slug, sections }) => [slug, ...sections.map(({ id }) => `${slug}#${id}`)]));
    const links = GUIDES.flatMap(({ markdown }) => [...markdown.matchAll(/\]\(\/docs\/([\w-]+)\.md(#[\w-]+)?\)/g)]);
    expect(links.length).toBeGreaterThan(5);
    for (const [, slug, anchor = ""] of links) expect(known).toContain(`${slug}${anchor}`);
    const operations = CONTRACTS.map(({ operation }) => operation);
    for (const { markdown } of GUIDES)
      for (const [, operation] of markdown.matchAll(/\]\(\/docs#([\w-]+)\)/g)) expect(operations).toContain(operation);
  });

  test("show functions of the worked example of SKILL.md", () => {
    const blocks = GUIDES.flatMap(({ markdown }) => [...markdown.matchAll(/^```js from SKILL.md\n([\s\S]*?\n)```$/gm)]);
    expect(blocks).toHaveLength(4);
    for (const [, code] of blocks) expect(readFence("docs/skill.md", "js")).toContain(`\n${code}\n`);
  });

  test("show the first program of the SDK's README", () => {
    const [, program] = readFileSync("deploy/sdk/README.md", "utf8").split(/^```(?:ts)?$/m);
    expect(`\n${readFence("docs/guides/sdk.md", "ts")}`).toBe(program);
  });

  test("show the texts that wallets sign, the derivation, and the version of the API", () => {
    expect(readFence("docs/guides/authentication.md", "text")).toBe(`${createAuthText("<deployment>")}\n`);
    expect(readFence("docs/guides/service-wallet.md", "text The text")).toBe(`${publishedVectors.message}\n`);
    const formula = readFence("docs/guides/service-wallet.md", "text Derivation");
    const { name, ikm, salt, info, length } = SERVICE_WALLET_KDF;
    for (const value of [name, ikm.replace(" over `message`", ""), salt, info, String(length)])
      expect(formula).toContain(value);
    const offchainInfo = readFence("docs/guides/service-wallet.md", "text Info");
    for (const value of [SERVICE_WALLET_KDF.offchainInfo, ...OFFCHAIN_FORMS]) expect(offchainInfo).toContain(value);
    expect(readGuide("changelog")).toContain(`It is ${API_VERSION} now.`);
  });

  const windowSeconds = RATE_WINDOW_MS / 1000;
  const toPair = ({ min, max }: { min: number; max: number }) => [min, max];
  test.each<[name: string, figures: number[]]>([
    ["Calls", [CALL_RATE_LIMIT, windowSeconds]],
    ["Preflights", [OPTIONS_RATE_LIMIT, windowSeconds]],
    ["Health probes", [PROBE_RATE_LIMIT, windowSeconds]],
    ["Pages", [PAGE_RATE_LIMIT, windowSeconds]],
    ["Payment", [...toPair(PAYMENT_USD_RANGE), BATCH_SIZE_RANGE.max]],
    ["Custom step", [...toPair(ROUND_TO_USD_RANGE)]],
    ["Ceiling of a payment’s change", [CEILING_USD_RANGE.max, DEFAULT_CEILING_USD]],
    ["Minimum to invest", [THRESHOLD_USD_RANGE.max, DEFAULT_THRESHOLD_USD]],
    ["Slippage", [...toPair(SLIPPAGE_BPS_RANGE), DEFAULT_SLIPPAGE_BPS, DEFAULT_SLIPPAGE_BPS / 100]],
    ["Transactions without an outcome", [PLACES_PER_ADDRESS, PLACES_PER_ADDRESS, 429]],
    ["API keys", [MAX_KEYS_PER_WALLET, 1, MAX_KEY_DAYS, DEFAULT_KEY_DAYS]],
    ...Object.entries(PLANS).map(([plan, { roundToUsd, serviceFeePercent }]): [string, number[]] => [
      `\`${plan}\`${plan === DEFAULT_PLAN ? " (default)" : ""}`,
      [roundToUsd, serviceFeePercent],
    ]),
  ])("state the figures of “%s” as the service has them", (name, figures) => {
    const row = readGuide("limits")
      .split("\n")
      .find((line) => line.startsWith(`| ${name} |`))!;
    const numbers = row.slice(name.length + 2).match(/\d[\d,]*(\.\d+)?/g)!;
    expect(numbers.map((number) => Number(number.replaceAll(",", "")))).toEqual(figures);
  });
});
