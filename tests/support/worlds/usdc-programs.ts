import "../../../lib/sdk/verify/signed";
import "../../../lib/sdk/verify/wrap";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { createRoundup, type RoundupOptions } from "../../../lib/sdk";
import { createMemoryStorage, createProcessLock, type Fetch } from "../../../lib/sdk/platform";
import { createKeyWallet } from "../../../lib/sdk/sign/key-wallet";
import { openServiceWallet } from "../../../lib/sdk/sign/service-wallet";
import { readTokenAmount } from "../../../lib/solana/token-accounts";
import { stageRuntime } from "../app/staged-runtime";
import { createEmbeddedSandbox } from "../chain/embedded-sandbox";
import { ONE_SOL } from "../chain/sandbox-rig";
import { answerInProcess } from "../client/in-process-routes";
import { runFor } from "../fakes/fake-deps";
import { deriveServiceWallet, LONG_MS, user } from "./relay-rig";

/* Programs with the SDK, over the service's routes and the sandbox's Token program in staged time. */

/** 0.003 SOL, with which a new wallet must be able to save. */
const FEW_LAMPORTS = (ONE_SOL / 1000n) * 3n;

/** Stages a wallet with USDC and little SOL, and its service wallet with an allowance of $5. */
export async function stageUsdcWallet() {
  const sandbox = createEmbeddedSandbox();
  const { deps, chain } = sandbox;
  stageRuntime(deps);
  const serviceWallet = await deriveServiceWallet(deps);
  for (const address of [user.address, serviceWallet]) sandbox.setLamports(address, FEW_LAMPORTS);
  sandbox.approve(serviceWallet, 5);
  const wallet = createKeyWallet(user.keys.secretKey);
  const world = {
    ...sandbox,
    serviceWallet,
    fetch: (async (url, init) => {
      const path = new URL(url).pathname;
      if (path === "/api/swap/execute") world.posted.push(JSON.parse(String(init.body)).signedTransaction);
      const response = await answerInProcess(url, init, "203.0.113.1");
      const { data, ...envelope } = await response.json();
      if (world.isLost(path)) throw new TypeError("lost");
      return Response.json({ ...envelope, ...(data && { data: world.alterData(data) }) }, response);
    }) as Fetch,
    /** The signed transactions that programs have posted. */
    posted: [] as unknown[],
    /** Alters the data of an answer between the service and the program. */
    alterData: <T>(data: T): T => data,
    /** Returns whether the program loses the answer of this path. */
    isLost: (_path: string) => false,
    run: <T>(payment: Promise<T>) => runFor(20 * LONG_MS, deps, payment),
    createMachine: () => ({ storage: createMemoryStorage(), lock: createProcessLock() }),
    start: (options: Partial<RoundupOptions> = {}) =>
      createRoundup({
        baseUrl: "http://roundup.invalid",
        origin: "sandbox",
        wallet,
        fetch: world.fetch,
        clock: deps.clock,
        ...options,
      }),
    /** Starts a program that has the service wallet's key, and not the user's. */
    async startWithoutUserKey(options: Partial<RoundupOptions> = {}) {
      const { secretKey } = await openServiceWallet(await world.start().calls(), wallet, serviceWallet);
      return world.start({ wallet: createKeyWallet(secretKey), owner: user.address, ...options });
    },
    /** Makes a payment of $10.40 and returns the request that saves its change of $0.60. */
    async pay() {
      sandbox.sendPayment(10.4);
      await deps.clock.advance(5_000);
      const { batches } = await world.run(world.start().spending());
      const { txValuesUsd: purchasesUsd, through, after } = batches[0]!;
      return { purchasesUsd, through, after, plan: "forest" as const };
    },
    readUnits: (owner: string) => {
      const account = chain.getAccount(deriveUsdcAccount(owner));
      return account ? readTokenAmount(account.data) : 0n;
    },
    readLamports: (address: string) => chain.getAccount(address)!.lamports,
  };
  return world;
}
