import { expect, test } from "vitest";
import { parseRecord } from "@/lib/sdk/flow/record";

test.each([null, "", "{", "null", "[]", "{}", '{"done":[]}', '{"request":{}}', '{"done":[],"request":null}'])(
  "the stored text %j is no record",
  (text) => {
    expect(parseRecord(text)).toBeNull();
  },
);
