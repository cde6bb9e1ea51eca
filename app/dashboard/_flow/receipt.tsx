import { Button, ButtonLink } from "@/app/_components/button";
import { CopyButton, Short } from "@/app/_components/copy";

/** Where each transaction can be found again. */
export function Signatures({ done }: { done: { label: string; txSignature: string }[] }) {
  return (
    <ul className="divide-y divide-line rounded-xl border border-line px-4">
      {done.map(({ label, txSignature }) => (
        <li key={txSignature} className="flex items-center justify-between gap-3 py-2 text-sm">
          <p className="min-w-0">
            <span className="block">{label}</span>
            <span className="text-soft">
              Signature <Short text={txSignature} />
            </span>
          </p>
          <CopyButton text={txSignature} className="shrink-0" ariaLabel={`Copy the signature of: ${label}`} />
        </li>
      ))}
    </ul>
  );
}

/** The ways on when all is done. */
export function DoneActions({ onClose }: { onClose: () => void }) {
  return (
    <div className="mt-6 flex flex-wrap gap-3">
      <ButtonLink href="/dashboard">See my savings</ButtonLink>
      <Button look="quiet" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}
