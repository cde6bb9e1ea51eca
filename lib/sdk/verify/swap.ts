import type { buildSwapContract } from "../../contracts/build-swap";
import type { DataOf } from "../../contracts/define";
import { ASSETS, type AssetSymbol } from "../../domain/assets";
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import { associatedTokenAddress } from "../../solana/token-instructions";
import {
  type BuiltTransaction,
  must,
  mustBeSignedByAlone,
  mustOpenAccountsOnlyFor,
  readBuilt,
  systemTransfers,
} from "./built-transaction";

type SwapBuild = DataOf<typeof buildSwapContract>;

/** `TokenInstruction` of github.com/solana-program/token; where each names the account that receives. */
const TRANSFERS = new Map([
  [3, 1],
  [12, 2],
]);
const CLOSE_ACCOUNT = 9;
/** They only ready an account: InitializeAccount (1, 2, 3), SyncNative. */
const HARMLESS = new Set([1, 16, 17, 18]);

/**
 * Whether the transactions of a build are the swaps that were shown. What a swap program does inside cannot be seen from
 * here; who signs, what leaves in plain transfers, where tokens go, and what the network may charge can.
 * @throws {NotAsShown}
 */
export function verifySwaps(build: SwapBuild, wallet: string, slippageBps: number): void {
  let networkFee = 0n;
  let input = 0;
  for (const { asset, transaction, inputLamports, quote } of build.transactions) {
    const least = (BigInt(quote.outputAmount) * BigInt(10_000 - slippageBps)) / 10_000n;
    const { mint, decimals } = ASSETS[asset];
    must(quote.outputMint === mint && quote.outputDecimals === decimals, "It buys another token.");
    must(BigInt(quote.minimumOutputAmount) >= least, "Its minimum is below the slippage you chose.");
    const built = readBuilt(transaction);
    verifySwap(built, wallet, asset, BigInt(inputLamports));
    networkFee += built.networkFeeLamports;
    input += inputLamports;
  }
  must(input <= build.swappableLamports, "It spends more than was shown.");
  must(networkFee <= BigInt(build.costs.networkFeeLamports), "Its network fee is higher than was shown.");
}

function verifySwap(built: BuiltTransaction, wallet: string, asset: AssetSymbol, inputLamports: bigint): void {
  mustBeSignedByAlone(built, wallet);
  const leaving = systemTransfers(built).reduce((sum, { lamports }) => sum + lamports, 0n);
  must(leaving <= inputLamports, "It sends more SOL than was shown.");
  mustOpenAccountsOnlyFor(built, wallet);
  const bought = associatedTokenAddress(wallet, ASSETS[asset].mint);
  must(built.keys.includes(bought), "What it buys does not reach your wallet.");
  const own = new Set([bought, associatedTokenAddress(wallet, NATIVE_MINT)]);
  for (const { program, accounts, data } of built.instructions) {
    if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) continue;
    const tag = data[0]!;
    const to = TRANSFERS.get(tag);
    if (to !== undefined) must(own.has(accounts[to] ?? ""), "It sends tokens to somebody else.");
    else if (tag === CLOSE_ACCOUNT) must(accounts[1] === wallet, "A deposit would return to somebody else.");
    else must(HARMLESS.has(tag), "It does something with your tokens that was not shown.");
  }
}
