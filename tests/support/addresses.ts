import { PublicKey, SystemProgram } from "@solana/web3.js";
import bs58 from "bs58";
import { SMALL_ORDER_ENCODINGS } from "./ed25519-points";
import { testWallet } from "./test-wallets";

/** 32 zero bytes: the System program's address, and a point of small order. */
export const SMALL_ORDER = "1".repeat(32);
/** A program's address: no private key has it. */
export const OFF_CURVE = PublicKey.findProgramAddressSync([], SystemProgram.programId)[0].toBase58();

const wallet = testWallet("somebody").address;

/** Texts that are no wallet's address, each wrong in its own way. */
export const NOT_WALLETS: Record<string, string> = {
  empty: "",
  "a word": "me",
  "half of one": wallet.slice(22),
  "two of them": wallet + wallet,
  "a character base58 has not": `0${wallet.slice(1)}`,
  "a space before it": ` ${wallet}`,
  "hex of 32 bytes": "ab".repeat(32),
  "an Ethereum address": `0x${"ab".repeat(20)}`,
  "base58 of 31 bytes": bs58.encode(Buffer.alloc(31, 7)),
  "base58 of 33 bytes": bs58.encode(Buffer.alloc(33, 7)),
  "base58 of 64 bytes": bs58.encode(Buffer.alloc(64, 7)),
  "8,000 characters": "2".repeat(8_000),
  "not ASCII": "я".repeat(40),
  "off the curve": OFF_CURVE,
  ...Object.fromEntries(SMALL_ORDER_ENCODINGS.map((bytes, i) => [`small order ${i}`, bs58.encode(bytes)])),
};
