import type { buildWithdrawContract } from "../contracts/build-withdraw";
import type { DataOf, InputOf } from "../contracts/define";
import { findKnownTokenByMint } from "../domain/assets";
import { createWithdrawalPlanner, type WithdrawalPlanner } from "../domain/withdraw/priced-withdrawal";
import type { WithdrawalPlan } from "../domain/withdraw/withdraw-plan";
import {
  createRentCalculator,
  describeUnreadAccounts,
  readKnownHoldings,
  readSources,
} from "../domain/withdraw/withdraw-sources";
import { buildInstructions, type Withdrawal, type WithdrawalEnds } from "../domain/withdraw/withdrawal";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { BlockhashInfo, TokenHoldings } from "../ports/solana-rpc";
import { isOutOfUnits, toDecoded } from "../solana/budget";
import { toBase64 } from "../solana/bytes";
import type { InstructionLike } from "../solana/instructions";
import { SYSTEM_PROGRAM } from "../solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../solana/token-accounts";
import type { TokenAmount } from "../solana/token-instructions";
import { findServiceWallets } from "./records/service-wallets";
import { describeSolAmount, describeTokenAmount } from "./steps/amounts";
import { doubleUnits, readFee, readPriority, readUsedUnits, simulateUnits } from "./steps/budget";
import { composeUnique } from "./steps/relay/compose-unique";
import { describeRuntimeError } from "./steps/relay/runtime-error";

type Input = InputOf<typeof buildWithdrawContract>;
type Build = DataOf<typeof buildWithdrawContract>;

export async function buildWithdraw(deps: Deps, input: Input): Promise<Build> {
  const wallets = { wallet: input.serviceWalletPubkey, destination: input.destination };
  const { holdings, leftOut, computeRent, blockhash, ...funds } = await readAndCheckWallets(deps, input);
  const { asset = null, keepRentMinimum = false } = input;
  const amount = input.amount === undefined ? null : BigInt(input.amount);
  const chosenHoldings = input.all ? holdings : holdings.filter(({ mint }) => findKnownTokenByMint(mint) === asset);
  const sources = await readSources(deps.rpc, wallets, chosenHoldings, computeRent);
  const request = { asset, amount, keepRentMinimum };
  const feeNode = {
    readUnits: (draft: InstructionLike[], bytes: Uint8Array) =>
      readUsedUnits(deps, draft.map(toDecoded), () => simulateUnits(deps, bytes)),
    readFee: (message: Uint8Array) => readFee(deps, message),
  };
  const planner = createWithdrawalPlanner(feeNode, wallets, sources, request, funds, blockhash.blockhash);
  const { transactions, ...withdrawalPlan } = await planAndCompose(deps, wallets, planner, blockhash);
  const { reason, stuckTokens, isComplete } = withdrawalPlan;
  return {
    ready: reason === null,
    reason,
    destination: input.destination,
    transactions,
    complete: isComplete,
    leftBehind: stuckTokens.map((token) => ({ reason: token.reason, ...describeTokenAmount(token) })),
    leftOut: [...leftOut, ...describeUnreadAccounts(sources)],
    ...toCostFields(withdrawalPlan, funds.balanceLamports),
  };
}

/** Reads token holdings. A withdrawal of SOL alone continues without them if that fails; wrapped SOL then stays. */
async function readHoldings({ rpc }: Deps, wallet: string, isOnlySol: boolean): Promise<TokenHoldings> {
  try {
    const { holdings, leftOut } = await rpc.readTokenHoldings(wallet);
    // If the list is too long to read, the known tokens are read separately. Otherwise savings could be missing.
    const isListIncomplete = leftOut.some(({ account }) => account === null);
    const knownHoldings = isListIncomplete ? await readKnownHoldings(rpc, wallet) : [];
    const unlistedHoldings = knownHoldings.filter(
      ({ address }) => !holdings.some((holding) => holding.address === address),
    );
    return { holdings: [...holdings, ...unlistedHoldings], leftOut };
  } catch (error) {
    if (!isOnlySol || !(error instanceof AppError)) throw error;
    return { holdings: [], leftOut: [{ account: null, reason: "Its token accounts could not be read." }] };
  }
}

async function readAndCheckWallets(deps: Deps, { serviceWalletPubkey: wallet, destination, all, asset }: Input) {
  if (wallet === destination) {
    throw new AppError("wallets_equal", {
      message: "The destination must be another wallet than the one to withdraw from.",
    });
  }
  if ([wallet, destination].some((address) => deps.feeCollectors.includes(address)))
    throw new AppError("wallet_not_allowed");
  const [accounts, { holdings, leftOut }, rentLamports, tokenRentLamports, blockhash, priority, serviceWallets] =
    await Promise.all([
      deps.rpc.readAccounts([wallet, destination]),
      readHoldings(deps, wallet, asset === "SOL"),
      deps.rpc.readRentExemptMinimum(0),
      deps.rpc.readRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
      deps.rpc.readLatestBlockhash(),
      readPriority(deps, [wallet, destination]),
      findServiceWallets(deps, [destination]),
    ]);
  const [account, recipient] = accounts;
  // Funds sent to an address that only a program controls would be lost.
  if (recipient && recipient.owner !== SYSTEM_PROGRAM) {
    throw new AppError("invalid_address", {
      message: "destination: that is the address of a token account, a mint or a program, not a wallet.",
    });
  }
  // Execute would refuse the transaction, because a deposit into a service wallet must carry the fee.
  if (serviceWallets.size > 0 && (all || asset === "SOL")) {
    throw new AppError("wallet_not_allowed", {
      message: "The destination is a savings wallet; SOL goes into one by POST /api/wrap only.",
    });
  }
  const [balanceLamports, destinationLamports] = [account?.lamports ?? 0n, recipient?.lamports ?? 0n];
  const computeRent = createRentCalculator(rentLamports, tokenRentLamports);
  return { balanceLamports, destinationLamports, holdings, leftOut, rentLamports, computeRent, blockhash, priority };
}

/**
 * Plans a withdrawal, composes its transactions and simulates the first one, so that a withdrawal that would fail is not
 * signed. The others depend on those before them and cannot be simulated yet. Plans once more if the simulation shows
 * another fee, or if it lacked compute units.
 * @throws AppError simulation_failed
 */
async function planAndCompose(
  deps: Deps,
  wallets: WithdrawalEnds,
  planner: WithdrawalPlanner,
  blockhash: BlockhashInfo,
): Promise<WithdrawalPlan & { transactions: Build["transactions"] }> {
  for (let isFirstPlan = true; ; isFirstPlan = false) {
    const plan = await planner.plan();
    if (plan.reason !== null) return { ...plan, transactions: [] };
    const instructionLists = buildInstructions(wallets, plan.withdrawal);
    const { transactions, ...validity } = await composeUnique(deps, wallets.wallet, instructionLists, blockhash);
    const { error, feeLamports } = await deps.rpc.simulate(transactions[0]!, { verifySignatures: false });
    const plannedFeeLamports = plan.withdrawal.budgets[0]!.networkFeeLamports;
    const isOtherFee = feeLamports !== null && feeLamports !== plannedFeeLamports;
    if (isFirstPlan && isOtherFee) {
      planner.correctFee(plan, feeLamports);
      continue;
    }
    if (isFirstPlan && isOutOfUnits(error)) {
      planner.doubleUnits(plan);
      await doubleUnits(deps, transactions[0]!);
      continue;
    }
    if (error !== null)
      throw new AppError("simulation_failed", {
        message: `The withdrawal would fail now: ${describeRuntimeError(error)}`,
      });
    return {
      ...plan,
      transactions: transactions.map((bytes, i) => ({
        assets: listSentAssets(plan.withdrawal, i),
        transaction: toBase64(bytes),
        lastValidBlockHeight: validity.lastValidBlockHeight,
        unsigned: { base64: toBase64(bytes), ...validity },
        networkFeeLamports: Number(plan.withdrawal.budgets[i]!.networkFeeLamports),
      })),
    };
  }
}

/** Lists the assets that the transaction of one group sends, one entry a mint. SOL leaves with the last group. */
function listSentAssets({ groups, sentLamports }: Withdrawal, index: number) {
  const tokenByMint = new Map<string, TokenAmount>();
  for (const move of groups[index]!) {
    if (!move.sentTokens) continue;
    const { mint, amount, decimals } = move.sentTokens;
    tokenByMint.set(mint, { mint, decimals, amount: amount + (tokenByMint.get(mint)?.amount ?? 0n) });
  }
  const sentTokens = [...tokenByMint.values()].map(describeTokenAmount);
  return sentLamports === 0n || index < groups.length - 1
    ? sentTokens
    : [...sentTokens, describeSolAmount(sentLamports)];
}

/** Converts a plan to the costs and balances of the answer. If nothing is built, the balance stays as it is. */
function toCostFields({ withdrawal, reason, moves, missingLamports }: WithdrawalPlan, balanceLamports: bigint) {
  const isWalletEmpty = moves.length === 0 && balanceLamports === 0n;
  return {
    costs: {
      networkFeeLamports: Number(withdrawal.networkFeeLamports),
      tokenAccountDepositLamports: Number(withdrawal.depositLamports),
      returnedDepositLamports: Number(withdrawal.returnedLamports),
    },
    missingLamports: isWalletEmpty ? 0 : Number(missingLamports),
    remainingLamports: Number(reason === null ? withdrawal.remainingLamports : balanceLamports),
    receivedLamports: reason === null ? Number(withdrawal.sentLamports) : 0,
  };
}
