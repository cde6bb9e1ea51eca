import { Keypair, PublicKey } from "@solana/web3.js";
import { deriveServiceWalletPublicKey } from "../../../lib/domain/service-wallet";
import { createServiceWalletText, SANDBOX_DEPLOYMENT } from "../../../lib/domain/signed-texts";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import { answerRpc } from "../../../lib/sandbox/rpc/answer-rpc";
import { createFaults } from "../../../lib/sandbox/rpc/faults";
import type { NodeFaults } from "../../../lib/sandbox/rpc/pool";
import { createKeyWallet } from "../../../lib/sdk/sign/key-wallet";
import { NATIVE_MINT, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import {
  connectInProcess,
  createMint,
  openStoppedChain,
  putAccount,
  throwError,
  toAddress,
  UNUSED_METHODS,
} from "../chain/sandbox-rig";
import { signText, toTestWallet } from "../fixtures/test-wallets";

/** Creates a service wallet on a separate chain, behind the sandbox's JSON-RPC and an unmodified Connection. */
export function createRecoverRig() {
  const { chain, clock: chainClock } = openStoppedChain();
  chain.advanceSlots(500);
  const owner = toTestWallet("owner");
  const text = createServiceWalletText(SANDBOX_DEPLOYMENT);
  const serviceWallet = deriveServiceWalletPublicKey(Buffer.from(signText(owner, text), "base64"), owner.address, 0);
  const issuer = Keypair.generate();
  const faults = createFaults();
  const context = { chain, faults, ...UNUSED_METHODS };
  /** Every request to the node, in order. */
  const requests: { method: string; params: unknown[] }[] = [];
  const answer = (body: unknown) => answerRpc(context, body, throwError);
  const connection = connectInProcess((call) => {
    requests.push(call);
    return answer(call);
  });

  /** Puts tokens into a new account of the service wallet. */
  function putTokens(
    amount: bigint,
    {
      program = TOKEN_PROGRAM,
      isFrozen = false,
      mint = createMint(chain, issuer, 6, program),
      closeAuthority = null as string | null,
    } = {},
  ) {
    const account = toAddress(Keypair.generate());
    if (!chain.getAccount(mint)) putAccount(chain, mint, program, encodeMint(null, 6));
    const isNative = mint === NATIVE_MINT;
    // An associated account of Token-2022 is five bytes longer, so its deposit is higher.
    const rentLamports = chain.computeRentExemptMinimum(program === TOKEN_PROGRAM ? 165 : 170);
    const data = Buffer.alloc(165);
    data.set(new PublicKey(mint).toBytes(), 0);
    data.set(new PublicKey(serviceWallet).toBytes(), 32);
    data.writeBigUInt64LE(amount, 64);
    data[108] = isFrozen ? 2 : 1;
    data.writeUInt32LE(isNative ? 1 : 0, 109);
    data.writeBigUInt64LE(isNative ? rentLamports : 0n, 113);
    if (closeAuthority !== null) {
      data.writeUInt32LE(1, 129);
      data.set(new PublicKey(closeAuthority).toBytes(), 133);
    }
    chain.setAccount(account, { lamports: isNative ? rentLamports + amount : rentLamports, owner: program, data });
    return { account, mint, program, rentLamports };
  }

  return {
    chain,
    connection,
    owner,
    wallet: createKeyWallet(owner.keys.secretKey),
    serviceWallet,
    putTokens,
    requests,
    listSentTransactions: () =>
      requests.filter(({ method }) => method === "sendTransaction").map(({ params }) => String(params[0])),
    stagePool: (...nodes: Partial<NodeFaults>[]) =>
      answer({ jsonrpc: "2.0", id: 1, method: "sandbox_setPool", params: [{ seed: 7, nodes }] }),
    /** A clock whose time passes only during `sleep`. */
    clock: {
      now: () => chainClock.nowMs,
      sleep: async (ms: number) => {
        chainClock.nowMs += ms;
      },
    },
    readLamports: (address: string) => chain.getAccount(address)?.lamports ?? 0n,
  };
}
