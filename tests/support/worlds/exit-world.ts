import { randomBytes } from "node:crypto";
import type { Connection } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { buildSaleContract } from "../../../lib/contracts/build-sale";
import { buildWithdrawContract } from "../../../lib/contracts/build-withdraw";
import { executeTransactionContract } from "../../../lib/contracts/execute-transaction";
import { deriveServiceWalletSeed } from "../../../lib/domain/service-wallet";
import { createServiceWalletText } from "../../../lib/domain/signed-texts";
import { AppError } from "../../../lib/errors";
import { answerRpc } from "../../../lib/sandbox/rpc/answer-rpc";
import { createCalls } from "../../../lib/sdk/calls/calls";
import type { FlowContext } from "../../../lib/sdk/flow/types";
import { createMemoryStorage, createProcessLock, type Fetch } from "../../../lib/sdk/platform";
import type { RecoverOptions } from "../../../lib/sdk/recover/recover";
import { createKeyWallet } from "../../../lib/sdk/sign/key-wallet";
import { signWithKey } from "../../../lib/sdk/sign/transactions";
import { buildSale } from "../../../lib/services/build-sale";
import { buildWithdraw } from "../../../lib/services/build-withdraw";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { getPrices } from "../../../lib/services/get-prices";
import { buildMemo } from "../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import type { EmbeddedSandbox } from "../chain/embedded-sandbox";
import { connectInProcess, throwError, UNUSED_METHODS } from "../chain/sandbox-rig";
import { parseInput } from "../client/contract-input";
import { createOpenPriceGuard } from "../fakes/open-price-guard";
import { signTransaction } from "../fixtures/test-wallets";
import { stranger as payer } from "./relay-rig";

export type ExitWorld = ReturnType<typeof createExitWorld>;

/**
 * Creates a staged service whose owner withdraws everything through the SDK or with `recover`.
 * @param seed 32 bytes of the owner's key
 * @param meanwhile acts as a stranger. It runs before and after each call to the service, and before each call to the
 *   chain and each signature.
 * @param onAnswer gets each answer of the service
 */
export function createExitWorld(
  sandbox: EmbeddedSandbox,
  seed: Uint8Array,
  meanwhile: () => void,
  onAnswer: (path: string, data: unknown) => void = () => {},
) {
  const { chain, deps } = sandbox;
  const owner = createKeyWallet(seed);
  const text = new TextEncoder().encode(createServiceWalletText(deps.deployment));
  const signature = nacl.sign.detached(text, nacl.sign.keyPair.fromSeed(seed).secretKey);
  const keys = nacl.sign.keyPair.fromSeed(deriveServiceWalletSeed(signature, owner.address, 0));
  const wallet = bs58.encode(keys.publicKey);
  const signatures = new Set<string>();
  const unsubscribe = chain.onSignature(({ signature }) => void signatures.add(signature));
  const listPaidTransactions = () =>
    [...signatures]
      .map((signature) => chain.findTransaction(signature)!)
      .filter(({ accountKeys }) => accountKeys[0] === wallet);
  /** The errors of the service that are not planned answers. */
  const bugs: unknown[] = [];
  const { clock } = deps;
  const flowContext: FlowContext<never> = {
    calls: createCalls({ baseUrl: "", fetch: createServiceFetch(sandbox, meanwhile, bugs, onAnswer), clock }),
    clock,
    storage: createMemoryStorage(),
    lock: createProcessLock(),
    openSigner: async () => async (transaction) => {
      meanwhile();
      return signWithKey(transaction, keys);
    },
    prices: createOpenPriceGuard(),
    onLanded: meanwhile,
  };
  const recovery: RecoverOptions = { owner, origin: "sandbox", chain: createConnection(sandbox, meanwhile), clock };
  return {
    wallet,
    destination: owner.address,
    flowContext,
    recovery,
    /** Returns the network fees of all transactions that the wallet has paid for, in lamports. */
    sumFees: () => listPaidTransactions().reduce((sum, { fee }) => sum + BigInt(fee), 0n),
    /** Returns the number of transactions that the wallet has paid for. */
    countTransactions: () => listPaidTransactions().length,
    bugs,
    close: unsubscribe,
  };
}

function createServiceFetch(
  { deps }: EmbeddedSandbox,
  meanwhile: () => void,
  bugs: unknown[],
  onAnswer: (path: string, data: unknown) => void,
): Fetch {
  const answer = (path: string, body: never): Promise<unknown> => {
    if (path === "/api/withdraw/build") return buildWithdraw(deps, parseInput(buildWithdrawContract, body));
    if (path.startsWith("/api/price")) return getPrices(deps);
    if (path === "/api/swap/sell") return buildSale(deps, parseInput(buildSaleContract, body));
    const caller = { kind: "static-key", wallet: null, keyId: "0" } as const;
    return executeTransaction(deps, parseInput(executeTransactionContract, body), { caller });
  };
  return async (path, { body }) => {
    meanwhile();
    try {
      // The HTTP layer reads `network` and removes it before the service runs.
      const { network: _, ...fields } = JSON.parse(String(body ?? "{}"));
      const data = await answer(path, fields as never);
      onAnswer(path, data);
      meanwhile();
      return Response.json({ ok: true, data });
    } catch (error) {
      if (!(error instanceof AppError)) {
        bugs.push(error);
        throw error;
      }
      const { message, code, status } = error;
      return Response.json({ ok: false, error: message, code }, { status });
    }
  };
}

function createConnection({ chain }: EmbeddedSandbox, meanwhile: () => void): Connection {
  const context = { chain, ...UNUSED_METHODS };
  return connectInProcess((call) => {
    meanwhile();
    return answerRpc(context, call, throwError);
  });
}

/** Runs a task to its end in the sandbox's time. */
export async function runInSandboxTime<T>({ deps }: EmbeddedSandbox, task: Promise<T>): Promise<T> {
  let isDone = false;
  task.finally(() => (isDone = true)).catch(() => {});
  while (!isDone) await deps.clock.advance(400);
  return task;
}

/** Sends a stranger's transaction with a memo that appears in the wallet's history. */
export function sendMemoTo({ chain }: EmbeddedSandbox, wallet: string): void {
  const selfTransfer = buildSystemTransfer(payer.address, payer.address, 1n);
  const walletAccount = { pubkey: wallet, isSigner: false, isWritable: true };
  const instructions = [
    { ...selfTransfer, accounts: [...selfTransfer.accounts, walletAccount] },
    buildMemo(`roundup:1:through:${bs58.encode(randomBytes(64))}`, payer.address),
  ];
  const { blockhash } = chain.getLatestBlockhash();
  const { bytes } = composeTransaction({ payer: payer.address, instructions, blockhash });
  chain.send(signTransaction(bytes, payer), { skipPreflight: true });
}
