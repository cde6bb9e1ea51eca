import { PublicKey, TransactionMessage } from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toBase64 } from "../../../lib/solana/bytes";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { encodeMessageV0, type MessageParts } from "../../../lib/solana/message-v0";
import { toWeb3 } from "../../support/chain/sandbox-rig";
import { createLookupTable } from "../../support/fixtures/lookup-table";

const addresses = Array.from({ length: 14 }, (_, i) => bs58.encode(new Uint8Array(32).fill(i + 1)));
const blockhash = bs58.encode(new Uint8Array(32).fill(42));

/** Encodes with web3.js, into a buffer of the maximum transaction size. */
function encodeWithWeb3({ payer, instructions, lookupTables = {} }: MessageParts): Uint8Array {
  const message = new TransactionMessage({
    payerKey: new PublicKey(payer),
    recentBlockhash: blockhash,
    instructions: instructions.map(toWeb3),
  });
  const tables = Object.entries(lookupTables).map(([key, tableAddresses]) => createLookupTable(key, tableAddresses));
  return message.compileToV0Message(tables).serialize();
}

const anyAddress = fc.constantFrom(...addresses.slice(0, 12));
const anyAccount = fc.record({ pubkey: anyAddress, isSigner: fc.boolean(), isWritable: fc.boolean() });
const anyInstruction: fc.Arbitrary<InstructionLike> = fc.record({
  programId: anyAddress,
  accounts: fc.array(anyAccount, { maxLength: 8 }),
  data: fc.uint8Array({ maxLength: 150 }).map(toBase64),
});
const anyTable = fc.array(anyAddress, { maxLength: 12 });

test("a message with lookup tables has the same bytes as from web3.js", () => {
  const anyParts: fc.Arbitrary<MessageParts> = fc.record({
    payer: anyAddress,
    instructions: fc.array(anyInstruction, { maxLength: 4 }),
    blockhash: fc.constant(blockhash),
    lookupTables: fc.dictionary(fc.constantFrom(addresses[12]!, addresses[13]!), anyTable),
  });
  const property = fc.property(anyParts, (messageParts) => {
    const { bytes, signerCount } = encodeMessageV0(messageParts);
    expect(Buffer.from(bytes).toString("hex")).toBe(Buffer.from(encodeWithWeb3(messageParts)).toString("hex"));
    expect(signerCount).toBe(bytes[1]);
  });
  fc.assert(property, { numRuns: 200 });
});
