import { expect, test } from "vitest";
import { readOptions } from "../../../lib/sandbox/options";

test.each([
  [["--port", "many"], "--port must be a number from 0 to 65534"],
  [["--port", "65535"], "--port must be a number from 0 to 65534"],
  [["--prices", "up"], "--prices must be fixed or walk"],
  [["--fees", "free"], "--fees must be one of flat, resource-10, resource-4, resource-2"],
  [["--slot-ms", "49"], "--slot-ms must be a number from 50 to 2000"],
  [["--slot-ms", "fast"], "--slot-ms must be a number from 50 to 2000"],
  [["--nonsense", "1"], /^Unknown option '--nonsense'/],
])("the sandbox refuses the options %j", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});
