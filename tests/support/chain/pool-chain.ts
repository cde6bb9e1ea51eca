import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { type LocalChain, openChain } from "../../../lib/sandbox/chain/chain";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import { signWithKey } from "../../../lib/sdk/sign/transactions";
import { toBase64 } from "../../../lib/solana/bytes";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { FEE_COLLECTORS } from "../fakes/fake-deps";
import type { ManualClock } from "../fakes/manual-clock";
import { toTestWallet } from "../fixtures/test-wallets";
import { addDelegate, encodeTokenAccount } from "../fixtures/token-account";
import { putAccount, putTokens } from "./sandbox-rig";

/* Opens the chain behind the pool of nodes, with the balances that the tests need. */

/** The wallet that pays and saves in the tests of the node pool. */
export const mainWallet = toTestWallet("person of the pool");
/** The service wallet of `mainWallet`. */
export const serviceWallet = toTestWallet("service wallet of the pool");
const payeeAddress = toTestWallet("payee of the pool").address;

export type PoolChain = Awaited<ReturnType<typeof openPoolChain>>;

/** A balance in base units that is larger than all runs need together. */
const AMPLE_BALANCE = 2n ** 60n;

/** Opens the chain and makes the payment. Two minutes later, every node knows all transactions. */
export async function openPoolChain(clock: ManualClock) {
  const chain = openChain({ now: clock.now });
  // 100,000 SOL for each wallet: all runs together need some thousand.
  for (const { address } of [mainWallet, serviceWallet]) chain.airdrop(address, 100_000_000_000_000n);
  for (const address of FEE_COLLECTORS) chain.airdrop(address, 1_000_000_000n);
  for (const asset of ["BTC", "USDC"] as const) {
    const { mint, decimals } = ASSETS[asset];
    putAccount(chain, mint, TOKEN_PROGRAM, encodeMint(null, decimals));
    putTokens(chain, serviceWallet.address, mint, asset === "BTC" ? AMPLE_BALANCE : 0n);
  }
  // The main wallet has approved its service wallet, once for all runs.
  for (const owner of FEE_COLLECTORS) putTokens(chain, owner, ASSETS.USDC.mint, 0n);
  const mainUsdc = encodeTokenAccount(ASSETS.USDC.mint, mainWallet.address, AMPLE_BALANCE);
  addDelegate(mainUsdc, serviceWallet.address, AMPLE_BALANCE);
  putAccount(chain, deriveUsdcAccount(mainWallet.address), TOKEN_PROGRAM, mainUsdc);
  // The two token accounts of the venue that `createSwapPlan` trades with.
  const venue = toTestWallet("venue").address;
  for (const [label, asset, amount] of [
    ["venue tokens", "BTC", 0n],
    ["escrow", "USDC", AMPLE_BALANCE],
  ] as const) {
    const data = encodeTokenAccount(ASSETS[asset].mint, venue, amount);
    if (amount > 0n) addDelegate(data, serviceWallet.address, amount);
    putAccount(chain, toTestWallet(label).address, TOKEN_PROGRAM, data);
  }
  /** A payment by `mainWallet`. Every node knows it. */
  const paymentSignature = chain.send(Buffer.from(signWithKey(buildPayment(chain), mainWallet.keys), "base64"));
  await clock.advance(120_000);
  return { chain, paymentSignature };
}

/** Builds a payment whose blockhash comes from the chain, as when a wallet builds it. @returns base64 */
export function buildPayment(chain: LocalChain): string {
  const { blockhash } = chain.getLatestBlockhash();
  const instructions = [buildSystemTransfer(mainWallet.address, payeeAddress, 1_000_000n)];
  return toBase64(composeTransaction({ payer: mainWallet.address, instructions, blockhash }).bytes);
}
