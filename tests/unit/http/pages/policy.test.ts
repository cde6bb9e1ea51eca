import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { buildContentSecurityPolicy, hashScripts } from "../../../../lib/http/pages/policy";

const computeHash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

test("each inline script of a page is hashed once", () => {
  const html = `<script src="/a.js" async=""></script><script>one()</script><script id="x">two("é\n")</script>
    <p>script</p><script>one()</script><script type="module" src="/b.js"></script>`;
  expect(hashScripts(html)).toEqual([computeHash("one()"), computeHash('two("é\n")')]);
});

test("the policy allows no inline code except the listed scripts and style attributes", () => {
  const policy = buildContentSecurityPolicy(["'sha256-x'"]);
  expect(policy).toContain("default-src 'none'; script-src 'self' 'sha256-x'; style-src 'self'; style-src-attr");
  expect(policy.match(/'unsafe-[\w-]+'/g)).toEqual(["'unsafe-inline'"]);
  expect(policy).not.toContain("nonce");
});
