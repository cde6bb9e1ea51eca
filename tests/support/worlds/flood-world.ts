import { createBuckets } from "../../../lib/clients/quota/bucket";
import { meterPorts } from "../../../lib/clients/quota/meter-ports";
import { createPlaces } from "../../../lib/clients/quota/places";
import { bindQuotaUser, type QuotaUser, SERVICE_ITSELF } from "../../../lib/clients/quota/quota-port";
import { createSolanaRpc } from "../../../lib/clients/solana/solana-rpc";
import { executeTransactionContract } from "../../../lib/contracts/execute-transaction";
import { openChain } from "../../../lib/sandbox/chain/chain";
import { answerRpc } from "../../../lib/sandbox/rpc/answer-rpc";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { toBase64 } from "../../../lib/solana/bytes";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../lib/solana/transactions";
import { throwError, UNUSED_METHODS } from "../chain/sandbox-rig";
import { parseInput } from "../client/contract-input";
import { createManualClock } from "../fakes/manual-clock";
import { createStagedNodes } from "../fakes/staged-nodes";
import { signTransaction, type TestWallet, toTestWallet } from "../fixtures/test-wallets";
import { createMemoryStore } from "../store/memory-store";
import { toContext } from "./keys-rig";
import { createProcess } from "./pool-world";

/* A service whose sends and node calls are limited, over one chain, with a merchant's customer and a flooding wallet. */

export const MERCHANT: QuotaUser = { priority: "money", kind: "static-key", id: "merchant", maxPlaces: 40 };
/** How long the node takes for a call, ms. */
const NODE_MS = 20;

export const toAddressUser = (id: string): QuotaUser => ({ priority: "money", kind: "address", id, maxPlaces: 20 });

export async function createFloodWorld(sendsPerSecond: number) {
  const clock = createManualClock();
  const chain = openChain({ now: clock.now });
  const [customer, flooder, payee] = ["customer", "flooder", "payee"].map((name) =>
    toTestWallet(`${name} of the flood`),
  );
  chain.airdrop(customer!.address, 10_000_000_000n);
  chain.airdrop(payee!.address, 10_000_000_000n);
  // Enough for the fees of a hundred transactions, beside the rent.
  chain.airdrop(flooder!.address, 1_400_000n);
  chain.advanceSlots(10);
  const answerCall = async (call: object) => {
    await clock.sleep(NODE_MS);
    const context = { chain, ...UNUSED_METHODS };
    return (await answerRpc(context, { jsonrpc: "2.0", ...call } as never, throwError)) as never;
  };
  const store = createMemoryStore(clock);
  /** Opens an instance of the service. Returns a function that posts a transaction to it. */
  const openInstance = () => {
    const { nodes } = createStagedNodes({ a: answerCall }, { clock, sendsPerSecond });
    const { rpc: bucket, cpu } = createBuckets({ rpcCallsPerSecond: 100, jupiterCallsPerSecond: null, clock });
    const rpc = createSolanaRpc({ nodes, clock, bucket });
    const deps = createProcess(clock, store, bindQuotaUser(SERVICE_ITSELF, rpc));
    const openRequest = meterPorts(deps, [], { rpc, places: createPlaces(cpu) });
    return async (user: QuotaUser, transaction: Uint8Array) => {
      const request = openRequest();
      Object.assign(request.quotaUser, user);
      const input = parseInput(executeTransactionContract, { signedTransaction: toBase64(transaction) });
      return executeTransaction(request.deps, input, toContext({ kind: "wallet", wallet: customer!.address }));
    };
  };
  const post = openInstance();
  let paymentCount = 0;

  /** Signs a payment that differs from all others. */
  const signPayment = (payer: TestWallet): Uint8Array => {
    const { blockhash } = chain.getLatestBlockhash();
    const instructions = [buildSystemTransfer(payer.address, payee!.address, BigInt(++paymentCount))];
    return signTransaction(composeTransaction({ payer: payer.address, instructions, blockhash }).bytes, payer);
  };
  return {
    clock,
    customer: customer!,
    payee: payee!,
    signPayment,
    post,
    openInstance,
    /** Posts an order of the merchant. Returns how long it takes until it is confirmed, ms. */
    async measureOrder(): Promise<number> {
      const startedAt = clock.now();
      let confirmedAt = Number.POSITIVE_INFINITY;
      const posting = post(MERCHANT, signPayment(customer!)).then(({ confirmed }) => {
        if (confirmed) confirmedAt = clock.now();
      });
      for (let ms = 0; ms < 30_000 && confirmedAt === Number.POSITIVE_INFINITY; ms += 10) await clock.advance(10);
      await posting;
      return confirmedAt - startedAt;
    },
    /** Begins to post transactions of the flooding wallet, from this many addresses in turn. */
    flood(transactionCount: number, addressCount: number): void {
      for (let i = 0; i < transactionCount; i++)
        void post(toAddressUser(`flooder ${i % addressCount}`), signPayment(flooder!)).catch(() => {});
    },
  };
}
