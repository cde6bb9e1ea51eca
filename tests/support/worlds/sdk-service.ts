import bs58 from "bs58";
import { buildAllowanceContract } from "../../../lib/contracts/build-allowance";
import { buildRevocationContract } from "../../../lib/contracts/build-revocation";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { buildWrapBatchContract } from "../../../lib/contracts/build-wrap-batch";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import { createExampleAmount } from "../../../lib/contracts/examples";
import { getAllowanceContract } from "../../../lib/contracts/get-allowance";
import { getPricesContract } from "../../../lib/contracts/get-prices";
import { listPlansContract } from "../../../lib/contracts/list-plans";
import type { TransactionFigures } from "../../../lib/domain/activity";
import { ASSETS, type PayAsset } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { sumUsd } from "../../../lib/domain/money";
import { combinePayments, toBatches } from "../../../lib/domain/spending/batches";
import { createRoundup, keyWallet, type RoundupOptions } from "../../../lib/sdk";
import { readFirstSignature } from "../../../lib/sdk/sign/transactions";
import { buildAllowance } from "../../../lib/services/build-allowance";
import { buildRevocation } from "../../../lib/services/build-revocation";
import { buildTopup } from "../../../lib/services/build-topup";
import { buildWrap } from "../../../lib/services/build-wrap";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { getAllowance } from "../../../lib/services/get-allowance";
import { toBase64 } from "../../../lib/solana/bytes";
import type { DecodedInstruction, InstructionLike } from "../../../lib/solana/instructions";
import { NATIVE_MINT } from "../../../lib/solana/programs";
import { readTransaction } from "../../../lib/solana/read-transaction";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import {
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
  readApproveChecked,
  readRevoke,
} from "../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { callService, parseInput } from "../client/contract-input";
import { createBlockhash, createFakeDeps, createSolAccount, createUsdcAccount } from "../fakes/fake-deps";
import { createSleepClock } from "../fakes/manual-clock";
import { addUnitLimit } from "../fixtures/test-transactions";
import { toTestWallet } from "../fixtures/test-wallets";
import { addDelegate, encodeTokenAccount } from "../fixtures/token-account";
import { AUTH_TEXT, LINK_TEXT, SERVICE_WALLET_TEXT } from "../fixtures/wallet-texts";

const SECRET = new Uint8Array(32).fill(7);
export const OWNER = keyWallet(SECRET).address;
export const MAKER = toTestWallet("maker").address;
const ESCROW = toTestWallet("escrow").address;
const { mint, decimals } = ASSETS.BTC;
/** The lamports that a swap sells. */
const INPUT_LAMPORTS = 100_000_000;
/** The satoshis that INPUT_LAMPORTS buy at $150 for SOL and $100,000 for BTC. */
const OUTPUT_SATOSHIS = "15000";

type Json = Record<string, unknown>;
export type Answer = "landed" | "lost" | { status: number; code: string };

/** The signature of the newest unsaved payment. */
export const THROUGH = bs58.encode(new Uint8Array(64).fill(9));

/** Creates a service for any number of SDK clients. @param answers the answers of its next calls of execute */
export function createSdkService(...answers: Answer[]) {
  const deps = createFakeDeps();
  deps.rpc.readSignatureStates = async (signatures) => ({
    slot: 9,
    states: signatures.map(() => ({ slot: 5, confirmation: "finalized" as const, error: null })),
  });
  deps.rpc.readTransaction = async () => ({ signers: [OWNER] }) as TransactionFigures;
  deps.chain.accounts.set(deriveUsdcAccount(OWNER), createUsdcAccount(OWNER));
  const texts = { auth: AUTH_TEXT, message: SERVICE_WALLET_TEXT, link: LINK_TEXT };
  const calls: { path: string; body: Json }[] = [];
  let buildCount = 0;
  deps.chain.getLatestBlockhash = () => ({ blockhash: createBlockhash(++buildCount), lastValidBlockHeight: 1_150 });
  const clock = createSleepClock(1_000_000);

  const compose = (payer: string, instructions: InstructionLike[]) => {
    const { blockhash } = deps.chain.getLatestBlockhash();
    const base64 = toBase64(composeTransaction({ payer, instructions: addUnitLimit(instructions), blockhash }).bytes);
    return { transaction: base64, unsigned: { base64, blockhash, lastValidBlockHeight: 1 } };
  };

  /** The service wallet's activity: landed transactions, newest first. */
  const activity: Json[] = [];
  /** `isShown` is false while the service does not list the activity. */
  const activityView = { isShown: true };
  const payments: number[] = [];
  /** The prices that the service states. It builds savings with `deps.currentPrices`. */
  const prices = { SOL: 150, BTC: 100_000, ETH: 3_500, USDC: 1, USDT: 1 };
  const output = { satoshi: OUTPUT_SATOSHIS };
  /** The USDC in the service wallet. A swap that USDC pays sells 15 USDC. */
  const savedUsdc = { units: 0n };
  /** The type and value of the newest build, for the activity when it lands. */
  let lastMove: { type: string; usdValue: number } = { type: "other", usdValue: 0 };
  const recordMove = <T>(type: string, usdValue: number, answer: T): T => {
    lastMove = { type, usdValue };
    return answer;
  };
  const recordRoundUp = <T extends { breakdown: { roundUpUsd: number } }>(wrap: T) =>
    recordMove("round_up", wrap.breakdown.roundUpUsd, wrap);

  const describeSavedUsdc = () => {
    const balance = Number(savedUsdc.units) / 1e6;
    const worth = { priceUsd: prices.USDC, usdValue: balance * prices.USDC, unpriced: null };
    return { ...createExampleAmount("USDC", savedUsdc.units), balance, ...worth };
  };

  const listBatches = () =>
    toBatches(
      payments.map((usd, i) => [i === payments.length - 1 ? THROUGH : `payment ${i}`, usd, i]),
      null,
    );
  const fundWallets = ({ serviceWalletPubkey, payWith }: Json) => {
    for (const wallet of [OWNER, String(serviceWalletPubkey)])
      deps.chain.accounts.set(wallet, createSolAccount(10n ** 10n));
    if (payWith !== "USDC") return;
    const data = encodeTokenAccount(ASSETS.USDC.mint, OWNER, 10n ** 9n);
    addDelegate(data, String(serviceWalletPubkey), 10n ** 9n);
    deps.chain.accounts.set(deriveUsdcAccount(OWNER), { ...createUsdcAccount(OWNER), data });
  };

  const operations: Record<string, (body: Json) => unknown> = {
    "GET /api/overview": () => ({
      network: "sandbox",
      prices: { prices },
      portfolio: { pendingLamports: 10 ** 10, pendingSol: 10, balances: [] },
      savings: {
        totalUsd: 30,
        investableUsd: 15,
        balances: savedUsdc.units === 0n ? [] : [describeSavedUsdc()],
      },
      activity: activityView.isShown ? activity.slice(0, 5) : [],
      activityNextBefore: activityView.isShown && activity.length > 5 ? activity[4]!.txSignature : null,
      spending: {
        payments: payments.length,
        small: combinePayments(payments).small,
        totalUsd: sumUsd(payments),
        savedThrough: null,
        batches: listBatches(),
      },
      unavailable: [],
    }),
    "GET /api/accumulator": () => ({ usdcUsd: Number(savedUsdc.units) / 1e6 }),
    "GET /api/activity": () => ({ items: activityView.isShown ? activity : [], nextBefore: null }),
    "GET /api/price": () => ({ ...getPricesContract.exampleAnswer, prices }),
    "GET /api/plans": () => listPlansContract.exampleAnswer,
    "POST /api/roundup": () => calculateRoundUpContract.exampleAnswer,
    "GET /api/spending": () => ({
      items: [],
      leftOut: [],
      savedThrough: null,
      batches: listBatches(),
      nextBefore: null,
      isComplete: true,
    }),
    "GET /api/auth": () => ({ message: texts.auth }),
    "GET /api/wallet/derive": () => texts,
    "POST /api/wallet/derive": () => ({}),
    "POST /api/wrap": async (body) => {
      fundWallets(body);
      return recordRoundUp(await buildWrap(deps, parseInput(buildWrapContract, body)));
    },
    "POST /api/wrap/batch": async (body) => {
      fundWallets(body);
      return recordRoundUp(await buildWrapBatch(deps, parseInput(buildWrapBatchContract, body)));
    },
    "POST /api/topup": async (body) => {
      fundWallets(body);
      return recordRoundUp(await buildTopup(deps, parseInput(buildTopupContract, body)));
    },
    "GET /api/allowance": (body) => callService(getAllowanceContract, getAllowance, deps, { address: OWNER, ...body }),
    "POST /api/allowance/build": async (body) => {
      fundWallets(body);
      return recordMove("other", 0, await callService(buildAllowanceContract, buildAllowance, deps, body));
    },
    "POST /api/allowance/revoke/build": async (body) =>
      recordMove("other", 0, await callService(buildRevocationContract, buildRevocation, deps, body)),
    "POST /api/swap/build": ({ serviceWalletPubkey, payWith }) =>
      recordMove("swap", 15, buildSwap(String(serviceWalletPubkey), payWith === "USDC" ? "USDC" : "SOL")),
    "POST /api/swap/sell": ({ serviceWalletPubkey, amount }) =>
      recordMove("swap", 15, buildSale(String(serviceWalletPubkey), String(amount ?? OUTPUT_SATOSHIS))),
    "POST /api/withdraw/build": ({ serviceWalletPubkey, destination }) =>
      recordMove("withdrawal", 0.00105, buildWithdrawal(String(serviceWalletPubkey), String(destination))),
  };

  /** Executes an approval or a revocation of the owner's USDC account. */
  function setDelegate(instruction: DecodedInstruction): void {
    const approval = readApproveChecked(instruction);
    if (!approval && !readRevoke(instruction)) return;
    const account = createUsdcAccount(OWNER);
    if (approval) addDelegate(account.data, approval.delegate!, approval.amount);
    deps.chain.accounts.set(deriveUsdcAccount(OWNER), account);
  }

  function buildSwap(wallet: string, payWith: PayAsset) {
    const destination = deriveAssociatedTokenAddress(wallet, mint);
    const bought = { source: ESCROW, destination, authority: wallet, mint, decimals, amount: BigInt(output.satoshi) };
    const sold = ASSETS[payWith];
    const inputLamports = payWith === "SOL" ? INPUT_LAMPORTS : 0;
    const inputAmount = payWith === "SOL" ? String(INPUT_LAMPORTS) : "15000000";
    const instructions = [
      buildCreateAssociatedTokenAccount({ payer: wallet, owner: wallet, mint }),
      payWith === "SOL"
        ? buildSystemTransfer(wallet, MAKER, BigInt(INPUT_LAMPORTS))
        : buildTransferChecked({
            source: deriveAssociatedTokenAddress(wallet, sold.mint),
            destination: MAKER,
            authority: wallet,
            mint: sold.mint,
            decimals: sold.decimals,
            amount: BigInt(inputAmount),
          }),
      buildTransferChecked(bought),
    ];
    const amounts = { outputAmount: output.satoshi, minimumOutputAmount: output.satoshi };
    const input = { inputLamports, inputMint: sold.mint, inputAmount };
    const quote = { ...input, inputDecimals: sold.decimals, outputMint: mint, outputDecimals: decimals, ...amounts };
    return {
      ready: true,
      reason: null,
      costs: { networkFeeLamports: 5_000, tokenAccountDepositLamports: 0, reserveLamports: 0 },
      payWith,
      swappableLamports: inputLamports,
      swappableAmount: inputAmount,
      transactions: [{ asset: "BTC", pct: 100, ...input, ...compose(wallet, instructions), quote }],
    };
  }

  function buildSale(wallet: string, amount: string) {
    const [sold, bought] = [ASSETS.BTC, ASSETS.USDC];
    const source = deriveAssociatedTokenAddress(wallet, sold.mint);
    const destination = deriveAssociatedTokenAddress(wallet, bought.mint);
    const received = { mint: bought.mint, decimals: bought.decimals, amount: BigInt(amount) * 1_000n };
    const instructions = [
      buildCreateAssociatedTokenAccount({ payer: wallet, owner: wallet, mint: bought.mint }),
      buildTransferChecked({ source, destination: MAKER, authority: wallet, mint, decimals, amount: BigInt(amount) }),
      buildTransferChecked({ source: ESCROW, destination, authority: wallet, ...received }),
    ];
    const quote = {
      inputMint: mint,
      inputAmount: amount,
      inputDecimals: decimals,
      outputMint: bought.mint,
      outputDecimals: bought.decimals,
      outputAmount: `${received.amount}`,
      minimumOutputAmount: `${received.amount}`,
    };
    return {
      ready: true,
      reason: null,
      costs: { networkFeeLamports: 5_000, tokenAccountDepositLamports: 0, reserveLamports: 0 },
      transactions: [{ asset: "BTC", inputMint: mint, inputAmount: amount, ...compose(wallet, instructions), quote }],
    };
  }

  function buildWithdrawal(wallet: string, destination: string) {
    const assets = [{ asset: "SOL", symbol: "SOL", mint: NATIVE_MINT, amount: "7000", decimals: 9 }];
    const transaction = { assets, lastValidBlockHeight: 1, networkFeeLamports: 5_000 };
    return {
      ready: true,
      reason: null,
      destination,
      transactions: [{ ...transaction, ...compose(wallet, [buildSystemTransfer(wallet, destination, 7_000n)]) }],
      complete: true,
      leftBehind: [],
      leftOut: [],
      costs: { networkFeeLamports: 5_000, tokenAccountDepositLamports: 0, returnedDepositLamports: 0 },
      missingLamports: 0,
      remainingLamports: 0,
      receivedLamports: 7_000,
    };
  }

  const createFailure = (status: number, code: string) =>
    Response.json({ ok: false, error: `It is ${code}.`, code }, { status });
  const fetch: RoundupOptions["fetch"] = async (address, init) => {
    const { pathname, searchParams } = new URL(address);
    const path = pathname.replace(/\/[1-9A-HJ-NP-Za-km-z]{32,}$/, "");
    const { network, ...body } = { ...Object.fromEntries(searchParams), ...JSON.parse(String(init.body ?? "{}")) };
    calls.push({ path, body });
    if (network !== undefined && network !== "sandbox") return createFailure(400, "network_mismatch");
    if (path === "/api/swap/execute") {
      const outcome = answers.shift() ?? "landed";
      if (outcome === "lost") throw new TypeError("fetch failed");
      if (outcome !== "landed") return createFailure(outcome.status, outcome.code);
      const txSignature = readFirstSignature(String(body.signedTransaction));
      for (const instruction of readTransaction(String(body.signedTransaction)).instructions) setDelegate(instruction);
      const time = new Date(clock.nowMs).toISOString();
      if (activity.every((item) => item.txSignature !== txSignature))
        activity.unshift({ txSignature, ...lastMove, time, status: "confirmed", amounts: [] });
      const data = { confirmed: true, status: "confirmed", slot: 1, network: "sandbox", txSignature };
      return Response.json({ ok: true, data });
    }
    return Response.json({ ok: true, data: await operations[`${init.method} ${path}`]!(body) });
  };

  const wallet = keyWallet(SECRET);
  /** The texts that the wallet was asked to sign. */
  const requests: string[] = [];
  const signMessage = async (message: Uint8Array) => {
    requests.push(new TextDecoder().decode(message));
    return wallet.signMessage(message);
  };
  const start = (options: Partial<RoundupOptions> = {}) =>
    createRoundup({
      baseUrl: "https://roundup.example",
      origin: "sandbox",
      wallet: { ...wallet, signMessage },
      fetch,
      clock,
      ...options,
    });
  const listSentTransactions = () =>
    calls.filter(({ path }) => path === "/api/swap/execute").map(({ body }) => body.signedTransaction);
  return {
    start,
    fetch,
    texts,
    requests,
    listSentTransactions,
    wallet,
    clock,
    deps,
    activity,
    activityView,
    payments,
    prices,
    output,
    savedUsdc,
  };
}
