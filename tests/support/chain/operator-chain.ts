import {
  PublicKey,
  SystemInstruction,
  SystemProgram,
  TransactionMessage,
  type VersionedMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import type { Chain } from "../../../lib/operator/chain";
import { computeFee } from "../../../lib/sandbox/chain/fees";
import type { Clock } from "../../../lib/sdk/platform";
import { EMPTY_RENT_LAMPORTS } from "../fixtures/rent";

/** The rent-exempt minimum of an account without data on the fake chain. */
export const RENT_MINIMUM_LAMPORTS = Number(EMPTY_RENT_LAMPORTS);
/** Fee of each signature, in lamports. */
export const FEE_LAMPORTS = 5_000;

/**
 * A node in memory that supports SOL transfers only. Its fields stage faults, such as lost transactions or a node that
 * stops answering. One block passes per 400 ms of the clock.
 */
export class FakeChain {
  readonly rpcEndpoint = "https://node.test/secret-path?api-key=secret-query";
  readonly lamportsByAddress = new Map<string, number>();
  readonly ownerByAddress = new Map<string, string>();
  /** All sent transactions in order, as base64. */
  readonly sentTransactions: string[] = [];
  /** Number of sent transactions that are lost before a transaction arrives. */
  sendsToLose = 0;
  /** True if the node returns a status only when the history is searched. */
  isOnlyInHistory = false;
  /** The error of every simulation; null when it succeeds. */
  simulationError: unknown = null;
  /** The error with which every transaction lands; null when it succeeds. */
  chainError: unknown = null;
  rentMinimumLamports = RENT_MINIMUM_LAMPORTS;
  /** True if no request reaches the node. */
  isSilent = false;
  /** Price of a compute unit in recent blocks; null when the node does not report the price. */
  unitPriceMicroLamports: number | null = 0;
  /** The error of each landed transaction; null when it succeeded. */
  private readonly errorBySignature = new Map<string, unknown>();

  constructor(private readonly clock: Pick<Clock, "now">) {}

  asChain(): Chain {
    return this as unknown as Chain;
  }

  async getMinimumBalanceForRentExemption() {
    return this.rentMinimumLamports;
  }

  async getMultipleAccountsInfo(keys: PublicKey[]) {
    if (this.isSilent) throw new Error(`fetch failed: ${this.rpcEndpoint}\nmore`);
    return keys.map((key) => {
      const address = key.toBase58();
      const lamports = this.lamportsByAddress.get(address);
      if (!lamports) return null;
      return { lamports, owner: new PublicKey(this.ownerByAddress.get(address) ?? SystemProgram.programId) };
    });
  }

  async getFeeForMessage(message: VersionedMessage) {
    return { value: Number(computeFee(message, "flat")) };
  }

  async getRecentPrioritizationFees() {
    if (this.unitPriceMicroLamports === null) throw new Error("Method not found");
    return [{ slot: 1, prioritizationFee: this.unitPriceMicroLamports }];
  }

  async getLatestBlockhash() {
    return { blockhash: bs58.encode(new Uint8Array(32).fill(7)), lastValidBlockHeight: this.slot + 150 };
  }

  async getLatestBlockhashAndContext() {
    return { context: { slot: this.slot }, value: await this.getLatestBlockhash() };
  }

  async getEpochInfo() {
    if (this.isSilent) throw new Error("fetch failed");
    return { absoluteSlot: this.slot, blockHeight: this.slot };
  }

  private get slot() {
    return 1_000 + Math.floor(this.clock.now() / 400);
  }

  async simulateTransaction() {
    return { value: { err: this.simulationError } };
  }

  async sendRawTransaction(bytes: Uint8Array) {
    this.sentTransactions.push(Buffer.from(bytes).toString("base64"));
    if (this.isSilent || this.sendsToLose-- > 0) throw new Error("fetch failed");
    const transaction = VersionedTransaction.deserialize(bytes);
    const signature = bs58.encode(transaction.signatures[0]!);
    if (!this.errorBySignature.has(signature)) this.land(signature, transaction.message);
    return signature;
  }

  async getSignatureStatuses([signature]: string[], config: { searchTransactionHistory: boolean }) {
    if (this.isSilent) throw new Error("fetch failed");
    const context = { slot: this.slot };
    const isKnown = this.errorBySignature.has(signature!) && (config.searchTransactionHistory || !this.isOnlyInHistory);
    if (!isKnown) return { context, value: [null] };
    return {
      context,
      value: [{ err: this.errorBySignature.get(signature!), confirmationStatus: "confirmed", slot: this.slot }],
    };
  }

  private land(signature: string, message: VersionedMessage) {
    this.errorBySignature.set(signature, this.chainError);
    this.addLamports(message.staticAccountKeys[0]!, -Number(computeFee(message, "flat")));
    if (this.chainError !== null) return;
    for (const instruction of TransactionMessage.decompile(message).instructions) {
      if (!instruction.programId.equals(SystemProgram.programId)) continue;
      const { fromPubkey, toPubkey, lamports } = SystemInstruction.decodeTransfer(instruction);
      this.addLamports(fromPubkey, -Number(lamports));
      this.addLamports(toPubkey, Number(lamports));
    }
  }

  private addLamports(key: PublicKey, lamports: number) {
    this.lamportsByAddress.set(key.toBase58(), (this.lamportsByAddress.get(key.toBase58()) ?? 0) + lamports);
  }
}
