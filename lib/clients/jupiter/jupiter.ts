import bs58 from "bs58";
import { z } from "zod";
import { QUOTE_TAKER } from "../../domain/swap/quote-taker";
import type { SwapPlan, SwapRequest } from "../../domain/swap/swap-plan";
import { AppError, createUpstreamError } from "../../errors";
import type { Clock } from "../../ports/clock";
import { capComputeUnitPrice } from "../../solana/compute-budget";
import type { InstructionLike } from "../../solana/instructions";
import { COMPUTE_BUDGET_PROGRAM } from "../../solana/programs";
import { createBreaker } from "../http/breaker";
import { fetchJson, parseAnswer } from "../http/fetch-json";
import type { sendRequest } from "../http/send-request";

interface JupiterOptions {
  /** The origin of Jupiter or of the sandbox's market, with a path prefix if its API has one. */
  baseUrl: string;
  /** Sent as x-api-key. Without it Jupiter allows one call every two seconds. */
  apiKey?: string;
  /** The percentile of recent compute unit prices to offer, 0 to 100. Absent: Jupiter chooses. */
  priorityFeePercentile?: number;
  timeoutMs: number;
  clock: Clock;
  transport?: typeof sendRequest;
}

export type Jupiter = ReturnType<typeof createJupiter>;

/** The number of mints that one GET /price/v3 accepts. */
export const MAX_PRICED_MINTS = 50;

/** Far above any answer. The limits of lists and texts below lie above what fits into one transaction. */
const MAX_ANSWER_BYTES = 262_144;

const PublicKey = z
  .string()
  .min(32)
  .max(44)
  .refine((text) => bs58.decodeUnsafe(text)?.length === 32);
const Amount = z.string().regex(/^\d{1,20}$/);
const Instruction = z.object({
  programId: PublicKey,
  // A transaction locks at most 64 accounts, but an account may be named more than once.
  accounts: z.array(z.object({ pubkey: PublicKey, isSigner: z.boolean(), isWritable: z.boolean() })).max(128),
  data: z.base64().max(1_640),
});
const Instructions = z.array(Instruction).max(16);

const BuildAnswer = z.object({
  inputMint: z.string(),
  outputMint: z.string(),
  inAmount: Amount,
  outAmount: Amount,
  otherAmountThreshold: Amount,
  slippageBps: z.number(),
  priceImpactPct: z.union([z.string().min(1).max(64), z.number()]),
  routePlan: z.array(z.object({ swapInfo: z.object({ label: z.string().max(64) }) })).max(32),
  computeBudgetInstructions: Instructions,
  setupInstructions: Instructions,
  swapInstruction: Instruction,
  cleanupInstruction: Instruction.nullish(),
  otherInstructions: Instructions,
  tipInstruction: Instruction.nullish(),
  addressesByLookupTableAddress: z.record(PublicKey, z.array(PublicKey).max(256)).nullish(),
});
type BuildAnswer = z.infer<typeof BuildAnswer>;

// Entries are parsed one by one, so that a malformed mint does not lose the others' prices.
const PriceAnswer = z.record(z.string(), z.unknown());

/** Creates the client of Jupiter's Swap API v2 and Price API v3. It calls `build`, which charges no fee. */
export function createJupiter(options: JupiterOptions) {
  const { baseUrl, apiKey, priorityFeePercentile, timeoutMs, clock, transport } = options;
  const trimmedBaseUrl = baseUrl.replace(/\/+$/, "");
  const headers: Record<string, string> = apiKey ? { "x-api-key": apiKey } : {};
  const sharedOptions = { upstream: "jupiter", timeoutMs, clock, transport, maxBytes: MAX_ANSWER_BYTES, headers };
  // One breaker for each API: when one API hangs, calls of the other continue.
  const buildBreaker = createBreaker("jupiter", clock);
  const priceBreaker = createBreaker("jupiter", clock);

  return {
    async planSwap(request: SwapRequest): Promise<SwapPlan> {
      const taker = request.taker ?? QUOTE_TAKER;
      const url = new URL(`${trimmedBaseUrl}/swap/v2/build`);
      url.search = new URLSearchParams({
        inputMint: request.inputMint,
        outputMint: request.outputMint,
        amount: String(request.amount),
        taker,
        slippageBps: String(request.slippageBps),
        wrapAndUnwrapSol: "true",
        // Jupiter takes the percentile in hundredths of a percent.
        ...(priorityFeePercentile !== undefined && {
          computeUnitPricePercentile: String(priorityFeePercentile * 100),
        }),
        ...(request.maxAccounts && { maxAccounts: String(request.maxAccounts) }),
      }).toString();
      const options = { ...sharedOptions, lane: "jupiter build", schema: BuildAnswer, toStatusError: toBuildError };
      const answer = await buildBreaker.run(() => fetchJson(url, options));
      return toPlan(answer, request, taker);
    },

    /**
     * Returns US dollars per coin of each mint. Mints without a usable price are absent. @throws AppError upstream_*
     */
    async readPrices(mints: string[]): Promise<Record<string, { usd: number }>> {
      if (mints.length > MAX_PRICED_MINTS) throw new RangeError(`at most ${MAX_PRICED_MINTS} mints`);
      if (mints.length === 0) return {};
      const url = new URL(`${trimmedBaseUrl}/price/v3`);
      url.searchParams.set("ids", mints.join(","));
      const options = { ...sharedOptions, lane: "jupiter price", schema: PriceAnswer };
      const answer = await priceBreaker.run(() => fetchJson(url, options));
      const priceEntries = mints.flatMap((mint): [string, { usd: number }][] => {
        const usd = Object.hasOwn(answer, mint) ? (answer[mint] as { usdPrice?: unknown } | null)?.usdPrice : undefined;
        return typeof usd === "number" && Number.isFinite(usd) && usd > 0 ? [[mint, { usd }]] : [];
      });
      return Object.fromEntries(priceEntries);
    },
  };
}

/**
 * Jupiter's 400 answers that mean "no route for this pair or amount". Sources: "Routing responses" in Jupiter's
 * documentation (jup-ag/docs pull request 667), jup-ag/metis-binary issue 109 and magpiecapital/magpie-bot pull request
 * 742.
 */
const NO_ROUTE_CODES = [
  "NO_ROUTES_FOUND",
  "COULD_NOT_FIND_ANY_ROUTE",
  "ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT",
  "MARKET_NOT_FOUND",
  "TOKEN_NOT_TRADABLE",
];
const NO_ROUTE_TEXT =
  /no routes? found|could not find any route|route plan does not consume all|is not tradable|failed to get quotes/i;
const NoRouteAnswer = z.union([
  z.object({ errorCode: z.enum(NO_ROUTE_CODES) }),
  z.object({ error: z.string().regex(NO_ROUTE_TEXT) }),
]);

/** Maps a 400. Jupiter answers so when it finds no route, and when the request is malformed. */
function toBuildError(status: number, text: string): AppError | undefined {
  if (status !== 400) return undefined;
  try {
    parseAnswer(text, NoRouteAnswer, "jupiter");
    return new AppError("no_route");
  } catch {
    return createUpstreamError("upstream_invalid", "jupiter", "400: malformed request");
  }
}

/** @throws AppError upstream_invalid when the answer does not match the request, or requires other signers */
function toPlan(answer: BuildAnswer, request: SwapRequest, taker: string): SwapPlan {
  const outputAmount = BigInt(answer.outAmount);
  const minimumOutputAmount = BigInt(answer.otherAmountThreshold);
  const minimumAcceptedOutput = (outputAmount * BigInt(10_000 - request.slippageBps)) / 10_000n;
  const priceImpact = Number(answer.priceImpactPct);
  const instructions = collectInstructions(answer);
  requireMatch(answer.inputMint === request.inputMint, "input mint");
  requireMatch(answer.outputMint === request.outputMint, "output mint");
  requireMatch(BigInt(answer.inAmount) === request.amount, "input amount");
  requireMatch(answer.slippageBps === request.slippageBps, "slippage");
  requireMatch(outputAmount > 0n, "output amount");
  requireMatch(minimumOutputAmount <= outputAmount && minimumOutputAmount >= minimumAcceptedOutput, "minimum output");
  requireMatch(Number.isFinite(priceImpact), "price impact");
  requireMatch(
    instructions.every(({ accounts }) => accounts.every(({ isSigner, pubkey }) => !isSigner || pubkey === taker)),
    "signers",
  );
  return {
    inputAmount: request.amount,
    outputAmount,
    minimumOutputAmount,
    slippageBps: request.slippageBps,
    priceImpact,
    route: answer.routePlan.map(({ swapInfo }) => swapInfo.label),
    instructions,
    lookupTables: answer.addressesByLookupTableAddress ?? {},
  };
}

function requireMatch(isMatch: boolean, field: string): void {
  if (!isMatch) throw createUpstreamError("upstream_invalid", "jupiter", `returned a swap with unexpected ${field}`);
}

/** Returns the instructions in order, with the first compute unit price, capped: the runtime refuses a second price. */
function collectInstructions(answer: BuildAnswer): InstructionLike[] {
  const unitPriceInstructions = answer.computeBudgetInstructions.flatMap(({ programId, data }): InstructionLike[] => {
    const cappedData = programId === COMPUTE_BUDGET_PROGRAM ? capComputeUnitPrice(data) : null;
    return cappedData ? [{ programId, accounts: [], data: cappedData }] : [];
  });
  return [
    ...unitPriceInstructions.slice(0, 1),
    ...answer.setupInstructions,
    answer.swapInstruction,
    ...(answer.cleanupInstruction ? [answer.cleanupInstruction] : []),
    ...answer.otherInstructions,
    ...(answer.tipInstruction ? [answer.tipInstruction] : []),
  ];
}
