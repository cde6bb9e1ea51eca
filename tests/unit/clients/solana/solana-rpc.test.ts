import { describe, expect, test } from "vitest";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createSolanaRpc } from "../../../../lib/clients/solana/solana-rpc";
import type { SolanaRpc } from "../../../../lib/ports/solana-rpc";
import { buildSetComputeUnitLimit } from "../../../../lib/solana/compute-budget";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { composeTransaction } from "../../../../lib/solana/transactions";
import { createResultAt, createStagedNodes, type StagedNode } from "../../../support/fakes/staged-nodes";
import {
  answerAccounts,
  answerResults,
  answerRpcError,
  catchAppError,
  createAccountJson,
  createAddress,
  createRpcClient,
  parseCall,
  SECRET,
  STAGED_CONTEXT,
} from "../../../support/fakes/staged-rpc";
import { answerText, floodBody, type Stage, startStagedServerForFile } from "../../../support/fakes/staged-server";

const ADDRESS = createAddress();
const OTHER_ADDRESS = createAddress();
const node = await startStagedServerForFile();

const listCalls = () => node.requests.map(parseCall);
const createClient = () => createRpcClient(node);

describe("readAccounts", () => {
  test.each([
    ["the wrong number of accounts", answerAccounts(1, 2)],
    ["a negative balance", answerAccounts(-1)],
    ["a fraction of a lamport", answerAccounts(0.5)],
    ["no result", answerResults({})],
    [
      "the balance as text",
      answerResults({
        getMultipleAccounts: { context: STAGED_CONTEXT, value: [{ ...createAccountJson(1), lamports: "1" }] },
      }),
    ],
    ["not JSON", answerText("<html>")],
    ["an endless body", floodBody],
  ])("fails as upstream_invalid on %s", async (_caseName, stage) => {
    node.stage = stage;
    expect((await catchAppError(createClient().rpc.readAccounts([ADDRESS]))).code).toBe("upstream_invalid");
  });
});

describe("readTokenHoldings", () => {
  const createHolding = (mint: string, amount = "1", program = TOKEN_PROGRAM) => ({
    pubkey: `account-of-${mint}`,
    account: {
      lamports: 1,
      owner: program,
      executable: false,
      data: { program: "spl-token", space: 165, parsed: { info: { mint, tokenAmount: { amount, decimals: 6 } } } },
    },
  });
  const createRawHolding = (amount: bigint) => {
    const bytes = Buffer.alloc(165);
    bytes.writeBigUInt64LE(amount, 64);
    return { pubkey: "raw", account: { owner: TOKEN_2022_PROGRAM, data: [bytes.toString("base64"), "base64"] } };
  };
  const answerByProgram =
    (holdings: Record<string, unknown[]>): Stage =>
    (request, response) => {
      const [, { programId }] = parseCall(request).params as [string, { programId: string }];
      answerResults({ getTokenAccountsByOwner: { context: STAGED_CONTEXT, value: holdings[programId] ?? [] } })(
        request,
        response,
      );
    };

  const answerOneHolding = answerByProgram({ [TOKEN_PROGRAM]: [createHolding("m1")] });
  const PARSED_HOLDING = { address: "account-of-m1", mint: "m1", amount: 1n, decimals: 6, tokenProgram: TOKEN_PROGRAM };

  test("omits an unparsed account only if it is empty", async () => {
    node.stage = answerByProgram({
      [TOKEN_PROGRAM]: [createHolding("m1"), createRawHolding(0n)],
      [TOKEN_2022_PROGRAM]: [createRawHolding(1n), { pubkey: "odd", account: { owner: 5 } }, null],
    });
    expect(await createClient().rpc.readTokenHoldings(ADDRESS)).toEqual({
      holdings: [PARSED_HOLDING],
      leftOut: [
        { account: "raw", reason: "Its mint cannot be read." },
        { account: "odd", reason: "The node's answer about it could not be read." },
        { account: null, reason: "The node's answer about it could not be read." },
      ],
    });
  });

  test.each<[string, Stage]>([
    ["for the size limit", (_request, response) => response.writeHead(200, { "content-length": "16777217" }).end()],
    ["for the node", answerRpcError(-32012, "The accumulated scan results exceeded the limit")],
  ])("reports a list in leftOut when it is too long %s", async (_caseName, answerTooLong) => {
    node.stage = (request, response) => {
      if (request.body.includes(TOKEN_2022_PROGRAM)) return answerTooLong(request, response);
      answerOneHolding(request, response);
    };
    expect(await createClient().rpc.readTokenHoldings(ADDRESS)).toEqual({
      holdings: [PARSED_HOLDING],
      leftOut: [{ account: null, reason: "Its Token-2022 accounts are too many to be read." }],
    });
  });

  test("fails when the answer is not a list, instead of returning an empty portfolio", async () => {
    node.stage = answerResults({ getTokenAccountsByOwner: { context: STAGED_CONTEXT, value: "none" } });
    expect((await catchAppError(createClient().rpc.readTokenHoldings(ADDRESS))).code).toBe("upstream_invalid");
  });

  test("fails when one program's read fails, instead of returning half a portfolio", async () => {
    node.stage = (request, response) => {
      if (request.body.includes(TOKEN_2022_PROGRAM)) return answerText("", 500)(request, response);
      answerOneHolding(request, response);
    };
    expect((await catchAppError(createClient().rpc.readTokenHoldings(ADDRESS))).code).toBe("upstream_unavailable");
  });
});

test("callers after an account's change get token holdings of a new read, not of the read in flight", async () => {
  const pendingAnswers: (() => void)[] = [];
  const emptyList = answerResults({ getTokenAccountsByOwner: { context: STAGED_CONTEXT, value: [] } });
  const bothArrived = new Promise<void>((resolve) => {
    node.stage = (request, response) => {
      if (pendingAnswers.push(() => emptyList(request, response)) === 2) resolve();
    };
  });
  const { rpc } = createClient();
  const earlierRead = rpc.readTokenHoldings(ADDRESS);
  await bothArrived;
  rpc.invalidate([OTHER_ADDRESS]);
  node.stage = emptyList;
  await rpc.readTokenHoldings(ADDRESS);
  expect(node.requests).toHaveLength(4);
  for (const answer of pendingAnswers) answer();
  expect(await earlierRead).toEqual({ holdings: [], leftOut: [] });
});

test.each<[string, (rpc: SolanaRpc) => Promise<unknown>]>([
  ["readAccounts", (rpc) => rpc.readAccounts([ADDRESS])],
  ["readAccounts in a batch", (rpc) => rpc.readAccounts([ADDRESS], { waitsForBatch: true })],
  ["readTokenHoldings", (rpc) => rpc.readTokenHoldings(ADDRESS)],
  ["readTokenHoldings of known accounts", (rpc) => rpc.readTokenHoldings(ADDRESS, { mayLackNewAccounts: true })],
  ["readSignatures", (rpc) => rpc.readSignatures(ADDRESS, { limit: 1 })],
])("%s calls the node again once its address is invalidated, and not after a different one", async (_name, read) => {
  node.stage = (request, response) => {
    const { method, params } = parseCall(request);
    const value = method === "getMultipleAccounts" ? (params[0] as string[]).map(() => null) : [];
    const result = method === "getSignaturesForAddress" ? value : { context: STAGED_CONTEXT, value };
    answerResults({ [method]: result })(request, response);
  };
  const { rpc, clock } = createClient();
  const countCalls = async () => {
    const reading = read(rpc);
    await clock.advance(20);
    await reading;
    return node.requests.length;
  };
  const firstCallCount = await countCalls();
  expect(firstCallCount).toBeGreaterThan(0);
  rpc.invalidate([OTHER_ADDRESS]);
  expect(await countCalls()).toBe(firstCallCount);
  rpc.invalidate([OTHER_ADDRESS, ADDRESS]);
  expect(await countCalls()).toBe(2 * firstCallCount);
});

describe("small reads", () => {
  const answerRent = (lamports: unknown) => answerResults({ getMinimumBalanceForRentExemption: lamports });

  test.each([
    ["an error", answerRpcError(-32602, SECRET)],
    ["zero", answerRent(0)],
    ["text", answerRent("1")],
    ["one lamport", answerRent(1)],
    ["far below the lowest planned rent", answerRent(44_543)],
    ["a fraction", answerRent(650_240.5)],
    ["higher than the rent has ever been", answerRent(890_881)],
  ])("refuses a rent minimum: %s", async (_caseName, stage) => {
    node.stage = stage;
    expect((await catchAppError(createClient().rpc.readRentExemptMinimum(0))).code).toBe("upstream_invalid");
  });

  test("asks the next node at once when one returns a wrong rent minimum", async () => {
    const { nodes, clock, receivedCalls } = createStagedNodes({
      a: () => ({ result: 1 }),
      b: () => ({ result: 650_240 }),
    });
    const rpc = bindQuotaUser(SERVICE_ITSELF, createSolanaRpc({ nodes, clock }));
    expect(await rpc.readRentExemptMinimum(0)).toBe(650_240n);
    expect(receivedCalls.filter(({ method }) => method !== "getSlot").map(({ node }) => node)).toEqual(["a", "b"]);
  });

  test.each([
    ["does not know the blockhash", null],
    ["names less than any network charges", 1],
    ["names more than any network charges", 500_000_000],
  ])("asks the next node for a fee when one %s", async (_caseName, value) => {
    const instructions = [buildSetComputeUnitLimit(300)];
    const { message } = composeTransaction({ payer: ADDRESS, instructions, blockhash: OTHER_ADDRESS });
    const readFee = (...values: (number | null)[]) => {
      const staged = values.map((fee, i): [string, StagedNode] => [`node${i}`, () => createResultAt(5, fee)]);
      const { nodes, clock } = createStagedNodes(Object.fromEntries(staged));
      return bindQuotaUser(SERVICE_ITSELF, createSolanaRpc({ nodes, clock })).readFee(message);
    };
    expect(await readFee(value, 5_000)).toBe(5_000n);
    expect(await readFee(value, value)).toBeNull();
    expect(await readFee(value)).toBeNull();
  });

  test("refuses a blockhash that is not 32 bytes of base58", async () => {
    node.stage = answerResults({
      getLatestBlockhash: { context: STAGED_CONTEXT, value: { blockhash: "0OIl", lastValidBlockHeight: 150 } },
    });
    expect((await catchAppError(createClient().rpc.readLatestBlockhash())).code).toBe("upstream_invalid");
  });

  test.each([
    ["the slot for the height", { absoluteSlot: 500, blockHeight: 500 }],
    ["a height past its slot", { absoluteSlot: 500, blockHeight: 501 }],
    ["no height", { absoluteSlot: 500 }],
    ["a height that is not a number", { absoluteSlot: 500, blockHeight: "470" }],
  ])("refuses a head with %s", async (_caseName, result) => {
    node.stage = answerResults({ getEpochInfo: result });
    expect((await catchAppError(createClient().rpc.readHead())).code).toBe("upstream_invalid");
  });

  test("returns signature states in order, with errors, and null for unknown signatures", async () => {
    const err = { InstructionError: [0, { Custom: 1 }] };
    const value = [
      { slot: 5, confirmations: 3, err: null, confirmationStatus: "confirmed" },
      null,
      { slot: 6, confirmations: null, err },
    ];
    node.stage = answerResults({ getSignatureStatuses: { context: STAGED_CONTEXT, value } });
    expect(await createClient().rpc.readSignatureStates(["s1", "s2", "s3"], true)).toEqual({
      slot: 7,
      states: [
        { slot: 5, error: null, confirmation: "confirmed" },
        null,
        { slot: 6, error: err, confirmation: "finalized" },
      ],
    });
    expect(listCalls()[0]!.params[1]).toEqual({ searchTransactionHistory: true });
    expect((await catchAppError(createClient().rpc.readSignatureStates(["s1"], false))).code).toBe("upstream_invalid");
  });
});
