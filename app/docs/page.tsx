import { SoftLink } from "@/app/_components/soft-link";
import { TAGS } from "@/lib/contracts/openapi";
import { CredentialsBar } from "./_components/credentials-bar";
import { OperationView } from "./_components/operation-view";
import { Code, DocsLink, FileLink, InlineCode } from "./_components/prose";
import { GUIDES } from "./_content/guides";
import { listOperationGroups } from "./_content/reference";

const ENVELOPE = `{ "ok": true, "data": { … } }
{ "ok": false, "error": "A sentence.", "code": "a_stable_word", "requestId": "…" }`;

export default function DocsPage() {
  return (
    <>
      <h1 className="text-3xl font-semibold sm:text-4xl">Documentation</h1>
      <p className="mt-3 max-w-2xl text-lg text-soft">
        The API is plain HTTP and JSON. For programs: <FileLink href="/api/openapi.json">openapi.json</FileLink>,{" "}
        <FileLink href="/llms.txt">llms.txt</FileLink> and <FileLink href="/SKILL.md">SKILL.md</FileLink>.
      </p>
      <h2 className="sr-only">Guides</h2>
      <ul className="mt-6 grid grid-cols-2 gap-2 sm:gap-3 xl:grid-cols-3">
        {GUIDES.map(({ slug, title, lead }) => (
          <li key={slug} className="first:col-span-full xl:first:col-span-1">
            <SoftLink
              href={`/docs/${slug}`}
              className="block h-full rounded-xl border border-line bg-card px-3.5 py-3 hover:border-line-strong sm:p-4"
            >
              <span className="font-semibold text-accent">{title}</span>
              <span className="mt-0.5 block text-sm text-soft max-sm:hidden">{lead}</span>
            </SoftLink>
          </li>
        ))}
      </ul>
      <h2 id="reference" className="mt-14 scroll-mt-4 text-3xl font-semibold">
        API reference
      </h2>
      <p className="mt-3 max-w-2xl text-soft">
        The server checks every request against the contracts from which this page is generated.
      </p>
      <div className="mt-5 space-y-4">
        <Code label="Every answer" canCopy={false} isWrapped>
          {ENVELOPE}
        </Code>
        <p className="text-soft">
          Send bodies with <InlineCode>Content-Type: application/json</InlineCode>. Fields that are not listed here are
          refused. The exception is <InlineCode>network</InlineCode>: any body or query may contain it, and it must
          match this deployment’s network.
        </p>
        <p className="text-soft">
          Examples of protected calls read <InlineCode>WALLET</InlineCode> and <InlineCode>SIGNATURE</InlineCode> from
          the environment. <DocsLink href="/docs/authentication">Signing in</DocsLink> explains how to get them. The
          TypeScript examples need <DocsLink href="/docs/sdk">the SDK</DocsLink>.
        </p>
        <CredentialsBar />
      </div>
      {listOperationGroups().map(({ tag, operations }) => (
        <section key={tag} aria-labelledby={`group-${tag}`} className="mt-14">
          <h2 id={`group-${tag}`} className="text-2xl font-semibold">
            {tag}
          </h2>
          <p className="mt-1 text-soft">{TAGS[tag]}</p>
          {operations.map((operation) => (
            <OperationView key={operation.id} operation={operation} />
          ))}
        </section>
      ))}
    </>
  );
}
