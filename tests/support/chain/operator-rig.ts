import { Keypair } from "@solana/web3.js";
import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { deriveAccounts } from "../../../lib/operator/collectors";
import type { OperatorSession } from "../../../lib/operator/send";
import { encodeMint, readTokenAccount } from "../../../lib/sandbox/chain/token-accounts";
import { answerRpc } from "../../../lib/sandbox/rpc/answer-rpc";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../../../lib/solana/token-accounts";
import { connectInProcess, openStoppedChain, putAccount, throwError, toAddress, UNUSED_METHODS } from "./sandbox-rig";

/** Answers a method in the node's place. Without a return value the node answers, and with null the request fails. */
type Fault = (params: unknown[]) => unknown;

/** Creates an operator's session on a chain with the USDC mint, in staged time. No account of the operator exists. */
export function createOperatorRig(
  seed: Uint8Array = new Uint8Array(32).fill(9),
  treasury = Keypair.generate().publicKey,
) {
  const { chain, clock } = openStoppedChain();
  putAccount(chain, ASSETS.USDC.mint, TOKEN_PROGRAM, encodeMint(toAddress(Keypair.generate()), ASSETS.USDC.decimals));
  const printedTexts: string[] = [];
  const faults: Record<string, Fault | undefined> = {};
  const connection = connectInProcess(async (call) => {
    const result = faults[call.method]?.(call.params);
    if (result === null) return null;
    const answer = await answerRpc({ chain, ...UNUSED_METHODS }, call, throwError);
    return result === undefined ? answer : { ...(answer as object), result };
  });
  const operatorFile = { seed, treasury };
  const { accounts } = deriveAccounts(operatorFile);
  const print = (text: string) => void printedTexts.push(text);
  const session: OperatorSession = { chain: connection, operatorFile, clock, print };
  return {
    chain,
    session,
    clock,
    faults,
    collectors: accounts.collectors.map((key) => key.toBase58()),
    funder: accounts.funder.toBase58(),
    treasury: treasury.toBase58(),
    tokenRentLamports: chain.computeRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
    /** Returns what was printed since the last call. */
    takePrinted: () => printedTexts.splice(0).join("\n"),
    setLamports: (address: string, lamports: bigint) =>
      chain.setAccount(address, { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() }),
    readLamports: (address: string) => chain.getAccount(address)?.lamports ?? 0n,
    readUsdc: (wallet: string) => readTokenAccount(chain.getAccount(deriveUsdcAccount(wallet))),
  };
}
