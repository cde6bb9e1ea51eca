import { randomBytes } from "node:crypto";
import bs58 from "bs58";
import { ASSETS } from "../../../lib/domain/assets";
import type { LocalChain } from "../../../lib/sandbox/chain/chain";
import { encodeMint } from "../../../lib/sandbox/chain/token-accounts";
import { encodeU64 } from "../../../lib/solana/instructions";
import { NATIVE_MINT, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from "../../../lib/solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { putAccount, putTokens } from "../chain/sandbox-rig";
import { AMOUNT_OFFSET, appendExtensions, type Extensions, STATE_OFFSET } from "../fixtures/token-account";

/* The actions of a stranger on a service wallet. They run no transactions, so that thousands of runs are fast. */

interface TokenKind {
  /** The token program, base58. Default: Token-2022. */
  program?: string;
  mintExtensions?: Extensions;
  /** The extensions of the token account. */
  extensions?: Extensions;
  isFrozen?: boolean;
}

const repeatByte = (length: number, fill = 0) => new Uint8Array(length).fill(fill);
const TOKEN_KINDS: Record<string, TokenKind> = {
  plain: { program: TOKEN_PROGRAM },
  "2022": {},
  "transfer fee": { mintExtensions: [[1, repeatByte(108)]], extensions: [[2, repeatByte(8)]] },
  "withheld fees": { mintExtensions: [[1, repeatByte(108)]], extensions: [[2, repeatByte(8, 1)]] },
  hook: { mintExtensions: [[14, repeatByte(64, 7)]], extensions: [[15, repeatByte(1)]] },
  frozen: { mintExtensions: [[6, repeatByte(1, 2)]], isFrozen: true },
  "non-transferable": { mintExtensions: [[9, repeatByte(0)]], extensions: [[13, repeatByte(0)]] },
  paused: { mintExtensions: [[26, repeatByte(33, 1)]], extensions: [[27, repeatByte(0)]] },
};

const createRandomAddress = () => bs58.encode(randomBytes(32));

/** Puts a token of a new mint into the wallet. @param name one of TOKEN_KINDS @returns the address of the token account */
export function putJunkToken(chain: LocalChain, owner: string, name: string, closeAuthority: string): string {
  const { program = TOKEN_2022_PROGRAM, mintExtensions = [], extensions, isFrozen } = TOKEN_KINDS[name]!;
  const [mint, address] = [createRandomAddress(), createRandomAddress()];
  putAccount(chain, mint, program, appendExtensions(encodeMint(null, 6), 1, mintExtensions));
  putTokens(chain, owner, mint, 1_000n, { address, program, closeAuthority, isFrozen, extensions });
  return address;
}

/** Creates a stranger. @param sendMention sends a real transaction of the stranger that names the address */
export function createStranger(
  chain: LocalChain,
  { wallet, destination }: { wallet: string; destination: string },
  random: () => number,
  sendMention: (address: string) => void,
) {
  const pickRandom = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const pickCloseAuthority = () => (random() < 0.6 ? createRandomAddress() : "");
  const pickMint = () => pickRandom([ASSETS.BTC, ASSETS.ETH, ASSETS.USDC]).mint;
  /** Adds lamports to an account, at least up to the rent-exempt minimum. Returns the lamports that it added. */
  const addLamports = (address: string, lamports: bigint) => {
    const account = chain.getAccount(address);
    const { owner, data } = account ?? { owner: SYSTEM_PROGRAM, data: repeatByte(0) };
    const minLamports = chain.computeRentExemptMinimum(data.length);
    const sum = (account?.lamports ?? 0n) + lamports;
    // The runtime refuses to leave an account with less than the rent-exempt minimum.
    const newLamports = sum < minLamports ? minLamports : sum;
    chain.setAccount(address, { lamports: newLamports, owner, data });
    return newLamports - (account?.lamports ?? 0n);
  };
  const updateAccount = (address: string, change: (data: Uint8Array) => void) => {
    const account = chain.getAccount(address);
    if (!account) return;
    const data = Uint8Array.from(account.data);
    change(data);
    chain.setAccount(address, { ...account, data });
  };
  const listTokenAccounts = () => chain.listTokenAccounts(wallet);
  const addTokens = (address: string) =>
    updateAccount(address, (data) => {
      const { amount, isNative } = readTokenAccount(data)!;
      if (!isNative) data.set(encodeU64(amount + 1n), AMOUNT_OFFSET);
    });
  const sendDustSol = () => {
    stranger.receivedLamports += addLamports(wallet, BigInt(1 + Math.floor(random() * 1_000)));
  };
  const sendDustTokens = () => {
    for (const address of listTokenAccounts()) if (random() < 0.5) addTokens(address);
  };
  const actions: (() => void)[] = [
    sendDustSol,
    sendDustTokens,
    () =>
      void stranger.junkAccounts.push(
        putJunkToken(chain, wallet, pickRandom(Object.keys(TOKEN_KINDS)), pickCloseAuthority()),
      ),
    () =>
      putTokens(chain, wallet, pickMint(), 1n, {
        address: createRandomAddress(),
        closeAuthority: pickCloseAuthority(),
      }),
    () =>
      putTokens(chain, wallet, NATIVE_MINT, 5n, {
        address: createRandomAddress(),
        closeAuthority: createRandomAddress(),
      }),
    () => {
      const address = deriveAssociatedTokenAddress(destination, pickMint());
      const account = chain.getAccount(address);
      if (account && readTokenAccount(account.data)?.amount === 0n) {
        stranger.closedDepositLamports += account.lamports;
        chain.setAccount(address, { lamports: 0n, owner: SYSTEM_PROGRAM, data: repeatByte(0) });
      } else if (!account) stranger.paidDepositLamports += addLamports(address, chain.computeRentExemptMinimum(0));
    },
    () => {
      const mint = pickMint();
      if (chain.getAccount(deriveAssociatedTokenAddress(destination, mint))) return;
      putTokens(chain, destination, mint, 0n);
      stranger.paidDepositLamports += chain.computeRentExemptMinimum(TOKEN_ACCOUNT_BYTES);
    },
    // The issuer freezes and thaws an account of its token.
    () => {
      const issuedAccounts = listTokenAccounts().filter(
        (address) => chain.getAccount(address)!.owner === TOKEN_2022_PROGRAM,
      );
      if (issuedAccounts.length > 0)
        updateAccount(pickRandom(issuedAccounts), (data) => data.set([data[STATE_OFFSET] === 1 ? 2 : 1], STATE_OFFSET));
    },
    () => sendMention(wallet),
  ];
  const stranger = {
    /** Lamports that the wallet received. */
    receivedLamports: 0n,
    /** Lamports of deposits for the destination's accounts that the stranger paid instead of the wallet. */
    paidDepositLamports: 0n,
    /** Lamports of deposits of the destination's token accounts that were closed. */
    closedDepositLamports: 0n,
    /** The addresses of the token accounts that hold unsupported tokens. */
    junkAccounts: [] as string[],
    actRandomly: () => pickRandom(actions)(),
    /** Sends either SOL to the wallet or tokens into its existing accounts. */
    sendDust: () => pickRandom([sendDustSol, sendDustTokens])(),
  };
  return stranger;
}
