import { type KnownToken, toTokenSymbol } from "../../domain/assets";
import { createWithdrawalPlanner, type WithdrawalPlanner } from "../../domain/withdraw/priced-withdrawal";
import { createRentCalculator, describeUnreadAccounts, readSources } from "../../domain/withdraw/withdraw-sources";
import { buildInstructions, type WithdrawalEnds } from "../../domain/withdraw/withdrawal";
import { isOutOfUnits } from "../../solana/budget";
import { COMMITMENT } from "../../solana/commitment";
import type { InstructionLike } from "../../solana/instructions";
import { SYSTEM_PROGRAM } from "../../solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";
import {
  createAccountReader,
  createFeeNode,
  type RecoverChain,
  readHoldings,
  readPriority,
  readRent,
} from "./chain-reads";
import type { SendResult } from "./send";

export interface Token {
  mint: string;
  symbol: string;
  /** Base units. */
  amount: bigint;
  decimals: number;
}

/** The contents of a service wallet, and the result of sending them to the destination. SOL is in lamports. */
export interface Contents {
  serviceWallet: string;
  destination: string;
  lamports: bigint;
  /** One entry per token account, including empty accounts. */
  tokens: Token[];
  /** Tokens that cannot be sent, each with the reason. SOL is among them when it stays after a partial recovery. */
  leftBehind: (Token & { reason: string })[];
  /** Accounts that could not be read, each with the reason. */
  leftOut: { account: string | null; reason: string }[];
  transactions: number;
  networkFeeLamports: bigint;
  /** Rent for token accounts that the destination does not have yet. */
  depositLamports: bigint;
  /** Rent returned by the token accounts that are closed. */
  returnedLamports: bigint;
  sentLamports: bigint;
  /** Lamports that remain in the service wallet afterwards. */
  remainingLamports: bigint;
  /**
   * True for a plan built after a refused attempt. It leaves the rent minimum, the token accounts and other tokens in
   * the wallet, so that an incoming transfer from a stranger cannot make it fail.
   */
  keepsRentMinimum: boolean;
  /** Why nothing can be sent; null when something can be sent. */
  reason: string | null;
  /**
   * Why sending everything at once stopped. The rest was then sent asset by asset, which the figures of the transactions
   * describe. Absent when it did not stop.
   */
  stopReason?: string;
}

export interface ContentsPreview {
  contents: Contents;
  instructions: InstructionLike[][];
  /** False when the plan covers only a part of the wallet, and another run must follow. */
  isComplete: boolean;
  /** Lamports that the service wallet lacks for the plan; with `keepRentMinimum`, to leave its token accounts open. */
  missingLamports: bigint;
  /** Newest slot among the node responses used for this preview. */
  slot: number;
  /** Returns whether a transaction was refused because the plan has a wrong fee or too few compute units for it. */
  isMispriced(index: number, refusal: Refusal): boolean;
  /** Plans again with what the refusal of the first transaction tells of its fee and units. */
  correct(refusal: Refusal): Promise<ContentsPreview>;
}

type Refusal = Pick<Extract<SendResult, { state: "refused" }>, "error" | "feeLamports">;

interface PreviewOptions {
  /** Null selects everything. */
  asset: KnownToken | null;
  keepRentMinimum: boolean;
  /** Minimum slot of the node's responses. */
  afterSlot?: number;
}

/** Plans the transactions that empty a service wallet. @throws {RangeError} when the destination is not a wallet */
export async function previewContents(
  chain: RecoverChain,
  ends: WithdrawalEnds,
  options: PreviewOptions,
): Promise<ContentsPreview> {
  const { asset, keepRentMinimum, afterSlot } = options;
  const reader = createAccountReader(chain, afterSlot);
  const [accounts, holdings, rentLamports, tokenRentLamports, priority, { value: latest }] = await Promise.all([
    reader.readAccounts([ends.wallet, ends.destination]),
    readHoldings(chain, reader, ends.wallet, options),
    readRent(chain, 0),
    readRent(chain, TOKEN_ACCOUNT_BYTES),
    readPriority(chain, [ends.wallet, ends.destination]),
    chain.getLatestBlockhashAndContext({ commitment: COMMITMENT, minContextSlot: afterSlot }),
  ]);
  const [walletAccount, destinationAccount] = accounts;
  if (destinationAccount && destinationAccount.owner !== SYSTEM_PROGRAM) {
    throw new RangeError("That destination is a token account, a mint or a program, not a wallet.");
  }
  const balanceLamports = walletAccount?.lamports ?? 0n;
  const sources = await readSources(reader, ends, holdings, createRentCalculator(rentLamports, tokenRentLamports));
  const request = { asset, amount: null, keepRentMinimum };
  const destinationLamports = destinationAccount?.lamports ?? 0n;
  const funds = { balanceLamports, destinationLamports, rentLamports, priority };
  const planner = createWithdrawalPlanner(createFeeNode(chain), ends, sources, request, funds, latest.blockhash);
  const facts = {
    serviceWallet: ends.wallet,
    destination: ends.destination,
    lamports: balanceLamports,
    tokens: holdings.map(toToken),
    leftOut: describeUnreadAccounts(sources),
    keepsRentMinimum: keepRentMinimum,
  };
  return toPreview(ends, facts, planner, reader.newestSlot);
}

async function toPreview(
  ends: WithdrawalEnds,
  facts: Pick<Contents, "serviceWallet" | "destination" | "lamports" | "tokens" | "leftOut" | "keepsRentMinimum">,
  planner: WithdrawalPlanner,
  slot: number,
): Promise<ContentsPreview> {
  const plan = await planner.plan();
  const { withdrawal, reason, stuckTokens, isComplete, missingLamports } = plan;
  const { budgets, networkFeeLamports, depositLamports, returnedLamports, sentLamports } = withdrawal;
  const leftBehind = stuckTokens.map(({ reason, ...token }) => ({ ...toToken(token), reason }));
  const transactions = reason === null ? withdrawal.groups.length : 0;
  const remainingLamports = reason === null ? withdrawal.remainingLamports : facts.lamports;
  const sums = { networkFeeLamports, depositLamports, returnedLamports, sentLamports, remainingLamports };
  return {
    contents: { ...facts, leftBehind, transactions, ...sums, reason },
    instructions: reason === null ? buildInstructions(ends, withdrawal) : [],
    isComplete,
    missingLamports,
    slot,
    isMispriced: (index, { error, feeLamports }) =>
      isOutOfUnits(error) || (feeLamports ?? budgets[index]!.networkFeeLamports) !== budgets[index]!.networkFeeLamports,
    async correct({ error, feeLamports }) {
      if (isOutOfUnits(error)) planner.doubleUnits(plan);
      else planner.correctFee(plan, feeLamports!);
      return toPreview(ends, facts, planner, slot);
    },
  };
}

const toToken = ({ mint, amount, decimals }: Omit<Token, "symbol">): Token => {
  return { mint, symbol: toTokenSymbol(mint), amount, decimals };
};
