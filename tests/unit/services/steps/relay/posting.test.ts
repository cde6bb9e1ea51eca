import { expect, test } from "vitest";
import { decodePosting, readMarks } from "../../../../../lib/services/steps/relay/posting";
import { toBase64 } from "../../../../../lib/solana/bytes";
import { buildMemo } from "../../../../../lib/solana/memo";
import { decodeTransaction } from "../../../../../lib/solana/transactions";
import { createFakeDeps } from "../../../../support/fakes/fake-deps";
import { buildPayment, buildTransaction, user } from "../../../../support/worlds/relay-rig";

test("a transaction with a program in a lookup table sets no mark, because the network refuses it", () => {
  const transaction = decodeTransaction(buildTransaction([buildMemo("roundup:1:topup:w1", user.address)]));
  const { compiledInstructions, staticAccountKeys } = transaction.decoded.message;
  expect(readMarks(transaction)).toEqual([{ wallet: user.address, mark: { kind: "topup", value: "w1" } }]);
  const [firstInstruction] = compiledInstructions;
  compiledInstructions.push({ ...firstInstruction!, programIdIndex: staticAccountKeys.length });
  expect(readMarks(transaction)).toEqual([]);
});

test("a signature counts as missing only if all of its bytes are zero", () => {
  const postWithFirstByte = (firstByte: number) => {
    const bytes = Uint8Array.from(buildPayment()).fill(0, 1, 65);
    bytes[1] = firstByte;
    return () => decodePosting(createFakeDeps(), toBase64(bytes), { kind: "wallet", wallet: user.address });
  };
  expect(postWithFirstByte(0)).toThrow(`The signature of ${user.address} is missing.`);
  expect(postWithFirstByte(1)).toThrow(`The signature of ${user.address} does not match the transaction.`);
});
