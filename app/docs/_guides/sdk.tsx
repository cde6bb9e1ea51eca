import { Highlighted, Shell } from "@/app/docs/_components/highlighted";
import { DocsLink, InlineCode, Points, Section } from "@/app/docs/_components/prose";
import { SDK_README } from "@/app/docs/_content/samples";

const INSTALL = `# in Roundup's folder: builds the package and packs it
npm ci && npm run build:sdk && npm pack ./dist/sdk
# in your project: the programs in these guides are ES modules
npm pkg set type=module
npm install /path/to/roundup-sdk-*.tgz @solana/web3.js@1 tsx @types/node
npx roundup --help`;

const RUN = `# a new key file, as solana-keygen makes it, with play money from a sandbox
node -e 'console.log(JSON.stringify([...require("@solana/web3.js").Keypair.generate().secretKey]))' > id.json
npx roundup airdrop 1 --keypair id.json
npx tsx save.ts id.json`;

const [FIRST = ""] = /(?<=```ts\n)[\s\S]*?(?=\n```)/.exec(SDK_README) ?? [];

export function SdkGuide() {
  return (
    <>
      <p>
        The package <InlineCode>roundup-sdk</InlineCode> signs in, derives the service wallet, checks each transaction
        before it signs, and never pays twice. It is in no registry: you build it from Roundup’s source. It runs in
        browsers and in Node 20.19 or later.
      </p>
      <Section id="install" title="Install">
        <Shell>{INSTALL}</Shell>
        <p>
          The package’s README lists every option. <InlineCode>roundup</InlineCode> is{" "}
          <DocsLink href="/docs/agent">the command</DocsLink> in it.
        </p>
      </Section>
      <Section id="program" title="Save and invest">
        <Highlighted label="TypeScript, save.ts">{FIRST}</Highlighted>
        <Shell>{RUN}</Shell>
      </Section>
      <Section id="imports" title="What to import">
        <Points>
          <li>
            <InlineCode>roundup-sdk</InlineCode>: <InlineCode>createRoundup</InlineCode> for a program that holds a
            wallet, and <InlineCode>createPreparer</InlineCode> for a backend whose customers sign.
          </li>
          <li>
            <InlineCode>roundup-sdk/client</InlineCode>: <InlineCode>createClient</InlineCode> calls every operation,
            typed by path. It signs and checks nothing.
          </li>
          <li>
            <InlineCode>roundup-sdk/attach</InlineCode> adds a round-up to your own transaction.{" "}
            <InlineCode>roundup-sdk/verify</InlineCode> checks what the service built.{" "}
            <InlineCode>roundup-sdk/errors</InlineCode> has <InlineCode>ApiError</InlineCode>.
          </li>
        </Points>
      </Section>
    </>
  );
}
