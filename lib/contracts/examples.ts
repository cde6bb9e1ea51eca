import { z } from "zod";
import { systemTransfer } from "../solana/system-instructions";
import type { Contract } from "./define";

/**
 * Wallets shared by all examples, so that requests and answers are consistent. Shell examples use variables instead.
 */
export const EXAMPLE_WALLET = "HxF4PMsbDqcuUMdrsYtiopC6DgEbebC4A34SE4yCKrLd";
export const EXAMPLE_SERVICE_WALLET = "GUkjXdyq4Z9khP59FsNpRnYThWvgRUu1Lgm1JU17BwLK";
export const EXAMPLE_COLLECTOR = "9VESniKzYAiJK7ZYJkWEvpVKj6Ef5VVjCJYmPkUCF2LA";
export const EXAMPLE_KEY_ID = "a11b654c308b17b4";
/** Placeholder for a value that only the caller can create: a signature or a signed transaction. */
export const EXAMPLE_GAP = "…";

/** Round-up of a purchase of 27.63 dollars on the plan Tree. */
export const EXAMPLE_ROUND_UP = {
  txValueUsd: 27.63,
  plan: "tree" as const,
  roundToUsd: 0.5,
  ceilingUsd: 1,
  multiplier: 1,
  roundedToUsd: 28,
  roundUpUsd: 0.37,
  roundUpSol: 0.002466666,
  serviceFeePercent: 0.5,
  serviceFeeUsd: 0.00185,
  serviceFeeSol: 1.2333e-5,
  userInvestmentUsd: 0.36815,
  userInvestmentSol: 0.002454333,
  roundUpLamports: 2466666,
  serviceFeeLamports: 12333,
  userInvestmentLamports: 2454333,
  solPriceUsd: 150,
  skipped: false,
  capped: false,
};

/** Returns the transfers of a wrap, in lamports: the saving and the fee. */
export const exampleTransfers = (saved: bigint, fee: bigint) => [
  systemTransfer(EXAMPLE_WALLET, EXAMPLE_SERVICE_WALLET, saved),
  systemTransfer(EXAMPLE_WALLET, EXAMPLE_COLLECTOR, fee),
];

/** Returns a contract's example as it is sent. `body` is undefined when the operation takes none. */
export function exampleRequest({ path, params, query, body, example = {} }: Contract) {
  const namesOf = (part: z.ZodType | undefined) => (part instanceof z.ZodObject ? Object.keys(part.shape) : []);
  const pick = (wanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(example).filter(([name]) => wanted(name)));
  const [inPath, inQuery] = [namesOf(params), namesOf(query)];
  return {
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => String(example[name])),
    query: pick((name) => inQuery.includes(name)),
    body: body && pick((name) => !inPath.includes(name) && !inQuery.includes(name)),
  };
}
