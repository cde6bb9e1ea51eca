import { Badge } from "@/app/_components/card";
import { tokenize } from "@/app/docs/_content/highlight";
import type { Operation } from "@/app/docs/_content/reference";
import { buildRequestSamples } from "@/app/docs/_content/request-samples";
import { AUTH_TEXTS } from "@/lib/contracts/define";
import type { ApiCall } from "./call";
import { TryIt } from "./console";
import { ErrorList, FieldList, FoldedSection } from "./operation-lists";
import { Code, renderCode } from "./prose";
import { RequestSamples } from "./request-samples";

/** The server replaces it in built pages. It must be short: navigation data states the length of a long string. */
const ORIGIN_PLACEHOLDER = "http://localhost:3000";

export function OperationView({ operation }: { operation: Operation }) {
  const { id, method, path, auth, summary, description, parameters, body, answer, errors, statuses, hasNoEnvelope } =
    operation;
  const call: ApiCall = { id, method, path, auth, parameters, exampleBody: body?.example ?? null, hasNoEnvelope };
  const samples = buildRequestSamples(call, ORIGIN_PLACEHOLDER).map(({ label, language, code }) => ({
    label,
    tokens: tokenize(code, language),
  }));
  return (
    <section aria-labelledby={id} className="mt-8 rounded-2xl border border-line bg-card p-4 sm:p-6">
      <h3 id={id} className="scroll-mt-4 text-lg font-semibold">
        <a href={`#${id}`} className="underline-offset-4 hover:underline">
          {summary}
        </a>
      </h3>
      <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span className="rounded-md bg-ink px-2 py-0.5 font-mono text-sm font-semibold text-page">{method}</span>
        <code className="font-mono break-all">{path}</code>
        <Badge>{AUTH_TEXTS[auth]}</Badge>
      </p>
      {description && <p className="mt-3 max-w-3xl text-soft">{renderCode(description)}</p>}
      {parameters.length > 0 && (
        <>
          <h4 className="mt-5 font-semibold">In the address</h4>
          <FieldList fields={parameters} />
        </>
      )}
      {body && (
        <>
          <h4 className="mt-5 font-semibold">Body</h4>
          {body.fields.length > 0 ? <FieldList fields={body.fields} /> : <p className="text-soft">An empty object.</p>}
        </>
      )}
      <div className="mt-5 space-y-3">
        <FoldedSection
          title={hasNoEnvelope ? "The answer, without the envelope" : `The answer, in data (${answer.length} fields)`}
        >
          {statuses.length > 0 && (
            <ul className="mb-3 text-soft">
              {statuses.map(([status, meaning]) => (
                <li key={status}>
                  <code className="font-mono font-semibold text-ink">{status}</code> {meaning}
                </li>
              ))}
            </ul>
          )}
          {answer.length > 0 ? (
            <FieldList fields={answer} isAnswer />
          ) : (
            <p className="text-soft">An OpenAPI 3.1 document.</p>
          )}
        </FoldedSection>
        {!hasNoEnvelope && (
          <FoldedSection title="An example answer">
            <Code label="data" canCopy={false}>
              {JSON.stringify(operation.exampleAnswer, null, 2)}
            </Code>
          </FoldedSection>
        )}
        <FoldedSection title={`Errors (${errors.length} codes)`}>
          <ErrorList errors={errors} />
        </FoldedSection>
        <RequestSamples samples={samples} origin={ORIGIN_PLACEHOLDER} />
        <TryIt call={call} />
      </div>
    </section>
  );
}
