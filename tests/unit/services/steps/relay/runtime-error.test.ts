import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../../../lib/ports/json";
import { describeRuntimeError } from "../../../../../lib/services/steps/relay/runtime-error";

describe("describeRuntimeError", () => {
  test.each<[Json, string]>([
    ["AccountNotFound", "the paying wallet holds no SOL."],
    ["InsufficientFundsForFee", "the paying wallet cannot pay the network fee."],
    ["BlockhashNotFound", "its blockhash is not known or has expired."],
    [{ InsufficientFundsForRent: { account_index: 1 } }, "a wallet would be left under the rent-exempt minimum."],
    [{ InstructionError: [1, { Custom: 1 }] }, "instruction 1: insufficient funds."],
    [{ InstructionError: [0, { Custom: 6001 }] }, "instruction 0: custom program error 6001."],
    [{ InstructionError: [2, "InvalidAccountData"] }, "instruction 2: InvalidAccountData."],
    [{ InstructionError: [2, { BorshIoError: "Unknown" }] }, "instruction 2: BorshIoError."],
    [{ DuplicateInstruction: 3 }, "DuplicateInstruction."],
    ["SanitizeFailure", "SanitizeFailure."],
    // Every JavaScript object has a member of these names.
    ["constructor", "constructor."],
    [{ valueOf: [] }, "valueOf."],
    [{ hasOwnProperty: 1 }, "hasOwnProperty."],
  ])("describes %j as %s", (error, sentence) => {
    expect(describeRuntimeError(error)).toBe(sentence);
  });

  test("returns one short printable line for any error that a node may return", () => {
    const anyNamedError = fc.tuple(fc.string(), fc.jsonValue()).map(([kind, detail]) => ({ [kind]: detail }));
    const anyInstructionError = fc
      .tuple(fc.jsonValue(), fc.jsonValue())
      .map((detail) => ({ InstructionError: detail }));
    const property = fc.property(fc.oneof(fc.jsonValue(), anyNamedError, anyInstructionError), (error) => {
      expect(describeRuntimeError(error as Json)).toMatch(/^[A-Za-z0-9 :+.-]{1,120}\.$/);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test.each<[Json]>([
    [[{ toString: 1, valueOf: 1 }, "InvalidAccountData"]],
    [[0, { toString: 1, valueOf: 1 }]],
    [[0, [{ toString: 1 }]]],
    [[0, { Custom: { toString: 1, valueOf: 1 } }]],
    [[]],
  ])("describes an instruction error of another shape instead of throwing: %j", (detail) => {
    expect(describeRuntimeError({ InstructionError: detail })).toMatch(/^(an )?instruction.*\.$/);
  });
});
