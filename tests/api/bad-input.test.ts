import { Agent } from "node:http";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { MAX_BODY_BYTES } from "../../lib/http/decode";
import { type Answer, callApi, createWallet, get, readData, type Wallet } from "../support/client/client";
import { findLeaks } from "../support/client/contract-check";
import { expectFailure } from "../support/client/expect-failure";
import {
  appendQuery,
  nameOperations,
  OPERATIONS,
  OPERATIONS_WITH_BODY,
  type OperationRequest,
  PATHS_WITH_METHODS,
} from "../support/client/operations";
import { rawCall } from "../support/client/raw-http";
import { NOT_WALLETS } from "../support/fixtures/addresses";

/* Malformed requests to every operation in the registry. Each gets a planned refusal in the envelope, never a 500. */

const JSON_HEADERS = { "content-type": "application/json" };
/** The headers that a browser may send to the API. */
const REQUEST_HEADERS = "content-type x-wallet x-siws-message x-signature x-signature-form x-api-key".split(" ");
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

let wallet: Wallet;
/** Signs only invalid requests. None of them may have an effect. */
let wrongCaller: Wallet;
beforeAll(async () => {
  [wallet, wrongCaller] = [await createWallet(), await createWallet()];
});

const isBehindServer = inject("serverKind") === "server";
const describeKind = ({ contract }: OperationRequest) => `${contract.method} ${contract.path.includes("{")}`;
/** Through Next, one operation of each kind: both-servers.test.ts compares the answers of every operation. */
const selectOperations = (operations: OperationRequest[]) =>
  nameOperations(
    isBehindServer
      ? operations
      : [...new Map(operations.map((operation) => [describeKind(operation), operation])).values()],
  );
const sendExample = ({ method, path, body }: OperationRequest, query = "") =>
  callApi(method, appendQuery(path, query), { headers: wallet.headers, body });
const sendRaw = ({ method, path }: OperationRequest, bodyText: string, headers = JSON_HEADERS) =>
  callApi(method, path, { headers: { ...wrongCaller.headers, ...headers }, rawBody: bodyText });

const readOutcome = async (pending: Promise<Answer>) => {
  const { status, body } = await pending;
  return { status, code: body?.code };
};

describe.each(selectOperations(OPERATIONS_WITH_BODY))("%s: its body", (_name, operation) => {
  const text = JSON.stringify(operation.body ?? {});

  test("400 invalid_json: refuses an empty, truncated or non-JSON body", async () => {
    const empty = await sendRaw(operation, "");
    expectFailure(empty, "invalid_json");
    expect(empty.body.error).toMatch(/empty/);
    const brokenExamples = [text.slice(0, -1), `${text}x`];
    const brokenTexts = ["{", "{'a':1}", '{"a":1,}', "{} {}", "undefined", "<xml/>", "\u0000", '{"a":"\n"}'];
    for (const bodyText of [...brokenExamples, ...brokenTexts])
      expectFailure(await sendRaw(operation, bodyText), "invalid_json", bodyText.slice(0, 20));
  });

  test("400 invalid_request: refuses JSON that is not an object", async () => {
    for (const bodyText of ["[]", `[${text}]`, "null", '"text"', JSON.stringify(text), "5", "true"]) {
      const answer = await sendRaw(operation, bodyText);
      expectFailure(answer, "invalid_request", bodyText);
      expect(answer.body.issues).toEqual([{ path: "", message: "must be a JSON object" }]);
    }
  });

  test("415: refuses every Content-Type except JSON", async () => {
    const formTypes = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
    const similarTypes = ["application/jsonp", "application/json-patch+json", "text/json", "json", "*/*"];
    for (const type of [...formTypes, ...similarTypes]) {
      expectFailure(await sendRaw(operation, text, { "content-type": type }), "unsupported_media_type", type);
    }
    const { method, path } = operation;
    const headers = { ...wrongCaller.headers, "content-length": String(Buffer.byteLength(text)) };
    expectFailure(await rawCall(method, path, { headers, chunks: [text] }), "unsupported_media_type", "none");
  });

  test("accepts application/json in any case and with parameters", async () => {
    const answerWithType = await sendRaw(operation, "{", JSON_HEADERS);
    for (const type of ["Application/JSON", "application/json; charset=utf-8", "application/json ;charset=UTF-8"]) {
      const answer = await sendRaw(operation, "{", { "content-type": type });
      expect(answer.body!.code).toBe(answerWithType.body!.code);
    }
  });

  test("413: refuses a body over 16 KiB with any framing", async () => {
    const padTo = (size: number) => text.slice(0, -1) + " ".repeat(size - Buffer.byteLength(text)) + text.slice(-1);
    const { method, path } = operation;
    const headers = { ...wallet.headers, ...JSON_HEADERS };
    expect((await callApi(method, path, { headers, rawBody: padTo(MAX_BODY_BYTES) })).status).not.toBe(413);
    expectFailure(await sendRaw(operation, padTo(MAX_BODY_BYTES + 1)), "body_too_large");
    expectFailure(await sendRaw(operation, padTo(1_000_000)), "body_too_large");
    const megabyte = Array.from({ length: 100 }, () => " ".repeat(10_000));
    expectFailure(await rawCall(method, path, { headers, chunks: megabyte }), "body_too_large", "chunked");
    expect((await rawCall(method, path, { headers, chunks: ["{", "}"] })).status).not.toBe(413);
  });
});

describe.each(selectOperations(OPERATIONS.filter(({ method }) => method !== "POST")))(
  "%s: a body that it does not need",
  (_name, operation) => {
    const { method, path } = operation;
    /** A content length, and chunked encoding. */
    const listFramings = (text: string): Record<string, string>[] => [
      { "content-length": String(Buffer.byteLength(text)) },
      { "transfer-encoding": "chunked" },
    ];
    // Next hides the body of a GET: the service refuses one with a length, and cannot detect a chunked one.
    const isBodyHidden = method === "GET" && !isBehindServer;
    const sendBody = (text: string, framing: Record<string, string>, type: Record<string, string> = JSON_HEADERS) =>
      rawCall(method, path, { headers: { ...wallet.headers, ...type, ...framing }, chunks: text === "" ? [] : [text] });
    const forEachFraming = async (text: string, verify: (answer: Answer, framing: string) => void) => {
      for (const framing of isBodyHidden ? listFramings(text).slice(0, 1) : listFramings(text)) {
        verify(await sendBody(text, framing), `${text.slice(0, 40)} ${Object.keys(framing)}`);
      }
    };

    test("400: names an unknown field", async () => {
      await forEachFraming('{"surprise":1,"network":"sandbox"}', (answer, caseName) => {
        expectFailure(answer, "invalid_request", caseName);
        if (!isBodyHidden) expect(answer.body.issues).toEqual([{ path: "surprise", message: expect.any(String) }]);
      });
    });

    test("400: refuses a different network, invalid JSON and JSON that is not an object", async () => {
      const chooseCode = (usual: "network_mismatch" | "invalid_json") => (isBodyHidden ? "invalid_request" : usual);
      await forEachFraming('{"network":"mainnet"}', (answer, caseName) =>
        expectFailure(answer, chooseCode("network_mismatch"), caseName),
      );
      await forEachFraming("{", (answer, caseName) => expectFailure(answer, chooseCode("invalid_json"), caseName));
      await forEachFraming("[]", (answer, caseName) => expectFailure(answer, "invalid_request", caseName));
    });

    test("413: refuses more than 16 KiB", async () => {
      for (const bytes of [MAX_BODY_BYTES + 1, 1_000_000]) {
        await forEachFraming(" ".repeat(bytes), (answer, caseName) =>
          expectFailure(answer, "body_too_large", caseName),
        );
      }
    });

    test("415: refuses every Content-Type except JSON", async () => {
      for (const type of [{}, { "content-type": "text/plain" }] as Record<string, string>[]) {
        expectFailure(await sendBody("{}", listFramings("{}")[0]!, type), "unsupported_media_type");
      }
    });

    test("accepts an empty body and an empty object without a Content-Type", async () => {
      const bodilessOutcome = await readOutcome(callApi(method, path, { headers: wallet.headers }));
      const answers = listFramings("").map((framing) => sendBody("", framing, {}));
      if (!isBodyHidden)
        answers.push(...["{}", '{"network":"sandbox"}'].map((text) => sendBody(text, listFramings(text)[0]!)));
      for (const answer of answers) expect(await readOutcome(answer)).toEqual(bodilessOutcome);
    });
  },
);

test("an operation uses the last value of a duplicate key", async () => {
  const sendBody = (bodyText: string) =>
    callApi("POST", "/api/roundup", { headers: { ...wallet.headers, ...JSON_HEADERS }, rawBody: bodyText });
  const acceptedAnswer = await readData(
    sendBody('{"txValueUsd":"no","txValueUsd":1,"txValueUsd":3.4,"plan":"forest"}'),
  );
  expect(acceptedAnswer).toMatchObject({ txValueUsd: 3.4, plan: "forest" });
  const refusedAnswer = await sendBody('{"txValueUsd":3.4,"txValueUsd":"no"}');
  expectFailure(refusedAnswer, "invalid_request");
  expect(refusedAnswer.body.issues?.[0]?.path).toBe("txValueUsd");
});

describe.each(selectOperations(OPERATIONS))("%s: network and query", (_name, operation) => {
  test("accepts this deployment's `network` in the body or the query", async () => {
    const plainOutcome = await readOutcome(sendExample(operation));
    expect(await readOutcome(sendExample(operation, "?network=sandbox"))).toEqual(plainOutcome);
    if (!operation.body || operation.contract.operation === "airdrop") return;
    const body = { ...operation.body, network: "sandbox" };
    expect(await readOutcome(sendExample({ ...operation, body }))).toEqual(plainOutcome);
  });

  test("400 network_mismatch: refuses any other network in the body or the query", async () => {
    for (const network of ["mainnet", "mainnet-beta", "devnet", "Sandbox", "", "sandbox ", "__proto__"]) {
      const query = `?network=${encodeURIComponent(network)}`;
      expectFailure(await sendExample(operation, query), "network_mismatch", query);
    }
    if (!operation.body) return;
    for (const network of ["mainnet", "mainnet-beta", "", null, 5, true, ["sandbox"], {}]) {
      const answer = await sendExample({ ...operation, body: { ...operation.body, network } });
      expectFailure(answer, "network_mismatch", JSON.stringify(network));
      expect(answer.body.error).toMatch(/serves sandbox/);
    }
  });

  test("400: names every unknown or malformed query parameter", async () => {
    for (const [query, name] of [
      ["?surprise=1", "surprise"],
      ["?surprise", "surprise"],
      ["?surprise=%zz", "surprise"],
      ["?surprise=%E0%A4%A", "surprise"],
      ["?%zz=1", "%zz"],
      ["?constructor=1", "constructor"],
      ["?a[b]=1", "a[b]"],
      [`?surprise=${"b".repeat(8_000)}`, "surprise"],
    ] as const) {
      const answer = await sendExample(operation, query);
      expectFailure(answer, "invalid_request", query.slice(0, 40));
      expect(answer.body.issues?.[0]?.path).toBe(name);
    }
  });
});

const ADDRESS_OPERATIONS = selectOperations(OPERATIONS.filter(({ contract }) => contract.path.includes("{address}")));

describe.each(ADDRESS_OPERATIONS)("%s: the address of its path", (_name, { contract, method }) => {
  test("400 invalid_address: refuses invalid base58, points off the curve and points of small order", async () => {
    const { empty: _, ...texts } = NOT_WALLETS;
    for (const [caseName, text] of Object.entries(texts)) {
      const path = contract.path.replace("{address}", encodeURIComponent(text));
      const answer = await callApi(method, path, { headers: wallet.headers });
      expectFailure(answer, "invalid_address", caseName);
      expect(answer.body.issues?.[0]?.path).toBe("address");
      expect(answer.text.length).toBeLessThan(500);
    }
  });

  test("400 invalid_address: refuses percent-encoded control characters and slashes", async () => {
    for (const text of ["%00", "%0A", "a%2Fb", "..%2F..%2Fetc%2Fpasswd", "%F0%9F%92%A9", "%25zz"]) {
      const answer = await callApi(method, contract.path.replace("{address}", text), { headers: wallet.headers });
      expectFailure(answer, "invalid_address", text);
    }
  });

  test("404: refuses a missing address", async () => {
    expectFailure(await callApi(method, contract.path.replace("{address}", "")), "not_found");
    expectFailure(await callApi(method, contract.path.replace("/{address}", "")), "not_found");
  });
});

describe.each(PATHS_WITH_METHODS)("$path: methods", ({ path, methods }) => {
  test("405: refuses every undeclared method and lists the declared ones in Allow", async () => {
    for (const method of METHODS.filter((name) => !methods.includes(name))) {
      const answer = await callApi(method, path, { headers: wallet.headers });
      if (method === "HEAD") expect(answer.status).toBe(405);
      else expectFailure(answer, "method_not_allowed", method);
      expect(answer.headers.get("allow")?.split(", ").sort()).toEqual([...methods].sort());
    }
  });

  test("OPTIONS: answers a browser's preflight with 204", async () => {
    const answer = await callApi("OPTIONS", path, {
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": REQUEST_HEADERS.join(),
      },
    });
    const { status, headers } = answer;
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-methods")?.split(", ").sort()).toEqual([...methods].sort());
    expect(headers.get("allow")).toBe(headers.get("access-control-allow-methods"));
    const allowed = headers.get("access-control-allow-headers")?.split(", ");
    expect(allowed).toEqual(expect.arrayContaining(REQUEST_HEADERS));
    expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
  });

  test("ignores a trailing slash", async () => {
    const [method] = methods;
    const slashedOutcome = await readOutcome(callApi(method!, path.replace(/(?=\?|$)/, "/")));
    expect(slashedOutcome).toEqual(await readOutcome(callApi(method!, path)));
  });
});

test.each(PATHS_WITH_METHODS.filter(({ methods }) => methods.includes("HEAD")))(
  "HEAD $path: returns the status and headers of GET without a body",
  async ({ path }) => {
    const { headers } = wallet;
    const [headAnswer, getAnswer] = [await callApi("HEAD", path, { headers }), await get(path, { headers })];
    expect(headAnswer.status).toBe(getAnswer.status);
    for (const name of ["content-type", "cache-control"])
      expect(headAnswer.headers.get(name)).toBe(getAnswer.headers.get(name));
  },
);

test("scripts of any origin can read the limit, the request id and Retry-After", async () => {
  const { headers } = await get("/api/plans", { headers: { origin: "https://app.example" } });
  const exposed = headers.get("access-control-expose-headers")?.split(", ");
  for (const name of ["x-request-id", "retry-after", "allow", "ratelimit", "ratelimit-policy", "x-ratelimit-remaining"])
    expect(exposed).toContain(name);
});

test("paths that do not exist get 404 in the envelope, with a message that names the document of all paths", async () => {
  const pathsAfterApi = [
    ..."/ ?x=1 /nothing /plans/x /swap /keys/a/b /a/b/c/d/e/f /portfolio /[[...path]] /route.ts".split(" "),
    ..."/__proto__ /constructor /toString /plans.json /plans%00 /plans%2F /%70lans /Plans".split(" "),
    "",
    `/${"long/".repeat(1_500)}`,
  ];
  for (const path of pathsAfterApi) expectFailure(await rawCall("GET", `/api${path}`), "not_found", path.slice(0, 40));
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const body = method === "OPTIONS" ? undefined : {};
    expectFailure(await callApi(method, "/api/nothing", { body }), "not_found", method);
  }
  expect((await callApi("HEAD", "/api/nothing")).status).toBe(404);
  expect((await get("/api/nothing")).body?.error).toMatch(/GET \/api\/openapi\.json/);
});

describe("requests at the edge of valid HTTP", () => {
  // Next alone answers these before any handler of this service: 308, 400 or 500, never with a stack.
  const expectRefusal = (answer: Answer, code: Parameters<typeof expectFailure>[1], caseName: string) => {
    if (isBehindServer) expectFailure(answer, code, caseName);
    else expect(findLeaks(answer.text)).toEqual([]);
  };

  test("are refused for malformed percent-encoding in the path", async () => {
    for (const text of ["%zz", "%E0%A4%A", "%", "%c0%af", "%ff%zz"]) {
      expectRefusal(await rawCall("GET", `/api/accumulator/${text}`), "invalid_address", text);
    }
  });

  test("are refused for empty segments in the path", async () => {
    for (const path of ["/api//plans", "/api/plans//", "/api/accumulator//"]) {
      expectRefusal(await rawCall("GET", path), "not_found", path);
    }
  });

  test("leave the connection usable after a body that is too large", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const chunks = Array.from({ length: 10 }, () => " ".repeat(100_000));
    for (const length of [{}, { "content-length": "1000000" }] as Record<string, string>[]) {
      const headers = { ...JSON_HEADERS, ...length };
      expectFailure(await rawCall("POST", "/api/sandbox/airdrop", { headers, chunks, agent }), "body_too_large");
      expect((await rawCall("GET", "/api/plans", { agent })).status).toBe(200);
    }
    agent.destroy();
  });

  test("do not reach other files through dot segments", async () => {
    for (const path of ["/api/../package.json", "/api/..%2f..%2fpackage.json", "/api/plans/../../package.json"]) {
      const answer = await rawCall("GET", path);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
      expect(answer.text).not.toContain("dependencies");
      expect(findLeaks(answer.text)).toEqual([]);
    }
  });
});

test("no invalid request creates a key", async () => {
  expect((await readData(get("/api/keys", { headers: wrongCaller.headers }))).keys).toEqual([]);
});
