import { expect, test } from "vitest";
import { isPhone, toPublicPageUrl } from "../../../app/_onboarding/wallet-apps";

test.each([
  ["https://roundup.example", "https://roundup.example/dashboard"],
  ["http://roundup.example", null],
  ["", null],
])("the origin %j gives the dashboard the public address %j", (origin, address) => {
  expect(toPublicPageUrl(origin, "/dashboard")).toBe(address);
});

test.each([
  ["Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", 5, true],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1", 5, true],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15", 5, true],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15", 0, false],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", 10, false],
])("detects a phone or tablet by user agent %s and %i touch points: %o", (userAgent, maxTouchPoints, expected) => {
  expect(isPhone({ userAgent, maxTouchPoints })).toBe(expected);
});
