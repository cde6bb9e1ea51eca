import { deriveServiceWalletPublicKey } from "../../../lib/domain/service-wallet";
import { createServiceWalletText, SANDBOX_DEPLOYMENT } from "../../../lib/domain/signed-texts";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import { createKeyWallet } from "../../../lib/sdk/sign/key-wallet";
import { NATIVE_MINT, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { answerFromPool, createPool, type NodeFaults } from "../chain/pool";
import { connectInProcess, openStoppedChain, putAccount, putTokens, UNUSED_METHODS } from "../chain/sandbox-rig";
import { createAddress } from "../fakes/staged-rpc";
import { signText, toTestWallet } from "../fixtures/test-wallets";
import type { Extensions } from "../fixtures/token-account";

/** The extension of every associated account of Token-2022. */
const IMMUTABLE_OWNER: Extensions[number] = [7, new Uint8Array()];

/** Creates a service wallet on a separate chain, behind the sandbox's JSON-RPC and an unmodified Connection. */
export function createRecoverRig() {
  const { chain, clock } = openStoppedChain();
  chain.advanceSlots(500);
  const owner = toTestWallet("owner");
  const text = createServiceWalletText(SANDBOX_DEPLOYMENT);
  const serviceWallet = deriveServiceWalletPublicKey(Buffer.from(signText(owner, text), "base64"), owner.address, 0);
  const context = { chain, ...UNUSED_METHODS };
  /** Every request to the node, in order. */
  const requests: { method: string; params: unknown[] }[] = [];
  let pool = createPool(chain, 7, [{}]);
  const connection = connectInProcess((call) => {
    requests.push(call);
    return answerFromPool(context, pool, call);
  });

  /** Puts tokens into a new account of the service wallet. */
  function putWalletTokens(amount: bigint, { program = TOKEN_PROGRAM, isFrozen = false, mint = createAddress() } = {}) {
    const account = createAddress();
    if (!chain.getAccount(mint)) putAccount(chain, mint, program, encodeMint(null, 6));
    const extensions: Extensions = program === TOKEN_PROGRAM ? [] : [IMMUTABLE_OWNER];
    putTokens(chain, serviceWallet, mint, amount, { address: account, program, isFrozen, extensions });
    const { lamports } = chain.getAccount(account)!;
    return { account, mint, program, rentLamports: mint === NATIVE_MINT ? lamports - amount : lamports };
  }

  return {
    chain,
    connection,
    owner,
    wallet: createKeyWallet(owner.keys.secretKey),
    serviceWallet,
    putTokens: putWalletTokens,
    requests,
    listSentTransactions: () =>
      requests.filter(({ method }) => method === "sendTransaction").map(({ params }) => String(params[0])),
    stagePool(...nodes: Partial<NodeFaults>[]) {
      pool = createPool(chain, 7, nodes);
    },
    clock,
    readLamports: (address: string) => chain.getAccount(address)?.lamports ?? 0n,
  };
}
