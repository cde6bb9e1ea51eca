import { Agent } from "node:http";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { MAX_BODY_BYTES } from "../../lib/http/decode";
import { NOT_WALLETS } from "../support/addresses";
import { expectFailure, expectHouseRules, expectNoLeak } from "../support/answers";
import { type Answer, call, data, get, newWallet, post, type Wallet } from "../support/client";
import { OPERATIONS, type OperationRequest, PATHS, WITH_BODY } from "../support/operations";
import { rawCall } from "../support/raw-http";

/** Whatever is sent, of every operation in the registry: a planned refusal in the envelope, never a 500. */

const JSON_TYPE = { "content-type": "application/json" };
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
/** Where 0, and so -0, is a value like another. */
const TAKES_ZERO = ["txValueUsd", "index"];
/** Where an empty text is refused only by what it should have been: a signature, a transaction. */
const TAKES_EMPTY = ["signature", "proof", "signedTransaction"];

let wallet: Wallet;
/** Signs what is only ever wrong, so that nothing may come of it. */
let mistaken: Wallet;
beforeAll(async () => {
  [wallet, mistaken] = [await newWallet(), await newWallet()];
});

const byName = (list: OperationRequest[]) => list.map((one) => [one.contract.operation, one] as const);
const send = ({ method, path, body }: OperationRequest, query = "") =>
  call(method, path + query, { headers: wallet.headers, body });
const sendRaw = ({ method, path }: OperationRequest, raw: string | Uint8Array<ArrayBuffer>, headers = JSON_TYPE) =>
  call(method, path, { headers: { ...mistaken.headers, ...headers }, raw });

/** The JSON text of a body, one member of which is given as text: so it can be what JSON.stringify never writes. */
function withMember(body: Record<string, unknown>, name: string, text: string): string {
  const { [name]: _, ...others } = body;
  return `${JSON.stringify(others).slice(0, -1)}${Object.keys(others).length > 0 ? "," : ""}${JSON.stringify(name)}:${text}}`;
}

interface Field {
  name: string;
  required: boolean;
  type: string;
  isEnum: boolean;
}

/** The members an operation's body may have, read from its published schema. */
function fieldsOf({ contract }: OperationRequest): Field[] {
  const schema = z.toJSONSchema(contract.body ?? z.strictObject({}), { io: "input" });
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, property]) => {
    const { type, enum: values } = property as { type?: string; enum?: unknown[] };
    return { name, required: required.includes(name), type: type ?? "unknown", isEnum: values !== undefined };
  });
}

/** JSON texts that no field of the type takes. */
function wrongValues({ type, name, isEnum }: Field): string[] {
  switch (type) {
    case "number":
    case "integer": {
      const zero = TAKES_ZERO.includes(name) ? [] : ["0", "-0", "0.0"];
      const strings = ['"27.63"', '"NaN"', '"Infinity"', '"0x10"', '""'];
      const numbers = ["1e309", "-1e309", "-1", "-0.01", "1e308", "9007199254740993e10"];
      return [...strings, ...numbers, ...zero, "true", "null", "[]", "[1]", "{}", '{"valueOf":1}'];
    }
    case "string": {
      const others = ["5", "0", "true", "null", "[]", "{}", '["BTC"]', '{"length":44}'];
      const texts = isEnum ? ['"__proto__"', '"constructor"', '"toString"', '"btc"', '"BTC "', '"Sprout"'] : [];
      return [...others, ...texts, ...(TAKES_EMPTY.includes(name) ? [] : ['""'])];
    }
    case "array":
      return ['""', '"BTC"', "5", "true", "null", "{}", "[]", "[null]", "[[]]", '["1"]', '{"0":1,"length":1}'];
    case "boolean":
      return ['"true"', '"false"', "1", "0", "null", "[]", "{}"];
    default:
      throw new Error(`tests/api/bad-input.test.ts does not know wrong values of type ${type}`);
  }
}

/** 400, and an issue that names the field or something in it. */
function expectIssueAt(answer: Answer, name: string, about: string): void {
  expectFailure(answer, answer.body?.code === "invalid_address" ? "invalid_address" : "invalid_request", about);
  const paths = answer.body.issues.map(({ path }: { path: string }) => path.split(".")[0]);
  expect({ about, paths }).toEqual({ about, paths: expect.arrayContaining([name]) });
  expect(answer.body.error).toContain(name);
}

describe.each(byName(WITH_BODY))("%s: fields of the body", (_name, operation) => {
  const body = operation.body ?? {};
  const fields = fieldsOf(operation);

  test("400: each required one missing is named", async () => {
    for (const { name } of fields.filter(({ required }) => required)) {
      const { [name]: _, ...others } = body;
      const answer = await call(operation.method, operation.path, { headers: mistaken.headers, body: others });
      expectIssueAt(answer, name, name);
      expect(answer.body.issues).toContainEqual({ path: name, message: "is required" });
    }
  });

  test("400: each of a wrong type, out of range or infinite is named; nothing is coerced", async () => {
    for (const field of fields) {
      for (const value of wrongValues(field)) {
        const answer = await sendRaw(operation, withMember(body, field.name, value));
        expectIssueAt(answer, field.name, `${field.name}: ${value}`);
      }
    }
  });

  test("400 invalid_json: numbers that JSON does not have", async () => {
    for (const { name } of fields.filter(({ type }) => type === "number" || type === "integer")) {
      for (const value of [
        "NaN",
        "Infinity",
        "-Infinity",
        "0x10",
        "01",
        ".5",
        "5.",
        "+5",
        "1_000",
        "1n",
        "undefined",
      ]) {
        const answer = await sendRaw(operation, withMember(body, name, value));
        expectFailure(answer, "invalid_json", `${name}: ${value}`);
      }
    }
  });

  test("400: an unknown one is named, whatever it is called", async () => {
    const names = [
      "surprise",
      "constructor",
      "__proto__",
      "prototype",
      "toString",
      "hasOwnProperty",
      "then",
      "txvalueusd",
    ];
    for (const name of names) {
      for (const value of ["1", "null", '{"network":"sandbox"}']) {
        const answer = await sendRaw(operation, withMember(body, name, value));
        expectFailure(answer, "invalid_request", name);
        expect(answer.body.issues[0].path).toBe(name);
        expect(answer.body.issues[0].message).toMatch(/^is not a field of this request/);
      }
    }
  });

  test("400: names that are long, many or unprintable make a short and printable answer", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`unknown${i}`, i]));
    const odd = { ["n".repeat(10_000)]: 1, "<script>\u0000\n\u202e": 1, "": 1 };
    for (const extra of [many, ...Object.entries(odd).map(([name, value]) => ({ [name]: value }))]) {
      const answer = await sendRaw(operation, JSON.stringify({ ...body, ...extra }));
      expectFailure(answer, "invalid_request");
      expect(answer.text.length).toBeLessThan(2_000);
      expect(answer.text).toMatch(/^[\x20-\x7e…]+$/);
    }
  });

  test("400: every unknown one is named by itself, in its own script", async () => {
    const names = ["ümlaut", "名前", "имя", "संख्या", "שם", "٣", "naïve", "seven"];
    const extra = Object.fromEntries(names.map((name) => [name, 1]));
    const answer = await sendRaw(operation, JSON.stringify({ ...body, ...extra }));
    expectFailure(answer, "invalid_request");
    const issues = names.map((path) => ({ path, message: "is not a field of this request" }));
    expect(answer.body.issues).toEqual(expect.arrayContaining(issues));
  });

  test("400: nesting as deep as 16 KiB allow, in a field and beside them", async () => {
    const nested = "[".repeat(7_000) + "]".repeat(7_000);
    const objects = `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`;
    for (const value of [nested, objects]) {
      expectFailure(await sendRaw(operation, withMember(body, "unknown", value)), "invalid_request");
      for (const { name, type } of fields.filter(({ type }) => type !== "unknown").slice(0, 2)) {
        expectIssueAt(await sendRaw(operation, withMember(body, name, value)), name, `${name} (${type})`);
      }
    }
  });
});

describe.each(byName(WITH_BODY))("%s: the body itself", (_name, operation) => {
  const text = JSON.stringify(operation.body ?? {});

  test("400 invalid_json: empty, cut off, or not JSON; the empty one is told apart", async () => {
    const empty = await sendRaw(operation, "");
    expectFailure(empty, "invalid_json");
    expect(empty.body.error).toMatch(/empty/);
    const broken = [
      "{",
      text.slice(0, -1),
      `${text}x`,
      "{'a':1}",
      '{"a":1,}',
      "{} {}",
      "undefined",
      "<xml/>",
      "\u0000",
      '{"a":"\n"}',
    ];
    for (const raw of broken) expectFailure(await sendRaw(operation, raw), "invalid_json", raw.slice(0, 20));
  });

  test("400 invalid_json: bytes that are not UTF-8", async () => {
    const bytes = ["ff", "c0af", "eda080", "f8888080", "e282"].map((hex) => Buffer.from(hex, "hex"));
    const bodies = bytes.map((bad) => Buffer.concat([Buffer.from('{"name":"'), bad, Buffer.from('"}')]));
    const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
    for (const raw of [...bodies, utf16]) {
      expectFailure(await sendRaw(operation, Uint8Array.from(raw)), "invalid_json", raw.toString("hex").slice(0, 40));
    }
  });

  test("400 invalid_request: JSON that is no object", async () => {
    for (const raw of ["[]", `[${text}]`, "null", '"text"', JSON.stringify(text), "5", "true"]) {
      const answer = await sendRaw(operation, raw);
      expectFailure(answer, "invalid_request", raw);
      expect(answer.body.issues).toEqual([{ path: "", message: "must be a JSON object" }]);
    }
  });

  test("415: any Content-Type but JSON, or none", async () => {
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
    ];
    for (const type of [...types, "application/json-patch+json", "text/json", "json", "*/*"]) {
      expectFailure(await sendRaw(operation, text, { "content-type": type }), "unsupported_media_type", type);
    }
    const { method, path } = operation;
    const headers = { ...mistaken.headers, "content-length": String(Buffer.byteLength(text)) };
    expectFailure(await rawCall(method, path, { headers, chunks: [text] }), "unsupported_media_type", "none");
  });

  test("application/json is taken in any case and with parameters", async () => {
    const plain = await sendRaw(operation, "{", JSON_TYPE);
    for (const type of ["Application/JSON", "application/json; charset=utf-8", "application/json ;charset=UTF-8"]) {
      const answer = await sendRaw(operation, "{", { "content-type": type });
      expect(answer.body.code).toBe(plain.body.code);
    }
  });

  test("413: one byte more than 16 KiB, a megabyte, with a length and chunked; 16 KiB are read", async () => {
    const pad = (size: number) => text.slice(0, -1) + " ".repeat(size - Buffer.byteLength(text)) + text.slice(-1);
    const { method, path } = operation;
    const headers = { ...wallet.headers, ...JSON_TYPE };
    expect((await call(method, path, { headers, raw: pad(MAX_BODY_BYTES) })).status).not.toBe(413);
    expectFailure(await sendRaw(operation, pad(MAX_BODY_BYTES + 1)), "body_too_large");
    expectFailure(await sendRaw(operation, pad(1_000_000)), "body_too_large");
    const megabyte = Array.from({ length: 100 }, () => " ".repeat(10_000));
    expectFailure(await rawCall(method, path, { headers, chunks: megabyte }), "body_too_large", "chunked");
    const answer = await rawCall(method, path, { headers, chunks: ["{", "}"] });
    expect(answer.status).not.toBe(413);
    expectHouseRules(answer);
  });
});

describe.each(byName(OPERATIONS.filter(({ method }) => method !== "POST")))(
  "%s: a body it does not need",
  (_name, operation) => {
    const { method, path } = operation;
    /** With its length, or chunked. */
    const ways = (text: string): Record<string, string>[] => [
      { "content-length": String(Buffer.byteLength(text)) },
      { "transfer-encoding": "chunked" },
    ];
    // Next shows nobody the body of a GET: one with a length is refused, of a chunked one nothing is known.
    const isHidden = method === "GET" && inject("door") === "next";
    const sendBody = (text: string, way: Record<string, string>, type: Record<string, string> = JSON_TYPE) =>
      rawCall(method, path, { headers: { ...wallet.headers, ...type, ...way }, chunks: text === "" ? [] : [text] });
    const eachBody = async (text: string, verify: (answer: Answer, way: string) => void) => {
      for (const way of isHidden ? ways(text).slice(0, 1) : ways(text)) {
        verify(await sendBody(text, way), `${text.slice(0, 40)} ${Object.keys(way)}`);
      }
    };

    test("400: an unknown field is named", async () => {
      await eachBody('{"surprise":1,"network":"sandbox"}', (answer, about) => {
        expectFailure(answer, "invalid_request", about);
        if (!isHidden) expect(answer.body.issues).toEqual([{ path: "surprise", message: expect.any(String) }]);
      });
    });

    test("400: another network, JSON that is none or no object", async () => {
      const code = (usual: "network_mismatch" | "invalid_json") => (isHidden ? "invalid_request" : usual);
      await eachBody('{"network":"mainnet"}', (answer, about) =>
        expectFailure(answer, code("network_mismatch"), about),
      );
      await eachBody("{", (answer, about) => expectFailure(answer, code("invalid_json"), about));
      await eachBody("[]", (answer, about) => expectFailure(answer, "invalid_request", about));
    });

    test("413: more than 16 KiB; 415: anything but JSON", async () => {
      await eachBody(" ".repeat(MAX_BODY_BYTES + 1), (answer, about) => expectFailure(answer, "body_too_large", about));
      await eachBody(" ".repeat(1_000_000), (answer, about) => expectFailure(answer, "body_too_large", about));
      for (const type of [{}, { "content-type": "text/plain" }] as Record<string, string>[]) {
        const text = "{}";
        expectFailure(await sendBody(text, ways(text)[0]!, type), "unsupported_media_type");
      }
    });

    test("an empty one, and one that says nothing, makes no difference and needs no Content-Type", async () => {
      const plain = await call(method, path, { headers: wallet.headers });
      const answers = [...ways("").map((way) => sendBody("", way, {}))];
      if (!isHidden) answers.push(...["{}", '{"network":"sandbox"}'].map((text) => sendBody(text, ways(text)[0]!)));
      for (const answer of await Promise.all(answers)) {
        expect({ status: answer.status, code: answer.body?.code }).toEqual({
          status: plain.status,
          code: plain.body?.code,
        });
        expectHouseRules(answer);
      }
    });
  },
);

describe("duplicate keys", () => {
  test("the last one wins, right or wrong", async () => {
    const send = (raw: string) => call("POST", "/api/roundup", { headers: { ...wallet.headers, ...JSON_TYPE }, raw });
    const right = await data(send('{"txValueUsd":"no","txValueUsd":1,"txValueUsd":3.4,"plan":"forest"}'));
    expect(right).toMatchObject({ txValueUsd: 3.4, plan: "forest" });
    const wrong = await send('{"txValueUsd":3.4,"txValueUsd":"no"}');
    expectFailure(wrong, "invalid_request");
    expect(wrong.body.issues[0].path).toBe("txValueUsd");
  });

  test("the last one of a query wins, too", async () => {
    const path = `/api/accumulator/${wallet.address}`;
    expect((await data(get(`${path}?threshold=no&threshold=7`))).thresholdUsd).toBe(7);
    expectFailure(await get(`${path}?threshold=7&threshold=no`), "invalid_request");
    expectFailure(await get(`${path}?network=sandbox&network=mainnet`), "network_mismatch");
  });
});

describe.each(byName(OPERATIONS))("%s: network and query", (_name, operation) => {
  const isAnswered = async (pending: Promise<Answer>) => {
    const { status, body } = await pending;
    return { status, code: body?.code };
  };

  test("`network` of this deployment changes nothing, in body or query", async () => {
    const plain = await isAnswered(send(operation));
    expect(await isAnswered(send(operation, "?network=sandbox"))).toEqual(plain);
    if (!operation.body || operation.contract.operation === "airdrop") return;
    const body = { ...operation.body, network: "sandbox" };
    expect(await isAnswered(send({ ...operation, body }))).toEqual(plain);
  });

  test("400 network_mismatch: any other, in body or query", async () => {
    for (const network of ["mainnet", "mainnet-beta", "devnet", "Sandbox", "", "sandbox ", "__proto__"]) {
      const query = `?network=${encodeURIComponent(network)}`;
      expectFailure(await send(operation, query), "network_mismatch", query);
    }
    if (!operation.body) return;
    for (const network of ["mainnet", "mainnet-beta", "", null, 5, true, ["sandbox"], {}]) {
      const answer = await send({ ...operation, body: { ...operation.body, network } });
      expectFailure(answer, "network_mismatch", JSON.stringify(network));
      expect(answer.body.error).toMatch(/serves sandbox/);
    }
  });

  test("400: an unknown query parameter is named, malformed ones too", async () => {
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
      const answer = await send(operation, query);
      expectFailure(answer, "invalid_request", query.slice(0, 40));
      expect(answer.body.issues[0].path).toBe(name);
    }
  });
});

const withAddress = byName(OPERATIONS.filter(({ contract }) => contract.path.includes("{address}")));

describe.each(withAddress)("%s: the address of its path", (_name, { contract, method }) => {
  test("400 invalid_address: invalid base58 of every kind, off the curve, of small order", async () => {
    const { empty: _, ...texts } = NOT_WALLETS;
    for (const [about, text] of Object.entries(texts)) {
      const path = contract.path.replace("{address}", encodeURIComponent(text));
      const answer = await call(method, path);
      expectFailure(answer, "invalid_address", about);
      expect(answer.body.issues[0].path).toBe("address");
      expect(answer.text.length).toBeLessThan(500);
    }
  });

  test("400 invalid_address: control characters and slashes that were percent-encoded", async () => {
    for (const text of ["%00", "%0A", "a%2Fb", "..%2F..%2Fetc%2Fpasswd", "%F0%9F%92%A9", "%25zz"]) {
      expectFailure(await call(method, contract.path.replace("{address}", text)), "invalid_address", text);
    }
  });

  test("404: no address at all", async () => {
    expectFailure(await call(method, contract.path.replace("{address}", "")), "not_found");
    expectFailure(await call(method, contract.path.replace("/{address}", "")), "not_found");
  });
});

describe.each(PATHS)("$path: methods", ({ path, methods }) => {
  test("405 with Allow, in the envelope: every method it does not have", async () => {
    for (const method of METHODS.filter((one) => !methods.includes(one))) {
      const answer = await call(method, path, { headers: wallet.headers });
      if (method === "HEAD") {
        expect(answer.status).toBe(405);
        expect(answer.text).toBe("");
        expectHouseRules(answer);
      } else expectFailure(answer, "method_not_allowed", method);
      expect(answer.headers.get("allow")?.split(", ").sort()).toEqual([...methods].sort());
    }
  });

  test("OPTIONS: 204 and everything a browser's preflight asks for, without credentials", async () => {
    const answer = await call("OPTIONS", path, {
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-wallet,x-signature,x-api-key",
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe("");
    expectHouseRules(answer);
    const { headers } = answer;
    expect(headers.get("access-control-allow-methods")?.split(", ").sort()).toEqual([...methods].sort());
    expect(headers.get("allow")).toBe(headers.get("access-control-allow-methods"));
    const allowed = headers.get("access-control-allow-headers")?.split(", ");
    expect(allowed).toEqual(expect.arrayContaining(["content-type", "x-wallet", "x-signature", "x-api-key"]));
    expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
  });

  test("a trailing slash makes no difference", async () => {
    const [method] = methods;
    const [plain, slashed] = [await call(method!, path), await call(method!, `${path}/`)];
    expect({ status: slashed.status, code: slashed.body?.code }).toEqual({
      status: plain.status,
      code: plain.body?.code,
    });
    expectHouseRules(slashed);
  });
});

test.each(PATHS.filter(({ methods }) => methods.includes("HEAD")))(
  "HEAD $path: the status and headers of GET, and no body",
  async ({ path }) => {
    const { headers } = wallet;
    const [head, whole] = [await call("HEAD", path, { headers }), await get(path, { headers })];
    expect({ status: head.status, text: head.text }).toEqual({ status: whole.status, text: "" });
    expectHouseRules(head);
    for (const name of ["content-type", "cache-control"]) expect(head.headers.get(name)).toBe(whole.headers.get(name));
  },
);

test("any page's script may read the limit, the request id and Retry-After", async () => {
  const { headers } = await get("/api/plans", { headers: { origin: "https://app.example" } });
  const exposed = headers.get("access-control-expose-headers")?.split(", ");
  const wanted = ["x-request-id", "retry-after", "allow", "ratelimit", "ratelimit-policy", "x-ratelimit-remaining"];
  expect(exposed).toEqual(expect.arrayContaining(wanted));
});

describe("paths that do not exist", () => {
  test("404 in the envelope, whatever the method", async () => {
    const paths = [
      "/api",
      "/api/",
      "/api?x=1",
      "/api/nothing",
      "/api/plans/x",
      "/api/swap",
      "/api/keys/a/b",
      "/api/a/b/c/d/e/f",
      "/api/__proto__",
      "/api/constructor",
      "/api/toString",
      "/api/plans.json",
      "/api/plans%00",
      "/api/plans%2F",
      "/api/%70lans",
      "/api/Plans",
      "/api/portfolio",
      "/api/[[...path]]",
      "/api/route.ts",
      `/api/${"long/".repeat(1_500)}`,
    ];
    for (const path of paths) expectFailure(await rawCall("GET", path), "not_found", path.slice(0, 40));
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      expectFailure(
        await call(method, "/api/nothing", { body: method === "OPTIONS" ? undefined : {} }),
        "not_found",
        method,
      );
    }
    const head = await call("HEAD", "/api/nothing");
    expect({ status: head.status, text: head.text }).toEqual({ status: 404, text: "" });
    expectHouseRules(head);
  });

  test("the 404 says where all paths are listed", async () => {
    expect((await get("/api/nothing")).body.error).toMatch(/GET \/api\/openapi\.json/);
  });
});

describe("requests that hardly are any", () => {
  const isServer = inject("door") === "server";

  // Next alone answers these by itself, before any handler of ours: 308, 400 or 500, never with a stack.
  const refuse = (answer: Answer, code: Parameters<typeof expectFailure>[1], about: string) => {
    if (isServer) expectFailure(answer, code, about);
    else expectNoLeak(answer);
  };

  test("malformed percent-encoding in a path", async () => {
    for (const text of ["%zz", "%E0%A4%A", "%", "%c0%af"]) {
      refuse(await rawCall("GET", `/api/accumulator/${text}`), "invalid_address", text);
      refuse(await rawCall("GET", `/api/${text}`), "not_found", text);
    }
  });

  test("empty segments in a path", async () => {
    for (const path of ["/api//plans", "/api/plans//", "/api/accumulator//"]) {
      refuse(await rawCall("GET", path), "not_found", path);
    }
  });

  test("methods that HTTP has and the API has not", async () => {
    for (const method of ["TRACE", "PROPFIND", "REPORT"]) {
      refuse(await rawCall(method, "/api/plans"), "method_not_allowed", method);
    }
  });

  // Next alone drops this name before any handler of ours sees it.
  test.runIf(isServer)("400: __proto__ as a query parameter is named like any other", async () => {
    for (const operation of OPERATIONS) {
      const answer = await send(operation, "?__proto__=1");
      expectFailure(answer, "invalid_request", operation.contract.operation);
      expect(answer.body.issues[0].path).toBe("__proto__");
    }
  });

  // Next alone may refuse it. More of this: tests/process/raw-requests.test.ts.
  test.runIf(isServer)("200: a Host header that names no host does not matter", async () => {
    for (const host of ["a b", "[", "example.org:99999", "a/b", "user@example.org"]) {
      const answer = await rawCall("GET", "/api/plans", { headers: { host } });
      expect({ host, status: answer.status }).toEqual({ host, status: 200 });
      expectHouseRules(answer);
    }
  });

  test("a head larger than 16 KiB is refused by the HTTP server itself, and the next request is answered", async () => {
    const answer = await rawCall("GET", `/api/accumulator/${"1".repeat(20_000)}`);
    expect(answer.status).toBe(431);
    expectNoLeak(answer);
    expect((await get("/api/plans")).status).toBe(200);
  });

  test("after a body that is too large the same connection answers the next request", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const chunks = Array.from({ length: 10 }, () => " ".repeat(100_000));
    for (const length of [{}, { "content-length": "1000000" }] as Record<string, string>[]) {
      const headers = { ...JSON_TYPE, ...length };
      expectFailure(await rawCall("POST", "/api/sandbox/airdrop", { headers, chunks, agent }), "body_too_large");
      expect((await rawCall("GET", "/api/plans", { agent })).status).toBe(200);
    }
    agent.destroy();
  });

  test("dots in a path lead nowhere else", async () => {
    for (const path of ["/api/../package.json", "/api/..%2f..%2fpackage.json", "/api/plans/../../package.json"]) {
      const answer = await rawCall("GET", path);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
      expect(answer.text).not.toContain("dependencies");
      expectNoLeak(answer);
    }
  });
});

test("after all of it no key was made and nothing was airdropped", async () => {
  const poor = await newWallet();
  const bad = [{ sol: 10.1 }, { sol: -1 }, { sol: "1" }, { sol: 1, address: "me" }, { sol: 1, to: poor.address }];
  for (const fields of bad) {
    const answer = await post("/api/sandbox/airdrop", { address: poor.address, ...fields });
    expect(answer.status).toBe(400);
  }
  expect((await data(get(`/api/accumulator/${poor.address}`))).balanceLamports).toBe(0);
  expect((await data(get("/api/keys", { headers: mistaken.headers }))).keys).toEqual([]);
});
